"""A policy on finite states as tables: what exact evaluation works on."""

from __future__ import annotations

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from depo.core.errors import DepoError
from depo.models.policy import DecoupledPolicy, PolicyModel

CHUNK = 64


class PolicyTable(NamedTuple):
    """π(a|s), its deterministic action, and the most likely plan (−1: plans nothing)."""

    probabilities: Float[Array, "states actions"]
    action: Int[Array, " states"]
    plan: Int[Array, " states"]


def policy_table(policy: PolicyModel, states: int) -> PolicyTable:
    """The table of one policy."""
    every = jnp.arange(states)
    decision = policy.mode(every)
    if isinstance(policy, DecoupledPolicy):
        log_pi = jax.lax.map(lambda s: _marginal(policy, s), every, batch_size=CHUNK)
    elif not hasattr(policy, "log_probabilities"):
        raise DepoError(
            f"a policy of the class {type(policy).__name__} has no log_probabilities(state), of "
            "which exact scores on finite states are made: add it, log π(·|s) of all actions"
        )
    else:
        log_pi = policy.log_probabilities(every)
    return PolicyTable(jnp.exp(log_pi), decision.action, decision.plan)


def _marginal(policy: DecoupledPolicy, state: Int[Array, ""]) -> Float[Array, " actions"]:
    """log Σ_s' h(s'|s) I(a|s,s')."""
    log_h = policy.planner.log_probabilities(state)  # type: ignore[union-attr]
    log_skill = policy.skill.towards_all(state)  # type: ignore[union-attr]
    return jax.nn.logsumexp(log_h[:, None] + log_skill, axis=0)


@eqx.filter_jit
def policy_tables(policies: PolicyModel, states: int) -> PolicyTable:
    """Tables of policies stacked along a seed axis."""
    return eqx.filter_vmap(lambda policy: policy_table(policy, states))(policies)


def split_seeds(tables: PolicyTable) -> list[PolicyTable]:
    """One NumPy table for each seed."""
    arrays = [np.asarray(column) for column in tables]
    return [PolicyTable(*rows) for rows in zip(*arrays, strict=True)]
