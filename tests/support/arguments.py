"""Arguments of ``depo.train`` and its like, from one flat list of names."""

from __future__ import annotations

from inspect import signature
from typing import Any

from depo.api import cotrain, make_job, transfer
from depo.environments.grid.gridworld import GridWorldSettings

_EXPLICIT = {n for call in (make_job, cotrain, transfer) for n in signature(call).parameters}
_WORLD = set(GridWorldSettings.__dataclass_fields__)


def flat(**names: Any) -> dict[str, Any]:
    """Parameters as they are, fields of the grid world as ``env_args``, others as ``overrides``."""
    explicit = {name: value for name, value in names.items() if name in _EXPLICIT}
    is_grid = names.get("env", "") in ("", "gridworld")
    world = {n: v for n, v in names.items() if is_grid and n in _WORLD}
    rest = {n: v for n, v in names.items() if n not in explicit and n not in world}
    if world:
        explicit["env_args"] = {**explicit.get("env_args", {}), **world}
    if rest:
        explicit["overrides"] = {**explicit.get("overrides", {}), **rest}
    return explicit
