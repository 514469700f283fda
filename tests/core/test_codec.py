"""Plain data to dataclasses and back: what is refused, and in which words."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depo.core.codec import Natural, Positive, check_fields, decode, decode_each, encode
from depo.core.errors import DepoError
from tests.support.mutations import mutations


@dataclass(frozen=True)
class Wheel:
    radius: float
    spokes: Positive = 8


@dataclass(frozen=True)
class Car:
    wheels: tuple[Wheel, ...]
    unit: Literal["m", "ft"] = "m"
    at: tuple[float, float] = (0.0, 0.0)
    seats: Natural | None = None
    is_new: bool = True
    sizes: Mapping[str, float] = field(default_factory=dict)
    by_name: Mapping[str, Wheel] = field(default_factory=dict)
    notes: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.wheels) == 13:
            raise DepoError("13 wheels bring bad luck: take one off")


@dataclass(frozen=True)
class Bus:
    doors: int
    model: Literal["bus"] = "bus"


@dataclass(frozen=True)
class Tram:
    model: Literal["tram"] = "tram"


FINE: dict[str, Any] = {
    "wheels": [{"radius": 1, "spokes": 3}],
    "unit": "ft",
    "at": [1.5, 2.0],
    "seats": 4,
    "is_new": False,
    "sizes": {"long": 4.5, "wide": 2.0},
    "by_name": {"spare": {"radius": 0.5}},
    "notes": {"colour": ["red", {"dark": True}]},
}
numbers = st.floats(allow_nan=False, allow_infinity=False)
wheels = st.builds(Wheel, numbers, st.integers(1, 40))
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | numbers | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
cars = st.builds(
    Car,
    wheels=st.lists(wheels, max_size=4).map(tuple),
    unit=st.sampled_from(["m", "ft"]),
    at=st.tuples(numbers, numbers),
    seats=st.none() | st.integers(0, 2**53),
    is_new=st.booleans(),
    sizes=st.dictionaries(st.text(), numbers),
    by_name=st.dictionaries(st.text(), wheels, max_size=3),
    notes=st.dictionaries(st.text(), plain, max_size=3),
)


def sentence(kind: Any, data: object) -> str | None:
    """What is said of data that are refused; any other exception goes through."""
    try:
        decode(kind, data, "it")
    except DepoError as error:
        return str(error)
    return None


def holds(read: Any, data: Any) -> bool:
    """Whether what was read is what the data say, true being no number; defaults may be added."""
    if isinstance(data, dict):
        return all(holds(read[name], data[name]) for name in data)
    if isinstance(data, list):
        return len(read) == len(data) and all(map(holds, read, data))
    return read == data and isinstance(read, bool) == isinstance(data, bool)


@given(cars)
def test_what_is_written_is_read_back(car: Car) -> None:
    assert decode(Car, json.loads(json.dumps(encode(car))), "car") == car


@given(plain)
def test_data_of_any_kind_are_a_car_or_a_sentence(data: object) -> None:
    for given_data in (data, {**FINE, "wheels": data}, {"wheels": [], "sizes": data}):
        said = sentence(Car, given_data)
        assert said is None or "\n" not in said


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"at": [1, "x"]}, "car.json: at[1] 'x' is not a finite number"),
        ({"at": [1]}, "car.json: at [1] is not a list of 2, each a finite number"),
        ({"at": [1, math.nan]}, "car.json: at[1] nan is not a finite number"),
        ({"notes": {"a": [math.inf]}}, "car.json: notes.a[0] inf is not a finite number"),
        (
            {"seats": 2.5},
            "seats 2.5 is not a whole number of at least 0 and at most 9,007",
        ),
        ({"seats": True}, "car.json: seats True is not a whole number of at least 0 and"),
        ({"seats": -1}, "car.json: seats -1 is not a whole number of at least 0 and"),
        ({"is_new": 1}, "car.json: is_new 1 is not true or false"),
        ({"unit": "fr"}, "unknown unit 'fr': did you mean 'ft'? (known: ft, m)"),
        ({"unit": ["m"]}, "car.json: unit ['m'] is not 'm' or 'ft'"),
        ({"unit": "\ud800"}, "car.json: unit '\\ud800' is not readable text"),
        ({"wheels": [{"radius": 1, "spokes": 0}]}, "wheels[0].spokes 0 is not a whole number of"),
        ({"wheels": [{}]}, "car.json: 'wheels[0].radius' is missing"),
        ({"wheels": [{"radius": 1, "spoke": 1}]}, "field of 'wheels[0]' 'spoke': did you mean 's"),
        ({"wheels": None}, "wheels None is not a list, each a table of names and values"),
        ({"wheels": [{"radius": 1}] * 13}, "car.json: 13 wheels bring bad luck: take one off"),
        ({"sizes": {"a": 1, "b": "c"}}, "car.json: sizes.b 'c' is not a finite number"),
        ({"sizes": {"a": 10**400}}, "is not a finite number"),
        ({"by_name": {"a": {"radius": 1}, "b": {"radius": None}}}, "by_name.b.radius None is not"),
        ({"by_name": {"a": {"radios": 1}}}, "field of 'by_name.a' 'radios': did you mean 'radius'"),
        ({"seat": 1}, "car.json: unknown field 'seat': did you mean 'seats'?"),
    ],
)
def test_the_sentence_names_field_value_and_remedy(changes: dict, message: str) -> None:
    with pytest.raises(DepoError) as error:
        decode(Car, FINE | changes, "car.json")
    assert message in str(error.value)
    assert "msgspec" not in str(error.value)
    assert "$" not in str(error.value)


def test_a_field_nobody_knows_may_be_passed_over() -> None:
    assert decode(Wheel, {"radius": 1, "size": 2}, "wheel", strict=False) == Wheel(1.0)


def test_every_single_damage_is_a_sentence() -> None:
    for damage, data in mutations(FINE):
        said = sentence(Car, data)
        assert "\n" not in (said or ""), damage
        if said is None:  # what is taken is taken as it is
            assert holds(encode(decode(Car, data, "car")), data), damage


def test_a_value_is_shown_in_short() -> None:
    with pytest.raises(DepoError) as error:
        decode(Wheel, {"radius": "x" * 10_000}, "wheel")
    assert len(str(error.value)) < 200


def test_deeply_nested_data_are_refused() -> None:
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(DepoError, match="nested too deeply"):
        decode(Car, FINE | {"notes": {"a": deep}}, "car.json")


def test_a_union_is_told_apart_by_its_tag() -> None:
    assert decode(Bus | Tram, {"model": "tram"}, "line") == Tram()
    assert decode(Bus | Tram, {"model": "bus", "doors": 2}, "line") == Bus(2)
    for data, message in [
        ({"model": "trem"}, "line: unknown model 'trem': did you mean 'tram'"),
        ({"model": ["bus"]}, "unknown model"),
        ({"doors": 2}, "line: 'model' is missing"),
        ([], "line: [] is not a table of names and values"),
        ({"model": "tram", "doors": 2}, "line: unknown field 'doors'"),
    ]:
        with pytest.raises(DepoError) as error:
            decode(Bus | Tram, data, "line")
        assert message in str(error.value)


def test_flat_fields_are_read_each_by_its_kind() -> None:
    kinds = {"rate": float, "size": int, "word": Literal["yes", "no"]}
    assert decode_each(kinds, {"rate": 1, "word": "no"}, "bco") == {"rate": 1.0, "word": "no"}
    for data, message in [
        ({"rat": 1}, "bco: unknown field 'rat': did you mean 'rate'?"),
        ({"size": 1.5}, "bco: size 1.5 is not a whole number"),
        ({"word": "ye"}, "bco: unknown word 'ye': did you mean 'yes'?"),
        (None, "bco: None is not a table"),
    ]:
        with pytest.raises(DepoError) as error:
            decode_each(kinds, data, "bco")
        assert message in str(error.value)


def test_numpys_numbers_are_numbers() -> None:
    wheel = Wheel(np.float32(0.5), np.int64(3))  # type: ignore[arg-type]
    check_fields(wheel, "wheel")
    assert json.dumps(encode([wheel, (np.float64(1), np.str_("a"))])) == (
        '[{"radius": 0.5, "spokes": 3}, [1.0, "a"]]'
    )
    with pytest.raises(DepoError, match="wheel: radius 'a' is not a finite number"):
        check_fields(Wheel("a"), "wheel")  # type: ignore[arg-type]
    with pytest.raises(DepoError, match="cannot be written: it is no number, text, list or table"):
        encode({"a": print})


@pytest.mark.parametrize("module", ["depo.cli.main", "depo.models.card", "depo.runs.job"])
def test_what_is_read_is_known_without_jax(module: str) -> None:
    script = (
        f"import sys, {module};"
        "print([m for m in ('jax', 'equinox', 'matplotlib', 'pydantic') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
