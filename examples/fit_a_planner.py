"""Fit a planner by one loss and optax: no run, no folder, no environment.

The expert walks on a circle; where would it go next?
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax

import depo
from depo.losses import supervised_planner


def circles(episodes: int, steps: int = 60, turn: float = 0.1) -> depo.Demonstrations:
    """Walks on circles of different sizes, in plane coordinates."""
    radius = np.random.default_rng(0).uniform(0.5, 2.0, episodes)
    angle = turn * np.arange(steps)
    walk = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    return depo.Demonstrations.from_episodes([r * walk for r in radius], feature_names=("x", "y"))


def fit(demos: depo.Demonstrations, updates: int) -> depo.GaussianPlanner:
    """The planner with the greatest likelihood of the expert's transitions."""
    state, next_state = (jnp.asarray(column) for column in demos.transitions())
    normaliser = depo.Normaliser.of(state, clip=10.0)
    planner = depo.GaussianPlanner(jax.random.key(0), normaliser, hidden=(64, 64))
    optimiser = optax.adam(1e-3)
    moments = optimiser.init(eqx.filter(planner, eqx.is_array))

    @eqx.filter_jit
    def update(
        planner: depo.GaussianPlanner, moments: optax.OptState
    ) -> tuple[depo.GaussianPlanner, optax.OptState]:
        gradient = eqx.filter_grad(supervised_planner.loss)(planner, state, next_state)
        change, moments = optimiser.update(gradient, moments)
        return eqx.apply_updates(planner, change), moments

    for _ in range(updates):
        planner, moments = update(planner, moments)
    return planner


if __name__ == "__main__":
    planner = fit(circles(8), updates=500)
    planned = np.asarray(planner.mode(jnp.array([1.0, 0.0])))
    expected = np.array([np.cos(0.1), np.sin(0.1)])
    print(f"planned {planned.round(3)}, the expert goes to {expected.round(3)}")
    print("error:", float(np.abs(planned - expected).max()))
