"""Write docs/reference/commands.md and settings.md from the code, so that they cannot lie.

    python docs/generate_reference.py            write both pages
    python docs/generate_reference.py --check    exit with 1 if a committed page is out of date

Help texts are captured at a width of 100 columns without colours. JAX is never imported here;
the one command whose help needs it is asked in a process of its own.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import dataclasses
import inspect
import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from depo.cli import flags
from depo.cli.main import main as depo_main
from depo.environments import gridworld
from depo.presets import PRESETS, preset_settings
from depo.runs.job import SETTINGS_OF
from depo.settings import METHODS, TRANSFER

FOLDER = Path(__file__).parent / "reference"
PLAIN = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb", "PYTHONUTF8": "1"}
DEMOS_COMMANDS = ("list", "info", "make", "import-minari", "export-minari")
NOTICE = "<!-- Written by docs/generate_reference.py: change the code, not this page. -->\n"


def commands_page() -> str:
    """The help of every command."""
    parts = [
        NOTICE,
        "# Commands\n",
        "Every command explains itself with `--help`; this page is those texts. Results go to "
        "stdout, progress to stderr; `--json` makes the result machine-readable. The exit code is "
        "0 when all went well, 2 for something you can mend (one sentence says what), 130 after "
        "Ctrl-C.\n",
        _section("depo"),
        _section("depo demo", "demo", "--help"),
        _section("depo train", "train"),
        "Each method has its own flags, which are the fields of its settings "
        "([all of them in tables](settings.md)).\n",
        *(_folded(f"depo train {method}", "train", method, "--help") for method in METHODS),
        "With another environment than the grid world, the map's flags give way to `--env-args`:\n",
        _folded("depo train depo --env ID", "train", "depo", "--env", "Id-v0", "--help"),
        _section("depo transfer", "transfer"),
        _folded("depo transfer PLANNER", "transfer", "PLANNER", "--help"),
        _section("depo resume", "resume", "--help"),
        _section("depo evaluate", "evaluate", "--help"),
        _section("depo runs", "runs", "--help"),
        _section("depo demos", "demos"),
        *(_folded(f"depo demos {a}", "demos", a, "--help") for a in DEMOS_COMMANDS),
        _section("depo reproduce", "reproduce", ask=help_from_child),
        _folded("depo reproduce NAME", "reproduce", "fig2", "--help", ask=help_from_child),
    ]
    return "\n".join(parts)


def settings_page() -> str:
    """Every field of every method under every preset, of the grid world, and the common flags."""
    parts = [
        NOTICE,
        "# Settings\n",
        "One table for each method. *Default* is the field's own default, which holds where a "
        "preset says nothing; **bold** marks where a preset differs from it. `--preset fast` is "
        "what commands use unless told otherwise; `--preset paper` follows what the authors ran "
        "([differences](../fidelity.md)). An explicit flag (`--skill-rate 1e-3`) or argument "
        "(`skill_rate=1e-3`) beats either.\n",
    ]
    for method in (*METHODS, TRANSFER):
        kind = SETTINGS_OF[method]
        command = f"depo transfer PLANNER`, `{kind.__name__}"
        if method != TRANSFER:
            command = f"depo train {method}`, `{kind.__name__}"
        parts += [f"## {method}\n", f"`{command}`: {inspect.getdoc(kind)}\n", _method_table(method)]
    parts += [
        "## The grid world\n",
        f"`--env gridworld`, the default: {inspect.getdoc(gridworld.GridWorldSettings)}\n",
        _plain_table(gridworld.GridWorldSettings),
        "## Common flags\n",
        f"{inspect.getdoc(flags.CommonFlags)}\n",
        _plain_table(flags.CommonFlags),
    ]
    return "\n".join(parts)


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


def meanings(kind: type) -> dict[str, str]:
    """The sentence below each field of a dataclass and of those it is made of."""
    found: dict[str, str] = {}
    for part in reversed(kind.__mro__):
        module = inspect.getmodule(part)
        if dataclasses.is_dataclass(part) and module is not None:
            found |= _docstrings_below_fields(module, part.__name__)
    return found


def _docstrings_below_fields(module: ModuleType, class_name: str) -> dict[str, str]:
    tree = ast.parse(inspect.getsource(module))
    bodies = [n.body for n in tree.body if isinstance(n, ast.ClassDef) and n.name == class_name]
    found: dict[str, str] = {}
    for statement, after in zip(bodies[0], bodies[0][1:], strict=False):
        match statement, after:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                found[name] = " ".join(text.split())
    return found


def _method_table(method: str) -> str:
    kind = SETTINGS_OF[method]
    default, meaning = kind(), meanings(kind)
    under = {preset: preset_settings(method, preset) for preset in PRESETS}
    rows = []
    for field in dataclasses.fields(kind):
        plain = getattr(default, field.name)
        chosen = [getattr(settings, field.name) for settings in under.values()]
        cells = [_value(x) if x == plain else f"**{_value(x)}**" for x in chosen]
        rows.append([f"`{field.name}`", _value(plain), *cells, meaning[field.name]])
    return _table(["field", "default", *under, "meaning"], rows)


def _plain_table(kind: type) -> str:
    default, meaning = kind(), meanings(kind)
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
    for name, page in [("commands.md", commands_page()), ("settings.md", settings_page())]:
        path = FOLDER / name
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
