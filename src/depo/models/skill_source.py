"""Skills by name: a skill folder, or ``module:function`` for a formula that needs no learning.

No JAX before a skill is really needed: names are part of the command line.
"""

from __future__ import annotations

import dataclasses
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from depo.errors import DepoError
from depo.files import read_object
from depo.imports import import_module

if TYPE_CHECKING:
    from jaxtyping import Array

    from depo.models.skill import AnalyticSkill, Skill

NAME = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
Settings = TypeVar("Settings")


def is_formula(name: str) -> bool:
    """Whether a skill's name means a function of a module.

    >>> is_formula("my_robot:inverse"), is_formula("runs/mine/skill/seed-0")
    (True, False)
    """
    return NAME.fullmatch(name) is not None and not Path(name).exists()


def skill_name(skill: Any) -> str:
    """The name under which a skill can be found again: of a folder, or of a function.

    >>> skill_name("runs/mine/skill/seed-0")
    'runs/mine/skill/seed-0'
    """
    formula = getattr(skill, "formula", skill)
    if not callable(formula):
        return str(skill)
    name = f"{formula.__module__}:{formula.__qualname__}"
    if not NAME.fullmatch(name):
        raise DepoError(
            f"the skill {name} cannot be found by its name when the run is evaluated again: "
            "define it as a function of a module"
        )
    return name


def find_skill(name: str, time_step: float | None = None) -> Skill | None:
    """The skill of that name, for steps of so many seconds if that is known; None: no name."""
    if not name:
        return None
    from depo.models.folder import load_skill

    return formula_skill(name, time_step) if is_formula(name) else load_skill(name)


@cache
def formula_skill(name: str, time_step: float | None = None) -> AnalyticSkill:
    """The function as a skill; its actions are bounded by ±1, as all actions are here.

    A formula that depends on how long a step is has ``at(time_step)``, which gives the one for it.
    """
    import jax.numpy as jnp
    from jax.errors import TracerArrayConversionError

    from depo.models.skill import AnalyticSkill

    module, _, function = name.partition(":")
    found = getattr(import_module(module, f"skill '{name}'"), function, None)
    formula = getattr(found, "formula", found)
    if not callable(formula):
        raise DepoError(f"module '{module}' has no function '{function}' to be a skill")
    if time_step is not None and hasattr(formula, "at"):
        formula = formula.at(time_step)

    def bounded(state: Array, target: Array) -> Array:
        try:
            return jnp.clip(formula(state, target), -1.0, 1.0)
        except TracerArrayConversionError as error:
            raise DepoError(
                f"the formula '{name}' is compiled and cannot use NumPy: write it with jax.numpy"
            ) from error

    return AnalyticSkill(bounded, getattr(found, "predicts", None))


def shaped_like(settings: Settings, name: str) -> Settings:
    """Settings whose skill has the shape of the one in a folder, where they have such fields."""
    file = Path(name) / "settings.json"
    if not name or is_formula(name) or not file.exists():
        return settings
    stored = read_object(file)
    try:
        fields = _shape(stored.get("shape", {}), stored.get("origin", {}).get("features", []))
    except (KeyError, TypeError, AttributeError) as error:
        raise DepoError(f"{file} does not describe a skill: {error!r}") from None
    known = {f.name for f in dataclasses.fields(settings)}  # type: ignore[arg-type]
    changes = {n: v for n, v in fields.items() if n in known}
    return dataclasses.replace(settings, **changes)  # type: ignore[type-var]


def _shape(shape: dict[str, Any], features: list[str]) -> dict[str, Any]:
    """The settings that make a skill of this shape; none for one of another kind."""
    hidden = shape.get("hidden", [])
    if shape.get("model") != "vector" or not hidden or len(set(hidden)) > 1:
        return {}
    fields = {
        "skill_hidden": hidden[0],
        "skill_depth": len(hidden),
        "skill_memory": _remembers(shape, features),
        "pair_input": shape["pair_input"],
        "skill_modes": shape.get("modes", 1),
    }
    if fields["skill_modes"] > 1:
        fields["skill_fit"] = "actions"  # effects are taught to skills of one mode
    return fields


def _remembers(shape: dict[str, Any], features: list[str]) -> bool:
    """Whether the skill sees the state before, too: twice as many numbers as a state has.

    A folder without names for every feature is taken to plan all of them.
    """
    sees, planned = shape["sees"], len(shape["predicts"])
    states = len(features) if sees in (len(features), 2 * len(features)) else planned
    return sees == 2 * states
