"""A policy on finite states as tables: what exact evaluation works on."""

from __future__ import annotations

from typing import NamedTuple

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from depo.core.errors import DepoError
from depo.models.policy import PolicyModel


class PolicyTable(NamedTuple):
    """π(a|s), its deterministic action, and the most likely plan (−1: plans nothing)."""

    probabilities: Float[Array, "states actions"]
    action: Int[Array, " states"]
    plan: Int[Array, " states"]


def policy_table(policy: PolicyModel, states: int) -> PolicyTable:
    """The table of one policy."""
    every = jnp.arange(states)
    decision = policy.mode(every)
    if not hasattr(policy, "log_probabilities"):
        raise DepoError(
            f"a policy of the class {type(policy).__name__} has no log_probabilities(state), of "
            "which exact scores on finite states are made: add it, log π(·|s) of all actions"
        )
    return PolicyTable(jnp.exp(policy.log_probabilities(every)), decision.action, decision.plan)


@eqx.filter_jit
def policy_tables(policies: PolicyModel, states: int) -> PolicyTable:
    """Tables of policies stacked along a seed axis."""
    return eqx.filter_vmap(lambda policy: policy_table(policy, states))(policies)


def split_seeds(tables: PolicyTable) -> list[PolicyTable]:
    """One NumPy table for each seed."""
    arrays = [np.asarray(column) for column in tables]
    return [PolicyTable(*rows) for rows in zip(*arrays, strict=True)]
