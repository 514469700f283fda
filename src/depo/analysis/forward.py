"""A forward model T(s,a) fitted to visited transitions: what an action would have changed.

It is used for differences only, around what really happened: T(s,a) − T(s,a₀) added to the state
that a₀ reached, so its own bias at a₀ cancels.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from depo.methods.off_policy.method import STEADY
from depo.methods.optimisation import descend, fresh, minibatches
from depo.models.forward import Forward
from depo.models.mlp import MLP

HIDDEN, STEPS, BATCH, RATE = (128, 128), 3_000, 256, 1e-3
HELD_OUT = 0.1
SEARCH = 20
"""Gauss-Newton steps towards the best action."""
DAMPING = 1e-4


class Fitted(NamedTuple):
    """A model and its squared error on held-out transitions, relative to that of no change."""

    model: Forward
    error: float


def fit_forward(state: np.ndarray, action: np.ndarray, change: np.ndarray, seed: int) -> Fitted:
    """Fit by squared error; states and changes are standardised (rows, features)."""
    order = np.random.default_rng(seed).permutation(len(state))
    held = max(1, int(HELD_OUT * len(order)))
    scale = jnp.array(np.maximum(change.std(axis=0), 1e-6))
    key, draw = jax.random.split(jax.random.key(seed))
    network = MLP(key, state.shape[1] + action.shape[1], HIDDEN, state.shape[1])
    columns = [jnp.array(x[order[held:]], jnp.float32) for x in (state, action, change)]
    rows = columns[0].shape[0]
    size = min(BATCH, rows)
    passes = -(-STEPS // (rows // size))
    batches = minibatches(draw, rows, size, passes)[:STEPS]
    model = _fit(Forward(network, scale), columns, batches)
    s, a, d = (jnp.array(x[order[:held]], jnp.float32) for x in (state, action, change))
    error = jnp.mean((model(s, a) - d) ** 2) / jnp.maximum(jnp.mean(d**2), 1e-12)
    return Fitted(model, float(error))


@eqx.filter_jit
def _fit(model: Forward, columns: list[Array], batches: Array) -> Forward:
    def loss(model: Forward, index: Array) -> Float[Array, ""]:
        s, a, d = (column[index] for column in columns)
        return jnp.mean(((model(s, a) - d) / jax.lax.stop_gradient(model.scale)) ** 2)

    optimiser = STEADY.adam(RATE)
    return descend(fresh(model, optimiser), optimiser, loss, batches)[0].model


class Search(NamedTuple):
    """What the best action would have done (rows, …)."""

    action: Float[Array, "rows actions"]
    gained: Float[Array, "rows features"]
    """How much nearer to the target it comes, as a vector."""
    slopes: Float[Array, "rows least"]
    """Singular values, largest first: of ∂T/∂a at the action taken, or of what discrete actions do
    other than on average."""


@eqx.filter_jit
def best_actions(
    model: Forward,
    state: Float[Array, "rows features"],
    action: Float[Array, "rows actions"],
    error: Float[Array, "rows features"],
) -> Search:
    """The action in [−1,1]ⁿ that would have left the least of target − reached.

    Gauss-Newton on the model around the action taken, clipped to the box; the best seen counts,
    the action taken among them.
    """

    def one(s: Array, a0: Array, e: Array) -> Search:
        begin = model(s, a0)

        def left(a: Array) -> Array:
            return e - (model(s, a) - begin)

        def improve(_: Any, carry: tuple[Array, Array]) -> tuple[Array, Array]:
            a, best = carry
            slope = jax.jacfwd(lambda x: model(s, x))(a)
            size = jnp.trace(slope.T @ slope) / a.shape[0]
            damped = slope.T @ slope + (DAMPING * size + 1e-12) * jnp.eye(a.shape[0])
            pull = slope.T @ left(a)
            stuck = ((a >= 1.0) & (pull > 0)) | ((a <= -1.0) & (pull < 0))
            free = jnp.where(stuck, 0.0, 1.0)
            damped = free[:, None] * damped * free + jnp.diag(1.0 - free)
            a = jnp.clip(a + jnp.linalg.solve(damped, free * pull), -1.0, 1.0)
            better = jnp.sum(left(a) ** 2) < jnp.sum(left(best) ** 2)
            return a, jnp.where(better, a, best)

        _, best = jax.lax.fori_loop(0, SEARCH, improve, (a0, a0))
        slopes = jnp.linalg.svd(jax.jacfwd(lambda x: model(s, x))(a0), compute_uv=False)
        return Search(best, model(s, best) - begin, slopes)

    return jax.lax.map(lambda row: one(*row), (state, action, error), batch_size=256)


@eqx.filter_jit
def best_choices(
    model: Forward,
    every: Float[Array, "combinations actions"],
    state: Float[Array, "rows features"],
    action: Float[Array, "rows actions"],
    error: Float[Array, "rows features"],
) -> Search:
    """The same among discrete actions: each of them is tried."""

    def one(s: Array, a0: Array, e: Array) -> Search:
        reached = jax.vmap(lambda a: model(s, a))(every)
        gained = reached - model(s, a0)
        best = jnp.argmin(jnp.sum((e - gained) ** 2, axis=-1))
        slopes = jnp.linalg.svd(reached - jnp.mean(reached, axis=0), compute_uv=False)
        return Search(every[best], gained[best], slopes)

    return jax.lax.map(lambda row: one(*row), (state, action, error), batch_size=256)
