"""Settings of runs from older formats to the next: what a run's folder once said otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from depo.core.formats import Data
from depo.environments.family import GRID, GYMNASIUM, EnvironmentSettings, families
from depo.methods.registry import OFF_POLICY


def since_2(old: Data) -> Data:
    """An environment has a family, what shares its states is a variant, driving is no environment.

    >>> hopper = {"id": "Hopper-v5", "world": None, "arguments": []}
    >>> new = since_2({"job": {"types": ["as-is", "inverted"], "environment": hopper}})["job"]
    >>> new["variants"], new["environment"]["family"]
    (['as-is', 'inverted'], 'gymnasium')
    """
    job = {"variants" if name == "types" else name: value for name, value in old["job"].items()}
    job["environment"] = from_format_1(job["environment"])
    if "skill" in job:
        job["skill"] = job["skill"].replace("depo.environments.driving.", "depo.driving.")
    return {**old, "job": job}


def since_3(old: Data) -> Data:
    """On vectors a run takes the steps that were asked for; before, it went on to the next
    evaluation.

    >>> settings = {"evaluate_every": 20, "batch_steps": 250}
    >>> job = {"learner": "off-policy", "steps": 6_000, "settings": settings}
    >>> since_3({"job": job})["job"]["steps"]
    10000
    """
    job = old["job"]
    counts = [job["steps"], *(job["settings"][n] for n in ("evaluate_every", "batch_steps"))]
    if job["learner"] != OFF_POLICY or not all(isinstance(n, int) and n > 0 for n in counts):
        return old
    block = counts[1] * counts[2] * max(1, len(job.get("variants", ())))
    return {**old, "job": {**job, "steps": -(-job["steps"] // block) * block}}


def since_4(old: Data) -> Data:
    """What DePG counts Q in has a name; before, it was Q's deviation or it was not.

    >>> since_4({"job": {"settings": {"value_scale": True, "noise": 0.3}}})["job"]["settings"]
    {'noise': 0.3, 'value_unit': 'deviation'}
    """
    settings = dict(old["job"]["settings"])
    if "value_scale" not in settings:
        return old
    settings["value_unit"] = "deviation" if settings.pop("value_scale") else "reward"
    return {**old, "job": {**old["job"], "settings": settings}}


def to_format_1(environment: EnvironmentSettings) -> dict[str, Any]:
    """The way back: digests of kept results are made of what format 1 said."""
    own, is_grid = environment.gymnasium(), environment.family == GRID
    old: dict[str, Any] = {
        "id": own.id,
        "world": environment.to_json()["settings"] if is_grid else None,
        "arguments": [] if is_grid else [[n, v] for n, v in own.arguments.items()],
    }
    changed = {"dynamics": environment.dynamics, "observe": own.observe}
    return old | {name: value for name, value in changed.items() if value}


def from_format_1(old: Mapping[str, Any]) -> dict[str, Any]:
    """An environment of a run folder of format 1, as the next format has it.

    >>> from_format_1({"id": "Hopper-v5", "world": None, "arguments": []})
    {'family': 'gymnasium', 'settings': {'id': 'Hopper-v5', 'arguments': []}, 'dynamics': ''}
    """
    family = next((f for f in families().values() if old["id"] in f.names), families()[GYMNASIUM])
    if family.name == GYMNASIUM:
        settings: dict[str, Any] = {"id": old["id"], "arguments": old["arguments"]}
    else:
        settings = dict(old["arguments"] if old["world"] is None else old["world"])
    return {"family": family.name, "settings": settings, "dynamics": old.get("dynamics", "")}
