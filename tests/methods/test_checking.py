"""A method from elsewhere is looked at once, and what is wrong is said in a sentence."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from depo.cli.training_flags import CommonFlags, VariantFlags
from depo.environments.arguments import ArgumentFlags
from depo.methods.checking import RESERVED, spec_problems
from depo.methods.off_policy import settings as off
from depo.methods.registry import Implementation, MethodSpec, deferred, methods
from depo.methods.sac import OffPolicySAC
from depo.methods.settings_tree import named
from depo.methods.supervised import OffPolicySupervised, OnPolicySupervised

SAVING = off.Saving()


@dataclass(frozen=True)
class Fine(OnPolicySupervised):
    """As a stranger's would be."""


class Undeclared(OffPolicySAC):
    own_rate: float = 1.0


@dataclass(frozen=True)
class Called(Fine):
    seeds: int = 3


@dataclass(frozen=True)
class Twice(Fine):
    own: float = named(1.0, "hidden")


@dataclass(frozen=True)
class WrongPart(Fine):
    saving: off.Saving = SAVING  # type: ignore[assignment]


@dataclass(frozen=True)
class Negative(Fine):
    own: float = -1.0


BUILD = deferred("nowhere:Nothing")
OWN = Implementation(Fine, BUILD)
SPEC = MethodSpec("mine", "Mine.", {"on-policy": OWN})
SHORT = Implementation(OffPolicySupervised, BUILD, default_steps=2_000)


def of(**changes: Any) -> MethodSpec:
    return replace(SPEC, implementations={"on-policy": replace(OWN, **changes)})


@pytest.mark.parametrize("name", methods())
def test_depo_s_own_are_right(name: str) -> None:
    assert list(spec_problems(methods()[name])) == []


BROKEN = [
    (lambda: replace(SPEC, name="../mine"), "name '../mine' is not made of small letters"),
    (lambda: replace(SPEC, name=3), "name 3"),  # type: ignore[arg-type]
    (lambda: replace(SPEC, summary=None), "summary None is no sentence"),  # type: ignore[arg-type]
    (lambda: replace(SPEC, colour="reddish"), "colour 'reddish' is none"),
    (lambda: replace(SPEC, has_skill="yes"), "has_skill 'yes' is neither"),  # type: ignore[arg-type]
    (lambda: replace(SPEC, exports="planner"), "exports 'planner' is no tuple"),  # type: ignore[arg-type]
    (lambda: replace(SPEC, implementations={}), "implementations is empty"),
    (lambda: replace(SPEC, implementations=[OWN]), "is no table by learner"),  # type: ignore[arg-type]
    (
        lambda: replace(SPEC, implementations={"onpolicy": OWN}),  # type: ignore[dict-item]
        r"there is no learner 'onpolicy' \(known: on-policy, off-policy\)",
    ),
    (lambda: replace(SPEC, implementations={"on-policy": 7}), "7 is no Impl"),  # type: ignore[dict-item]
    (lambda: of(build="mine:Mine"), "build 'mine:Mine' cannot be called"),
    (lambda: of(default_steps=0), "default_steps 0 is not a positive"),
    (
        lambda: MethodSpec("mine", "Mine.", {"off-policy": SHORT}),
        "default_steps 2,000 end before the 5,000 random ones that preset 'fast' begins with",
    ),
    (lambda: of(settings=dict), "is no class derived from MethodSettings"),
    (
        lambda: of(settings=Undeclared),
        r"Undeclared is no dataclass: write @dataclass\(frozen=True\)",
    ),
    (lambda: of(settings=Called), "'seeds' is a flag of every training"),
    (lambda: of(settings=Twice), "two of them are called 'hidden'"),
    (lambda: of(settings=WrongPart), "reads the part 'saving': write saving: Saving = Saving"),
    (lambda: of(settings=OffPolicySAC), "reads the part 'collection'"),
    (lambda: of(settings=Negative), "Negative: own -1.0 is not a finite number of at least 0"),
    (lambda: of(presets={"quick": {}}), r"presets \['quick'\]: there is no 'fast'"),
    (lambda: of(presets={"fast": {"no_such": 1}}), "preset 'fast': unknown setting 'no_such'"),
    (lambda: of(presets={"fast": {"hidden": "wide"}}), "preset 'fast': .*hidden 'wide' is not"),
    (lambda: of(presets={"fast": None}), "preset 'fast': TypeError"),
    (lambda: of(tasks={"quick": {}}), "tasks: there is no preset 'quick'"),
    (lambda: of(tasks={"fast": {"Mine-v0": {"hidden": 0}}}), "'Mine-v0': hidden 0 is not positive"),
    (lambda: of(task_free=("recipe",)), "task_free: there is no preset 'recipe'"),
    (
        lambda: MethodSpec("mine", "Mine.", {"off-policy": Implementation(OffPolicySAC, BUILD)}),
        "OffPolicySAC: the method needs demonstrations, so that they need the part 'demos'",
    ),
]


@pytest.mark.wrong_types
@pytest.mark.parametrize(("spec", "said"), BROKEN, ids=[said[:30] for _, said in BROKEN])
def test_what_is_wrong_is_said(spec: Callable[[], MethodSpec], said: str) -> None:
    found = list(spec_problems(spec()))
    assert any(re.search(said, each) for each in found), found


def test_the_reserved_names_are_the_flags_that_every_training_has() -> None:
    kinds = (CommonFlags, VariantFlags, ArgumentFlags)
    flags = {field.name for kind in kinds for field in dataclasses.fields(kind)}
    assert flags | {"observe", "planner"} == RESERVED
