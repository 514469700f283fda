"""Presets: other defaults for a method's settings. Data, not code.

``paper`` is what the authors' experiments really did where that can be told (the docs' fidelity
table has each difference from their text); ``fast`` is what we found to work best, by the tuning
tables in the docs. An explicit flag or argument beats either.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from depo.errors import DepoError, unknown
from depo.presets import off_policy, on_policy
from depo.settings import OFF_POLICY, ON_POLICY, SETTINGS_OF, TRANSFER, Learner, MethodSettings

FINE_TUNING = ("supervision", "calibration", "supervision_loss", "reward_shift")
"""What a planner that is fine-tuned after its transfer has of a task's settings of 'depo'."""

Preset = dict[str, dict[str, Any]]
PRESETS: dict[Learner, dict[str, Preset]] = {
    ON_POLICY: on_policy.PRESETS,
    OFF_POLICY: off_policy.PRESETS,
}
"""Learner, preset, method: the fields that differ from the defaults."""


def preset_settings(
    method: str,
    preset: str,
    learner: Learner = ON_POLICY,
    task: str = "",
    dynamics: str = "",
) -> MethodSettings:
    """A method's settings under a preset; ``task`` is a Gymnasium id with settings of its own.

    So may a variant in ``dynamics`` have.

    >>> preset_settings("depo", "paper").calibration
    1.0
    >>> preset_settings("depo", "paper", "off-policy", "HalfCheetah-v5").calibration
    0.01
    """
    kinds = SETTINGS_OF[learner]
    if method not in kinds:
        other = [name for name, methods in SETTINGS_OF.items() if method in methods]
        if other:
            raise DepoError(
                f"method '{method}' is for the {other[0]} learner, this environment needs "
                f"{learner}: {', '.join(kinds)}"
            )
        raise unknown("method", method, kinds)
    presets = PRESETS[learner]
    if preset not in presets:
        raise unknown("preset", preset, presets)
    changes = dict(presets[preset][method])
    if learner == OFF_POLICY:
        own = off_policy.TASKS[preset].get(task, {})
        fields = {f.name for f in dataclasses.fields(kinds[method])}
        changes |= {name: value for name, value in own.get("all", {}).items() if name in fields}
        if method == TRANSFER:
            changes |= {n: v for n, v in own.get("depo", {}).items() if n in FINE_TUNING}
        changes |= own.get(method, {})
        for word in dynamics.split(","):
            changes |= off_policy.DYNAMICS[preset].get(word.strip(), {}).get(method, {})
    return dataclasses.replace(kinds[method](), **changes)
