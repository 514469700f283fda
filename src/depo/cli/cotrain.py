"""``depo cotrain METHOD``."""

from __future__ import annotations

from depo.cli.flags import parse_job
from depo.cli.working import work_on
from depo.errors import DepoError, unknown
from depo.settings import SHARED

SUMMARY = "Train one planner with several vehicles, or other kinds of an environment, at once."
HELP = """depo cotrain METHOD --types A,B,…: one planner, several kinds of an environment

Kinds share their states; what actions do differs. The planner is shared, everything else (skill,
critics, discriminator, replay) each kind has for itself. Steps count for all kinds together.
Methods: depo, depo-agnostic, depo-supervised.

Examples:
  depo cotrain depo --env driving --types normal,inverse,transpose
  depo cotrain depo --types 1,2,4                       the grid world with k = 1, 2 and 4
  depo cotrain depo --env hopper --types as-is,inverted --schedule joint
  depo cotrain depo --env mine:LightArm-v0 --types mine:LightArm-v0,mine:HeavyArm-v0

'depo cotrain METHOD --help' lists every setting.
"""


def run(argv: list[str]) -> int:
    """Co-train."""
    if not argv or argv[0] in ("-h", "--help"):
        print(HELP)
        return 0
    method, *flags = argv
    if method not in SHARED:
        raise unknown("method with a planner to share", method, SHARED)
    job, common = parse_job(method, flags, f"depo cotrain {method}", SUMMARY, cotrains=True)
    if not job.types:
        raise DepoError("give at least two kinds: --types normal,inverse,transpose")
    return work_on(job, common.out, as_json=common.json)
