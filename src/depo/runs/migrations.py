"""Settings of runs from older formats to the next: what a run's folder once said otherwise."""

from __future__ import annotations

from depo.core.formats import Data
from depo.environments.family import from_format_1
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
