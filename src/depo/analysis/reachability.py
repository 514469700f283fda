"""Are plans reached, and if not: is the plan to blame, or the skill?

The deterministic policy plays held-out episodes. Each step has a plan ŝ' = h(s) and a state s'
really reached, and ŝ' − s' (standardised) is split in two: what the best action within bounds
would have gained, which is the skill's fault, and what no action reaches, which is the plan's. The
best action comes from a forward model fitted to visited transitions (:mod:`.forward`); on a grid
world everything is exact.

The paper's bound on the distance to the expert's next state has the same two culprits:

    L·C·‖h_E(s) − h(s)‖  +  L·‖I*(s,ŝ') − I(s,ŝ')‖

h_E is taken from demonstrations, I*(s,ŝ') is the best action, L is the largest slope of T in a and
C one over the smallest that is not negligible, both medians over states.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from depo.analysis.imagination import Source, check_fits
from depo.analysis.imagine import open_source
from depo.analysis.reach_on_grid import on_grid
from depo.analysis.reach_on_vectors import on_vectors
from depo.analysis.reach_report import Reachability
from depo.core.errors import DepoError
from depo.core.files import as_path
from depo.core.plugins import add_once
from depo.data.demonstrations import Demonstrations
from depo.data.shipped import load_demonstrations
from depo.environments.given import EnvironmentLike
from depo.environments.grid.gridworld import GridWorld, GridWorldSettings
from depo.methods.off_policy.settings import Demos
from depo.models.planner import CategoricalPlanner
from depo.models.policy import DecoupledPolicy
from depo.runs.checkpoints import CHECKPOINTS
from depo.runs.demonstrations import draw_demonstrations
from depo.runs.run import REPLAY, Run, as_run


def reachability(
    run: str | Path | Run,
    *,
    seed: int | None = None,
    episodes: int = 10,
    demos: str | Path = "",
    env: EnvironmentLike | None = None,
    trust: bool = False,
) -> Reachability:
    """The report of one seed of a run; ``demos`` are for runs that have none of their own, ``env``
    for one whose environment was given as an object, ``trust`` for one that somebody else made and
    that names modules to import.

    ``depo.reachability("runs/mine").blame``
    """
    if episodes < 1:
        raise DepoError(f"episodes {episodes} is not positive")
    if not isinstance(run, Run) and not (as_path(run, "run") / CHECKPOINTS).is_dir():
        raise DepoError(f"{run} is not a run: the report needs a planner and a skill together")
    opened = as_run(run, env=env, trust=trust)
    source = open_source(opened, "", {}, seed)
    assert source.run is not None
    assert source.policy is not None
    recorded = _unseen(source, source.run.demonstrations())
    if str(demos):
        recorded = load_demonstrations(str(demos))
        check_fits(source, recorded)
    if exact := _exact.get(source.environment.family):
        if recorded is None:
            raise DepoError(f"{run} has no demonstrations to compare plans with: pass --demos FILE")
        return exact(source.policy, source.environment.settings, recorded, source.seed)
    if isinstance(source.planner, CategoricalPlanner):
        raise DepoError(
            f"{source.gymnasium.id} has finite states and no table of its dynamics: reachability "
            "is for grid worlds and vector states"
        )
    variant = source.run.job.variants[0] if source.run.job.variants else ""  # whose skill is shown
    return on_vectors(
        source.policy,
        source.gymnasium,
        seed=source.seed,
        episodes=episodes,
        replay=source.run.path / REPLAY / variant / f"seed-{source.seed}",
        demos=recorded,
    )


def _unseen(source: Source, demos: Demonstrations | None) -> Demonstrations | None:
    """The demonstrations held out from this seed; all where it drew every one."""
    assert source.run is not None
    part: Demos | None = getattr(source.run.job.settings, "demos", None)
    if demos is None or part is None:
        return demos
    return draw_demonstrations(demos, part.episodes, source.seed).held_out or demos


def _on_grid(
    policy: DecoupledPolicy, settings: GridWorldSettings, demos: Demonstrations, seed: int
) -> Reachability:
    return on_grid(policy, GridWorld(settings), demos, seed)


Exact = Callable[[DecoupledPolicy, Any, Demonstrations, int], Reachability]
"""The report of a policy, from an environment's own settings, demonstrations and the seed."""
_exact: dict[str, Exact] = {}


def register_exact(family: str, report: Exact) -> None:
    """Give the report of a family whose dynamics are known; elsewhere a forward model is fitted."""
    add_once(_exact, family, report, "reachability report")


register_exact("grid", _on_grid)
