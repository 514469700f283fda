"""``depo settings METHOD``: every value of a job, where it comes from, and as a file."""

from __future__ import annotations

import dataclasses
import textwrap
from typing import Any

from rich.text import Text

from depo.cli.config import peek, toml_value
from depo.cli.help import Flag, by_heading, value_text
from depo.cli.output import print_json, stdout
from depo.cli.training_flags import OF_A_CALL, VariantFlags
from depo.cli.training_form import Asked, parse_job
from depo.core.errors import unknown
from depo.methods.ineffective import ineffective
from depo.methods.registry import find_method, methods

HELP = """depo settings METHOD: every value that a training would have

  depo settings depo --env hopper                   grouped as in --help
  depo settings depo --env hopper --why             and the layer that each value comes from
  depo settings transfer --planner runs/mine --dynamics inverted
  depo settings depo --env hopper --hidden 128 --toml > mine.toml
  depo train depo --config mine.toml --seeds 5      the same job from that file

METHOD: {methods}
It takes every flag of the method's training, and:

  --why             where each value comes from: default (of the method), preset, task (what the
                    preset says of this environment), dynamics, skill (the shape of the one that a
                    transfer is given), config (the file), flag; later ones beat earlier ones
  --toml            write a file for --config
  --json            everything as JSON
  --planner FOLDER  transfer: a run or planner folder, whose environment is meant without --env
"""
SWITCHES = ("--why", "--toml")


def run(argv: list[str]) -> int:
    """Print settings."""
    if not argv or argv[0] in ("-h", "--help"):
        print(HELP.format(methods=", ".join(methods())))
        return 0
    method, *rest = argv
    if method not in methods():
        raise unknown("method", method, methods())
    asked = parse_settings(method, [word for word in rest if word not in SWITCHES])
    if "--toml" in rest:
        print(as_toml(asked), end="")
    elif asked.common.json:
        print_json(as_json(asked))
    else:
        _show(asked, why="--why" in rest)
    return 0


def parse_settings(method: str, argv: list[str]) -> Asked:
    """What a training with these flags would do."""
    spec = find_method(method)
    planner, words = "", argv
    if spec.takes_planner:
        planner, words = peek(argv, "--planner"), _without(argv, "--planner")
    return parse_job(
        method,
        words,
        f"depo settings {method}",
        spec.summary,
        planner=planner,
        cotrains=spec.shares_planner,
    )


def as_toml(asked: Asked) -> str:
    """A file that ``--config`` reads back to the same job; what has no effect there, or is not set,
    is a comment."""
    idle = _without_effect(asked)
    lines = [f"# {_command(asked)} --config FILE.toml"]
    for heading, flags in by_heading(_settings(asked)).items():
        lines += ["", f'["{heading}"]' if " " in heading else f"[{heading}]"]
        for flag in flags:
            if flag.default is None:
                lines.append(f"# {flag.name}: not set")
            elif flag.name in idle:
                lines.append(f"# {flag.name} = {toml_value(flag.default)}  # {idle[flag.name]}")
            else:
                lines.append(f"{flag.name} = {toml_value(flag.default)}")
    return "\n".join(lines) + "\n"


def as_json(asked: Asked) -> dict[str, Any]:
    """Every value with its heading, its layer and, if it has no effect, the reason."""
    idle = _without_effect(asked)
    return {
        "method": asked.job.method,
        "learner": asked.job.learner,
        "environment": asked.job.environment.label,
        "settings": {
            flag.name: {
                "value": flag.default,
                "heading": flag.heading,
                "from": asked.origins[flag.name],
                "no_effect": idle.get(flag.name),
            }
            for flag in _settings(asked).values()
        },
    }


def _show(asked: Asked, *, why: bool) -> None:
    job, idle = asked.job, _without_effect(asked)
    flags = _settings(asked)
    width = max(map(len, flags)) + 2
    stdout.print(f"{job.method} on {job.environment.label}, {job.learner}", soft_wrap=True)
    for heading, own in by_heading(flags).items():
        stdout.print(Text(f"\n{heading}", style="bold"))
        for flag in own:
            value = value_text(flag.default)
            layer = f"{asked.origins[flag.name]:10}" if why else ""
            note = f"  (no effect: {idle[flag.name]})" if flag.name in idle else ""
            line = f"  {flag.name:{width}}{layer}{value}{note}"
            indent = " " * (2 + width + len(layer))
            for part in textwrap.wrap(line, max(60, stdout.width), subsequent_indent=indent):
                stdout.print(part, soft_wrap=True)


def _settings(asked: Asked) -> dict[str, Flag]:
    """What a training would have, but for what is about one call; variants only if there are."""
    left_out = set(OF_A_CALL)
    if not asked.job.variants:
        left_out |= {field.name for field in dataclasses.fields(VariantFlags)}
    if asked.job.planner and asked.origins["env"] == "default":
        left_out.add("env")  # where the planner was trained, with all that it had there
    return {flag.name: flag for flag in asked.flags if flag.name not in left_out}


def _without_effect(asked: Asked) -> dict[str, str]:
    return ineffective(asked.job.settings, asked.job.facts)


def _command(asked: Asked) -> str:
    job = asked.job
    if job.spec.takes_planner:
        return f"depo transfer {job.planner or 'PLANNER'}"
    return f"depo {'cotrain' if job.variants else 'train'} {job.method}"


def _without(argv: list[str], flag: str) -> list[str]:
    """The words without a flag and its value."""
    words, skip = [], False
    for word in argv:
        if not skip and word != flag and not word.startswith(f"{flag}="):
            words.append(word)
        skip = word == flag
    return words
