"""``depo export RUN``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import tyro

from depo.cli.flags import parse
from depo.cli.output import print_json, stdout


@dataclass(frozen=True)
class Export:
    """Write a policy as a folder that needs no depo: ONNX, NumPy or JAX, with a loop to run it.

    The policy is deterministic: planner, then skill, in the environment's own units. Planner and
    skill are exported on their own, too.
    """

    source: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="RUN|POLICY")]
    """A run, a policy folder, or zoo:NAME."""
    out: Annotated[str, tyro.conf.arg(aliases=["-o"])]
    """The new folder."""
    format: Literal["onnx", "numpy", "jax"] = "onnx"
    """What the folder needs to run."""
    seed: int | None = None
    """Which seed of a run; empty: the first."""
    variant: str = ""
    """Which variant of a co-trained run; empty: the first."""
    trust: bool = False
    """Import the modules that the run names, though somebody else made it."""
    json: bool = False
    """Print the result as JSON."""


def run(argv: list[str]) -> int:
    """Export."""
    flags = parse(Export, argv, "depo export")
    from depo.core.runtime import prepare_jax
    from depo.export.policy_export import export_policy

    prepare_jax()
    folder = export_policy(
        flags.source,
        flags.format,
        flags.out,
        seed=flags.seed,
        variant=flags.variant,
        trust=flags.trust,
    )
    files = sorted(file.name for file in folder.iterdir())
    if flags.json:
        print_json({"folder": str(folder), "files": files})
        return 0
    stdout.print(f"wrote {folder}: {', '.join(files)}", soft_wrap=True)
    stdout.print(f"try it: python {folder}/run.py", soft_wrap=True)
    return 0
