"""``depo pull SOURCE``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import tyro

from depo.cli.flags import parse
from depo.cli.output import print_json, stdout


@dataclass(frozen=True)
class Pull:
    """Bring a planner, skill, policy or zoo entry here.

    It is loaded and compared with its digests before it takes its place; nothing that it names is
    imported.
    """

    source: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="SOURCE")]
    """A folder, zoo:NAME, or a URL that fsspec knows (s3://…, https://…, zip://…::FILE)."""
    out: Annotated[str, tyro.conf.arg(aliases=["-o"])]
    """The new folder."""
    force: bool = False
    """Replace the model that is there; other files are never removed."""
    json: bool = False
    """Print the result as JSON."""


def run(argv: list[str]) -> int:
    """Pull."""
    flags = parse(Pull, argv, "depo pull")
    from depo.core.runtime import prepare_jax
    from depo.sharing.transport import pull

    prepare_jax()
    pull(flags.source, flags.out, force=flags.force)
    if flags.json:
        print_json({"from": flags.source, "to": flags.out})
        return 0
    stdout.print(f"{flags.source} → {flags.out}", soft_wrap=True)
    return 0
