"""The policy of a run: its folder, or for runs without one that of the newest checkpoint."""

from __future__ import annotations

from depo.core.errors import DepoError, unknown
from depo.models.acting import Policy
from depo.models.card import SETTINGS
from depo.models.policy_folder import Formula, load_policy
from depo.models.skill_source import skill_name
from depo.runs.exports import as_policy, folder_name, models_of, origin_of
from depo.runs.problem import open_problem_of
from depo.runs.run import POLICY, Run


def policy_of(
    run: Run,
    seed: int | None = None,
    variant: str = "",
    skill: Formula | None = None,
    trust: bool = False,
) -> Policy:
    """The policy of one seed, the first if none is named; co-trained, with one variant."""
    chosen = run.job.seeds[0] if seed is None else seed
    if chosen not in run.job.seeds:
        raise DepoError(f"{run.path} has the seeds {list(run.job.seeds)}, not {chosen}")
    if variant and variant not in run.job.variants:
        raise unknown(f"variant of {run.path}", variant, run.job.variants)
    variant = variant or next(iter(run.job.variants), "")
    folder = run.path / POLICY / folder_name(chosen, variant)
    if (folder / SETTINGS).exists():
        return load_policy(folder, skill=skill, trust=trust)
    named = () if skill is None else (skill_name(skill),)
    return _of_checkpoint(run.trusted(False, named), chosen, variant)


def _of_checkpoint(run: Run, seed: int, variant: str) -> Policy:
    problem = open_problem_of(run)
    try:
        state = run.load(problem.skeleton())
        model = models_of(problem, state, run.job.seeds.index(seed))[variant]
        scores = {int(row["seed"]): row for row in run.final_scores()}.get(seed, {})
        origin = origin_of(run, problem, seed, model, run.steps_done(), scores)
        return as_policy(run.job, model, variant, origin)
    finally:
        problem.close()
