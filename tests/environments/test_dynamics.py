"""Which variants can do all that their environment could: by search over actions, step by step."""

from __future__ import annotations

from functools import cache

import gymnasium as gym
import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depo.core.errors import DepoError
from depo.environments.by_name import named_environment
from depo.environments.dynamics import (
    VARIANTS,
    Delayed,
    Inverted,
    Mixed,
    Transposed,
    parse_dynamics,
    with_dynamics,
)
from depo.environments.family import EnvironmentSettings
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from tests.environments.point import ID, STEP, Point

unit = st.floats(-1.0, 1.0, allow_nan=False, width=32)
pair = st.tuples(unit, unit).map(lambda x: np.array(x, np.float64))


def preimage(dynamics: str, u: np.ndarray) -> np.ndarray:
    """An action of the variant with the effect of u: solved, not taken from the wrapper."""
    match dynamics:
        case "inverted":
            return -u
        case "transposed":
            return u[::-1]
        case "mixed":
            # a₂ as small as a₁ = log(1.5u + e^{a₂}) − 1 ≥ −1 allows
            second = np.log(np.maximum(1.0 - 1.5 * u, np.exp(-1.0)))
            second = np.minimum(second, 1.0)
            first = np.log(np.maximum(1.5 * u + np.exp(second), 1.0)) - 1.0
            return np.concatenate([np.clip(first, -1, 1), second])
        case "scaled=2":
            return u / 2
    raise ValueError(dynamics)


@cache
def point(actions: str, dynamics: str) -> gym.Env:
    return GymnasiumEnvironment(ID, {"actions": actions}, dynamics=dynamics).make()


@pytest.mark.parametrize("dynamics", ["inverted", "transposed", "mixed", "scaled=2"])
@given(u=pair)
def test_every_transition_of_the_point_is_made_by_some_action(dynamics: str, u) -> None:
    for actions in ("box", "wide"):
        plain, variant = point(actions, ""), point(actions, dynamics)
        (first, _), (second, _) = plain.reset(seed=3), variant.reset(seed=3)
        np.testing.assert_array_equal(first, second)
        action = preimage(dynamics, u)
        assert variant.action_space.contains(action.astype(np.float32))
        np.testing.assert_allclose(variant.step(action)[0], plain.step(u)[0], atol=1e-6)


@pytest.mark.parametrize("dynamics", ["inverted", "transposed", "mixed", "inverted,mixed"])
def test_every_transition_of_hopper_is_made_by_some_action(dynamics: str) -> None:
    plain = GymnasiumEnvironment("Hopper-v5").make()
    variant = GymnasiumEnvironment("Hopper-v5", dynamics=dynamics).make()
    plain.reset(seed=1)
    variant.reset(seed=1)
    generator = np.random.default_rng(0)
    for _ in range(15):
        wanted = action = generator.uniform(-1, 1, 3)
        for name in dynamics.split(","):  # the first is nearest to the environment
            action = preimage(name, action)
        np.testing.assert_allclose(variant.step(action)[0], plain.step(wanted)[0], atol=1e-5)


def falling_speeds(dynamics: str) -> np.ndarray:
    """Vertical speeds of the centre of mass after one step in the air, for many actions."""
    env = GymnasiumEnvironment("Hopper-v5", dynamics=dynamics).make()
    robot = env.unwrapped
    speeds = []
    for corner in np.ndindex(3, 3, 3):
        env.reset(seed=0)
        in_the_air = robot.init_qpos + np.eye(6)[1]
        robot.set_state(in_the_air, np.zeros(6))
        env.step(np.array(corner) - 1.0)
        mujoco.mj_subtreeVel(robot.model, robot.data)
        speeds.append(robot.data.subtree_linvel[1, 2])
    return np.array(speeds)


def test_gravity_makes_some_transitions_impossible() -> None:
    """A hopper in the air falls as it falls, whatever its motors do."""
    heavy, light = falling_speeds(""), falling_speeds("gravity=0.5")
    assert heavy.max() < light.min() - 0.01


def test_a_delay_makes_all_but_one_transition_impossible() -> None:
    """From one state only the action waiting can happen: a skill I(a|s,s') has no say in s'."""
    env = Delayed(Point())
    base = Point()
    start, _ = env.reset(seed=0)
    reached = set()
    for action in [(0, 0), (1, 0), (-1, 1), (0.5, 0.5)]:
        env.reset(seed=0)
        reached.add(tuple(env.step(np.array(action, np.float32))[0]))
    assert reached == {tuple(start)}
    base.reset(seed=0)
    assert tuple(base.step(np.array([1.0, 0.0]))[0]) not in reached


def test_delayed_actions_arrive_one_step_late_and_none_crosses_a_reset() -> None:
    env = GymnasiumEnvironment(ID, dynamics="delayed").make()
    before, _ = env.reset(seed=1)
    action = np.array([1.0, -0.5], np.float32)
    after, *_ = env.step(action)
    np.testing.assert_array_equal(after, before)
    late, *_ = env.step(np.zeros(2, np.float32))
    np.testing.assert_allclose(late - after, STEP * action, atol=1e-6)
    env.step(action)
    before, _ = env.reset(seed=1)
    np.testing.assert_array_equal(env.step(action)[0], before)


def test_the_wrappers_work_on_a_plain_environment_in_its_own_units() -> None:
    wide = Point(actions="wide")  # [−3, 5]
    assert Inverted(wide).action(np.array([-3.0, 5.0])).tolist() == [5.0, -3.0]
    assert Transposed(wide, [1, 0]).action(np.array([-3.0, 5.0])).tolist() == [5.0, -3.0]
    mixed = Mixed(wide)
    assert mixed.action_space.shape == (4,)
    np.testing.assert_allclose(mixed.action(np.array([-1.0, 1.0, 1.0, -1.0])), [-3.0, 5.0])


def test_physics_multiplies_once() -> None:
    base = gym.make("Hopper-v5").unwrapped.model
    changed = with_dynamics(gym.make("Hopper-v5"), "mixed,gravity=0.8,mass=2,friction=3,damping=4")
    model = changed.unwrapped.model
    np.testing.assert_allclose(model.opt.gravity, 0.8 * base.opt.gravity)
    np.testing.assert_allclose(model.body_mass, 2 * base.body_mass)
    np.testing.assert_allclose(model.body_subtreemass, 2 * base.body_subtreemass)
    np.testing.assert_allclose(model.geom_friction, 3 * base.geom_friction)
    np.testing.assert_allclose(model.dof_damping, 4 * base.dof_damping)
    changed.reset(seed=0)
    np.testing.assert_allclose(model.opt.gravity, 0.8 * base.opt.gravity)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("invertd", "did you mean 'inverted'.*gravity=F.*mixed"),
        ("mixed,", "unknown dynamics ''"),
        ("gravity", "gravity needs a factor, as gravity=0.8"),
        ("gravity=heavy", "'heavy' is not a positive number"),
        ("mass=0", "'0' is not a positive number"),
        ("mixed=2", "mixed takes no value"),
        ("transposed=a-b", "looks like transposed=2-0-1"),
    ],
)
def test_what_is_not_known_gets_a_sentence(text: str, message: str) -> None:
    with pytest.raises(DepoError, match=message):
        parse_dynamics(text)


@pytest.mark.parametrize(
    ("dynamics", "arguments", "message"),
    [
        ("gravity=0.8", {}, "gravity=0.8 changes a MuJoCo model and environment .* has none"),
        ("transposed=0-0", {}, "no order of the 2 action dimensions"),
        ("inverted", {"actions": "discrete"}, r"need one vector of .*; permuted\[=1-0\] changes"),
        ("permuted", {}, r"need Discrete actions, .*; transposed changes"),
        ("permuted=0-1", {"actions": "discrete"}, "no order of the 3 actions"),
    ],
)
def test_what_cannot_be_changed_gets_a_sentence(dynamics: str, arguments, message: str) -> None:
    with pytest.raises(DepoError, match=message):
        GymnasiumEnvironment(ID, arguments, dynamics=dynamics).make()


def test_dynamics_are_part_of_a_job_and_of_its_label() -> None:
    changed = named_environment("Hopper-v5", dynamics=" mixed, gravity=0.80")
    assert changed.dynamics == "mixed,gravity=0.8"
    assert changed.label == "hopper-v5-mixed-gravity=0.8"
    with pytest.raises(DepoError, match="takes --k"):
        EnvironmentSettings(dynamics="inverted")
    assert {name for name, variant in VARIANTS.items() if variant.keeps == "yes"} == {
        "inverted",
        "transposed",
        "permuted",
        "mixed",
    }
