"""A family from elsewhere is looked at once, and what is wrong is said in a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from depo.core.errors import DepoError
from depo.environments.checking import family_problems
from depo.environments.family import families, register_family
from tests.support.corridor import CorridorFamily, CorridorSettings

pytestmark = pytest.mark.wrong_types


@dataclass(frozen=True)
class Needy:
    length: int


@dataclass(frozen=True)
class Unstored:
    call: Any = print


@pytest.mark.parametrize("family", families().values())
def test_depo_s_own_are_right(family) -> None:
    assert list(family_problems(family)) == []


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        # a text holds '' and every letter: it would take the place of the grid world
        ({"names": "corridor"}, "names 'corridor' is no tuple"),
        ({"names": ("",)}, "is no tuple of what --env may say"),
        ({"name": None}, "name None is no text"),
        ({"settings": dict}, "is no dataclass"),
        ({"settings": Needy}, "Needy cannot be made without arguments"),
        ({"settings": Unstored}, "Unstored cannot be made without arguments, or stored"),
    ],
)
def test_what_is_wrong_is_said(facts: dict[str, Any], said: str) -> None:
    kind = type("Broken", (CorridorFamily,), facts)
    with pytest.raises(DepoError, match=f"environment family Broken: .*{said}"):
        register_family(kind())
    assert CorridorSettings().length == 4
    with pytest.raises(DepoError, match="7 is no EnvironmentFamily"):
        register_family(7)  # type: ignore[arg-type]
