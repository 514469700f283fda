"""Skills by name."""

from __future__ import annotations

import json
from pathlib import Path

import jax
import pytest

import depo
from depo.core.errors import DepoError
from depo.models.card import Origin, read_origin
from depo.models.skill_source import shape_settings

FOUR = ("x", "y", "vx", "vy")


@pytest.mark.parametrize(
    ("sees", "predicts", "features", "remembers"),
    [
        (4, (2, 3), FOUR, False),
        (8, (2, 3), FOUR, True),
        (4, (0, 1, 2, 3), FOUR, False),
        (8, (0, 1, 2, 3), FOUR, True),
        (8, (0, 1, 2, 3), ("state",), True),  # a card without names: all are planned
        (4, (0, 1, 2, 3), (), False),
    ],
)
def test_settings_take_the_shape_of_a_given_skill(
    tmp_path: Path, sees: int, predicts: tuple, features: tuple, remembers: bool
) -> None:
    skill = depo.VectorSkill(
        jax.random.key(0), depo.Normaliser.none(sees), 2, (24, 24, 24), predicts=predicts
    )
    folder = depo.save_skill(tmp_path / "skill", skill, Origin(features=features))
    settings = shape_settings(str(folder))
    assert settings["skill_memory"] == remembers
    assert (settings["skill_hidden"], settings["skill_depth"]) == (24, 3)


def test_a_damaged_card_gets_a_sentence(tmp_path: Path) -> None:
    skill = depo.VectorSkill(jax.random.key(0), depo.Normaliser.none(2), 2, (8, 8))
    folder = depo.save_skill(tmp_path / "skill", skill)
    file = folder / "settings.json"
    stored = json.loads(file.read_text())
    shape = {name: value for name, value in stored["shape"].items() if name != "pair_input"}
    for changes, message in (
        ({"origin": None}, "origin None is not a table"),
        ({"shape": shape}, "does not describe a skill: shape: 'pair_input' is missing"),
        ({"shape": None}, "shape None is not a table"),
        ({"kind": "planner"}, "holds a planner, not a skill"),
        ({"kind": "policy", "format": 1}, "holds a policy, not a skill: .*RUN/skill/seed-0"),
    ):
        file.write_text(json.dumps(stored | changes))
        with pytest.raises(DepoError, match=message):
            shape_settings(str(folder))
    file.write_text(json.dumps(stored | {"origin": {"features": [1]}}))
    with pytest.raises(DepoError, match=r"origin.features\[0\] 1 is not a text"):
        read_origin(folder)
