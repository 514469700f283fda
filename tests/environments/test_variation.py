"""Parameters that are redrawn at every reset, and only while learning."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import Box
from hypothesis import given
from hypothesis import strategies as st

from depo.core.errors import DepoError
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.environments.variation import VARIED, Motors, Range, Varied, parse_variation
from depo.learners.factory import training_form
from depo.methods.depo import OffPolicyDePO
from depo.methods.settings_tree import with_values


class Line(gym.Env):
    """s' = s + pull·a, with a hook of its own."""

    observation_space = Box(-np.inf, np.inf, (1,), np.float64)
    action_space = Box(-2.0, 2.0, (1,), np.float64)
    pull = 1.0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        self.state = np.zeros(1)
        return self.state, {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict]:
        self.state = self.state + self.pull * np.asarray(action)
        return self.state, 0.0, False, False, {}

    def vary(self, generator: np.random.Generator) -> None:
        self.pull = float(generator.uniform(2.0, 3.0))


numbers = st.floats(0.01, 100.0)


@given(st.sampled_from([n for n in VARIED if n not in ("own", "delay")]), numbers, numbers)
def test_a_range_is_read_as_it_is_written(name: str, one: float, other: float) -> None:
    low, high = sorted((float(f"{one:g}"), float(f"{other:g}")))
    (read,) = parse_variation(f" {name}={low:g}:{high:g}")
    assert read == Range(name, low, high)
    assert parse_variation(str(read)) == (read,)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("gravity", "a range from less to more looks like gravity=0.8:1.2"),
        ("gravity=0.8", "looks like gravity=0.8:1.2"),
        ("gravity=1.2:0.8", "from less to more"),
        ("gravity=0:1", "from less to more"),
        ("gravity=nan:1", "from less to more"),
        ("gravity=0.5:inf", "from less to more"),
        ("delay=0.5:1", "looks like delay=0:2"),
        ("delay=-1:1", "looks like delay=0:2"),
        ("gain=1:2:3", "looks like gain=0.8:1.2"),
        ("own=1:2", "own takes no range"),
        ("gravty=0.8:1.2", "did you mean 'gravity'"),
        ("gain=1:2,gain=2:3", "gain stands there twice"),
    ],
)
def test_what_is_no_range_gets_a_sentence(text: str, says: str) -> None:
    with pytest.raises(DepoError, match=says):
        parse_variation(text)
    with pytest.raises(DepoError, match=says):
        with_values(OffPolicyDePO(), {"vary": text})


def hopper(text: str) -> Varied:
    return Varied(gym.make("Hopper-v5"), text)


def test_a_model_is_redrawn_at_every_reset_within_its_range_and_by_the_seed() -> None:
    env = hopper("gravity=0.7:1.15,mass=0.5:2")
    model = env.unwrapped.model  # type: ignore[attr-defined]
    usual = model.body_mass.copy()
    drawn = []
    for seed in (1, None, None, 1, None):
        env.reset(seed=seed)
        share = model.body_mass[1:] / usual[1:]
        np.testing.assert_allclose(share, share[0])  # one factor for all bodies
        assert 0.5 <= share[0] <= 2.0
        assert 0.7 * 9.81 <= -model.opt.gravity[2] <= 1.15 * 9.81
        drawn.append((share[0], model.opt.gravity[2]))
    assert len(set(drawn)) == 3, "each reset draws anew, the same seed draws the same"
    assert drawn[:2] == drawn[3:]


def test_gain_and_delay_change_what_actions_do() -> None:
    env = Varied(Line(), "gain=0.5:0.5,delay=2:2")
    env.reset(seed=0)
    reached = [float(env.step(np.array([a]))[0][0]) for a in (2.0, 1.0, 0.0, 0.0)]
    np.testing.assert_allclose(reached, [0.0, 0.0, 1.0, 1.5])


def test_a_gain_stays_within_the_bounds() -> None:
    motors = Motors(Line())
    motors.gain = np.array([3.0])
    np.testing.assert_allclose(motors.action(np.array([1.5])), [2.0])


def test_an_environment_varies_itself() -> None:
    line = Line()
    env = Varied(gym.wrappers.TimeLimit(line, 10), "own")
    env.reset(seed=3)
    first = line.pull
    env.reset()
    assert 2.0 <= line.pull <= 3.0
    assert line.pull != first
    env.reset(seed=3)
    assert line.pull == first


def test_what_cannot_be_varied_says_what_can() -> None:
    with pytest.raises(DepoError, match=r"gravity=1:2 changes a MuJoCo model .* use gain, delay"):
        Varied(gym.make("Pendulum-v1"), "gravity=1:2")
    with pytest.raises(DepoError, match=r"'Pendulum-v1' has no method vary\(generator\)"):
        Varied(gym.make("Pendulum-v1"), "own")


def test_only_learning_sees_it() -> None:
    settings = with_values(OffPolicyDePO(), {"vary": "gravity=2:2"})
    as_it_is = GymnasiumEnvironment("Hopper-v5")
    learning = training_form(settings, as_it_is)
    heavy, usual = learning.make(), as_it_is.make()
    for env in (heavy, usual):
        env.reset(seed=0)
    pulls = [env.unwrapped.model.opt.gravity[2] for env in (heavy, usual)]  # type: ignore[attr-defined]
    np.testing.assert_allclose(pulls, [-2 * 9.81, -9.81])
    assert learning.plain() == as_it_is
