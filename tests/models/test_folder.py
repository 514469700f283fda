from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import depo
from depo.core.weights import digest
from depo.models.card import Origin, read_origin

KEY = jax.random.key(3)
MODELS = {
    "categorical planner": lambda: depo.CategoricalPlanner(KEY, 5, (8, 8)),
    "gaussian planner": lambda: depo.GaussianPlanner(
        KEY,
        depo.Normaliser(jnp.array([1.0, 2.0]), jnp.array([3.0, 4.0]), 20.0),
        (8,),
        predicts=(1,),
    ),
    "planner in steps": lambda: depo.GaussianPlanner(KEY, depo.Normaliser.none(2, 9.0, True), (8,)),
    "skill in steps": lambda: depo.VectorSkill(KEY, depo.Normaliser.none(2, 9.0, True), 1, (8,)),
    "categorical skill": lambda: depo.CategoricalSkill(KEY, 5, 3, (8,)),
    "skill of modes": lambda: depo.VectorSkill(KEY, depo.Normaliser.none(2), 1, (8,), modes=3),
    "vector skill": lambda: depo.VectorSkill(KEY, depo.Normaliser.none(2), 1, (8,), noise=0.5),
}


def save(kind: str, folder: Path) -> tuple[object, object]:
    model = MODELS[kind]()
    is_planner = "planner" in kind
    saver, loader = (
        (depo.save_planner, depo.load_planner) if is_planner else (depo.save_skill, depo.load_skill)
    )
    saver(folder, model, Origin(environment="here", features=("a", "b"), scores={"x": 0.5}))
    return model, loader


@pytest.mark.parametrize("kind", MODELS)
def test_a_folder_loads_on_its_own_bit_for_bit(tmp_path: Path, kind: str) -> None:
    model, load = save(kind, tmp_path / "it")
    again = load(tmp_path / "it")
    assert type(again) is type(model)
    assert digest(again) == digest(model)
    assert jax.tree.structure(again) == jax.tree.structure(model)
    assert {p.name for p in (tmp_path / "it").iterdir()} == {
        "weights.safetensors",
        "settings.json",
        "card.md",
    }
    assert read_origin(tmp_path / "it").scores == {"x": 0.5}


def test_another_program_can_load_and_use_it(tmp_path: Path) -> None:
    planner = MODELS["categorical planner"]()
    depo.save_planner(tmp_path / "p", planner)
    script = (
        "import depo, sys, jax.numpy as jnp;"
        "print(depo.load_planner(sys.argv[1]).mode(jnp.arange(5)))"
    )
    out = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "p")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert out.stdout.strip() == str(np.asarray(planner.mode(jnp.arange(5))))


def edit(folder: Path, **changes: object) -> None:
    path = folder / "settings.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda f: (f / "settings.json").unlink(), "not a planner folder"),
        (lambda f: (f / "settings.json").write_text("{"), "not readable JSON"),
        (lambda f: edit(f, format=99), "format 99"),
        (lambda f: edit(f, kind="skill"), "holds a skill"),
        (lambda f: edit(f, shape={"model": "magic"}), "does not describe a planner"),
        (
            lambda f: edit(f, shape={"model": "categorical", "states": 6, "hidden": [8, 8]}),
            r"expected float32\[6",
        ),
        (
            lambda f: edit(f, shape={"model": "categorical", "states": 5, "hidden": [8]}),
            "expected float32|unknown array",
        ),
        (lambda f: (f / "weights.safetensors").write_bytes(b"nonsense"), "safetensors"),
        (lambda f: (f / "weights.safetensors").unlink(), "does not exist"),
    ],
)
def test_a_damaged_folder_is_refused_with_a_sentence(tmp_path: Path, damage, message: str) -> None:
    save("categorical planner", tmp_path / "it")
    damage(tmp_path / "it")
    with pytest.raises(depo.DepoError, match=message):
        depo.load_planner(tmp_path / "it")


def test_truncated_weights_are_refused(tmp_path: Path) -> None:
    save("categorical planner", tmp_path / "it")
    file = tmp_path / "it" / "weights.safetensors"
    whole = file.read_bytes()
    for cut in range(0, len(whole), max(len(whole) // 40, 1)):
        file.write_bytes(whole[:cut])
        with pytest.raises(depo.DepoError):
            depo.load_planner(tmp_path / "it")


def test_an_analytic_skill_cannot_be_saved(tmp_path: Path) -> None:
    with pytest.raises(depo.DepoError, match="keep its code"):
        depo.save_skill(tmp_path, depo.AnalyticSkill(lambda s, t: t))


@pytest.mark.parametrize("hidden", [[1] * 20_000, [2**31 - 1, 2**31 - 1]])
def test_a_planner_of_too_many_or_giant_layers_is_refused_at_once(
    tmp_path: Path, hidden: list[int]
) -> None:
    save("gaussian planner", tmp_path)
    file = tmp_path / "settings.json"
    stored = json.loads(file.read_text())
    stored["shape"]["hidden"] = hidden
    file.write_text(json.dumps(stored))
    with pytest.raises(depo.DepoError, match=r"hidden|weights/0|cannot be made"):
        depo.load_planner(tmp_path)


def test_a_normaliser_with_a_scale_below_zero_is_refused(tmp_path: Path) -> None:
    normaliser = depo.Normaliser(jnp.zeros(2), jnp.array([1.0, -1.0]))
    depo.save_planner(tmp_path, depo.GaussianPlanner(KEY, normaliser, (8,)))
    with pytest.raises(depo.DepoError, match="whose scale or step is not above 0"):
        depo.load_planner(tmp_path)


def test_weights_beyond_all_bounds_are_refused(tmp_path: Path) -> None:
    huge = jax.tree.map(lambda x: x * 1e30, MODELS["categorical planner"]())
    depo.save_planner(tmp_path, huge)
    with pytest.raises(depo.DepoError, match="holds weights beyond"):
        depo.load_planner(tmp_path)
