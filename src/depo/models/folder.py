"""A planner, or a skill, as a folder: ``weights.safetensors``, ``settings.json``, ``card.md``.

The folder loads on its own, in another program or for another environment: it holds the shape
of the network, the names of the features, the standardisation statistics (as weights) and where
the model comes from.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from depo.errors import DepoError
from depo.files import read_object, write_bytes, write_json
from depo.models.planner import CategoricalPlanner, GaussianPlanner, Planner
from depo.models.skill import CategoricalSkill, Skill, VectorSkill
from depo.models.standard import Standard
from depo.weights import FORMAT, load_tree, named_arrays, save_tree

WEIGHTS, SETTINGS, CARD = "weights.safetensors", "settings.json", "card.md"


@dataclass(frozen=True)
class Origin:
    """Where a saved model comes from."""

    environment: str = "unknown"
    method: str = "unknown"
    features: tuple[str, ...] = ()
    trained_on: str = "unknown"
    env_steps: int = 0
    seed: int = 0
    scores: Mapping[str, float] = field(default_factory=dict)


def save_planner(path: str | Path, planner: Planner, origin: Origin | None = None) -> Path:
    """Write a planner folder.

    >>> import tempfile
    >>> planner = CategoricalPlanner(jax.random.key(0), states=4, hidden=(8,))
    >>> folder = save_planner(tempfile.mkdtemp(), planner)
    >>> load_planner(folder).states
    4
    """
    return _save(Path(path), "planner", planner, _describe_planner(planner), origin or Origin())


def save_skill(path: str | Path, skill: Skill, origin: Origin | None = None) -> Path:
    """Write a skill folder; an analytic skill is code and has no folder."""
    if not isinstance(skill, CategoricalSkill | VectorSkill):
        raise DepoError("an analytic skill is a function and cannot be saved: keep its code")
    return _save(Path(path), "skill", skill, _describe_skill(skill), origin or Origin())


def load_planner(path: str | Path) -> Planner:
    """Read a planner folder."""
    return _load(
        Path(path), "planner", {"categorical": _categorical_planner, "gaussian": _gaussian}
    )


def load_skill(path: str | Path) -> CategoricalSkill | VectorSkill:
    """Read a skill folder."""
    return _load(Path(path), "skill", {"categorical": _categorical_skill, "vector": _vector_skill})


def read_origin(path: str | Path) -> Origin:
    """Where the model in a folder comes from."""
    stored = read_object(Path(path) / SETTINGS).get("origin", {})
    if not isinstance(stored, dict):
        raise DepoError(f"{path}: its {SETTINGS} says nothing of where it comes from: damaged?")
    known = {f.name for f in dataclasses.fields(Origin)}
    fields = {name: value for name, value in dict(stored).items() if name in known}
    return Origin(**{**fields, "features": tuple(fields.get("features", ()))})


def _describe_planner(planner: Planner) -> dict[str, Any]:
    hidden = [int(w.shape[1]) for w in planner.network.weights[:-1]]
    if isinstance(planner, CategoricalPlanner):
        return {"model": "categorical", "states": planner.states, "hidden": hidden}
    return {
        "model": "gaussian",
        "sees": int(planner.standard.mean.shape[0]),
        "clip": planner.standard.clip,
        "predicts": list(planner.predicts),
        "log_std_bounds": list(planner.log_std_bounds),
        "absolute": planner.absolute,
        "hidden": hidden,
    }


def _describe_skill(skill: CategoricalSkill | VectorSkill) -> dict[str, Any]:
    hidden = [int(w.shape[1]) for w in skill.network.weights[:-1]]
    if isinstance(skill, CategoricalSkill):
        sizes = {"states": skill.states, "actions": skill.actions}
        return {"model": "categorical", **sizes, "hidden": hidden}
    return {
        "model": "vector",
        "sees": int(skill.standard.mean.shape[0]),
        "clip": skill.standard.clip,
        "predicts": list(skill.predicts),
        "actions": skill.actions,
        "noise": skill.noise,
        "pair_input": skill.pair_input,
        "modes": skill.modes,
        "hidden": hidden,
    }


def _categorical_planner(key: Any, shape: dict[str, Any]) -> Planner:
    return CategoricalPlanner(key, shape["states"], shape["hidden"])


def _standard(shape: dict[str, Any]) -> Standard:
    zeros = jnp.zeros(shape["sees"])
    return Standard(zeros, zeros, float(shape["clip"]))


def _gaussian(key: Any, shape: dict[str, Any]) -> Planner:
    bounds = (float(shape["log_std_bounds"][0]), float(shape["log_std_bounds"][1]))
    return GaussianPlanner(
        key, _standard(shape), shape["hidden"], shape["predicts"], bounds, shape["absolute"]
    )


def _categorical_skill(key: Any, shape: dict[str, Any]) -> CategoricalSkill:
    return CategoricalSkill(key, shape["states"], shape["actions"], shape["hidden"])


def _vector_skill(key: Any, shape: dict[str, Any]) -> VectorSkill:
    return VectorSkill(
        key,
        _standard(shape),
        shape["actions"],
        shape["hidden"],
        shape["predicts"],
        shape["noise"],
        shape["pair_input"],
        shape.get("modes", 1),
    )


def _save(path: Path, kind: str, model: eqx.Module, shape: dict[str, Any], origin: Origin) -> Path:
    origin_json = {**vars(origin), "features": list(origin.features), "scores": dict(origin.scores)}
    settings = {"format": FORMAT, "kind": kind, "shape": shape, "origin": origin_json}
    save_tree(path / WEIGHTS, model)
    write_bytes(path / CARD, _card(kind, shape, origin).encode())
    write_json(path / SETTINGS, settings)
    return path


def _load(path: Path, kind: str, builders: dict[str, Callable[[Any, dict[str, Any]], Any]]) -> Any:
    if not (path / SETTINGS).exists():
        raise DepoError(
            f"{path} is not a {kind} folder (no {SETTINGS} in it): "
            f"give a folder such as RUN/{kind}/seed-0"
        )
    settings = read_object(path / SETTINGS)
    if settings.get("format") != FORMAT:
        raise DepoError(f"{path} has format {settings.get('format')}, this depo reads {FORMAT}")
    if settings.get("kind") != kind:
        raise DepoError(f"{path} holds a {settings.get('kind', 'thing of no kind')}, not a {kind}")
    shape = settings.get("shape", {})
    try:
        build = builders[shape["model"]]
        skeleton = eqx.filter_eval_shape(build, jax.random.key(0), shape)
    except (KeyError, TypeError, IndexError, ValueError) as error:
        raise DepoError(f"{path / SETTINGS} does not describe a {kind}: {error!r}") from None
    model = load_tree(path / WEIGHTS, skeleton)
    if not all(np.isfinite(array).all() for array in named_arrays(model).values()):
        raise DepoError(f"{path / WEIGHTS} holds NaN or infinite weights: its training diverged")
    return model


def _card(kind: str, shape: dict[str, Any], origin: Origin) -> str:
    space = f"{shape['states']} finite states" if "states" in shape else f"{shape['sees']} features"
    scores = "\n".join(f"| {name} | {value:.4g} |" for name, value in origin.scores.items())
    return f"""# A {shape["model"]} {kind}

- state space: {space} ({", ".join(origin.features) or "unnamed"})
- trained in: {origin.environment}, {origin.env_steps:,} environment steps, seed {origin.seed}
- trained on: {origin.trained_on}
- method: {origin.method}
- network: hidden layers {shape["hidden"]}

Load it with `depo.load_{kind}(FOLDER)`{
        ", or carry it to other dynamics with `depo transfer`" if kind == "planner" else ""
    }.

| score | value |
| --- | --- |
{scores}
"""
