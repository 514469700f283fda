"""Write docs/reference/commands.md, settings.md and metrics.md from the code: they cannot lie.

    python docs/generate_reference.py            write the pages
    python docs/generate_reference.py --check    exit with 1 if a committed page is out of date

Help texts are captured at a width of 100 columns without colours. JAX is never imported here;
the one command whose help needs it is asked in a process of its own.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import inspect
import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from depo.cli.main import main as depo_main
from depo.cli.training_flags import CommonFlags
from depo.core.metrics import Group, Metric, catalogue
from depo.core.score_metrics import TEST
from depo.driving.settings import DrivingSettings
from depo.environments.grid import gridworld
from depo.methods.presets import PRESETS, preset_settings
from depo.methods.registry import (
    OFF_POLICY,
    ON_POLICY,
    TRANSFER,
    LearnerName,
    find_method,
    methods,
)
from depo.methods.setting_docs import documentation
from depo.methods.settings_tree import flat_values, leaves, with_values
from depo.methods.tasks import TASKS

FOLDER = Path(__file__).parent / "reference"
PLAIN = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb", "PYTHONUTF8": "1"}
DEMOS_COMMANDS = (
    *("list", "info", "record", "make", "import", "import-minari", "export-minari"),
    *("from-traffic", "make-traffic", "export-traffic"),
)
ENV_OF: dict[LearnerName, tuple[str, ...]] = {ON_POLICY: (), OFF_POLICY: ("--env", "hopper")}
"""The flags that make a training command choose a learner."""
SECTIONS: dict[LearnerName, tuple[str, str]] = {
    ON_POLICY: (
        "On-policy: finite states",
        "The grid world, and any environment with `Discrete` states and actions.",
    ),
    OFF_POLICY: (
        "Off-policy: vector states",
        "MuJoCo, and any environment with `Box` states and bounded `Box` actions "
        "([how to use it](../continuous.md)). Some fields depend on the task too: "
        "[by task and dynamics](#by-task-and-dynamics).",
    ),
}
"""Title and first sentence of each learner's settings."""
METRIC_HEAD = ("name", "label", "unit", "better", "meaning", "shown", "absent or NaN when")
NOTICE = "<!-- Written by docs/generate_reference.py: change the code, not this page. -->\n"

CURRENT = [preset for preset in PRESETS if preset in ("fast", "paper")]
"""What every method has."""


def commands_page() -> str:
    """The help of every command."""
    parts = [
        NOTICE,
        "# Commands\n",
        "Every command explains itself with `--help`; this page is those texts. Results go to "
        "stdout, progress to stderr; `--json` makes the result machine-readable; "
        "`--config FILE.toml` gives values that flags beat ([how](../quickstart.md#settings)). "
        "The exit code is 0 when all went well, 2 for something you can mend (one sentence says "
        "what), 130 after Ctrl-C.\n",
        _section("depo"),
        _section("depo demo", "demo", "--help"),
        _section("depo train", "train"),
        "Each method has its own flags, which are the fields of its settings "
        "([all of them in tables](settings.md)). Which methods and flags there are depends on "
        "`--env`, so name it before asking for help. On the grid world:\n",
        *_training_helps(ON_POLICY),
        "On vector states, here with the defaults for Hopper; another environment than the grid "
        "world has `--env-args` in place of the map's flags:\n",
        *_training_helps(OFF_POLICY),
        _section("depo transfer", "transfer"),
        *(
            _folded(" ".join(["depo", *words]), *words, "--help")
            for learner in ENV_OF
            for words in [("transfer", "PLANNER", *(ENV_OF[learner] or ("--env", "gridworld")))]
        ),
        _section("depo cotrain", "cotrain"),
        _section("depo settings", "settings"),
        _section("depo resume", "resume", "--help"),
        _section("depo evaluate", "evaluate", "--help"),
        _section("depo imagine", "imagine", "--help"),
        _section("depo reachability", "reachability", "--help"),
        _section("depo sweep", "sweep", "--help"),
        _section("depo runs", "runs", "--help"),
        _section("depo render", "render", "--help"),
        _section("depo demos", "demos"),
        *(_folded(f"depo demos {a}", "demos", a, "--help") for a in DEMOS_COMMANDS),
        _section("depo reproduce", "reproduce", ask=help_from_child),
        _folded("depo reproduce NAME", "reproduce", "fig2", "--help", ask=help_from_child),
        _section("depo completion", "completion"),
    ]
    return "\n".join(parts)


def _training_helps(learner: LearnerName) -> list[str]:
    """The help of every method that a learner has, transfer left to its own section."""
    return [
        _folded(" ".join(["depo", *words]), *words, "--help")
        for method, spec in methods().items()
        if learner in spec.implementations and not spec.takes_planner
        for words in [("train", method, *ENV_OF[learner])]
    ]


def settings_page() -> str:
    """Every field of every method under every preset, of the grid world, and the common flags."""
    parts = [
        NOTICE,
        "# Settings\n",
        "One table for each learner and method. The environment's spaces choose the learner. "
        "*Default* is the field's own default, which holds where a "
        "preset says nothing; **bold** marks where a preset differs from it. `--preset fast` is "
        "what commands use unless told otherwise; `--preset paper` follows what the authors ran "
        "([differences](../fidelity.md)). An explicit flag (`--skill-rate 1e-3`) or argument "
        "(`skill_rate=1e-3`) beats either.\n",
    ]
    for learner, (title, sentence) in SECTIONS.items():
        parts += [f"## {title}\n", f"{sentence}\n"]
        for method, spec in methods().items():
            if learner not in spec.implementations:
                continue
            kind = spec.implementations[learner].settings
            words = ["depo", "train", method, *ENV_OF[learner]]
            if spec.takes_planner:
                words[1:3] = ["transfer", "PLANNER"]
            command = " ".join(words)
            about = f"`{command}`, `{kind.__name__}`: {inspect.getdoc(kind)}\n"
            parts += [f"### {method}, {learner}\n", about, _method_table(method, learner)]
    parts += [
        "### By task and dynamics\n",
        "What a preset changes again on single tasks, or under dynamics variants; *all* means "
        "every method that has the field.\n",
        _special_table(),
    ]
    parts += [
        "## The grid world\n",
        f"`--env gridworld`, the default: {inspect.getdoc(gridworld.GridWorldSettings)}\n",
        _plain_table(gridworld.GridWorldSettings),
        "## Driving\n",
        f"`--env driving`, by `--env-args NAME=VALUE`: {inspect.getdoc(DrivingSettings)}\n",
        _plain_table(DrivingSettings),
        "## Common flags\n",
        f"{inspect.getdoc(CommonFlags)}\n",
        _plain_table(CommonFlags),
        f"On vector states the default of `steps` is `{_steps('depo', OFF_POLICY)}`, in a transfer "
        f"`{_steps(TRANSFER, ON_POLICY)}`, on vectors `{_steps(TRANSFER, OFF_POLICY)}`.\n",
    ]
    return "\n".join(parts)


def metrics_page() -> str:
    """Every metric of the catalogue, by what it is about."""
    parts = [
        NOTICE,
        "# Metrics\n",
        "What `metrics.csv`, `depo evaluate` and the experiments' `results.csv` hold, one row for "
        "each name; tables and axes show the label. *Shown*: on the progress line, in the table at "
        "the end of a run, in the run's figure, in the experiments' tables and results. Every "
        "metric is in `metrics.csv` and TensorBoard. A score that is not finite ends the run, "
        "unless it may be NaN. Co-training adds the return (or success) of every variant, as "
        "`return_truck`. A method or environment of your own adds its metrics by "
        "`depo.core.metrics.register_metrics`; one that is in no catalogue is written down all the "
        "same, and shown by its name.\n",
    ]
    entries = catalogue().values()
    for group in get_args(Group):
        own = [m for m in entries if m.group == group and not m.name.startswith(TEST)]
        parts += [f"## {group}\n", _table(METRIC_HEAD, [_metric_row(m) for m in own])]
    twins = [f"`{m.name}`" for m in entries if m.name.startswith(TEST)]
    parts += [f"The same on test vehicles, which choose nothing: {', '.join(twins)}.\n"]
    return "\n".join(parts)


def _metric_row(entry: Metric) -> list[str]:
    lacking = [f"absent: {entry.absent}"] if entry.absent else []
    lacking += [f"NaN: {entry.nan}"] if entry.nan else []
    return [
        f"`{entry.name}`",
        entry.label,
        entry.unit or "–",
        "–" if entry.better == "neither" else entry.better,
        entry.meaning,
        ", ".join(entry.shown) or "–",
        "; ".join(lacking) or "–",
    ]


def help_text(words: Sequence[str]) -> str:
    """What ``depo WORDS`` prints, asked in this process."""
    captured = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(captured):
        try:
            depo_main(list(words))
        except SystemExit as done:
            if done.code:
                raise RuntimeError(f"depo {' '.join(words)} failed") from done
    captured.seek(0)
    return _tidy(captured.read())


def help_from_child(words: Sequence[str]) -> str:
    """The same from a process of its own, for a command whose help imports JAX."""
    asked = [sys.executable, "-m", "depo", *words]
    answer = subprocess.run(asked, capture_output=True, encoding="utf-8", check=True)
    return _tidy(answer.stdout)


def _steps(method: str, learner: LearnerName) -> int:
    return find_method(method).implementation(learner).default_steps


def _method_table(method: str, learner: LearnerName) -> str:
    default = find_method(method).implementation(learner).settings()
    under = {preset: preset_settings(method, preset, learner) for preset in CURRENT}
    switches = {leaf.name: 1 for leaf in leaves(default) if leaf.default is None}
    if switches:  # with the settings of parts that are absent by default
        default = with_values(default, switches)
        under = {p: preset_settings(method, p, learner, changes=switches) for p in CURRENT}
    chosen = {preset: flat_values(settings) for preset, settings in under.items()}
    rows = []
    for leaf in leaves(default):
        values = [None if leaf.name in switches else flat[leaf.name] for flat in chosen.values()]
        cells = [_value(x) if x == leaf.default else f"**{_value(x)}**" for x in values]
        rows.append([f"`{leaf.name}`", leaf.heading, _value(leaf.default), *cells, leaf.doc])
    return _table(["setting", "of", "default", *under, "meaning"], rows)


def _special_table() -> str:
    rows = []
    for preset in CURRENT:
        for where, fields in TASKS[OFF_POLICY][preset].items():
            rows.append([preset, where, "all", _changes(fields)])
        for method, spec in methods().items():
            own = spec.implementations.get(OFF_POLICY)
            if own is not None:
                special = {**own.tasks.get(preset, {}), **own.dynamics.get(preset, {})}
                rows += [[preset, x, method, _changes(f)] for x, f in special.items() if f]
    return _table(["preset", "task or dynamics", "method", "fields"], rows)


def _changes(fields: Mapping[str, Any]) -> str:
    return ", ".join(f"`{name}` {_value(x)}" for name, x in fields.items())


def _plain_table(kind: type) -> str:
    default, meaning = kind(), documentation(kind)
    rows = [
        [f"`{f.name}`", _value(getattr(default, f.name)), meaning[f.name]]
        for f in dataclasses.fields(kind)
    ]
    return _table(["field", "default", "meaning"], rows)


def _value(value: Any) -> str:
    return f"`{value}`" if value not in ("", ()) else "empty"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    escaped = [[cell.replace("|", "\\|") for cell in line] for line in lines]
    return "\n".join("| " + " | ".join(line) + " |" for line in escaped) + "\n"


def _section(title: str, *words: str, ask: Callable[[Sequence[str]], str] = help_text) -> str:
    return f"## {title}\n\n```text\n{ask(words)}```\n"


def _folded(title: str, *words: str, ask: Callable[[Sequence[str]], str] = help_text) -> str:
    """A help text that opens on a click."""
    fenced = f"```text\n{ask(words)}```"
    body = "\n".join(f"    {line}".rstrip() for line in fenced.splitlines())
    return f'??? note "{title} --help"\n\n{body}\n'


def _tidy(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()) + "\n"


def main() -> int:
    """Write the pages, or with ``--check`` compare them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if out of date")
    check = parser.parse_args().check
    os.environ.update(PLAIN)
    stale = 0
    pages = {"commands": commands_page, "settings": settings_page, "metrics": metrics_page}
    for name, written in pages.items():
        page = written()
        path = FOLDER / f"{name}.md"
        if path.exists() and path.read_text(encoding="utf-8") == page:
            continue
        if check:
            print(f"{path} is out of date: run python docs/generate_reference.py", file=sys.stderr)
            stale = 1
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(page, encoding="utf-8")
            print(f"wrote {path}")
    return stale


if __name__ == "__main__":
    sys.exit(main())
