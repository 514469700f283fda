"""A plain policy, for methods without planner and skill."""

from __future__ import annotations

from jaxtyping import Array, Key

from depo.methods.off_policy.method import Shape
from depo.models.policy import DiscreteActor, GaussianActor


def new_actor(
    key: Key[Array, ""], shape: Shape, hidden: tuple[int, ...]
) -> GaussianActor | DiscreteActor:
    """A plain policy about to be trained."""
    if shape.choices:
        return DiscreteActor(key, shape.normaliser, shape.choices, hidden)
    return GaussianActor(key, shape.normaliser, shape.actions, hidden)
