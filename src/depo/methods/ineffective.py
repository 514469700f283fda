"""Settings that are given and would do nothing: refused, with the reason. No JAX here."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any

from depo.core.errors import DepoError
from depo.methods.settings_tree import Facts, MethodSettings, Part, leaves, no_setting


def ineffective(settings: MethodSettings, facts: Facts) -> dict[str, str]:
    """The settings that have no effect in a job, by their flat names, each with the reason.

    >>> from depo.methods.sac import OffPolicySAC
    >>> ineffective(OffPolicySAC(), Facts())["epsilon_decay"]
    'epsilon is 0'
    """
    found: dict[str, str] = {}
    for part in _parts(settings):
        for rule in part.rules:
            if rule.is_idle(part, facts):
                found |= {name: rule.reason for name in rule.names if name not in found}
    return found


def refuse_ineffective(given: Iterable[str], settings: MethodSettings, facts: Facts) -> None:
    """Refuse settings that were given explicitly and have no effect in a job; what presets say
    without effect is nobody's mistake."""
    known = {leaf.name for leaf in leaves(settings)}
    idle = ineffective(settings, facts)
    for name in given:
        if name not in known:
            raise no_setting(type(settings), name, known)
        if name in idle:
            raise DepoError(f"{name} has no effect here: {idle[name]}")


def _parts(part: Part) -> Iterator[Part]:
    """The settings and every part in them."""
    yield part
    for field in dataclasses.fields(part):  # type: ignore[arg-type]
        value: Any = getattr(part, field.name)
        if isinstance(value, Part):
            yield from _parts(value)
