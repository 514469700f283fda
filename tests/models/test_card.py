"""What a model's folder says of it."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from depo.core.codec import decode, encode
from depo.core.errors import DepoError
from depo.models.card import FORMAT, Card, Origin, read_origin
from depo.models.shapes import (
    SHAPES,
    CategoricalPlannerShape,
    CategoricalSkillShape,
    GaussianPlannerShape,
    VectorSkillShape,
)
from tests.support.mutations import mutations

numbers = st.floats(allow_nan=False, allow_infinity=False)
hidden = st.lists(st.integers(1, 2**20), max_size=4).map(tuple)
predicts = st.lists(st.integers(0, 8), min_size=1, max_size=9, unique=True).map(tuple)
categorical = st.builds(CategoricalPlannerShape, st.integers(1, 2**31 - 1), hidden)
gaussian = st.builds(
    GaussianPlannerShape,
    sees=st.integers(9, 2**20),
    clip=st.floats(0, 1e9),
    predicts=predicts,
    log_std_bounds=st.tuples(st.floats(-80, 80), st.floats(-80, 80)).map(sorted).map(tuple),
    absolute=st.booleans(),
    hidden=hidden,
)
finite_skill = st.builds(CategoricalSkillShape, st.integers(1, 99), st.integers(1, 99), hidden)
vector_skill = st.builds(
    VectorSkillShape,
    sees=st.integers(9, 2**20),
    clip=st.floats(0, 1e9),
    predicts=predicts,
    actions=st.integers(1, 99),
    noise=st.floats(0, 9),
    pair_input=st.sampled_from(["difference", "states"]),
    modes=st.integers(1, 9),
    hidden=hidden,
)
origins = st.builds(
    Origin,
    environment=st.text(),
    method=st.text(),
    features=st.lists(st.text(), max_size=4).map(tuple),
    trained_on=st.text(),
    env_steps=st.integers(0, 2**40),
    seed=st.integers(0, 2**31),
    scores=st.dictionaries(st.text(), numbers, max_size=4),
)
digests = st.sampled_from([(), ("0" * 64,), ("0" * 64, "a1" * 32)])
cards = st.one_of(
    st.builds(Card, st.just("planner"), categorical | gaussian, origins, digests),
    st.builds(Card, st.just("skill"), finite_skill | vector_skill, origins, digests),
)
VECTOR = VectorSkillShape(4, 20.0, (2, 3), 2, 0.3, "difference", 1, (8, 8))
GAUSSIAN = GaussianPlannerShape(4, 0.0, (0, 1), (-5.0, 1.0), False, (8,))
KNOWN = Origin("hopper", "depo", ("x", "y"), "4 episodes", 1_000, 1, {"return": 3.5})
EVERY = {
    "categorical planner": Card("planner", CategoricalPlannerShape(9, (8, 8)), KNOWN),
    "gaussian planner": Card("planner", GAUSSIAN, KNOWN),
    "categorical skill": Card("skill", CategoricalSkillShape(9, 4, (8,)), KNOWN),
    "vector skill": Card("skill", VECTOR, KNOWN),
}


@given(cards)
def test_a_card_is_read_back_as_it_was_written(tmp_path_factory, card: Card) -> None:
    folder = tmp_path_factory.mktemp("card")
    card.save(folder)
    assert Card.load(folder, card.kind) == card
    assert read_origin(folder) == card.origin
    again = json.loads(json.dumps(encode(card.shape)))
    assert decode(SHAPES[card.kind], again, "shape") == card.shape


def test_scores_that_are_no_numbers_are_left_out(tmp_path: Path) -> None:
    Card("skill", VECTOR, Origin(scores={"a": math.nan, "b": 1.0})).save(tmp_path)
    assert read_origin(tmp_path).scores == {"b": 1.0}


@pytest.mark.parametrize("name", EVERY)
def test_every_single_damage_is_refused_with_a_sentence(tmp_path: Path, name: str) -> None:
    card = EVERY[name]
    card.save(tmp_path)
    file = tmp_path / "settings.json"
    for damage, data in mutations(json.loads(file.read_text())):
        file.write_text(json.dumps(data))
        try:
            read = Card.load(tmp_path, card.kind)
        except DepoError as error:
            said = str(error)
        else:
            said = ""
            same = read == card  # another text as signature makes it a stranger's, no other card
            assert not same or "missing" in damage or damage.startswith("signature"), damage
        assert "\n" not in said, damage
        what, _, field = damage.partition(".")
        if what == "shape" and " = " in damage:
            assert said or _may_be(field), damage


def _may_be(change: str) -> bool:
    """Changes of a shape that are another shape."""
    may = (
        "hidden = []",
        "absolute = ",
        "smooth = ",
        "steps = ",
        "clip = 1.5",
        "noise = ",
        "log_std_bounds.",
    )
    return change.startswith(may)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"predicts": [2, 4]}, r"predicts \[2, 4\] are not different features of the 4"),
        ({"predicts": [2, 2]}, r"predicts \[2, 2\] are not different features"),
        ({"predicts": []}, r"predicts \[\] are not different features"),
        ({"predicts": ["x"]}, r"shape: predicts\[0\] 'x' is not a whole number of at least 0"),
        ({"clip": -1}, "shape: clip -1 is not a finite number of at least 0"),
        ({"noise": "loud"}, "shape: noise 'loud' is not a finite number"),
        ({"modes": 3, "noise": None}, "noise None with 3 modes"),
        ({"pair_input": "state"}, "unknown pair_input 'state': did you mean 'states'"),
        ({"model": "categorcal"}, "unknown model 'categorcal': did you mean 'categorical'"),
        ({"sees": None}, "shape: sees None is not a whole number of at least 1"),
        ({"widths": [1]}, "shape: unknown field 'widths'"),
    ],
)
def test_the_sentence_says_what_is_wrong(tmp_path: Path, changes: dict, message: str) -> None:
    EVERY["vector skill"].save(tmp_path)
    file = tmp_path / "settings.json"
    stored = json.loads(file.read_text())
    file.write_text(json.dumps(stored | {"shape": stored["shape"] | changes}))
    with pytest.raises(DepoError, match=message) as error:
        Card.load(tmp_path, "skill")
    assert "does not describe a skill" in str(error.value)


def test_the_first_format_said_nothing_of_modes_and_kept_scores_that_are_none() -> None:
    shape: dict[str, Any] = encode(VECTOR)
    del shape["modes"]
    scores = {"return": 1.0, "gap_distance": math.nan}
    old = {"format": 1, "kind": "skill", "shape": shape, "origin": {"scores": scores}}
    new = FORMAT.migrated(old, "settings.json")
    assert decode(VectorSkillShape, new["shape"], "shape") == VECTOR
    assert new["origin"]["scores"] == {"return": 1.0}
    assert "modes" not in shape  # the original is left alone


def test_a_newer_folder_is_refused(tmp_path: Path) -> None:
    EVERY["vector skill"].save(tmp_path)
    file = tmp_path / "settings.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"format": 4}))
    with pytest.raises(DepoError, match="newer depo: format 4, this one reads up to 3"):
        Card.load(tmp_path, "skill")
