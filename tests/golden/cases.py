"""What is run for golden trajectories: every learner, method and kind of problem, very small.

Only :func:`run_case` knows how the package is called, so that a refactoring of the package adapts
that function and leaves cases and references alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import depo
from depo import Demonstrations
from depo.api import make_job
from depo.core.errors import DepoError
from depo.methods.registry import TRANSFER
from tests.environments.point import straight_demonstrations
from tests.golden.environments import ID as EDGE
from tests.support import line
from tests.support.arguments import flat
from tests.support.traffic import flowing

Arguments = dict[str, Any]
LAKE = [0, 4, 8, 9, 13, 14, 15]
TRAFFIC = "flowing"
"""Stands for the path of a small recording in a driving case."""
QUICK = (
    "grid-depo",
    "grid-gaifo",
    "grid-transfer",
    "lake-gaifo",
    "edge-depo",
    "edge-gaifo",
    "edge-sac",
    "edge-transfer",
    "edge-transfer-formula",
)
"""Run by every 'make test'; compiling all the others takes minutes, they are slow tests."""


@dataclass(frozen=True)
class Case:
    """One call of the public API; ``source`` is the case whose planner a transfer carries."""

    name: str
    verb: Literal["train", "transfer", "cotrain"]
    arguments: Arguments = field(default_factory=dict)
    demos: Literal["", "straight", "lake", "line"] = ""
    source: str = ""


def run_case(case: Case, folder: Path) -> Path:
    """The finished run's folder; a case that others begin with is run once for a ``folder``."""
    out = folder / case.name
    if out.exists():
        return out
    given = flat(**{"preset": "v0.1"} | case.arguments, out=out, progress=False)
    if case.demos:
        given["demos"] = _demonstrations(case.demos, folder)
    if given.get("env_args", {}).get("recording") == TRAFFIC:
        given["env_args"] = {"recording": str(_recording(folder))}
    if case.verb == "transfer":
        planner = run_case(BY_NAME[case.source], folder)
        return depo.transfer(planner, **_effective(TRANSFER, given, planner)).path
    verb = {"train": depo.train, "cotrain": depo.cotrain}[case.verb]
    method = given.pop("method")
    return verb(method, **_effective(method, given)).path


def _effective(method: str, given: Arguments, planner: Path | str = "") -> Arguments:
    """The arguments without settings that never had an effect in the case, and are now refused."""
    job = {n: v for n, v in given.items() if n not in ("out", "progress", "overrides")}
    overrides = dict(given.get("overrides", {}))
    while True:
        try:
            make_job(method, planner=planner, overrides=overrides, **job)
        except DepoError as error:
            name = str(error).partition(" ")[0]
            if "has no effect" not in str(error) or name not in overrides:
                raise
            del overrides[name]
        else:
            return given | {"overrides": overrides}


def _demonstrations(name: str, folder: Path) -> Path:
    path = folder / f"{name}.npz"
    if path.exists():
        return path
    if name == "lake":
        return Demonstrations.from_episodes([LAKE] * 2).save(path)
    if name == "line":
        return line.walks(path)
    return straight_demonstrations(path)


def _recording(folder: Path) -> Path:
    path = folder / f"{TRAFFIC}.npz"
    if not path.exists():
        flowing(seconds=60.0).save(path)
    return path


GRID: Arguments = {
    "size": 3,
    "horizon": 8,
    "hidden": 16,
    "batch_steps": 64,
    "checkpoint_every": 2,
    "steps": 256,
}
GRID_SKILL: Arguments = GRID | {"skill_batch": 16, "skill_steps": 5, "skill_rounds": 3}
GRID_CRITIC: Arguments = {"minibatch": 32, "epochs": 2}
GRID_AGNOSTIC: Arguments = GRID_SKILL | GRID_CRITIC
GRID_DEPO: Arguments = GRID_AGNOSTIC | {"demo_batch": 16}
DETOUR: Arguments = {"size": 4, "horizon": 12, "walls": ("1,1",), "via": ("0,3",)}


def _grid() -> Iterable[Case]:
    def case(name: str, method: str, arguments: Arguments, **changes: Any) -> Case:
        return Case(f"grid-{name}", "train", {"method": method, **arguments, **changes})

    yield case("depo", "depo", GRID_DEPO, seeds=2)
    yield case("depo-straight-through", "depo", GRID_DEPO, gradient="straight-through")
    yield case("depo-walls-detour", "depo", GRID_DEPO, **DETOUR)
    yield case("depo-paper", "depo", GRID_DEPO, preset="paper")
    yield case("depo-calibrated", "depo-calibrated", GRID_DEPO)
    yield case("depo-agnostic", "depo-agnostic", GRID_AGNOSTIC)
    yield case("depo-score-function", "depo-agnostic", GRID_AGNOSTIC, gradient="score-function")
    yield case("depo-supervised", "depo-supervised", GRID_SKILL, planner_steps=5, demo_batch=16)
    yield case("gaifo", "gaifo", GRID | GRID_CRITIC, seed=3)
    yield case("bco", "bco", GRID_SKILL, actor_steps=5)
    yield case("ppo", "ppo", GRID | GRID_CRITIC)
    several = {**GRID_SKILL, "seeds": 2, "k": 4}
    yield Case("grid-transfer", "transfer", several, source="grid-depo")
    for schedule in ("round-robin", "joint"):
        several = {"variants": ("1", "4"), "schedule": schedule, "checkpoint_every": 1}
        arguments = {"method": "depo", **GRID_DEPO, **several}
        yield Case(f"grid-cotrain-{schedule}", "cotrain", arguments)


def _lake() -> Iterable[Case]:
    lake = {"env": "FrozenLake-v1", "env_args": {"is_slippery": True}}
    small = {name: value for name, value in GRID.items() if name not in ("size", "horizon")}
    skill = {name: GRID_DEPO[name] for name in GRID_DEPO if name not in ("size", "horizon")}
    for method, arguments in (("depo", skill), ("gaifo", small | GRID_CRITIC)):
        yield Case(f"lake-{method}", "train", {"method": method, **lake, **arguments}, "lake")


SMALL: Arguments = {
    "hidden": 16,
    "minibatch": 16,
    "batch_steps": 25,
    "random_steps": 100,
    "evaluate_every": 4,
    "checkpoint_every": 1,
    "average": 0.02,
    "replay": 150,
    "steps": 300,
}
IMITATION: Arguments = SMALL | {"demo_episodes": 3}
SKILL: Arguments = IMITATION | {"skill_hidden": 16, "skill_replay": 200, "skill_rate": 3e-3}
ADVERSARY: Arguments = {"discriminator_hidden": 16}
DEPO: Arguments = SKILL | ADVERSARY
REFIT: Arguments = {
    "skill_schedule": "refit",
    "refit_every": 100,
    "refit_passes": 4,
    "refit_patience": 2,
    "first_fit_passes": 3,
}
VARIANTS: dict[str, Arguments] = {
    "ends-ignored": {"termination": "ignored", "random_actions": False},
    "ends-zero": {"termination": "zero", "pair_input": "states"},
    "relabel": {"relabel": True, "calibration_weight": "positive-normal", "reward_centre": 0.01},
    "anneal": {"anneal": 0.5, "anneal_after": 0.0, "copies": 5, "epsilon": 0.3},
    "refit": REFIT,
    "memory": {"skill_memory": True, "sample_plans": False},
    "plans": {"plans": "0", "supervision_loss": "squared"},
    "paper": {**REFIT, "preset": "paper", "refit_every": 150},
}
"""Other ways of DePO on vectors, one or two at a time."""


def _vectors() -> Iterable[Case]:
    def case(name: str, method: str, arguments: Arguments, **changes: Any) -> Case:
        given = {"method": method, "env": EDGE, **arguments, **changes}
        return Case(f"edge-{name}", "train", given, "straight")

    yield case("depo", "depo", DEPO, seeds=2)
    for name, changes in VARIANTS.items():
        yield case(f"depo-{name}", "depo", DEPO, **changes)
    yield case("depo-agnostic", "depo-agnostic", DEPO)
    yield case("depo-supervised", "depo-supervised", SKILL)
    yield case("gaifo", "gaifo", IMITATION | ADVERSARY, seed=3)
    yield case("gaifo-dp", "gaifo-dp", IMITATION | ADVERSARY)
    yield case("bco", "bco", SKILL)
    yield case("bco-samples", "bco", SKILL, clone_samples=True)
    yield case("bc", "bc", IMITATION)
    for method in ("gail", "airl", "iddm"):
        yield case(method, method, IMITATION | ADVERSARY)
    yield case("opolo", "opolo", DEPO)
    alone = {"skill_hidden": 16, "skill_replay": 200, **SMALL}
    yield Case("edge-depo-rl", "train", {"method": "depo-rl", "env": EDGE, **alone})
    yield Case("edge-sac", "train", {"method": "sac", "env": EDGE, **SMALL})
    for schedule in ("round-robin", "joint"):
        several = {"variants": ("as-is", "inverted"), "schedule": schedule, "steps": 400}
        arguments = {"method": "depo", "env": EDGE, **DEPO, **several}
        yield Case(f"edge-cotrain-{schedule}", "cotrain", arguments, "straight")


def _choices() -> Iterable[Case]:
    """Discrete actions on vectors."""
    yield Case("line-depo", "train", {"method": "depo", "env": line.ID, **DEPO}, "line")
    yield Case("line-sac", "train", {"method": "sac", "env": line.ID, **SMALL})


def _transfers() -> Iterable[Case]:
    small = {
        name: SKILL[name] for name in SKILL if name not in ("hidden", "demo_episodes", "replay")
    }
    small |= {"updates_per_step": 1.0, "dynamics": "inverted"}
    free = small | ADVERSARY | {"hidden": 16, "demo_episodes": 3, "unfreeze_after": 200}
    formula = {"dynamics": "inverted", "skill": "tests.environments.point:opposite_inverse"}

    def case(name: str, arguments: Arguments, demos: Any = "", **changes: Any) -> Case:
        return Case(f"edge-{name}", "transfer", arguments | changes, demos, "edge-depo")

    yield case("transfer", small, seeds=2)
    yield case("transfer-effects", small, dynamics="mixed", skill_fit="effects")
    yield case("transfer-modes", small, skill_modes=3)
    yield case("transfer-unfreeze", free, "straight")
    yield case("transfer-formula", formula, steps=0)


DRIVING: Arguments = {
    "env": "driving",
    "hidden": 16,
    "discriminator_hidden": 16,
    "minibatch": 16,
    "batch_steps": 50,
    "copies": 10,
    "random_steps": 100,
    "evaluate_every": 4,
    "steps": 400,
}


def _others() -> Iterable[Case]:
    small = {**DRIVING, "env_args": {"recording": TRAFFIC}}
    yield Case("driving-depo-shipped", "train", {"method": "depo", **DRIVING})
    for method in ("depo", "gaifo"):
        yield Case(f"driving-{method}", "train", {"method": method, **small})
    for schedule in ("round-robin", "joint"):
        several = {"variants": ("normal", "inverse"), "schedule": schedule}
        arguments = {"method": "depo", **small, **several}
        yield Case(f"driving-cotrain-{schedule}", "cotrain", arguments)
    pendulum = {"method": "depo", "env": "InvertedPendulum-v5", **DEPO}
    yield Case("pendulum-depo", "train", pendulum)


CASES = [*_grid(), *_lake(), *_vectors(), *_choices(), *_transfers(), *_others()]
BY_NAME = {case.name: case for case in CASES}
