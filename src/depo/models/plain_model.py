"""What a plain policy is made of: the facts and arrays of a model, without JAX."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from depo.core.codec import encode
from depo.core.weights import named_arrays
from depo.models.folder import shape_of
from depo.models.plain import PlainPolicy
from depo.models.planner import CategoricalPlanner, GaussianPlanner
from depo.models.policy import (
    CategoricalActor,
    DecoupledPolicy,
    DiscreteActor,
    GaussianActor,
    PolicyModel,
)
from depo.models.skill import CategoricalSkill, DiscreteSkill, VectorSkill

if TYPE_CHECKING:
    from depo.models.acting import Space

PLANNERS = CategoricalPlanner, GaussianPlanner
SKILLS = CategoricalSkill, VectorSkill, DiscreteSkill
ACTORS = CategoricalActor, GaussianActor, DiscreteActor


def parts_of(model: PolicyModel) -> dict[str, Any] | None:
    """Planner and skill, or the actor, by name; None: it is none of these, or has a formula.

    By the type itself: one that is derived from it computes otherwise (``sail``'s and ``gsp``'s
    planners).
    """
    if isinstance(model, DecoupledPolicy):
        own = type(model.planner) in PLANNERS and type(model.skill) in SKILLS
        return {"planner": model.planner, "skill": model.skill} if own else None
    return {"actor": model} if type(model) in ACTORS else None


def described(parts: dict[str, Any], observations: Space, actions: Space) -> dict[str, Any]:
    """The facts that a plain policy needs, as plain data."""
    own = {**encode(actions), "choices": list(actions.choices)}
    shapes = {name: encode(shape_of(part)) for name, part in parts.items()}
    return {"parts": shapes, "observations": encode(observations), "actions": own}


def arrays_of(parts: dict[str, Any]) -> dict[str, np.ndarray]:
    """All numbers of the networks, by the names that a folder's weights have."""
    return {name: np.ascontiguousarray(x) for name, x in named_arrays(parts).items()}


def plain_policy(model: PolicyModel, observations: Space, actions: Space) -> PlainPolicy | None:
    """The same policy in NumPy, whose single actions cost no call of a compiled program; None
    where a part is somebody's function."""
    parts = parts_of(model)
    if parts is None:
        return None
    return PlainPolicy(described(parts, observations, actions), arrays_of(parts))
