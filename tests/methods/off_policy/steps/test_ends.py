"""What an episode's end is worth under a reward that is learned."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depo.data.transitions import Transitions
from depo.losses.end_value import LARGEST_RATIO, LOWEST, PULL
from depo.methods.gaifo import OffPolicyGAIfO
from depo.methods.method import Agent
from depo.methods.off_policy.method import STEADY, Shape
from depo.methods.off_policy.steps import (
    ENDS,
    end_value,
    follow_ends,
    new_discriminator,
    reward_of,
)
from depo.methods.optimisation import Trained
from depo.methods.settings_tree import with_values
from depo.models.normaliser import Normaliser
from depo.models.scalar import Scalar

PLAIN = Normaliser.none(2)
SHAPE = Shape(PLAIN, 2, PLAIN, (0, 1))
USUAL: Agent = {"centre": Trained(Scalar(jnp.zeros(())), None)}
VALUES, NOTHING = jnp.array([1.0, 3.0, 99.0]), jnp.zeros((3, 2))
BATCH = Transitions(NOTHING, NOTHING, NOTHING + 1, jnp.zeros(3), jnp.array([False, False, True]))


def gaifo(**changes: object) -> OffPolicyGAIfO:
    return with_values(OffPolicyGAIfO(), changes)


EXPERT = (jnp.array([[5.0, 0.0], [7.0, 0.0]]), jnp.array([[6.0, 0.0], [8.0, 0.0]]))
"""Two episodes of one step, of which the first states say what beginning is worth."""


def worth_of_ends(
    values: jnp.ndarray,
    first: float,
    s: OffPolicyGAIfO,
    before: float = 1e3,
    batch: Transitions = BATCH,
) -> np.ndarray:
    """Of the last row of three, which ended; values of where episodes begin and of where it was."""

    def value(state: jnp.ndarray, draw: int) -> jnp.ndarray:
        return jnp.where(state[:, 0] > 0.0, first, before)

    return np.broadcast_to(end_value(USUAL, batch, values, EXPERT, value, s), 3)[2]


def test_an_absorbed_agent_earns_a_poor_reward_for_ever() -> None:
    s = gaifo(termination="absorbing", reward="logit", reward_scale=0.2, absorbing_logit=5.0)
    poor = float(reward_of(jnp.asarray(-5.0), s.discriminator))
    earned = sum(s.critic.gamma**t * poor for t in range(5_000))
    assert float(worth_of_ends(VALUES, 0.0, s)) == pytest.approx(earned, rel=1e-4)
    assert worth_of_ends(VALUES, 0.0, gaifo(termination="zero")) == 0.0


def test_a_relative_end_moves_with_the_reward_and_sees_only_what_goes_on() -> None:
    s = gaifo(termination="relative", end_cost=2.0)
    worth = worth_of_ends(VALUES, 60.0, s)
    assert float(worth) == pytest.approx(2.0 - 2.0, abs=1e-6)  # of 1 and 3: mean 2, deviation 1
    shifted = worth_of_ends(5.0 * VALUES + 7.0, 307.0, s)
    assert float(shifted) == pytest.approx(5.0 * float(worth) + 7.0, abs=1e-5)
    every = BATCH._replace(terminated=jnp.ones(3, bool))
    assert np.isfinite(worth_of_ends(VALUES, 60.0, s, batch=every))  # nothing goes on: no NaN


def test_a_relative_end_is_never_worth_more_than_beginning_anew() -> None:
    s = gaifo(termination="relative", end_cost=1.0)
    assert float(worth_of_ends(VALUES, -2.0, s)) == pytest.approx(-2.0)
    assert float(worth_of_ends(VALUES, 2.5, s)) == pytest.approx(1.0)


def test_a_relative_end_is_no_way_out_of_a_state_that_is_worth_less() -> None:
    s = gaifo(termination="relative", end_cost=1.0)
    assert float(worth_of_ends(VALUES, 60.0, s, before=0.0)) == pytest.approx(0.0)
    assert float(worth_of_ends(VALUES, 60.0, s, before=5.0)) == pytest.approx(1.0)
    lowest = 2.0 - LOWEST  # of 1 and 3: mean 2, deviation 1
    assert float(worth_of_ends(VALUES, 60.0, s, before=-9.0)) == pytest.approx(lowest)
    nobody = BATCH._replace(terminated=jnp.zeros(3, bool))
    unasked = [worth_of_ends(VALUES, 60.0, s, before=x, batch=nobody) for x in (-9.0, -9e9)]
    assert unasked[0] == unasked[1]


RELATIVE = gaifo(termination="relative", reward_centre=1e-3, reward_spread=1e-3)


def arriving(share: float, s: OffPolicyGAIfO = RELATIVE) -> Agent:
    return new_discriminator(jax.random.key(0), SHAPE._replace(expert_ends=share), s, STEADY)


def worth(
    agent: Agent, batch: Transitions = BATCH, expert: tuple[jnp.ndarray, ...] = EXPERT
) -> float:
    def value(state: jnp.ndarray, draw: int) -> jnp.ndarray:
        return jnp.full(len(state), -2.0)

    found = end_value(agent, batch, VALUES, expert, value, RELATIVE)
    return float(np.broadcast_to(found, 3)[2])


def test_where_the_expert_arrives_an_agent_that_ends_as_often_gains_a_little_by_it() -> None:
    agent = arriving(0.01)
    assert worth(agent) == pytest.approx(for_ever(PULL), abs=1e-5)
    worst = worth(new_discriminator(jax.random.key(0), SHAPE, RELATIVE, STEADY))
    assert worst < -1.0
    never = follow_many(agent, share=0.0, times=40)
    assert worth(never) == pytest.approx(for_ever(LARGEST_RATIO + PULL), rel=1e-4)
    too_often = follow_many(agent, share=0.5, times=40)
    assert worth(too_often) == pytest.approx(worst)


def test_an_end_that_looks_worse_than_usual_counts_less_by_what_its_recordings_can_say() -> None:
    never = follow_many(arriving(0.01), share=0.0, times=40)
    a_little, crash = (BATCH._replace(reward=jnp.full(3, x)) for x in (-0.1, -30.0))
    four = (jnp.zeros((400, 2)), jnp.ones((400, 2)))
    gained = for_ever(LARGEST_RATIO + PULL)
    for expert, least in ((four, -np.log(4.0)), (tuple(x[:100] for x in four), 0.0)):
        assert worth(never, crash, expert) == pytest.approx(gained + for_ever(least), rel=1e-4)
    less = gained - 0.1 / (1 - RELATIVE.critic.gamma)
    assert worth(never, a_little, four) == pytest.approx(less, rel=1e-4)


def test_the_reward_of_having_ended_has_the_units_of_every_other() -> None:
    half = follow_many(arriving(0.01), share=0.005, times=40)
    assert worth(half) == pytest.approx(for_ever(np.log(2) + PULL), rel=1e-3)
    usual = {"centre": Trained(Scalar(jnp.asarray(-0.3)), None)}
    spread = {"spread": Trained(Scalar(jnp.asarray(4.0)), None)}
    above_usual = for_ever(np.log(2) + PULL) / 2  # whatever is usual: the ratio is to going on
    assert worth(half | usual | spread) == pytest.approx(above_usual, rel=1e-3)


def for_ever(logit: float) -> float:
    """A reward of every step, discounted."""
    return float(reward_of(jnp.asarray(logit), RELATIVE.discriminator)) / (
        1 - RELATIVE.critic.gamma
    )


def follow_many(agent: Agent, share: float, times: int) -> Agent:
    """The agent after many minibatches with that share of ends."""
    ended = np.arange(1_000) < round(1_000 * share)
    for _ in range(times):
        agent = follow_ends(agent, ended)
    return agent


def test_ends_are_followed_only_where_the_expert_arrives_and_ends_are_relative() -> None:
    assert ENDS in arriving(0.01)
    never = arriving(0.0)
    assert ENDS not in never
    assert follow_ends(never, np.array([False, True])) is never
    assert ENDS not in arriving(0.01, gaifo(termination="absorbing"))
