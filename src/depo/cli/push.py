"""``depo push FOLDER``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import tyro

from depo.cli.flags import parse
from depo.cli.output import print_json, stdout


@dataclass(frozen=True)
class Push:
    """Put a planner, skill, policy or zoo entry elsewhere, once it is found to be whole."""

    folder: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FOLDER")]
    """A planner, skill or policy folder, an entry of a zoo, or zoo:NAME."""
    target: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="TARGET")]
    """A folder, or a URL that fsspec knows and can write."""
    force: bool = False
    """Replace the model that is there; other files are never removed."""
    json: bool = False
    """Print the result as JSON."""


def run(argv: list[str]) -> int:
    """Push."""
    flags = parse(Push, argv, "depo push")
    from depo.core.runtime import prepare_jax
    from depo.sharing.transport import push

    prepare_jax()
    push(flags.folder, flags.target, force=flags.force)
    if flags.json:
        print_json({"from": flags.folder, "to": flags.target})
        return 0
    stdout.print(f"{flags.folder} → {flags.target}", soft_wrap=True)
    return 0
