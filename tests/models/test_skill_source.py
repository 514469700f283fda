"""Skills by name."""

from __future__ import annotations

import json
from pathlib import Path

import jax
import pytest

import depo
from depo.errors import DepoError
from depo.models.folder import Origin, read_origin
from depo.models.skill_source import shaped_like
from depo.settings.off_policy import SkillTransfer

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
        jax.random.key(0), depo.Standard.none(sees), 2, (24, 24, 24), predicts=predicts
    )
    folder = depo.save_skill(tmp_path / "skill", skill, Origin(features=features))
    settings = shaped_like(SkillTransfer(), str(folder))
    assert settings.skill_memory == remembers
    assert (settings.skill_hidden, settings.skill_depth) == (24, 3)


def test_a_damaged_card_gets_a_sentence(tmp_path: Path) -> None:
    skill = depo.VectorSkill(jax.random.key(0), depo.Standard.none(2), 2, (8, 8))
    folder = depo.save_skill(tmp_path / "skill", skill)
    file = folder / "settings.json"
    stored = json.loads(file.read_text())
    shape = {name: value for name, value in stored["shape"].items() if name != "pair_input"}
    for changes in ({"origin": None}, {"shape": shape}, {"shape": None}):
        file.write_text(json.dumps(stored | changes))
        with pytest.raises(DepoError, match="does not describe a skill"):
            shaped_like(SkillTransfer(), str(folder))
    planner = depo.save_planner(
        tmp_path / "planner", depo.CategoricalPlanner(jax.random.key(0), 4, (8,))
    )
    stored = json.loads((planner / "settings.json").read_text()) | {"origin": None}
    (planner / "settings.json").write_text(json.dumps(stored))
    with pytest.raises(DepoError, match="says nothing of where it comes from"):
        read_origin(planner)
