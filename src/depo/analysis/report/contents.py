"""What a page says of one run, read from its folder by the checked readers."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from depo.analysis.report.media import ALL, Medium, media_of
from depo.analysis.report.origins import SettingOrigin, command_of, settings_with_origins
from depo.analysis.results import JudgedClaim
from depo.analysis.yardstick import OCCUPANCY, Yardstick, known_score, lacks_returns, yardstick_of
from depo.core.codec import decode
from depo.core.errors import DepoError
from depo.core.files import read_object
from depo.methods.registry import OFF_POLICY, deferred
from depo.runs.job import IN_MEMORY
from depo.runs.run import FIGURES, Run

if TYPE_CHECKING:
    from depo.analysis.closeness import Closeness

Claims = Mapping[str, Sequence[JudgedClaim]]
"""By experiment, those that are about a run."""

PLAYED = {"driving": deferred("depo.analysis.report.drives:drives_of")}
"""By family of environments: what is drawn moving, by a module that loads JAX."""


@dataclass(frozen=True)
class Blame:
    """What a report of reachability says, of all that it holds."""

    seed: int
    steps: int
    reach_error: float
    reach_error_relative: float
    unreachable: float
    unskilled: float
    blame: Literal["nobody", "plan", "skill"]


@dataclass(frozen=True, eq=False)
class RunContents:
    """All that is said of a run."""

    name: str
    """What the page calls it: its folder, or more of the path where folders are called the same."""
    run: Run
    status: str
    score: str
    """The metric it is watched by."""
    rows: list[dict[str, float]]
    """The last evaluation of every seed."""
    yardstick: Yardstick
    settings: list[SettingOrigin]
    command: str
    demonstrations: str
    made_with: dict[str, Any]
    seconds: float
    closeness: list[Closeness]
    reachability: list[Blame]
    media: list[Medium]
    notes: list[str]
    claims: Claims = field(default_factory=dict)
    drives: list[dict[str, Any]] = field(default_factory=list)
    """Plain data, to be drawn by a canvas."""

    @property
    def media_bytes(self) -> int:
        """What its pictures and films take."""
        return sum(len(medium.data) for medium in self.media)

    def relative(self, row: dict[str, float]) -> float:
        """A seed's score between random and expert; as it was trained, where that is known."""
        own = row.get("return_relative") if self.score == "return" else None
        return self.yardstick.relative(self.score, row[self.score]) if own is None else own


def contents_of(
    runs: Iterable[Run], *, claims: Callable[[Run], Claims] = lambda _: {}, measure: bool = True
) -> list[RunContents]:
    """What is known of every run; what is missing and could be played is, if ``measure``."""
    opened = list(runs)
    names = told_apart([run.path for run in opened])
    room, found = ALL, []
    for name, run in zip(names, opened, strict=True):
        own = replace(_contents(name, run, room, measure), claims=claims(run))
        room -= own.media_bytes
        found.append(own)
    return found


def _contents(name: str, run: Run, room: int, measure: bool) -> RunContents:
    rows = run.final_scores()
    yardstick = yardstick_of(run, measure=measure)
    media, left_out = media_of(run.path / FIGURES, room)
    closeness, why = _closeness(run, measure)
    blames, broken = _reachability(run)
    drives, not_driven = _drives(run) if measure and rows else ([], "")
    notes = [
        yardstick.note and f"no random policy to compare with: {yardstick.note}",
        yardstick.replayed,
        why,
        not_driven,
    ]
    return RunContents(
        name=name,
        run=run,
        status=_status(run),
        score=known_score(rows),
        rows=rows,
        yardstick=yardstick,
        settings=settings_with_origins(run.job),
        command=command_of(run.job, run.path),
        demonstrations=_demonstrations(run),
        made_with=run.made_with(),
        seconds=run.seconds(),
        closeness=closeness,
        reachability=blames,
        media=media,
        notes=[*filter(None, notes), *broken, *left_out],
        drives=drives,
    )


def told_apart(paths: Sequence[Path]) -> list[str]:
    """The last part of each path, with as many before it as tell runs apart."""
    whole = [path.absolute().parts for path in paths]
    for length in range(1, max(map(len, whole), default=1) + 1):
        names = ["/".join(parts[-length:]) for parts in whole]
        if len(set(names)) == len(set(whole)):
            break
    return [
        name if names.count(name) == 1 else f"{name} ({names[: i + 1].count(name)})"
        for i, name in enumerate(names)
    ]


def _status(run: Run) -> str:
    """Whether it is finished, and if not, how far it is."""
    done, steps = run.steps_done(), run.job.total_steps
    far = "" if run.is_finished() else f" at {done:,} of {steps:,} steps"
    return ", ".join(filter(None, [run.status() + far, run.stop_reason()]))


def _closeness(run: Run, measure: bool) -> tuple[list[Closeness], str]:
    """How close it comes to the recording: what was kept, or measured where nothing else says."""
    is_kept = (run.path / FIGURES / OCCUPANCY).exists()
    is_wanted = measure and bool(run.final_scores()) and lacks_returns(run)
    if not (is_kept or is_wanted):
        return [], ""
    from depo.analysis.closeness import closeness, kept_closeness  # which load JAX

    try:
        found = kept_closeness(run)
        return found or (closeness(run) if is_wanted else []), ""
    except DepoError as error:
        return [], f"how close it comes to the recording is not known: {error}"


def _drives(run: Run) -> tuple[list[dict[str, Any]], str]:
    """What the policy does on the road, played now; elsewhere nothing."""
    play = PLAYED.get(run.job.first_environment.family)
    if play is None:
        return [], ""
    try:
        return play(run), ""
    except DepoError as error:
        return [], f"no drives are drawn: {error}"


def _reachability(run: Run) -> tuple[list[Blame], list[str]]:
    """What ``depo reachability`` has written, and what of it cannot be read."""
    found, broken = [], []
    for path in sorted((run.path / FIGURES).glob("reachability-seed-*.json")):
        try:
            found.append(decode(Blame, read_object(path), str(path), strict=False))
        except DepoError as error:
            broken.append(str(error))
    return found, broken


def _demonstrations(run: Run) -> str:
    job, demos = run.job, None
    with contextlib.suppress(DepoError):
        demos = run.demonstrations()
    if demos is None:
        return ""
    source = "a recording given from Python" if job.demos == IN_MEMORY else job.demos
    steps = len(demos.observations) - demos.episodes
    said = [
        source or f"what comes with {job.environment.label}",
        f"{demos.episodes:,} episodes",
        f"{steps:,} steps",
        "finite states" if demos.is_finite else f"{demos.dimension} features",
        "states and actions" if demos.actions is not None else "states only",
    ]
    if (part := getattr(job.settings, "demos", None)) is not None and job.learner == OFF_POLICY:
        from depo.runs.demonstrations import draw_demonstrations

        seen = draw_demonstrations(demos, part.episodes, job.seeds[0]).seen
        said.append(f"each seed learns from {seen.episodes if seen else 0} of them")
    return ", ".join(said)


def mean_of(values: Iterable[float]) -> float:
    """The mean of what is known; NaN of nothing."""
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan
