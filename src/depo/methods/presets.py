"""Presets: other defaults for a method's settings, in layers. No JAX here.

``paper`` is what the authors' experiments really did where that can be told (the docs' fidelity
table has each difference from their text); ``fast`` is what we found to work best; ``recipe``
knows no task, and is what ``fast`` has in ``depo`` for tasks without published figures; ``v0.1``
is what version 0.1 called fast. An explicit flag or argument beats any.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Literal, NamedTuple, get_args

from depo.core.errors import unknown
from depo.methods.registry import ON_POLICY, Implementation, LearnerName, Values, find_method
from depo.methods.settings_tree import (
    MethodSettings,
    every_name,
    leaves,
    settings_from,
    with_values,
)
from depo.methods.tasks import TASKS
from depo.models.skill_source import shape_settings, trunk_settings

PRESETS = ("fast", "paper", "recipe", "v0.1")
UNCHANGED = {"v0.1": "fast"}
"""A preset of an earlier version is today's where that has not changed since, and so are the tables
of tasks that methods share."""
Layer = Literal["default", "preset", "task", "dynamics", "skill", "config", "flag"]
"""Where a setting's value comes from; later layers beat earlier ones."""
LAYERS: tuple[Layer, ...] = get_args(Layer)
NOTHING: Values = MappingProxyType({})


def preset_layers(
    method: str,
    preset: str,
    learner: LearnerName = ON_POLICY,
    task: str = "",
    dynamics: str = "",
) -> dict[Layer, Values]:
    """What a preset says of a method's settings, later layers over earlier ones: the preset itself,
    the task (a Gymnasium id) and dynamics variants.

    >>> preset_layers("bco", "fast", "off-policy", "InvertedPendulum-v5")["task"]["hidden"]
    64
    >>> preset_layers("depo", "fast", "off-policy", "Mine-v0")["task"]
    {}
    """
    own = find_method(method).implementation(learner)
    if preset not in known_presets(own):
        raise unknown("preset", preset, known_presets(own))
    name = preset if preset in own.presets else UNCHANGED[preset]
    has = every_name(own.settings)
    tables = TASKS.get(learner, {}) if preset not in own.task_free else {}
    shared = tables.get(UNCHANGED.get(preset, preset), {}).get(task, {})
    by_task = {name: value for name, value in shared.items() if name in has}
    by_task |= own.tasks.get(preset if preset in own.tasks else name, {}).get(task, {})
    by_dynamics: dict[str, Any] = {}
    for word in dynamics.split(","):
        by_dynamics |= own.dynamics.get(name, {}).get(word.strip(), {})
    return {"preset": own.presets[name], "task": by_task, "dynamics": by_dynamics}


def preset_settings(
    method: str,
    preset: str,
    learner: LearnerName = ON_POLICY,
    task: str = "",
    dynamics: str = "",
    changes: Values | None = None,
) -> MethodSettings:
    """A method's settings under a preset, with changes on top.

    >>> preset_settings("depo", "paper").calibration.weight
    1.0
    >>> preset_settings("depo", "paper", "off-policy", "HalfCheetah-v5").calibration.weight
    0.01
    """
    return compose(method, preset, learner, task, dynamics, flags=changes or {}).settings


def known_presets(own: Implementation) -> tuple[str, ...]:
    """The presets that a method can be asked for.

    >>> known_presets(find_method("ppo").implementation("on-policy"))
    ('fast', 'paper', 'v0.1')
    """
    return (*own.presets, *(name for name in UNCHANGED if name not in own.presets))


class Composed(NamedTuple):
    """Settings, and where each value comes from."""

    settings: MethodSettings
    origins: dict[str, Layer]
    """The layer of every setting, by its flat name."""


def compose(
    method: str,
    preset: str,
    learner: LearnerName = ON_POLICY,
    task: str = "",
    dynamics: str = "",
    skill: str = "",
    planner: str = "",
    *,
    config: Values = NOTHING,
    flags: Values = NOTHING,
) -> Composed:
    """A method's settings of all layers, later ones over earlier ones: the preset's own, the shape
    of the skill that a transfer is given or finds beside its planner, a file's values, and flags
    (in Python: overrides).

    What a file or flags say and the method has not is refused; presets may say it without effect.

    >>> composed = compose("depo", "fast", "off-policy", "Mine-v0", flags={"hidden": 64})
    >>> [composed.origins[name] for name in ("hidden", "minibatch", "gamma")]
    ['flag', 'preset', 'default']
    """
    spec = find_method(method)
    kind = spec.implementation(learner).settings
    names = every_name(kind)
    presets = preset_layers(method, preset, learner, task, dynamics)
    shape = shape_settings(skill) if spec.takes_planner else {}
    if skill:
        shape["skill_start"] = "fresh"  # it is kept whole
    elif planner and _keeps_trunk(*presets.values(), config, flags):
        shape = trunk_settings(planner)
    layers: dict[Layer, Values] = {
        **presets,
        "skill": {name: value for name, value in shape.items() if name in names},
        "config": config,
        "flag": flags,
    }
    given = {**config, **flags}
    said = {name: value for layer in layers.values() for name, value in layer.items()}
    known = {name: said[name] for name in said if name in names or name not in given}
    settings = with_values(settings_from(kind, known), given)
    origins: dict[str, Layer] = {leaf.name: "default" for leaf in leaves(settings)}
    for layer, values in layers.items():
        origins |= {name: layer for name in values if name in origins}
    return Composed(settings, origins)


def _keeps_trunk(*layers: Values) -> bool:
    said = [layer["skill_start"] for layer in layers if "skill_start" in layer]
    return said[-1:] == ["trunk"]
