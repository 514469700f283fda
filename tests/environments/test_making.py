from __future__ import annotations

import gymnasium as gym
import pytest

from depo.core.errors import DepoError
from depo.environments.by_name import named_environment
from depo.environments.family import family_of
from depo.environments.given import environment_of
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.environments.making import as_one
from tests.support import reach

MODULE = reach.__name__


def test_a_function_is_named_with_its_arguments() -> None:
    found = named_environment(f"{MODULE}:make_reach", {"steps": 4}, "inverted")
    assert found.label == "reach-make_reach-inverted"
    assert family_of(found).wants(found) == (f"{MODULE}:make_reach",)
    env = found.gymnasium().make()
    env.reset(seed=0)
    ends = [env.step(env.action_space.sample())[3] for _ in range(4)]
    assert ends == [False, False, False, True]
    assert env.unwrapped.action_space.shape == (2,)


def test_ids_without_a_version_are_told_apart_by_their_module() -> None:
    assert named_environment("arms.reach:make").label == "reach-make"
    assert named_environment("arms.reach:Reach-v2").label == "reach-v2"
    assert named_environment("phys2d/CartPole-v1").label == "cartpole-v1"


def test_a_class_is_a_function_too_and_a_variant_may_be_one() -> None:
    here = named_environment(f"{MODULE}:Reach")
    assert here.gymnasium().vector_sizes()[:2] == (6, 2)
    other = here.variant(f"{MODULE}:make_reach")
    assert other.gymnasium().vector_sizes()[:2] == (6, 2)


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("nothing", {}, "registers no environment 'nothing' and has no function"),
        ("make_nothing", {}, "made: make_nothing makes a NoneType, not a Gymnasium environment"),
        ("make_reach", {"stops": 3}, "make_reach.. got an unexpected keyword argument 'stops'$"),
        ("STEP", {}, "has no function of that name"),
        (
            "make_silence",
            {},
            r"cannot be made: AssertionError in make_silence, line \d+ of reach.py",
        ),
        ("make_raech", {}, "which would make one: did you mean 'make_reach'?"),
    ],
)
def test_what_makes_none_gets_a_sentence(name: str, arguments, sentence: str) -> None:
    with pytest.raises(DepoError, match=sentence):
        GymnasiumEnvironment(f"{MODULE}:{name}", arguments).make()


def test_pure_functions_are_wrapped() -> None:
    from tests.support.pure import Point

    assert isinstance(as_one(Point(), "x"), gym.Env)


class Duck:
    """Has all that an environment has, and is none."""

    observation_space = gym.spaces.Discrete(3)
    action_space = gym.spaces.Discrete(2)

    def reset(self, seed=None, options=None):
        return 0, {}

    def step(self, action):
        return 0, 0.0, False, False, {}


def test_what_only_looks_like_an_environment_is_told_to_derive_from_it() -> None:
    said = r"test_making\.Duck has the spaces .* derive it from gymnasium\.Env"
    with pytest.raises(DepoError, match=said):
        as_one(Duck(), Duck)
    with pytest.raises(DepoError, match=said):
        environment_of(Duck())
    with pytest.raises(DepoError, match=said):
        environment_of(Duck)
