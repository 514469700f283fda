from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import depo
from depo import DepoError
from depo.environments import family
from depo.models.acting import Policy, Space
from depo.models.card import Origin
from depo.models.normaliser import Normaliser
from depo.models.planner import GaussianPlanner
from depo.models.policy import CategoricalActor, DecoupledPolicy, DiscreteActor, GaussianActor
from depo.models.policy_folder import can_be_saved, load_policy, save_policy
from depo.models.skill import DiscreteSkill, VectorSkill
from depo.models.skill_source import formula_skill, skill_from, wanted_formula
from tests.environments import point
from tests.support.corridor import CorridorFamily

KEY = jax.random.key(1)
BOX = Space.box(np.full(2, -2.0, np.float32), np.full(2, 2.0, np.float32))
ORIGIN = Origin(environment="point-v0", method="bco", features=("x", "y"), scores={"return": 2.0})


@pytest.fixture
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """From the call on, what this user has made is somebody else's."""
    return lambda: monkeypatch.setenv("DEPO_CONFIG", str(tmp_path / "another user"))


def vector_policy(model, **more) -> Policy:
    return Policy(model, observations=Space.vector(2), actions=BOX, origin=ORIGIN, **more)


@pytest.mark.parametrize("kind", ["actor", "decoupled", "remembers"])
def test_a_policy_acts_as_before_it_was_saved(kind: str, tmp_path: Path) -> None:
    sees = Normaliser(jnp.array([1.0, 2.0]), jnp.array([0.5, 3.0]), 5.0)
    model = GaussianActor(KEY, sees, 2, (8, 8))
    if kind != "actor":
        own = sees.twice() if kind == "remembers" else sees
        skill = VectorSkill(KEY, own, 2, (8,), predicts=(1,), modes=2, pair_input="states")
        model = DecoupledPolicy(GaussianPlanner(KEY, sees, (8,), (1,)), skill, spread=False)
    policy = vector_policy(model, remembers=kind == "remembers")
    again = depo.load_policy(depo.save_policy(tmp_path / "p", policy))
    states = np.random.default_rng(0).normal(size=(5, 2))
    np.testing.assert_array_equal(again.act(states), policy.act(states))
    np.testing.assert_array_equal(
        again.act(states, deterministic=False, seed=3),
        policy.act(states, deterministic=False, seed=3),
    )
    assert again.origin == policy.origin
    assert repr(again) == repr(policy)
    card = (tmp_path / "p" / "card.md").read_text()
    assert "2 in [-2, 2]" in card
    assert "| return | 2 |" in card


CHOICES = {
    "discrete": (Space.of_choices((3,), np.array([5]), ()), "3 finite"),
    "several": (Space.of_choices((2, 3), np.array([0, -1]), (2,)), "2×3 finite"),
    "binary": (Space.of_choices((2, 2), np.zeros(2, np.int8), (1, 2)), "2×2 finite"),
}


@pytest.mark.parametrize("kind", CHOICES)
@pytest.mark.parametrize("plans", [False, True])
def test_a_policy_of_choices_acts_as_before_it_was_saved(
    kind: str, plans: bool, tmp_path: Path
) -> None:
    actions, said = CHOICES[kind]
    model = DiscreteActor(KEY, Normaliser.none(2), actions.choices, (8,))
    if plans:
        skill = DiscreteSkill(KEY, Normaliser.none(2), actions.choices, (8,), pair_input="states")
        model = DecoupledPolicy(GaussianPlanner(KEY, Normaliser.none(2), (8,)), skill)
    policy = Policy(model, observations=Space.vector(2), actions=actions, origin=ORIGIN)
    folder = depo.save_policy(tmp_path / "p", policy)
    again = depo.load_policy(folder)
    states = np.random.default_rng(0).normal(size=(64, 2))
    acted = again.act(states)
    np.testing.assert_array_equal(acted, policy.act(states))
    np.testing.assert_array_equal(acted[7], policy.act(states[7]))
    assert acted.shape == (64, *actions.shape)
    assert acted.dtype == actions.dtype
    assert (acted.reshape(64, -1) >= actions.low).all()
    assert (acted.reshape(64, -1) <= actions.high).all()
    random = again.act(states, deterministic=False, seed=0).reshape(64, -1)
    assert (random.max(axis=0) == actions.high).all()  # all are taken by and by
    assert said in (folder / "card.md").read_text()
    settings = json.loads((folder / "settings.json").read_text())
    settings["actions"]["high"][0] += 1
    settings["actions"]["count"] = 4 if kind == "discrete" else None
    (folder / "settings.json").write_text(json.dumps(settings))
    with pytest.raises(DepoError, match="are not those of its discrete network"):
        depo.load_policy(folder)


def formula_policy(skill) -> Policy:
    return vector_policy(DecoupledPolicy(point.walking((0.1, 0.0)), skill))


@pytest.mark.wrong_types
def test_a_strangers_formula_is_imported_only_if_named(tmp_path: Path, stranger) -> None:
    name = "tests.environments.point:inverse"
    folder = depo.save_policy(tmp_path / "p", formula_policy(formula_skill(name)))
    assert depo.load_policy(folder).act(np.zeros(2)).shape == (2,)
    stranger()
    with pytest.raises(DepoError, match=r"was not made by you.*skill=my_function"):
        depo.load_policy(folder)
    for skill in (point.inverse, name, depo.AnalyticSkill(point.inverse)):
        action = depo.load_policy(folder, skill=skill).act(np.zeros(2))
        np.testing.assert_allclose(action, [2.0, 0.0], atol=1e-5)
    with pytest.raises(DepoError, match="no function"):
        depo.load_policy(folder, skill=3)  # type: ignore[arg-type]
    assert not can_be_saved(DecoupledPolicy(point.walking((0, 0)), skill_from(point.inverse, "")))


def test_a_driving_formula_of_our_own_loads(tmp_path: Path) -> None:
    planner = GaussianPlanner(KEY, Normaliser.none(28), (8,), predicts=(2, 3))
    skill = formula_skill("depo.driving.skill:inverse", 0.2)
    box = Space.box(np.full(2, -1.0, np.float32), np.ones(2, np.float32))
    policy = Policy(DecoupledPolicy(planner, skill), observations=Space.vector(28), actions=box)
    again = depo.load_policy(depo.save_policy(tmp_path / "p", policy))
    state = np.random.default_rng(0).normal(size=28) + 5.0
    np.testing.assert_array_equal(again.act(state), policy.act(state))
    settings = json.loads((tmp_path / "p" / "settings.json").read_text())
    assert settings["parts"]["skill"]["time_step"] == 0.2


def test_a_registered_familys_formula_needs_no_naming(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stranger
) -> None:
    class Points(CorridorFamily):
        formula_module = "tests.environments.point"

    monkeypatch.setattr(family, "_families", dict(family.families()))
    name = "tests.environments.point:inverse"
    folder = depo.save_policy(tmp_path / "p", formula_policy(formula_skill(name)))
    stranger()
    assert wanted_formula(name)
    family.register_family(Points())
    np.testing.assert_allclose(depo.load_policy(folder).act(np.zeros(2)), [2.0, 0.0], atol=1e-5)
    for other in ("os:abort", "tests.environments:point", "tests.environments.point.x:y"):
        assert wanted_formula(other)


def test_an_unregistered_module_is_never_imported(tmp_path: Path, monkeypatch, stranger) -> None:
    (tmp_path / "stranger.py").write_text("raise SystemExit('imported')\n")
    monkeypatch.syspath_prepend(tmp_path)
    named = skill_from(point.inverse, "stranger:skill")
    folder = depo.save_policy(tmp_path / "p", formula_policy(named))
    stranger()
    with pytest.raises(DepoError, match="nothing was imported"):
        depo.load_policy(folder)
    assert "stranger" not in sys.modules


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"kind": "planner"}, "planner"),
        ({"model": "oracle"}, "oracle"),
        ({"parts": {}}, "has the parts"),
        ({"actions": {"dtype": "float32", "shape": [2], "low": [0.0]}}, "no space"),
        ({"observations": {"dtype": "object", "count": 3}}, "dtype"),
    ],
)
def test_a_damaged_folder_gets_a_sentence(change, sentence: str, tmp_path: Path) -> None:
    actor = GaussianActor(KEY, Normaliser.none(2), 2, (8,))
    folder = depo.save_policy(tmp_path / "p", vector_policy(actor))
    with pytest.raises(DepoError, match="leave skill out"):
        depo.load_policy(folder, skill=point.inverse)
    file = folder / "settings.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    with pytest.raises(DepoError, match=sentence):
        depo.load_policy(folder)
    with pytest.raises(DepoError, match="not a policy folder"):
        depo.load_policy(tmp_path)


def damaged_policy(folder: Path, **changes: Any) -> Path:
    """A policy's folder whose settings say other things."""
    actor = CategoricalActor(jax.random.key(0), states=5, actions=2, hidden=(8,))
    policy = Policy(actor, observations=Space.finite(5), actions=Space.finite(2))
    file = save_policy(folder, policy) / "settings.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))
    return folder


@pytest.mark.parametrize(
    "changes",
    [
        {"observations": {"dtype": "int64", "count": 6}},
        {"actions": {"dtype": "int64", "count": 3}},
        {"observations": {"dtype": "float32", "shape": [5]}},
        {"actions": {"dtype": "float32", "shape": [2], "low": [-1, -1], "high": [1, 1]}},
    ],
)
def test_spaces_that_are_not_the_networks_are_refused(tmp_path: Path, changes: dict) -> None:
    with pytest.raises(DepoError, match="are not those of its categorical network"):
        load_policy(damaged_policy(tmp_path, **changes))
