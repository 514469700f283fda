"""Settings are a tree of parts, and flat names lead to every leaf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from depo.api import make_job
from depo.core.errors import DepoError
from depo.methods.registry import methods
from depo.methods.settings_tree import (
    MethodSettings,
    every_name,
    flat_values,
    leaves,
    settings_from,
    with_values,
)
from depo.methods.transfer import FineTuning, OffPolicyTransfer

KINDS = list(
    dict.fromkeys(
        own.settings for spec in methods().values() for own in spec.implementations.values()
    )
)  # in one order, as processes that share the tests must have


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_leaf_has_one_name_a_sentence_and_the_value_at_its_path(
    kind: type[MethodSettings],
) -> None:
    settings = kind()
    found = leaves(settings)
    assert len({leaf.name for leaf in found}) == len(found)
    for leaf in found:
        assert leaf.doc.endswith((".", ")")), leaf.name
        assert flat_values(settings)[leaf.name] == leaf.default
    assert settings_from(kind, flat_values(settings)) == settings
    assert not set(kind.absent) & every_name(kind)


def test_a_value_goes_to_its_part_and_nothing_else_changes() -> None:
    before = OffPolicyTransfer()
    after = with_values(before, {"skill_rate": 0.5, "refit_every": 7})
    assert (after.skill.rate, after.skill.refits.every) == (0.5, 7)
    changed = {n for n, v in flat_values(after).items() if flat_values(before)[n] != v}
    assert changed == {"skill_rate", "refit_every"}


def test_an_optional_part_comes_and_goes_with_its_first_leaf() -> None:
    frozen = OffPolicyTransfer()
    assert "critic_rate" not in flat_values(frozen)
    assert flat_values(frozen)["unfreeze_after"] is None
    tuned = with_values(frozen, {"unfreeze_after": 9, "critic_rate": 0.1})
    assert tuned.fine_tuning is not None
    assert (tuned.fine_tuning.unfreeze_after, tuned.fine_tuning.critic.rate) == (9, 0.1)
    assert {leaf.name for leaf in leaves(tuned)} - {leaf.name for leaf in leaves(frozen)} == (
        every_name(FineTuning) - {"unfreeze_after"}
    )
    assert with_values(tuned, {"unfreeze_after": None}) == frozen


def test_presets_and_old_folders_may_say_what_has_no_place_and_users_may_not() -> None:
    old = {"critic_rate": 0.1, "log_std_floor": 3.0, "unfreeze_after": None, "noise": 0.5}
    assert flat_values(settings_from(OffPolicyTransfer, old))["noise"] == 0.5
    with pytest.raises(DepoError, match="critic_rate has no effect here: it belongs to unfreeze"):
        with_values(OffPolicyTransfer(), {"critic_rate": 0.1})
    with pytest.raises(DepoError, match="log_std_floor has no effect here: the planner"):
        with_values(OffPolicyTransfer(), {"log_std_floor": 0.1})
    with pytest.raises(DepoError, match="did you mean 'skill_rate'"):
        settings_from(OffPolicyTransfer, {"skill_rat": 0.1})


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"skill_rate": -1.0}, "skill_rate -1.0 is not a finite number of at least 0"),
        ({"skill_rate": "fast"}, "skill_rate 'fast' is not a finite number"),
        ({"minibatch": 0}, "minibatch 0 is not positive"),
        ({"termination": "never"}, "unknown termination 'never'"),
        ({"batch_steps": 3}, "below 5"),
        ({"skill_fit": "effects", "skill_modes": 2}, "goes with skill_modes 1, not 2"),
        ({"unfreeze_after": 0}, "unfreeze_after 0 is not positive"),
    ],
)
def test_parts_check_themselves(values: dict, message: str) -> None:
    with pytest.raises(DepoError, match=message):
        with_values(OffPolicyTransfer(), values)


@pytest.mark.parametrize("value", ["32", 32.5, None, True])
def test_settings_of_another_type_are_refused(value: object) -> None:
    job = make_job("depo")
    with pytest.raises(DepoError, match=r"hidden .* is not a whole number"):
        with_values(job.settings, {"hidden": value})
    assert (
        make_job("depo", overrides={"calibration": 1}).settings.calibration.weight == 1
    )  # whole, but a number


def test_a_word_nobody_knows_is_refused() -> None:
    job = make_job("depo", env="hopper")
    with pytest.raises(DepoError, match="'ignore': did you mean 'ignored'"):
        with_values(job.settings, {"termination": "ignore"})


@dataclass(frozen=True)
class Loose:
    """A group of a stranger's, which is no part."""

    width: float = 1.0


@dataclass(frozen=True)
class Strange(MethodSettings):
    """A stranger's."""

    group: Any = None
    """Anything."""


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            Loose(),
            r"group is a Loose, which is no group of settings: derive that class from .*Part",
        ),
        ((1, 2), r"group \(1, 2\) is no number, text, truth value or None"),
    ],
)
def test_what_is_no_setting_is_said(value: object, message: str) -> None:
    with pytest.raises(DepoError, match=message):
        Strange(value)
    assert Strange(None).group is None
