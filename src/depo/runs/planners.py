"""The planners a transfer begins with: found, loaded, refused where they do not fit, and kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from depo.core.errors import DepoError
from depo.core.folders import check_folder
from depo.data.demonstrations import Demonstrations
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.environments.mujoco import task_of
from depo.methods.off_policy.settings import is_fine_tuned
from depo.models.card import Origin, read_origin
from depo.models.folder import load_planner
from depo.models.normaliser import Normaliser
from depo.models.planner import CategoricalPlanner, GaussianPlanner
from depo.models.policy import DecoupledPolicy
from depo.models.policy_folder import load_policy
from depo.models.skill import Skill
from depo.models.skill_source import trunk_beside
from depo.runs.checkpoints import CHECKPOINTS
from depo.runs.run import Run
from depo.zoo.entries import located

PLANNER, SOURCE = "planner", "source"
"""Folders of a run: its planners, and those it was given where it changes them."""
FURTHEST = 1_000.0
"""Deviations from the planner's mean at which a first state is of other units. States that began
the recordings cannot be further off than the root of an episode's length."""
FURTHEST_MEAN = 10.0
"""The same for the mean of demonstrations."""


def planner_folder(source: str, seed: int) -> Path:
    """The planner folder itself, or that of a seed: in a run, or in the seed's own run."""
    path = located(source, "planner", "planner")
    if (path / f"seed-{seed}" / CHECKPOINTS).is_dir():
        path /= f"seed-{seed}"
    if not (path / CHECKPOINTS).is_dir():
        return path
    check_folder(path)
    own = path / PLANNER / f"seed-{seed}"
    if not own.is_dir():
        found = [folder.name for folder in sorted((path / PLANNER).glob("seed-*"))]
        if (path / "reward").is_dir():
            raise DepoError(
                f"run {path} has no planner but a reward: 'depo train airl-transfer --reward-from "
                f"{path}' learns by it"
            )
        spec = Run.open(path).job.spec
        if not found and "planner" not in spec.exports:
            raise DepoError(f"run {path} was trained by '{spec.name}', which has no planner")
        has = f"has planners for {', '.join(found)}" if found else "has no planner (finished?)"
        raise DepoError(
            f"run {path} {has}, none for seed {seed}: "
            "give a planner folder, which then serves every seed"
        )
    return own


def trunk(source: str, seed: int) -> Skill:
    """The skill beside the planner of a seed, whose layers a new one begins with."""
    planner = planner_folder(source, seed)
    if (folder := trunk_beside(planner)) is None:
        raise DepoError(
            f"no policy with a learned skill is beside planner {planner}: give the run it is of, "
            "or pass --skill-start fresh"
        )
    policy = load_policy(folder).model
    assert isinstance(policy, DecoupledPolicy)  # or it had no skill
    return policy.skill


def source_folder(run: Run) -> Path:
    """Where the planners are as a transfer began with them."""
    return run.path / (SOURCE if is_fine_tuned(run.job.settings) else PLANNER)


def return_before(run: Run, seed: int) -> float | None:
    """The return in the card of the planner that a seed's transfer began with, if above 0."""
    before = read_origin(source_folder(run) / f"seed-{seed}").scores.get("return", 0.0)
    return before if before > 0 else None


def finite_planner(folder: Path, states: int) -> CategoricalPlanner:
    """Load a planner and refuse it if it plans in another set of states."""
    planner = load_planner(folder)
    if not isinstance(planner, CategoricalPlanner):
        raise DepoError(
            f"planner {folder} plans {len(planner.predicts)}-dimensional vectors "
            f"({read_origin(folder).environment}), the environment has {states} finite states: "
            "pass --env to say where it goes"
        )
    if planner.states != states:
        origin = read_origin(folder)
        raise DepoError(
            f"planner {folder} was trained on {planner.states} states ({origin.environment}), "
            f"the environment has {states}: transfer keeps the state space"
        )
    return planner


def vector_planner(
    folder: Path, environment: GymnasiumEnvironment, demos: Demonstrations | None
) -> GaussianPlanner:
    """Load a planner and refuse it if dimension, names or units of its states are others."""
    planner, origin = load_planner(folder), read_origin(folder)
    states = environment.vector_sizes().states
    if not isinstance(planner, GaussianPlanner):
        raise DepoError(
            f"planner {folder} plans among {planner.states} finite states ({origin.environment}), "
            f"{environment.id} has {states}-dimensional vectors: transfer keeps the state space"
        )
    sees = int(planner.normaliser.mean.shape[0])
    if sees != states:
        raise DepoError(
            f"planner {folder} sees {sees}-dimensional states ({origin.environment}), "
            f"{environment.id} has {states}-dimensional ones: transfer keeps the state space"
        )
    check_task(folder, origin, environment.id)
    check_names(folder, origin, environment.feature_names(), environment.id)
    check_units(
        folder, origin, planner.normaliser, environment.first_state(), environment.id, FURTHEST
    )
    if demos is not None:
        check_names(folder, origin, demos.feature_names, "the demonstrations")
        mean = np.mean(demos.observations, axis=0)
        check_units(
            folder, origin, planner.normaliser, mean, "the demonstrations' mean", FURTHEST_MEAN
        )
    if len(origin.features) not in (0, sees):
        raise DepoError(
            f"planner {folder} names {len(origin.features)} of its {sees} features: name all in "
            "its settings.json, or none"
        )
    return planner


def check_task(folder: Path, origin: Origin, environment: str, what: str = "planner") -> None:
    """Refuse another body of the known tasks, whose states are as long and mean other things."""
    theirs, ours = task_of(origin.environment), task_of(environment.lower())
    if theirs and ours and theirs != ours:
        raise DepoError(
            f"{what} {folder} is for the states of {theirs} ({origin.environment}), those of "
            f"{environment} mean other things: transfer keeps the states and their meaning"
        )


def check_names(
    folder: Path, origin: Origin, names: Sequence[str], whose: str, what: str = "planner"
) -> None:
    """Refuse features with other names, where both sides have names that say something."""
    if is_nameless(names) or is_nameless(origin.features):
        return
    if len(names) != len(origin.features):
        raise DepoError(
            f"{what} {folder} names {len(origin.features)} features ({origin.environment}), "
            f"{whose} {len(names)}: a name for each feature, or none"
        )
    for i, (theirs, ours) in enumerate(zip(origin.features, names, strict=True)):
        if theirs != ours:
            raise DepoError(
                f"{what} {folder} calls feature {i} '{theirs}' ({origin.environment}), {whose} "
                f"'{ours}': transfer keeps the states and their meaning"
            )


def is_nameless(names: Sequence[str]) -> bool:
    """Whether features have no names, or only numbers."""
    return not names or tuple(names) in (tuple(f"s{i}" for i in range(len(names))), ("state",))


def check_units(
    folder: Path, origin: Origin, normaliser: Normaliser, state: np.ndarray, whose: str, most: float
) -> None:
    """Refuse states that are far outside the planner's statistics, if it has any."""
    if normaliser.is_plain():
        return
    mean, scale = np.asarray(normaliser.mean), np.asarray(normaliser.scale)
    distance = np.abs(state - mean) / scale
    worst = int(np.argmax(distance))
    if distance[worst] > most:
        named = origin.features if len(origin.features) == len(mean) else range(len(mean))
        raise DepoError(
            f"planner {folder} knows feature {named[worst]} as {mean[worst]:.3g} ± "
            f"{scale[worst]:.3g} ({origin.environment}), {whose} has {state[worst]:.3g}: other "
            "units? Its statistics are never computed again"
        )
