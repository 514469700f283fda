"""A whole burst of steps in one compiled call, for environments that are pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, UInt32

from depo.core.errors import DepoError
from depo.data.transitions import Transitions
from depo.environments.jax_environment import Copies, JaxEnvironment, begin, keys_of, step
from depo.environments.misbehaviour import not_finite
from depo.environments.vector_stepper import check_decided
from depo.learners.gathering import Chance
from depo.models.policy import PolicyModel

MOVE = 15
"""The word that makes of a decision's key the key of what is random in the environment's step."""


class CompiledGathering:
    """Decisions, steps and resets in one loop inside the compiler; rows come back at its end."""

    def __init__(self, environment: JaxEnvironment, name: str = ""):
        self._environment, self._name = environment, name
        self._copies: Copies | None = None

    def reset(self, seeds: Sequence[int]) -> None:
        """Start every copy from its own seed."""
        self._copies = _begin(self._environment, jnp.asarray(keys_of(seeds)))

    def gather(self, policy: PolicyModel, chance: Chance) -> Transitions:
        """One compiled call for all steps."""
        if self._copies is None:
            raise DepoError("steps were asked for before the environments were reset")
        self._copies, rows = _burst(self._environment, policy, self._copies, chance)
        found = Transitions(*(np.asarray(column) for column in rows))
        check_decided(found.action)
        for what, column in (("observation", found.next_state), ("reward", found.reward)):
            if not np.isfinite(column).all():
                raise not_finite(self._name, what, column[~np.isfinite(column)][0])
        return found

    def close(self) -> None:
        """Nothing to close."""


@eqx.filter_jit
def _begin(environment: JaxEnvironment, key: UInt32[Array, "copies 2"]) -> Copies:
    return begin(environment, key)


@eqx.filter_jit
def _burst(
    environment: JaxEnvironment, policy: PolicyModel, copies: Copies, chance: Chance
) -> tuple[Copies, tuple[Array, ...]]:
    def one(copies: Copies, chance: Any) -> tuple[Copies, tuple[Array, ...]]:
        key = jax.random.wrap_key_data(chance.keys)
        decided = policy.sample(copies.seen, key).action
        action = jnp.where(chance.coin[:, None], chance.uniform, decided)
        after, moved = step(environment, copies, action, jax.random.fold_in(key, MOVE))
        reward = moved.reward.astype(jnp.float32)
        return after, (copies.seen, action, moved.reached, reward, moved.terminated)

    copies, rows = jax.lax.scan(one, copies, chance)
    return copies, tuple(column.reshape(-1, *column.shape[2:]) for column in rows)
