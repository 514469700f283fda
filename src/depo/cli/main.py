"""``depo``: the command line. Each command is a typed dataclass; its flags are the fields."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import NoReturn

from depo.cli.leaving import LeavingInTime
from depo.core.errors import DepoError, printable, unknown
from depo.core.plugins import PluginWarning

COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("demo", "train on the grid world, transfer, draw both: minutes"),
    "train": ("train", "train a method: depo train depo --seeds 5"),
    "cotrain": ("cotrain", "one planner with several vehicles: depo cotrain depo --variants 1,2,4"),
    "transfer": ("transfer", "carry a planner to other actions: depo transfer RUN --k 4"),
    "settings": ("settings", "every value of a training and why: depo settings depo --why"),
    "resume": ("resume", "go on with a stopped run: depo resume RUN"),
    "evaluate": ("evaluate", "score what a run has learned: depo evaluate RUN --episodes 20"),
    "imagine": ("imagine", "roll a planner on its own predictions: depo imagine RUN"),
    "reachability": ("reachability", "are plans reached, and who is to blame: plan or skill"),
    "report": ("report", "one page of runs, to open anywhere: depo report RUN… -o report.html"),
    "watch": ("watch", "follow a run's curves in the terminal: depo watch RUN"),
    "export": ("export", "a policy for ONNX, NumPy or JAX: depo export RUN --format onnx -o DIR"),
    "pull": ("pull", "bring a planner, skill or policy here: depo pull URL -o FOLDER"),
    "push": ("push", "put one elsewhere: depo push FOLDER URL"),
    "zoo": ("zoo", "models that ship with depo: depo zoo, depo zoo grid"),
    "sweep": ("sweep", "a table of runs, here or on a cluster: depo sweep FILE.toml"),
    "runs": ("runs", "a table of runs with status and scores; --watch"),
    "demos": ("demos", "demonstrations: list, info FILE, record RUN FILE, Minari in and out"),
    "render": ("render", "draw a drive from above: depo render drive.png"),
    "reproduce": ("reproduce", "a figure of the paper with a verdict: depo reproduce fig2"),
    "completion": ("completion", "completion for your shell: depo completion bash|zsh|fish"),
}
"""Command: the module below depo.cli that runs it, and one line for the help."""

USAGE = """depo: transferable imitation from states alone

usage: depo COMMAND [flags]      (depo COMMAND --help explains its flags)

{commands}

A first session:
  depo demos list                              what ships with the package
  depo train depo --seeds 5 --out runs/mine    learn a planner and a skill on the grid world
  depo transfer runs/mine --k 4 --seeds 5      keep the planner, learn a skill for 16 actions
  depo runs                                    what has been done, and how well

Common flags: --env --demos --steps --seeds --preset --out --config FILE.toml --dry-run --json
"""


MEMORY = {
    "demos": "--episodes, or take a smaller file",
    "evaluate": "--episodes",
    "imagine": "--starts or --steps",
    "reachability": "--episodes",
    "render": "--seconds",
}
"""What to lower where memory is short; in a training the sizes below."""
TRAINING = "--hidden, --minibatch, --batch-steps or --seeds"
_usual_format = warnings.formatwarning


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command; errors are one sentence on stderr and a non-zero exit."""
    argv = list(sys.argv[1:] if arguments is None else arguments)
    _print_what_can_be()
    _ignore_local_style()
    warnings.formatwarning = _formatted
    try:
        with LeavingInTime():
            sys.exit(_dispatch(argv))
    except SystemExit as stop:
        if stop.code == 2 and "--json" in argv:  # tyro has said why, for people
            print(json.dumps({"error": "these flags are not understood: see stderr"}))
        raise
    except DepoError as error:
        _complain(str(error), argv)
    except BrokenPipeError:
        sys.exit(0)
    except OSError as error:
        _complain(f"{error.filename or 'file'}: {error.strerror or error}", argv)
    except MemoryError:
        _complain_of_memory(argv)
    except RuntimeError as error:
        if "RESOURCE_EXHAUSTED" not in str(error):
            raise
        _complain_of_memory(argv)
    except KeyboardInterrupt:
        print("depo: stopped; 'depo runs' shows what can be resumed", file=sys.stderr)
        sys.exit(130)


def _print_what_can_be() -> None:
    """A terminal of another encoding shows a question mark for what it does not have."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _formatted(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    line: str | None = None,
) -> str:
    """What is wrong with another package, in a sentence; other warnings as Python says them."""
    if issubclass(category, PluginWarning):
        return f"depo: {printable(str(message))}\n"
    return _usual_format(message, category, filename, lineno, line)


def _ignore_local_style() -> None:
    """Matplotlib takes settings from a file in the current folder, some of which run programs
    (``text.usetex``) or import modules; the folder may be a stranger's, so it is looked for in
    Python's own."""
    if os.path.lexists("matplotlibrc"):
        with contextlib.chdir(sys.prefix):
            import matplotlib  # noqa: F401


def _complain(sentence: str, argv: Sequence[str]) -> NoReturn:
    if "--json" in argv:
        print(json.dumps({"error": sentence}))
    print(f"depo: {printable(sentence)}", file=sys.stderr)
    sys.exit(2)


def _complain_of_memory(argv: Sequence[str]) -> NoReturn:
    _complain(f"not enough memory: lower {MEMORY.get(argv[0], TRAINING)}", argv)


def _dispatch(argv: list[str]) -> int:
    if not argv or argv[0] in ("-h", "--help", "help"):
        lines = [f"  {name:12} {summary}" for name, (_, summary) in COMMANDS.items()]
        print(USAGE.format(commands="\n".join(lines)))
        return 0
    if argv[0] in ("--version", "version"):
        from importlib.metadata import version

        print(version("depo"))
        return 0
    if argv[0] not in COMMANDS:
        raise unknown("command", argv[0], COMMANDS)
    run: Callable[[list[str]], int] = import_module(f"depo.cli.{COMMANDS[argv[0]][0]}").run
    return run(argv[1:])


if __name__ == "__main__":
    main()
