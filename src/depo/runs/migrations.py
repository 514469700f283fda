"""Settings of runs from older formats to the next: what a run's folder once said otherwise."""

from __future__ import annotations

from depo.core.formats import Data
from depo.environments.family import from_format_1


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
