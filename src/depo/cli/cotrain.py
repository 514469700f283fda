"""``depo cotrain METHOD``."""

from __future__ import annotations

from depo.cli.training import work_on
from depo.cli.training_form import parse_job
from depo.core.errors import DepoError
from depo.methods.registry import check_shares_planner, methods

SUMMARY = "Train one planner with several vehicles, or other variants of an environment, at once."
HELP = """depo cotrain METHOD --variants A,B,…: one planner, several variants of an environment

Variants share their states; what actions do differs. The planner is shared, everything else (skill,
critics, discriminator, replay) each variant has for itself. Steps count for all variants
together.
Methods: {methods}.

Examples:
  depo cotrain depo --env driving --variants normal,inverse,transpose
  depo cotrain depo --variants 1,2,4                    the grid world with k = 1, 2 and 4
  depo cotrain depo --env hopper --variants as-is,inverted --schedule joint
  depo cotrain depo --env mine:LightArm-v0 --variants mine:LightArm-v0,mine:HeavyArm-v0

'depo cotrain METHOD --help' lists every setting.
"""


def run(argv: list[str]) -> int:
    """Co-train."""
    if not argv or argv[0] in ("-h", "--help"):
        shared = [name for name, spec in methods().items() if spec.shares_planner]
        print(HELP.format(methods=", ".join(shared)))
        return 0
    method, *flags = argv
    check_shares_planner(method)
    asked = parse_job(method, flags, f"depo cotrain {method}", SUMMARY, cotrains=True)
    if not asked.job.variants:
        raise DepoError("give at least two variants: --variants normal,inverse,transpose")
    return work_on(asked)
