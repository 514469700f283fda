from __future__ import annotations

import numpy as np
import pytest

from depo.core.errors import DepoError
from depo.core.imports import distrust
from depo.environments.by_name import named_environment
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from tests.support import reach

MODULE = reach.__name__
REACH, PICTURES = f"{MODULE}:make_reach", f"{MODULE}:Pictures"


def test_a_dict_is_one_vector_of_named_features() -> None:
    environment = GymnasiumEnvironment(REACH)
    assert environment.vector_sizes()[:2] == (6, 2)
    names = environment.feature_names()
    assert names[:3] == ("achieved_goal.x0", "achieved_goal.x1", "desired_goal.x0")
    assert environment.goal_features() == (2, 3)
    state = environment.first_state()
    np.testing.assert_array_equal(state[:2], state[4:])
    assert (state[2:4] != state[:2]).all()
    assert environment.own_spaces()[0].shape == (6,)


def test_keys_choose_what_is_seen() -> None:
    environment = GymnasiumEnvironment(REACH, observe="observation, desired_goal")
    assert environment.feature_names()[::2] == ("desired_goal.x0", "observation.x0")
    assert environment.goal_features() == (0, 1)
    assert environment.plain().vector_sizes().states == 4


def test_copies_report_success() -> None:
    envs = GymnasiumEnvironment(REACH, {"steps": 3}).vector(2)
    envs.reset([1, 2])
    for copy in envs._envs.envs:  # type: ignore[attr-defined]
        copy.unwrapped.place, copy.unwrapped.goal = np.zeros(2), np.zeros(2)
    envs._envs.envs[1].unwrapped.goal = np.ones(2)  # type: ignore[attr-defined]
    for _ in range(3):
        *_, truncated = envs.step(np.zeros((2, 2)))
        assert envs.succeeded.tolist() == [1.0, 0.0]
    assert truncated.all()
    envs.close()


def test_a_function_makes_vectors_of_pictures() -> None:
    environment = GymnasiumEnvironment(PICTURES, observe=f"{MODULE}:brightness")
    assert environment.vector_sizes().states == 3
    assert environment.feature_names() == ("red", "green", "blue")
    np.testing.assert_allclose(environment.first_state(), 0.2)
    assert environment.compiled() is None


@pytest.mark.parametrize(
    ("env", "observe", "sentence"),
    [
        (PICTURES, "", r"shows pictures .* --observe module:function"),
        (PICTURES, "red", "which has no parts"),
        (PICTURES, f"{MODULE}:none", "has no function 'none' to observe with"),
        (PICTURES, f"{MODULE}:a_matrix", r"gives float64\[2, 2\] for an observation"),
        (PICTURES, f"{MODULE}:STEP", "has no function 'STEP'"),
        (REACH, f"{MODULE}:brightness", "'.*brightness' fails for an observation"),
        (REACH, "goal", "unknown part of the observation 'goal'"),
        (REACH, "nowhere:function", "cannot import 'nowhere' of observe"),
        ("gridworld", "x", "observe has no effect here: gridworld"),
    ],
)
def test_what_cannot_be_seen_gets_a_sentence(env: str, observe: str, sentence: str) -> None:
    with pytest.raises(DepoError, match=sentence):
        named_environment(env, observe=observe).gymnasium().vector_sizes()


def test_a_function_keeps_its_length() -> None:
    envs = GymnasiumEnvironment(PICTURES, observe=f"{MODULE}:uneven").vector(1)
    with pytest.raises(DepoError, match="gives 2 numbers, and gave 3 before"):
        envs.reset([0])


def test_a_stranger_has_nothing_observed() -> None:
    name = f"{MODULE}:uneven_2"
    found = named_environment(PICTURES)
    distrust([name], "gift")
    with pytest.raises(DepoError, match=r"gift was not made by you.*uneven_2"):
        GymnasiumEnvironment(found.id, observe=name).make()
    allowed = named_environment(PICTURES, observe=name)  # the user has said it
    with pytest.raises(DepoError, match="has no function 'uneven_2'"):
        allowed.gymnasium().make()
