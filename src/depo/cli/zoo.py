"""``depo zoo [NAME]``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import tyro

from depo.cli.flags import parse
from depo.cli.output import print_json, print_table, stdout


@dataclass(frozen=True)
class Zoo:
    """Planners and policies that ship with depo, each with a card.

    Say zoo:NAME wherever a planner or a policy folder is asked for:
    'depo transfer zoo:grid --k 4', 'depo evaluate zoo:grid', 'depo export zoo:grid -o FOLDER'.
    """

    name: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME")] = ""
    """Whose card to show; empty: list all."""
    json: bool = False
    """Print the result as JSON."""


def run(argv: list[str]) -> int:
    """List, or show a card."""
    flags = parse(Zoo, argv, "depo zoo")
    from depo.core.codec import encode
    from depo.zoo.entries import PREFIX, find, names

    name = flags.name.removeprefix(PREFIX)
    if name:
        entry = find(name)
        if flags.json:
            print_json(encode(entry))
        else:
            for line in entry.card().splitlines():
                stdout.print(line, soft_wrap=True)
        return 0
    entries = [find(name) for name in names()]
    if flags.json:
        print_json([encode(entry) for entry in entries])
        return 0
    rows = []
    for entry in entries:
        score = entry.scores["return"]
        told = f"{score.mean:.4g} [{score.low:.4g}, {score.high:.4g}]"
        rows.append([f"{PREFIX}{entry.name}", entry.environment, entry.method, told])
    print_table("the zoo", ["name", "trained in", "method", "return [95%]"], rows)
    stdout.print("a card: depo zoo NAME; then: depo transfer zoo:NAME …, depo evaluate zoo:NAME")
    return 0
