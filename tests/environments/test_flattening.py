from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete, Text, Tuple
from hypothesis import given, settings
from hypothesis import strategies as st

from depo.core.errors import DepoError
from depo.environments.flattening import MOST, Flattening, has_parts

LEAVES = st.one_of(
    st.sampled_from([(), (1,), (3,), (2, 2)]).map(lambda shape: Box(-2.0, 3.0, shape)),
    st.integers(-3, 3).map(lambda start: Discrete(4, start=start)),
    st.just(Box(-np.inf, np.inf, (2,), np.float64)),
    st.just(Box(0, 9, (2,), np.int64)),
    st.sampled_from([3, (2, 2)]).map(MultiBinary),
    st.just(MultiDiscrete([2, 3], start=[0, -1])),
)
KEYS = st.sampled_from(["arm", "goal", "x0", "is1"])
SPACES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.dictionaries(KEYS, inner, min_size=1, max_size=3).map(Dict),
        st.lists(inner, min_size=1, max_size=3).map(Tuple),
    ),
    max_leaves=6,
)


def plain(value):
    """Tuples and Dicts as the way back has them."""
    if isinstance(value, tuple):
        return {i: plain(own) for i, own in enumerate(value)}
    if isinstance(value, dict):
        return {key: plain(own) for key, own in value.items()}
    return np.asarray(value).tolist()


@given(SPACES, st.integers(0, 1_000))
@settings(max_examples=60, deadline=None)
def test_every_number_goes_in_and_comes_back_within_bounds_under_a_name_of_its_own(
    space: gym.Space, seed: int
) -> None:
    space.seed(seed)
    value = space.sample()
    flat = Flattening.of(space)
    vector, box = flat.vector(value), flat.box
    assert len(vector) == len(flat.names) == len(set(flat.names)) == box.shape[0]
    assert ((box.low <= vector) & (vector <= box.high)).all()
    assert plain(flat.observation(vector)) == plain(value)


@given(st.data())
@settings(max_examples=20, deadline=None)
def test_chosen_keys_are_the_same_features_in_the_same_order(data: st.DataObject) -> None:
    space = Dict({key: data.draw(LEAVES) for key in ("arm", "goal", "hand")})
    chosen = data.draw(st.lists(st.sampled_from(sorted(space)), min_size=1, unique=True))
    value, every = space.sample(), Flattening.of(space)
    few = Flattening.of(space, chosen)
    rows = [i for i, name in enumerate(every.names) if name.partition(".")[0] in chosen]
    assert few.names == tuple(every.names[i] for i in rows)
    assert few.vector(value).tolist() == every.vector(value)[rows].tolist()


def test_names_say_the_way() -> None:
    space = Dict(
        robot=Dict(arm=Box(-1, 1, (2,)), camera=Box(0, 255, (8, 8, 3), np.uint8)),
        pair=Tuple([Discrete(2, start=5), MultiDiscrete([2, 2])]),
        map=Box(0, 1, (1, 2)),
        time=Box(0, 1, ()),
    )
    names = Flattening.of(space, ("robot.arm", "pair", "map", "time")).names
    assert names == (
        *("robot.arm.x0", "robot.arm.x1", "pair.0.is5", "pair.0.is6"),
        *("pair.1.x0.is0", "pair.1.x0.is1", "pair.1.x1.is0", "pair.1.x1.is1"),
        *("map.x0_0", "map.x0_1", "time"),
    )
    with pytest.raises(DepoError, match=r"robot.camera is a picture .*--observe"):
        Flattening.of(space)


@pytest.mark.parametrize(
    ("space", "keys", "sentence"),
    [
        (Dict(word=Text(4)), (), r"word has the space Text.* made of Box, Discrete"),
        (Dict(huge=Discrete(MOST + 1)), (), f"huge has {MOST + 1} values"),
        (Dict(), (), "has no numbers"),
        (Dict(goal=Discrete(2)), ("gaol",), "did you mean 'goal'"),
        (Dict({"a": Dict(x0=Box(0, 1, ())), "a.x0": Box(0, 1, ())}), (), "both called 'a.x0'"),
    ],
)
def test_what_has_no_vector_gets_a_sentence(space, keys, sentence: str) -> None:
    assert has_parts(space)
    with pytest.raises(DepoError, match=sentence):
        Flattening.of(space, keys)


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ({"gear": 3, "place": [0.0, 0.0]}, "'gear' is 3, its values are 0 to 2"),
        ({"gear": 1, "place": [0.0]}, r"'place' has the shape \(1,\)"),
        ({"gear": 1}, "has no part 'place'"),
    ],
)
def test_an_observation_unlike_its_space_gets_a_sentence(value, sentence: str) -> None:
    flat = Flattening.of(Dict(gear=Discrete(3), place=Box(-1, 1, (2,))))
    with pytest.raises(DepoError, match=sentence):
        flat.vector(value)
