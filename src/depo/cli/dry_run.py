"""``--dry-run``: what would run, from what, for how long and where. Nothing is written."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from depo.cli.config import named_in
from depo.cli.output import print_json, stdout
from depo.core.errors import DepoError
from depo.methods.registry import OFF_POLICY
from depo.methods.transfer import keeps_trunk
from depo.models.skill_source import is_formula
from depo.runs.free_folder import next_folder, refuse_taken
from depo.runs.job import Job
from depo.runs.run import Run
from depo.runs.settings_file import SETTINGS

if TYPE_CHECKING:
    from depo.experiments.sweep import Sweep


def tell(job: Job, out: str, *, as_json: bool) -> int:
    """Say what a run would be."""
    told = description(job, out)
    if as_json:
        print_json(told)
        return 0
    seeds = ", ".join(map(str, job.seeds))
    lines = {
        "would run": f"{job.method} on {job.environment.label}, {job.learner}, preset {job.preset}",
        "seeds": seeds if len(job.seeds) <= 10 else f"{job.seeds[0]} to {job.seeds[-1]}",
        "variants": "; ".join(job.variants),
        "demonstrations": _demonstrations_text(told["demonstrations"]),
        "planner": ", ".join(sorted(set(told["planners"]))),
        "skill": told["skill"],
        "for each seed": _length_text(told),
        "rounded": job.rounding,
        "time": _time_text(told),
        "would write": told["out"],
    }
    for name, text in lines.items():
        if text:
            stdout.print(f"{name + ':':16}{text}", soft_wrap=True)
    stdout.print("nothing was written")
    return 0


def description(job: Job, out: str = "") -> dict[str, Any]:
    """The same as plain data; what cannot be read is refused as it would be by the run."""
    path = Path(out) if out else next_folder(job)
    refuse_taken(path)
    seconds, basis = time_of(job, path.parent)
    return {
        "method": job.method,
        "environment": job.environment.label,
        "learner": job.learner,
        "preset": job.preset,
        "seeds": list(job.seeds),
        "variants": list(job.variants),
        "demonstrations": _demonstrations(job),
        "planners": _planners(job),
        "skill": _skill(job),
        "environment_steps": job.total_steps,
        "updates": updates(job),
        "evaluations": job.blocks or 1,
        "checkpoints": -(-job.blocks // job.settings.saving.checkpoint_every) + 1,
        "seconds": seconds,
        "seconds_from": basis,
        "out": str(path),
    }


def check_sources(sweep: Sweep, labels: Iterable[str]) -> None:
    """Refuse what some of its runs would refuse of their recordings and planners, once for all
    seeds of one job."""
    seen = set[str]()
    for label in labels:
        job, after = sweep.plan[label].job, sweep.plan[label].after
        one = json.dumps(replace(job, seeds=(0,)).to_json(), sort_keys=True)
        with named_in(f"run '{label}'"):
            if not after:  # else its planner is yet to be learned
                _planners(job)
            if one not in seen:
                _demonstrations(job)
        seen.add(one)


def updates(job: Job) -> int | None:
    """Gradient steps for each seed, of all variants together; None where they depend on the data.

    >>> from depo.api import make_job
    >>> updates(make_job("sac", env="hopper", steps=10_000, overrides={"random_steps": 5_000}))
    5250
    """
    if job.learner != OFF_POLICY:
        return None
    s, parts = job.settings, max(1, len(job.variants))
    gathered = s.collection.batch_steps
    bursts = -(-job.total_steps // (gathered * parts))
    idle = max(0, -(-s.exploration.random_steps // gathered) - 1)
    each = max(1, round(gathered * s.learning.updates_per_step))
    return max(0, bursts - idle) * each * parts


def time_of(job: Job, folder: Path) -> tuple[float | None, str | None]:
    """Seconds that a job would take, by the pace of the newest run in a folder that had the same
    method, environment and settings; None where there is none."""
    beside = [file.parent for file in folder.glob(f"*/{SETTINGS}")]
    for path in sorted(beside, key=lambda p: p.stat().st_mtime, reverse=True):
        try:
            run = Run.open(path)
            done = run.steps_done()
            if _is_alike(run.job, job) and done and run.seconds():
                pace = run.seconds() / (done * len(run.job.seeds))
                total = job.total_steps * len(job.seeds)
                return round(pace * total, 1), str(path)
        except (DepoError, OSError):
            continue  # a damaged run is no basis
    return None, None


def _is_alike(one: Job, other: Job) -> bool:
    """Whether two jobs take as long for a step of one seed, but for the compiler's share."""
    return (one.method, one.settings, one.environment, one.variants, len(one.seeds)) == (
        other.method,
        other.settings,
        other.environment,
        other.variants,
        len(other.seeds),
    )


def _demonstrations(job: Job) -> dict[str, Any] | None:
    if not (job.demos or job.needs_demonstrations):
        return None
    from depo.runs.demonstrations import (
        check_actions,
        check_states,
        default_demonstrations,
        draw_demonstrations,
    )

    demos = default_demonstrations(job.environment, job.demos)
    if job.spec.needs_actions:
        check_actions(demos, job.method)
    check_states(demos, job.first_environment)
    part = getattr(job.settings, "demos", None)
    seen = None if part is None else draw_demonstrations(demos, part.episodes, job.seeds[0]).seen
    lengths = demos.episode_lengths
    return {
        "from": job.demos or f"the default of {job.environment.label}",
        "episodes": demos.episodes,
        "drawn": None if seen is None else seen.episodes,
        "shortest": int(lengths.min()),
        "longest": int(lengths.max()),
        "states": len(demos.observations),
    }


def _planners(job: Job) -> list[str]:
    """The planner folder of every seed; refused where there is none."""
    if not job.planner:
        return []
    from depo.runs.planners import finite_planner, planner_folder, vector_planner

    folders = [planner_folder(job.planner, seed) for seed in job.seeds]
    own = job.first_environment.gymnasium()
    for folder in set(folders):
        if own.is_finite():
            finite_planner(folder, own.finite_sizes().states)
        else:
            vector_planner(folder, own, None)
    return [str(folder) for folder in folders]


def _skill(job: Job) -> str | None:
    if not job.spec.has_skill:
        return None
    if keeps_trunk(job.settings):
        return "a new last layer on the trunk of the one beside the planner"
    if not job.skill:
        return "learned from nothing"
    return f"the formula {job.skill}" if is_formula(job.skill) else f"begins with {job.skill}"


def _demonstrations_text(told: dict[str, Any] | None) -> str:
    if told is None:
        return "none"
    one = told["shortest"] == told["longest"]
    lengths = told["shortest"] if one else f"{told['shortest']} to {told['longest']}"
    drawn = "" if told["drawn"] is None else f", each seed draws {told['drawn']} of them"
    return f"{told['from']}: {_counted(told['episodes'], 'episode')} of {lengths} states{drawn}"


def _length_text(told: dict[str, Any]) -> str:
    done = "" if told["updates"] is None else f"{told['updates']:,} updates, "
    return (
        f"{told['environment_steps']:,} environment steps, {done}"
        f"{_counted(told['evaluations'], 'evaluation')}, "
        f"{_counted(told['checkpoints'], 'checkpoint')}"
    )


def _counted(number: int, one: str) -> str:
    """How many there are.

    >>> _counted(1, "episode"), _counted(1_000, "episode")
    ('1 episode', '1,000 episodes')
    """
    return f"{number:,} {one}{'' if number == 1 else 's'}"


def _time_text(told: dict[str, Any]) -> str:
    if told["seconds"] is None:
        return ""
    seconds = told["seconds"]
    about = f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} minutes"
    return f"about {about}, at the pace of {told['seconds_from']}"
