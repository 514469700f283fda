"""``depo transfer PLANNER``."""

from __future__ import annotations

from pathlib import Path

from depo.cli.config import peek
from depo.cli.training import work_on
from depo.cli.training_form import parse_job
from depo.core.errors import DepoError
from depo.methods.registry import TRANSFER
from depo.zoo.entries import is_zoo, located

SUMMARY = "Keep a planner, frozen, and learn a new skill for other actions or dynamics."
HELP = """depo transfer PLANNER: keep a planner, learn a new skill

PLANNER is a planner folder, zoo:NAME ('depo zoo' lists them), or a run (each seed then takes that
run's planner of its own seed).
The planner is frozen: it ends bit for bit as it began. States must be the same, actions and
dynamics need not. Without --env it is the environment the planner was trained in.
The new skill keeps all layers but the last of the old one, where that is beside the planner
(--skill-start fresh: none).

  depo transfer runs/mine --k 4 --seeds 5                                a grid world
  depo transfer runs/mine/planner/seed-0 --k 2 --steps 2000
  depo transfer runs/hopper --dynamics mixed,gravity=0.8 --steps 20000
  depo transfer runs/hopper --dynamics inverted --preset paper           as the authors did

With a skill that exists, no environment step is needed:

  depo transfer runs/hopper --dynamics inverted --skill runs/b/skill/seed-0 --steps 0
  depo transfer runs/car --env my_car:Car-v0 --skill my_car:steering --steps 0    a formula

The planner may be fine-tuned after a while, which needs the demonstrations again:

  depo transfer runs/hopper --dynamics gravity=0.8 --demos hopper.npz --unfreeze-after 20000 \\
      --steps 60000

--dynamics, several with commas, the first nearest to the environment; 'reachable': whether every
plan that could be reached still can be:

{variants}

It ends with the return that is left of the planner's own ('return_kept') and when 90% of it were
first back. 'depo reachability RUN' tells whether plan or skill is to blame for what is missing.

'depo transfer PLANNER --help' lists every setting for that planner; before there is one, name its
environment: 'depo transfer PLANNER --env hopper --help'.
"""


def run(argv: list[str]) -> int:
    """Transfer."""
    asks = {"-h", "--help"} & set(argv)
    named = argv and ((is_zoo(argv[0]) or Path(argv[0]).exists()) or peek(argv, "--env"))
    if not argv or argv[0] in asks or (asks and not named):
        print(HELP.format(variants=_variants()))
        return 0
    planner, *flags = argv
    if planner.startswith("-"):
        raise DepoError("give a planner folder or a run before the flags")
    if not located(planner, "planner", "planner").exists() and not asks:
        raise DepoError(f"{planner} does not exist: give a planner folder or a run")
    asked = parse_job(TRANSFER, flags, f"depo transfer {planner}", SUMMARY, planner=planner)
    return work_on(asked)


def _variants() -> str:
    """A line for each dynamics variant."""
    from depo.environments.dynamics import VARIANTS

    names = {name: f"{name}{variant.value}" for name, variant in VARIANTS.items()}
    width = max(map(len, names.values()))
    return "\n".join(
        f"  {names[name]:{width}}  {variant.summary}; reachable: {variant.keeps}"
        for name, variant in VARIANTS.items()
    )
