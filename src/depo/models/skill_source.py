"""Skills by name: a skill folder, or ``module:function`` for a formula that needs no learning.

No JAX before a skill is really needed: names are part of the command line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from depo.core.codec import decode
from depo.core.errors import DepoError
from depo.core.files import read_object
from depo.core.imports import import_module
from depo.models.card import SETTINGS, Card
from depo.models.shapes import SHAPES, DiscreteSkillShape, Shape, VectorSkillShape
from depo.zoo.entries import located

if TYPE_CHECKING:
    from depo.models.skill import AnalyticSkill, Skill

NAME = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


def is_formula(name: str) -> bool:
    """Whether a skill's name means a function of a module.

    >>> is_formula("my_robot:inverse"), is_formula("runs/mine/skill/seed-0")
    (True, False)
    """
    return NAME.fullmatch(name) is not None and not Path(name).exists()


_registered: list[Callable[[], Iterable[str]]] = []


def register_formulas(modules: Callable[[], Iterable[str]]) -> None:
    """Let any folder name formulas of these modules; asked each time, for families come later."""
    _registered.append(modules)


def wanted_formula(name: str) -> tuple[str, ...]:
    """The name, if it is a formula whose module nobody has registered: its import is for the user
    to allow.

    >>> wanted_formula("depo.driving.skill:truck"), wanted_formula("os:abort")
    ((), ('os:abort',))
    """
    if NAME.fullmatch(name) is None:
        return ()
    module = name.partition(":")[0]
    return () if any(module in modules() for modules in _registered) else (name,)


def skill_name(skill: Any) -> str:
    """The name under which a skill can be found again: of a folder, or of a function.

    >>> skill_name("runs/mine/skill/seed-0")
    'runs/mine/skill/seed-0'
    """
    if not callable(getattr(skill, "formula", skill)):
        return str(skill)
    if not (name := own_name(skill)):
        raise DepoError(
            f"the skill {skill!r} cannot be found by its name when the run is evaluated again: "
            "define it as a function of a module"
        )
    return name


def own_name(skill: Any) -> str:
    """The name of a function of a module; empty: it cannot be found by one.

    >>> own_name(skill_name), own_name(lambda state, target: target)
    ('depo.models.skill_source:skill_name', '')
    """
    formula = getattr(skill, "formula", skill)
    name = f"{getattr(formula, '__module__', '')}:{getattr(formula, '__qualname__', '')}"
    return name if NAME.fullmatch(name) else ""


def find_skill(name: str, time_step: float | None = None) -> Skill | None:
    """The skill of that name, for steps of this many seconds if that is known; None: no name."""
    if not name:
        return None
    from depo.models.folder import load_skill

    return formula_skill(name, time_step) if is_formula(name) else load_skill(name)


@cache
def formula_skill(name: str, time_step: float | None = None) -> AnalyticSkill:
    """The function as a skill; its actions are bounded by ±1, as all actions are here.

    A formula that depends on how long a step is has ``at(time_step)``, which gives the one for it.
    """
    module, _, function = name.partition(":")
    found = getattr(import_module(module, "skill", name), function, None)
    if not callable(getattr(found, "formula", found)):
        raise DepoError(f"module '{module}' has no function '{function}' to be a skill")
    return skill_from(found, name, time_step)


def skill_from(found: Any, name: str, time_step: float | None = None) -> AnalyticSkill:
    """A function, or an analytic skill, that goes by this name, as a skill with bounded actions."""
    from depo.models.formula import Bounded
    from depo.models.skill import AnalyticSkill

    formula = getattr(found, "formula", found)
    if not callable(formula):
        raise DepoError(f"the skill {found!r} is no function (state, target) → action")
    if time_step is not None and hasattr(formula, "at"):
        formula = formula.at(time_step)
    bounded = Bounded(formula, name)
    return AnalyticSkill(bounded, getattr(found, "predicts", None), name, time_step)


def shape_settings(name: str) -> dict[str, Any]:
    """The settings that make a skill of the shape of the one in a folder; none for a formula."""
    if not name or is_formula(name) or not (Path(name) / SETTINGS).exists():
        return {}
    card = Card.load(Path(name), "skill")
    return _settings(card.shape, card.origin.features)


def trunk_beside(planner: Path) -> Path | None:
    """The policy folder beside a planner folder, ``RUN/policy/seed-0`` beside
    ``RUN/planner/seed-0``, if its skill was learned: whose layers can be kept."""
    planner = planner.resolve()
    for own in (planner, planner.parent):
        if own.name == "planner":
            policy = own.with_name("policy") / planner.relative_to(own)
            return policy if _learned_skill(policy) else None
    return None


def trunk_settings(source: str) -> dict[str, Any]:
    """The settings that make a skill on the trunk of the one beside a planner, or beside the first
    of a run's; a fresh one where there is none."""
    path = located(source, "planner", "planner")
    several = (path.glob("planner/seed-*"), path.glob("seed-*/planner/seed-*"))
    for planner in (path, *(folder for found in several for folder in sorted(found))):
        if policy := trunk_beside(planner):
            own = read_object(policy / SETTINGS)
            shape = decode(SHAPES["skill"], own["parts"]["skill"], f"{policy / SETTINGS}: skill")
            return _settings(shape, tuple(own.get("origin", {}).get("features", ())))
    return {"skill_start": "fresh"}


def _learned_skill(policy: Path) -> bool:
    if not (policy / SETTINGS).is_file():
        return False
    parts = read_object(policy / SETTINGS).get("parts")
    skill = parts.get("skill") if isinstance(parts, Mapping) else None
    return isinstance(skill, Mapping) and skill.get("model") != "formula"


def _settings(shape: Shape, features: tuple[str, ...]) -> dict[str, Any]:
    """The settings that make a skill of this shape; none for a skill of another model."""
    if not isinstance(shape, VectorSkillShape | DiscreteSkillShape) or len(set(shape.hidden)) != 1:
        return {}
    fields: dict[str, Any] = {
        "skill_hidden": shape.hidden[0],
        "skill_depth": len(shape.hidden),
        "skill_memory": _uses_memory(shape, features),
        "pair_input": shape.pair_input,
        "skill_modes": shape.modes if isinstance(shape, VectorSkillShape) else 1,
    }
    if fields["skill_modes"] > 1:
        fields["skill_fit"] = "actions"  # effects are taught to skills of one mode
    return fields


def _uses_memory(shape: VectorSkillShape | DiscreteSkillShape, features: tuple[str, ...]) -> bool:
    """Whether the skill sees the state before, too: twice as many numbers as a state has.

    A folder without names for every feature is taken to plan all of them.
    """
    sees, named = shape.sees, len(features)
    states = named if sees in (named, 2 * named) else len(shape.predicts)
    return sees == 2 * states
