"""The policy of a run: its folder, or for runs without one that of the newest checkpoint."""

from __future__ import annotations

from depo.core.errors import DepoError, unknown
from depo.models.acting import Policy
from depo.models.card import SETTINGS
from depo.models.policy_folder import Formula, load_policy
from depo.models.skill_source import is_formula, is_trusted, skill_name
from depo.runs.exports import as_policy, folder_name, models_of, origin_of
from depo.runs.problem import open_problem
from depo.runs.run import POLICY, Run


def policy_of(
    run: Run, seed: int | None = None, variant: str = "", skill: Formula | None = None
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
        return load_policy(folder, skill=skill)
    return _of_checkpoint(run, chosen, variant, skill)


def _of_checkpoint(run: Run, seed: int, variant: str, skill: Formula | None) -> Policy:
    _check_named(run, skill)
    problem = open_problem(run.job, run.demonstrations(), str(run.path))
    try:
        state = run.load(problem.skeleton())
        model = models_of(problem, state, run.job.seeds.index(seed))[variant]
        scores = {int(row["seed"]): row for row in run.final_scores()}.get(seed, {})
        origin = origin_of(run, problem, seed, model, run.steps_done(), scores)
        return as_policy(run.job, model, variant, origin)
    finally:
        problem.close()


def _check_named(run: Run, skill: Formula | None) -> None:
    """Opening a run imports its formula: only if the user has named the same one."""
    name = run.job.skill
    if not is_formula(name) or is_trusted(name):
        return
    if skill is None or skill_name(skill) != name:
        raise DepoError(
            f"the skill of {run.path} is the formula '{name}', and a folder's word imports "
            f"nothing: name it yourself, run.policy(skill='{name}')"
        )
