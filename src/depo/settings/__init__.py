"""Every setting, one documented field each. No JAX here: the command line must start at once.

A method's settings are the parts it is made of, mixed together; presets (:mod:`depo.presets`)
are other defaults for the same fields. Which methods there are, and which settings they have,
depends on the learner: ``on-policy`` for finite states, ``off-policy`` for vectors.
"""

from __future__ import annotations

from typing import Literal

from depo.settings import off_policy, on_policy
from depo.settings.off_policy import OffPolicySettings
from depo.settings.on_policy import OnPolicySettings

Learner = Literal["on-policy", "off-policy"]
ON_POLICY: Learner = "on-policy"
OFF_POLICY: Learner = "off-policy"
TRANSFER = "transfer"
SHARED = ("depo", "depo-agnostic", "depo-supervised")
"""Methods whose planner several kinds can share."""
MethodSettings = OnPolicySettings | OffPolicySettings

SETTINGS_OF: dict[Learner, dict[str, type[MethodSettings]]] = {
    ON_POLICY: dict(on_policy.METHODS),
    OFF_POLICY: dict(off_policy.METHODS),
}
"""Learner, then method: the dataclass of its settings."""

METHODS = {
    name: kind
    for methods in SETTINGS_OF.values()
    for name, kind in methods.items()
    if name != TRANSFER
}
"""All names ``depo train`` knows, with one of their settings classes (for a summary)."""
