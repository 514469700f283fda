"""What an episode's end is worth where rewards have no zero of their own, as in imitation.

Of an expert who goes on to the time limit, min(mean V − k·std V, V(s₀), max(V(s), mean − 3·std))
with s₀ where episodes begin and s where this one ended. So an end prefers neither living nor dying,
nor is it a way out of where things are bad: what is usual says nothing of states that are worth
less. Of one who arrives: r_end/(1 − γ), as an end lasts for ever, with r_end above what is usual
by log f_E/f_A + ½, as a reward, of how often expert and agent end in a step. The log ratio is what
a discriminator that is as good as can be says of having ended, beside what it says of going on: who
has ended, whether expert or agent, is in the same place for ever. So who ends too seldom gains by
ending, and who ends far too often loses. An end that looks less like the expert's than is usual, as
a crash, counts less, by what n recorded ends can say, log n.
"""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

LOWEST = 3.0
"""Deviations below the mean value, under which V(s) pulls no end: a state from which all actions
end would be worth its own reward for ever, so far below others that little else is learned."""
PULL = 0.5
"""Added to the log ratio: to whom ending as often as the expert gains nothing goes back and forth
between ending and not; so an end is worth a little until there are 1.6 times as many."""
LARGEST_RATIO = 2.0
"""Bound on the log ratio: an agent that has never ended yet knows no ratio."""


def below_usual(
    next_value: Float[Array, " batch"], counts: Bool[Array, " batch"], deviations: float
) -> Float[Array, ""]:
    """mean V(s') − k·std V(s') over the steps that count: it moves with the reward when a constant
    is added to it or it is scaled, so an end of this value prefers neither living nor dying.

    Alone it is not safe: where episodes begin far from what is usual, their first states are worth
    less, and so are those of who is about to fall; dying there would pay. An end is therefore never
    worth more than beginning anew, nor than the state in which it came.

    >>> float(below_usual(jnp.array([1.0, 3.0, 99.0]), jnp.array([True, True, False]), 1.0))
    1.0
    """
    mean, spread = jnp.mean(next_value, where=counts), jnp.std(next_value, where=counts)
    return jnp.where(jnp.any(counts), mean - deviations * spread, 0.0)


def of_who_goes_on(
    next_value: Float[Array, " batch"],
    counts: Bool[Array, " batch"],
    deviations: float,
    first: Float[Array, ""],
    before: Float[Array, " batch"],
) -> Float[Array, " batch"]:
    """min(mean V − k·std V, V(s₀), max(V(s), mean V − 3·std V)), with V(s₀) ``first``, V(s)
    ``before``.

    >>> values, go_on = jnp.array([1.0, 3.0]), jnp.array([True, True])
    >>> of_who_goes_on(values, go_on, 1.0, jnp.array(9.0), before=jnp.array([0.5, -9.0]))
    Array([ 0.5, -1. ], dtype=float32)
    """
    usual = jnp.minimum(below_usual(next_value, counts, deviations), first)
    return jnp.minimum(usual, jnp.maximum(before, below_usual(next_value, counts, LOWEST)))


def log_ratio(expert: Float[Array, ""], agent: Float[Array, ""]) -> Float[Array, ""]:
    """log f_E/f_A, bounded: f is the share of steps that end an episode.

    >>> [round(float(log_ratio(jnp.asarray(0.01), jnp.asarray(f))), 2) for f in (0.02, 0.01, 0.0)]
    [-0.69, 0.0, 2.0]
    """
    ratio = jnp.log(expert) - jnp.log(agent)
    return jnp.clip(ratio, -LARGEST_RATIO, LARGEST_RATIO)


def having_ended(
    often: Float[Array, ""], last: Float[Array, " batch"], least: Float[Array, ""]
) -> Float[Array, " batch"]:
    """The reward of how often episodes end, less what the last step is worse than usual (0); from
    n ends not more than log n, ``least`` as a reward: one alone is soon known by heart, and then
    all others look worse.

    >>> having_ended(jnp.array(1.0), jnp.array([0.5, -0.25, -9.0]), jnp.array(-0.5))
    Array([1.  , 0.75, 0.5 ], dtype=float32)
    """
    return often + jnp.clip(last, least, 0.0)


def for_ever(
    worst: Float[Array, ""], reward: Float[Array, "*batch"], gamma: float
) -> Float[Array, "*batch"]:
    """max(r/(1 − γ), worst): the reward of having ended, for ever, but no less than an end is worth
    to an expert who never ends.

    >>> [round(float(for_ever(jnp.array(-5.0), jnp.array(r), 0.99)), 1) for r in (0.2, -0.3)]
    [20.0, -5.0]
    """
    return jnp.maximum(reward / (1.0 - gamma), worst)
