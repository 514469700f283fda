"""Two ways of gathering, one result."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depo.core.errors import DepoError
from depo.data.transitions import Transitions
from depo.driving.jax_environment import OneEgo
from depo.driving.opening import open_environment
from depo.driving.settings import ID, DrivingSettings
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.environments.gymnax_environment import jax_environment
from depo.learners.gathering import Chance, HostGathering
from depo.learners.jax_gathering import CompiledGathering
from depo.models.normaliser import Normaliser
from depo.models.policy import GaussianActor
from tests.support.pure import Point
from tests.support.traffic import flowing

COPIES, STEPS = 10, 60


def chance(seed: int, coins: float, steps: int = STEPS) -> Chance:
    generator = np.random.default_rng(seed)
    uniform = generator.uniform(-1, 1, (steps, COPIES, 2)).astype(np.float32)
    keys = jax.random.key_data(jax.random.split(jax.random.key(seed), steps))
    return Chance(uniform, generator.random((steps, COPIES)) < coins, np.asarray(keys))


def actor(states: int) -> GaussianActor:
    normaliser = Normaliser(jnp.zeros(states), jnp.full(states, 30.0))
    return GaussianActor(jax.random.key(1), normaliser, actions=2, hidden=(16, 16))


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(flowing(seconds=60.0).save(tmp_path_factory.mktemp("traffic") / "flowing.npz"))


@pytest.fixture(scope="module")
def compiled(recording: str) -> CompiledGathering:
    return CompiledGathering(OneEgo(open_environment(DrivingSettings(recording=recording))))


def test_compiled_gathering_is_the_hosts_to_the_last_bit(
    recording: str, compiled: CompiledGathering
) -> None:
    host, policy = (
        HostGathering(GymnasiumEnvironment(ID, {"recording": recording}), COPIES),
        actor(28),
    )
    ends = 0
    for number, coins in enumerate((1.0, 0.3, 0.0)):
        if number != 1:  # once a burst goes on where the one before stopped
            for way in (host, compiled):
                way.reset(range(100 * number, 100 * number + COPIES))
        own = chance(number, coins)
        theirs, ours = host.gather(policy, own), compiled.gather(policy, own)
        for name in Transitions._fields:
            a, b = getattr(theirs, name), getattr(ours, name)
            assert (a.dtype, a.shape) == (b.dtype, b.shape), name
            np.testing.assert_array_equal(a, b, err_msg=name)
        ends += int(ours.terminated.sum())
    assert ends
    host.close()


def test_transitions_do_not_cross_a_reset(compiled: CompiledGathering) -> None:
    compiled.reset(range(COPIES))
    rows = compiled.gather(actor(28), chance(0, 1.0))
    state, reached = (x.reshape(STEPS, COPIES, 28) for x in (rows.state, rows.next_state))
    ended = rows.terminated.reshape(STEPS, COPIES)
    assert np.abs(reached[..., 0] - state[..., 0]).max() < 10.0  # metres in a tenth of a second
    follows = (state[1:] == reached[:-1]).all(axis=-1)
    assert follows[~ended[:-1]].mean() > 0.9  # the others were cut at the end of the road
    assert not follows[ended[:-1]].any()


def test_what_was_gathered_depends_on_seeds_alone(compiled: CompiledGathering) -> None:
    policy = actor(28)
    compiled.reset(range(COPIES))
    first = compiled.gather(policy, chance(3, 0.2))
    again = compiled.gather(policy, chance(3, 0.2))
    assert (first.state != again.state).any()
    compiled.reset(range(COPIES))
    for a, b in zip(first, compiled.gather(policy, chance(3, 0.2)), strict=True):
        np.testing.assert_array_equal(a, b)


def test_wind_is_drawn_anew_for_every_step_and_copy() -> None:
    windy = CompiledGathering(jax_environment(Point(wind=0.01)))
    windy.reset(range(COPIES))
    rows = windy.gather(actor(2), chance(0, 0.5))
    gusts = rows.next_state - rows.state - 0.1 * rows.action
    assert len(np.unique(gusts.round(7))) > 0.9 * gusts.size
    assert 0.008 < gusts.std() < 0.012


class Broken(Point):
    def step_env(self, key, state, action, params):
        seen, state, reward, done, about = super().step_env(key, state, action, params)
        return seen, state, reward / jnp.where(seen[0] > 0.0, 0.0, 1.0), done, about


def test_a_broken_simulation_gets_a_sentence() -> None:
    broken = CompiledGathering(jax_environment(Broken()), "Broken")
    with pytest.raises(DepoError, match="before the environments were reset"):
        broken.gather(actor(2), chance(0, 1.0))
    broken.reset(range(COPIES))
    with pytest.raises(DepoError, match="'Broken' returned the reward"):
        broken.gather(actor(2), chance(0, 1.0))
