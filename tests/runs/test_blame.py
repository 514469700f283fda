"""Where a method of another package fails, a sentence says whose fault it is, and the place."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from depo.core.errors import DepoError
from depo.methods.registry import Implementation, MethodSpec, find_method
from depo.methods.sac import OffPolicySAC
from depo.runs.blame import blaming


@dataclass(frozen=True)
class Theirs(OffPolicySAC):
    """A stranger's."""


SPEC = MethodSpec("theirs", "Theirs.", {"off-policy": Implementation(Theirs, print)})


def _update() -> None:
    raise TypeError("two\nlines")


def test_the_method_and_its_line_are_named() -> None:
    said = r"method 'theirs' failed in _update\(\) of .*test_blame, line \d+: TypeError: two lines$"
    with pytest.raises(DepoError, match=said) as raised, blaming(SPEC):
        _update()
    assert isinstance(raised.value.__cause__, TypeError)


def test_a_sentence_stays_one() -> None:
    with pytest.raises(DepoError, match=r"^as it was$"), blaming(SPEC):
        raise DepoError("as it was")


def test_depo_s_own_errors_are_its_own() -> None:
    with pytest.raises(TypeError), blaming(find_method("sac")):
        _update()
