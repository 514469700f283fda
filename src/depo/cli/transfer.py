"""``depo transfer PLANNER``."""

from __future__ import annotations

from pathlib import Path

from depo.cli.flags import parse_job
from depo.cli.working import work_on
from depo.errors import DepoError
from depo.settings import TRANSFER

SUMMARY = "Keep a planner, frozen, and learn a new skill for other actions or dynamics."
HELP = """depo transfer PLANNER: keep a planner, learn a new skill

PLANNER is a planner folder, or a run (each seed then takes that run's planner of its own seed).
The planner is frozen: it ends bit for bit as it began. States must be the same, actions and
dynamics need not. Without --env it is the environment the planner was trained in.

Examples:
  depo transfer runs/mine --k 4 --seeds 5
  depo transfer runs/mine/planner/seed-0 --k 2 --steps 2000
  depo transfer runs/hopper --dynamics mixed,gravity=0.8 --steps 20000
  depo transfer runs/hopper --dynamics inverted --skill runs/b/skill/seed-0 --steps 0
  depo transfer runs/car --env my_car:Car-v0 --skill my_car:steering --steps 0    a formula

'depo transfer PLANNER --help' lists every setting.
"""


def run(argv: list[str]) -> int:
    """Transfer."""
    if not argv or argv[0] in ("-h", "--help"):
        print(HELP)
        return 0
    planner, *flags = argv
    if planner.startswith("-"):
        raise DepoError("give a planner folder or a run before the flags")
    if not Path(planner).exists() and not {"-h", "--help"} & set(flags):
        raise DepoError(f"{planner} does not exist: give a planner folder or a run")
    job, common = parse_job(TRANSFER, flags, f"depo transfer {planner}", SUMMARY, planner=planner)
    return work_on(job, common.out, as_json=common.json)
