"""The parts of a page: the comparison of runs, and what is said of each."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from depo.analysis.report.claims import claims_table
from depo.analysis.report.contents import RunContents, mean_of
from depo.analysis.report.markup import Cell, Child, Markup, Row, escaped, joined, table, tag
from depo.analysis.report.media import Medium
from depo.core.metrics import SUMMARY, find_metric, number_text, shown_in
from depo.evaluation.statistics import ENOUGH_SEEDS, interval, iqm

RELATIVE = "between random (0) and expert (1)"
MEANING = {
    "nobody": "plans are reached",
    "plan": "the plan: most of what is missing, no action would have reached",
    "skill": "the skill: most of what is missing, another action would have reached",
}


def comparison(group: Sequence[RunContents]) -> Markup:
    """One row for each run at its last evaluation."""
    score = find_metric(group[0].score)
    reach = "reach_error_relative"
    columns = ["run", score.title, RELATIVE, find_metric(reach).title]
    columns += ["method", "seeds", "steps", "time", "status"]
    rows: list[Row] = [
        [
            own.name,
            score_cell([row[score.name] for row in own.rows if score.name in row], score.text),
            _number(mean_of(own.relative(row) for row in own.rows if score.name in row)),
            _number(mean_of(row[reach] for row in own.rows if reach in row)),
            own.run.job.method,
            whole(len(own.rows)),
            whole(max((row["env_steps"] for row in own.rows), default=0)),
            Cell(duration(own.seconds), own.seconds),
            own.status,
        ]
        for own in group
    ]
    known = group[0].yardstick
    ends: list[Row] = [
        [name, Cell(score.text(value), value), _number(place), *[""] * 6]
        for name, value, place in (
            ("random policy", known.random.get(score.name), 0.0),
            (
                f"expert ({'replayed' if known.replayed else 'the recording'})",
                known.expert.get(score.name),
                1.0,
            ),
        )
        if value is not None
    ]
    caption = f"Last evaluation: {statistic(len(own.rows) for own in group)}."
    about = {RELATIVE: "(score − random) / (expert − random), the mean over seeds"}
    about |= {name.title: name.meaning for name in (score, find_metric(reach))}
    return table(columns, rows, caption=caption, ends=ends, titles=about)


def run_section(own: RunContents) -> Markup:
    """All that is said of one run."""
    parts = [
        tag("h2", own.name),
        tag("p", _what(own)),
        *(tag("p", note, class_="note") for note in own.notes),
        _seeds(own),
        _closeness(own),
        _reachability(own),
        *(
            claims_table(claims, f"Claims of {name} about this run")
            for name, claims in own.claims.items()
        ),
        _drives(own),
        media_section(own.media),
        _settings(own),
        _machine(own),
        _again(own),
    ]
    return tag("section", *parts)


def _what(own: RunContents) -> str:
    job = own.run.job
    learned = f"{job.method} on {job.environment.label} ({job.learner} learner), {own.status}."
    source = f" Learned from: {own.demonstrations}." if own.demonstrations else ""
    planner = f" Its planner comes from {job.planner}." if job.planner else ""
    variants = f" Variants: {', '.join(job.variants)} ({job.schedule})." if job.variants else ""
    return learned + source + planner + variants


def _seeds(own: RunContents) -> Markup:
    """Every seed's last evaluation."""
    if not own.rows:
        return tag("p", "There is no evaluation yet.", class_="note")
    shown = shown_in(SUMMARY, own.rows[0])
    relative = [] if any(m.name == "return_relative" for m in shown) else [RELATIVE]
    columns = ["seed", "steps", *(m.title for m in shown), *relative]
    rows: list[Row] = []
    for row in own.rows:
        cells: Row = [whole(row["seed"]), whole(row["env_steps"])]
        cells += [Cell(m.text(row[m.name]), row[m.name]) for m in shown]
        cells += [_number(own.relative(row)) for _ in relative]
        rows.append(cells)
    ends: list[Row] = []
    for name, known, place in (
        ("random", own.yardstick.random, 0.0),
        ("expert", own.yardstick.expert, 1.0),
    ):
        if own.score in known:
            last = ["" if own.score not in known else _number(place) for _ in relative]
            told = [_end(m.name, m.text, known, place, own.score) for m in shown]
            ends.append([name, "", *told, *last])
    about = {m.title: m.meaning for m in shown}
    return table(columns, rows, caption="Every seed, last evaluation", ends=ends, titles=about)


def _end(name: str, text: Any, known: Mapping[str, float], place: float, score: str) -> Cell | str:
    if name in known:
        return Cell(text(known[name]), known[name])
    return _number(place) if name == "return_relative" and score == "return" else ""


def _closeness(own: RunContents) -> Markup | None:
    """How far the policy's states are from the recording's, where it was measured."""
    if not own.closeness:
        return None
    first = own.closeness[0].distance
    rows: list[Row] = [
        [
            feature,
            *(_number(one.distance.distance[i]) for one in own.closeness),
            _number(first.floor[i]),
        ]
        for i, feature in enumerate(first.features)
    ]
    whose = "held-out" if own.closeness[0].held_out else "all"
    told = (f"Seed {one.seed}: {one.told()}." for one in own.closeness)
    columns = ["feature", *(f"seed {one.seed}" for one in own.closeness), "recording, halves"]
    caption = (
        f"Wasserstein distance of every feature from {whose} episodes of the recording, in the "
        "recording's deviations; beside it the distance between two halves of the recording"
    )
    return _folded(
        "How close to the recording",
        *(tag("p", one) for one in told),
        table(columns, rows, caption=caption),
        opened=True,
    )


def _reachability(own: RunContents) -> Markup | None:
    if not own.reachability:
        return None
    columns = [
        "seed",
        "reach error relative to no change",
        "no action reaches it (plan)",
        "the best action would (skill)",
        "to blame",
    ]
    rows: list[Row] = [
        [
            whole(one.seed),
            _number(one.reach_error_relative),
            _number(one.unreachable),
            _number(one.unskilled),
            MEANING[one.blame],
        ]
        for one in own.reachability
    ]
    return table(columns, rows, caption="Are plans reached, and who is to blame")


def _drives(own: RunContents) -> Markup | None:
    """Places for drives that a script draws."""
    if not own.drives:
        return None
    who = (
        "red: the policy of the first seed; amber: what it plans for the next 3 s; green: the "
        "recorded driver; blue: everybody else, as recorded. Test vehicles, from the first to the "
        "last, evenly."
    )
    return _folded(
        "Drives",
        tag("p", who, class_="dim"),
        tag("noscript", tag("p", "Drives need scripting.")),
        *(tag("figure", class_="drive") for _ in own.drives),
        opened=True,
    )


def media_section(media: Sequence[Medium], class_: str = "media") -> Markup | None:
    """Pictures and films, each with its name."""
    if not media:
        return None
    shown = [
        tag(
            "figure",
            tag("video", src=one.uri, controls=True, loop=True, muted=True, preload="auto")
            if one.is_film
            else tag("img", src=one.uri, alt=one.name),
            tag("figcaption", one.name),
        )
        for one in media
    ]
    return _folded("Figures and films", tag("div", *shown, class_=class_), opened=True)


def _settings(own: RunContents) -> Markup:
    columns = ["setting", "value", "from", "part"]
    job = own.run.job
    changed = sum(one.origin not in ("default", "preset") for one in own.settings)
    rows: list[Row] = [
        [
            Cell(tag("code", one.name, title=one.doc or None)),
            Cell(_value(one.value), _numeric(one.value)),
            one.origin,
            one.heading,
        ]
        for one in own.settings
    ]
    seeds = ", ".join(map(str, job.seeds[:10])) + (", …" if len(job.seeds) > 10 else "")
    asked = (
        f"Preset {job.preset}, {job.blocks * job.steps_per_block:,} steps, seeds {seeds}. "
        f"{changed} of {len(own.settings)} settings are neither the method's default nor the "
        "preset's."
    )
    return _folded("Settings, and where each comes from", tag("p", asked), table(columns, rows))


def _machine(own: RunContents) -> Markup:
    made = own.made_with
    rows: list[Row] = [["time spent learning", duration(own.seconds)]]
    rows += [[str(name), str(value)] for name, value in made.items() if value != "none"]
    if "commit" not in made:
        rows.append(["commit", "not recorded (depo was installed, or is older than that)"])
    return _folded("Machine, time, versions", table(["what", "value"], rows))


def _again(own: RunContents) -> Markup:
    if not own.command:
        text = (
            "No command line says it: its environment was given as an object, or its seeds have "
            "gaps. settings.json in the run's folder has everything."
        )
        return _folded("How to repeat it", tag("p", text))
    lines = (Markup(f"{escaped(line)}\n") for line in _a_flag_each(own.command))
    return _folded("How to repeat it", tag("pre", tag("code", *lines)), opened=True)


def _a_flag_each(command: str) -> list[str]:
    """The lines of a command with each flag on one of its own, as a shell takes it.

    >>> print(*_a_flag_each("depo train depo --out 'my run' --seeds 5"), sep="\\n")
    depo train depo \\
      --out 'my run' \\
      --seeds 5
    """
    first, *rest = shlex.split(command)
    lines = [first]
    for word in rest:
        if word.startswith("--"):
            lines.append(f"  {word}")
        else:
            lines[-1] += f" {shlex.quote(word)}"
    return [*(f"{line} \\" for line in lines[:-1]), lines[-1]]


def _folded(title: str, *children: Child, opened: bool = False) -> Markup:
    return tag("details", tag("summary", title), joined(children), open=opened)


def statistic(seeds: Iterable[int]) -> str:
    """What stands for runs of so many seeds."""
    enough = {count >= ENOUGH_SEEDS for count in seeds}
    words = {True: "interquartile mean and 95% interval", False: "mean (least to greatest seed)"}
    return "; ".join(
        f"{words[own]} {'from' if own else 'below'} {ENOUGH_SEEDS} seeds" for own in sorted(enough)
    )


def score_cell(values: Sequence[float], text: Any) -> Cell:
    """The middle of all seeds, and what lies around it."""
    if not values:
        return Cell("–")
    if len(values) >= ENOUGH_SEEDS:
        middle, ends = float(iqm(values)), interval(values)
    else:
        with np.errstate(over="ignore"):  # the mean of what has no sum is infinite
            middle, ends = float(np.mean(values)), (min(values), max(values))
    around = f" ({text(ends[0])} to {text(ends[1])})" if ends and len(values) > 1 else ""
    return Cell(f"{text(middle)}{around}", middle)


def _number(value: float) -> Cell:
    return Cell("–" if math.isnan(value) else number_text(value), value)


def whole(value: float) -> Cell:
    """How many there are of something."""
    return Cell(f"{value:,.0f}", value)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "not set" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _numeric(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def duration(seconds: float) -> str:
    """Seconds for people.

    >>> duration(42.0), duration(150.0), duration(7_300.0)
    ('42 s', '2.5 min', '2.0 h')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 7_200 else f"{seconds / 3_600:.1f} h"
