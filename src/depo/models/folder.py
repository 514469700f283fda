"""Planner, skill or reward as a folder: ``weights.safetensors``, ``settings.json``, ``card.md``.

The folder loads on its own, in another program or for another environment: it holds the shape
of the network, the names of the features, the standardisation statistics (as weights) and where
the model comes from.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax.numpy as jnp

from depo.core.errors import DepoError
from depo.core.files import as_path
from depo.models.card import Card, Origin
from depo.models.following_planner import FollowingPlanner
from depo.models.normaliser import Normaliser
from depo.models.planner import CategoricalPlanner, GaussianPlanner, Planner
from depo.models.policy import CategoricalActor, DiscreteActor, GaussianActor
from depo.models.reward import StateReward
from depo.models.shapes import (
    CategoricalActorShape,
    CategoricalPlannerShape,
    CategoricalSkillShape,
    DiscreteActorShape,
    DiscreteSkillShape,
    FollowingPlannerShape,
    GaussianActorShape,
    GaussianPlannerShape,
    Shape,
    StateRewardShape,
    VariationalPlannerShape,
    VectorSkillShape,
)
from depo.models.skill import AnalyticSkill, CategoricalSkill, DiscreteSkill, Skill, VectorSkill
from depo.models.variational_planner import VariationalPlanner
from depo.models.weights_file import load_weights, save_weights, settled
from depo.zoo.entries import located


def save_planner(path: str | Path, planner: Planner, origin: Origin | None = None) -> Path:
    """Write a planner folder.

    >>> import jax, tempfile
    >>> planner = CategoricalPlanner(jax.random.key(0), states=4, hidden=(8,))
    >>> folder = save_planner(tempfile.mkdtemp(), planner)
    >>> load_planner(folder).states
    4
    """
    return _save(Path(path), "planner", planner, origin)


def save_skill(path: str | Path, skill: Skill, origin: Origin | None = None) -> Path:
    """Write a skill folder; an analytic skill is code and has no folder."""
    if isinstance(skill, AnalyticSkill):
        raise DepoError("an analytic skill is a function and cannot be saved: keep its code")
    return _save(Path(path), "skill", skill, origin)


def save_reward(path: str | Path, reward: StateReward, origin: Origin | None = None) -> Path:
    """Write a reward folder."""
    return _save(Path(path), "reward", reward, origin)


def load_planner(path: str | Path) -> Planner:
    """Read a planner folder."""
    return _load(located(path, "planner", "planner"), "planner")


def load_skill(path: str | Path) -> CategoricalSkill | VectorSkill | DiscreteSkill:
    """Read a skill folder."""
    return _load(as_path(path, "skill"), "skill")


def load_reward(path: str | Path) -> StateReward:
    """Read a reward folder."""
    reward: StateReward = _load(as_path(path, "reward"), "reward")
    return reward


LearnedSkill = CategoricalSkill | VectorSkill | DiscreteSkill
Model = Planner | LearnedSkill | CategoricalActor | GaussianActor | DiscreteActor | StateReward


OWN = (
    *(CategoricalPlanner, GaussianPlanner, VariationalPlanner, FollowingPlanner),
    *(CategoricalSkill, VectorSkill, DiscreteSkill),
    *(CategoricalActor, GaussianActor, DiscreteActor, StateReward),
)


def has_folder(model: object) -> bool:
    """Whether a folder can hold a model: it is of one of these classes, and not derived from one,
    as that may compute otherwise what is read from the folder as the class here.

    >>> has_folder(None)
    False
    """
    return type(model) in OWN


def _refuse_others(model: object) -> None:
    if not has_folder(model):
        raise DepoError(
            f"a model of the class {type(model).__name__} has no folder, which depo's own classes "
            "have: use run.policy(), and keep its code"
        )


def shape_of(model: Model) -> Shape:
    """What is needed to make a model like this one."""
    _refuse_others(model)
    hidden = tuple(int(w.shape[1]) for w in model.network.weights[:-1])
    match model:
        case CategoricalPlanner():
            return CategoricalPlannerShape(model.states, hidden)
        case CategoricalSkill():
            return CategoricalSkillShape(model.states, model.actions, hidden)
        case VariationalPlanner():
            seen, latent = _seen(model.normaliser), int(model.decoder.weights[0].shape[0])
            return VariationalPlannerShape(
                **seen, predicts=model.predicts, latent=latent, hidden=hidden
            )
        case FollowingPlanner():
            return FollowingPlannerShape(
                **_seen(model.normaliser),
                predicts=model.predicts,
                rows=int(model.route.shape[0]),
                hidden=hidden,
                ahead=model.ahead,
            )
        case GaussianPlanner():
            return GaussianPlannerShape(
                **_seen(model.normaliser),
                predicts=model.predicts,
                log_std_bounds=model.log_std_bounds,
                absolute=model.absolute,
                hidden=hidden,
                smooth=model.smooth,
            )
        case VectorSkill():
            return VectorSkillShape(
                **_seen(model.normaliser),
                predicts=model.predicts,
                actions=model.actions,
                noise=model.noise,
                pair_input=model.pair_input,
                modes=model.modes,
                hidden=hidden,
            )
        case DiscreteSkill():
            return DiscreteSkillShape(
                **_seen(model.normaliser),
                predicts=model.predicts,
                choices=model.choices,
                pair_input=model.pair_input,
                hidden=hidden,
            )
        case CategoricalActor():
            return CategoricalActorShape(model.states, _outputs(model), hidden)
        case GaussianActor():
            seen, actions = _seen(model.normaliser), _outputs(model) // 2
            return GaussianActorShape(**seen, actions=actions, hidden=hidden)
        case StateReward():
            return StateRewardShape(**_seen(model.normaliser), gamma=model.gamma, hidden=hidden)
        case DiscreteActor():
            seen = _seen(model.normaliser)
            return DiscreteActorShape(**seen, choices=model.choices, hidden=hidden)


def _seen(normaliser: Normaliser) -> dict[str, Any]:
    """How a model sees vectors."""
    return {
        "sees": int(normaliser.mean.shape[0]),
        "clip": normaliser.clip,
        "steps": normaliser.step is not None,
    }


def _outputs(model: CategoricalActor | GaussianActor) -> int:
    return int(model.network.weights[-1].shape[1])


def build(key: Any, shape: Shape) -> Any:
    """A model of that shape."""
    match shape:
        case CategoricalPlannerShape():
            return CategoricalPlanner(key, shape.states, shape.hidden)
        case CategoricalSkillShape():
            return CategoricalSkill(key, shape.states, shape.actions, shape.hidden)
        case CategoricalActorShape():
            return CategoricalActor(key, shape.states, shape.actions, shape.hidden)
    normaliser = Normaliser.none(shape.sees, shape.clip, shape.steps)
    match shape:
        case GaussianActorShape():
            return GaussianActor(key, normaliser, shape.actions, shape.hidden)
        case StateRewardShape():
            return StateReward(key, normaliser, shape.hidden, shape.gamma)
        case DiscreteActorShape():
            return DiscreteActor(key, normaliser, shape.choices, shape.hidden)
        case GaussianPlannerShape():
            return GaussianPlanner(
                key,
                normaliser,
                shape.hidden,
                shape.predicts,
                shape.log_std_bounds,
                shape.absolute,
                shape.smooth,
            )
        case VariationalPlannerShape():
            return VariationalPlanner(key, normaliser, shape.hidden, shape.latent, shape.predicts)
        case FollowingPlannerShape():
            route, length = jnp.zeros((shape.rows, shape.sees)), jnp.array(shape.rows)
            return FollowingPlanner(
                key, normaliser, shape.hidden, route, length, shape.predicts, shape.ahead
            )
        case VectorSkillShape():
            return VectorSkill(
                key,
                normaliser,
                shape.actions,
                shape.hidden,
                shape.predicts,
                shape.noise,
                shape.pair_input,
                shape.modes,
            )
        case DiscreteSkillShape():
            return DiscreteSkill(
                key,
                normaliser,
                shape.choices,
                shape.hidden,
                shape.predicts,
                shape.pair_input,
            )


def _save(
    path: Path,
    kind: str,
    model: Planner | LearnedSkill | StateReward,
    origin: Origin | None,
) -> Path:
    shape, origin = shape_of(model), origin or Origin()
    save_weights(path, model, lambda digests: Card(kind, shape, origin, digests).save(path))
    return path


def _load(path: Path, kind: str) -> Any:
    def load() -> Any:
        card = Card.load(path, kind)
        return load_weights(path, kind, lambda key: build(key, card.shape), card.weights)

    return settled(load)
