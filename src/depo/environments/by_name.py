"""Environments by the words of the command line: what ``--env`` means, and what to say for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from depo.core.imports import allow
from depo.environments.family import GYMNASIUM, EnvironmentSettings, families, family_of


def named_environment(
    env: str,
    arguments: Mapping[str, Any] | None = None,
    dynamics: str = "",
    observe: str = "",
) -> EnvironmentSettings:
    """The environment that a word of ``--env`` means: a family's own, else a Gymnasium id.

    >>> named_environment("hopper", dynamics="inverted").label
    'hopper-v5-inverted'
    """
    own = next((f for f in families().values() if env in f.names), families()[GYMNASIUM])
    found = own.observing(own.named(env, arguments or {}), observe)
    found = replace(found, dynamics=dynamics)
    allow(own.wants(found))
    return found


def short_name(environment: EnvironmentSettings) -> str:
    """What the command line calls it.

    >>> short_name(named_environment("Hopper-v5")), short_name(EnvironmentSettings())
    ('hopper', 'gridworld')
    """
    return family_of(environment).short_name(environment)
