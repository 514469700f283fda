"""OPOLO: KL(ρ_π(s,s') ‖ ρ_E(s,s')) from experience of any policy, by the dual of an f-divergence.

With r(s,s') = log ρ_E(s,s')/ρ_R(s,s'), which a discriminator of expert and replay gives, and the
divergence of ρ_π from the replay's ρ_R bounded by D_f, policy and critic play

    max_π min_Q  (1−γ) E_{s₀}[Q(s₀,π(s₀))] + E_{(s,a,s')~R}[f*(r(s,s') + γ Q(s',π(s')) − Q(s,a))]

(Zhu, Lin, Dai and Zhou, 2020, eq. 9). At the saddle f*' of the temporal difference is the ratio
ρ_π(s,a)/ρ_R(s,a): never negative, so the policy's part is cut off at zero. χ²: f*(x) = ½x²,
KL: f*(x) = e^{x−1}. As in the authors' code, states of the replay stand for s₀ and target critics
for Q(s',·).
"""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from depo.models.critic import TwinCritic

LARGEST = 10.0
"""Temporal difference beyond which the exponential of KL goes on as a straight line."""
Conjugate = Callable[[Float[Array, "*batch"]], Float[Array, "*batch"]]


def chi_square(x: Float[Array, "*batch"]) -> Float[Array, "*batch"]:
    """½x²."""
    return 0.5 * x**2


def kl(x: Float[Array, "*batch"]) -> Float[Array, "*batch"]:
    """e^{x−1}, beyond ``LARGEST`` its tangent."""
    inside = jnp.minimum(x, LARGEST)
    return jnp.exp(inside - 1.0) * (1.0 + x - inside)


CONJUGATES: dict[str, Conjugate] = {"chi-square": chi_square, "kl": kl}


def critic_loss(
    critic: TwinCritic,
    state: Float[Array, "batch sees"],
    action: Float[Array, "batch actions"],
    own_action: Float[Array, "batch actions"],
    target: Float[Array, " batch"],
    conjugate: Conjugate,
    start_weight: float,
) -> tuple[Float[Array, ""], Float[Array, "2 batch"]]:
    """w·E[Q(s,π(s))] + E[f*(y − Q(s,a))] of both critics, and their values; y = r + γ Q̄(s',π(s'))
    and w, in the equation 1−γ, are given."""
    value = critic(state, action)
    start = jnp.mean(critic(state, own_action), axis=1)
    return jnp.sum(start_weight * start + jnp.mean(conjugate(target - value), axis=1)), value


def density_ratio(
    difference: Float[Array, " batch"], conjugate: Conjugate
) -> Float[Array, " batch"]:
    """max(f*'(x), 0): how often the policy comes to what the replay has, and never negative."""
    slope = jax.grad(lambda x: jnp.sum(conjugate(x)))(difference)
    return jax.lax.stop_gradient(jnp.maximum(slope, 0.0))


def policy_value(
    now: Float[Array, " batch"],
    later: Float[Array, " batch"],
    ratio: Float[Array, " batch"],
    start_weight: float,
    gamma: float,
) -> Float[Array, ""]:
    """What the policy climbs: w·E[Q(s,π(s))] + γ E[f*'·Q̄(s',π(s'))], divided by w + γ E[f*'], so
    that other terms weigh the same beside it whatever the critics' errors are."""
    total = start_weight * jnp.mean(now) + gamma * jnp.mean(ratio * later)
    return total / (start_weight + gamma * jnp.mean(ratio) + 1e-6)
