"""What a run leaves behind: planners, skills, rewards and policies as folders."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from gymnasium.spaces import Box

from depo.data.demonstrations import Demonstrations
from depo.environments.discrete_actions import choices_of, first_numbers
from depo.environments.family import EnvironmentSettings, family_of
from depo.methods.off_policy.settings import is_fine_tuned, uses_memory
from depo.methods.registry import OFF_POLICY, ON_POLICY
from depo.models.acting import Policy, Space
from depo.models.card import Origin, read_origin
from depo.models.folder import has_folder, load_planner, save_planner, save_reward, save_skill
from depo.models.policy import CategoricalActor, DecoupledPolicy, PolicyModel
from depo.models.policy_folder import can_be_saved, save_policy
from depo.models.skill import CategoricalSkill
from depo.runs.demonstrations import draw_demonstrations
from depo.runs.home import written_home
from depo.runs.job import Job
from depo.runs.planners import PLANNER, planner_folder, source_folder
from depo.runs.problem import Problem
from depo.runs.rewards import REWARD
from depo.runs.run import POLICY, Run


def keep_source_planners(run: Run) -> None:
    """The planners a transfer begins with are the ones it ends with: copy them, cards and all.

    Those that will be fine-tuned are kept beside, as they were.
    """
    for seed in run.job.seeds:
        source = planner_folder(run.job.planner, seed)
        planner, origin = load_planner(source), read_origin(source)
        for folder in {run.path / PLANNER, source_folder(run)}:
            save_planner(folder / f"seed-{seed}", planner, origin)


def export(
    run: Run,
    problem: Problem,
    state: Any,
    seeds: Collection[int],
    env_steps: int,
    scores: Mapping[int, Mapping[str, float]],
) -> None:
    """Write what some seeds have learned: policies, and where there are any, skills and planners
    (unless they came from elsewhere)."""
    for i, seed in enumerate(run.job.seeds):
        if seed not in seeds:
            continue
        models = models_of(problem, state, i)
        first = next(iter(models.values()))
        origin = origin_of(run, problem, seed, first, env_steps, scores.get(seed, {}))
        keeps_planner = run.job.spec.takes_planner and not is_fine_tuned(run.job.settings)
        beside = problem.learner.planner(state, i)
        planner = first.planner if isinstance(first, DecoupledPolicy) else beside
        if planner is not None and not keeps_planner and has_folder(planner):
            save_planner(run.path / PLANNER / f"seed-{seed}", planner, origin)
        if "reward" in run.job.spec.exports and not run.job.spec.takes_reward:
            reward = problem.learner.reward(state, i)
            save_reward(run.path / REWARD / f"seed-{seed}", reward, origin)
        for variant, model in models.items():
            name = folder_name(seed, variant)
            if isinstance(model, DecoupledPolicy) and has_folder(model.skill):
                save_skill(run.path / "skill" / name, model.skill, origin)
            if can_be_saved(model):
                policy = as_policy(run.job, model, variant, origin)
                save_policy(run.path / POLICY / name, policy)


def models_of(problem: Problem, state: Any, index: int) -> dict[str, PolicyModel]:
    """A seed's policies by variant; of an environment as it is, one under no name."""
    return problem.learner.policies(state, index)


def folder_name(seed: int, variant: str) -> str:
    """Of what a seed has learned, with one variant if there are several."""
    return f"seed-{seed}-{variant}" if variant else f"seed-{seed}"


def origin_of(
    run: Run,
    problem: Problem,
    seed: int,
    model: PolicyModel,
    env_steps: int,
    scores: Mapping[str, float],
) -> Origin:
    """Where a seed's models come from."""
    known = {k: v for k, v in scores.items() if math.isfinite(v)}
    return Origin(
        environment=run.job.environment.label,
        home=written_home(run.job.environment),
        method=run.job.method,
        features=_features(run, problem, seed, model),
        trained_on=describe_demonstrations(run.job, problem.demos, seed),
        env_steps=env_steps,
        seed=seed,
        varied=getattr(run.job.settings.collection, "vary", ""),
        scores={k: v for k, v in known.items() if k not in ("seed", "env_steps")},
    )


def as_policy(job: Job, model: PolicyModel, variant: str, origin: Origin) -> Policy:
    """A model as its user sees it, with the spaces of its environment."""
    environment = job.environment.variant(variant) if variant else job.environment
    states, actions = _spaces(job, model, environment)
    return Policy(
        model,
        observations=states,
        actions=actions,
        remembers=uses_memory(job.settings),
        origin=replace(origin, environment=environment.label, home=written_home(environment)),
    )


def _spaces(job: Job, model: PolicyModel, environment: EnvironmentSettings) -> tuple[Space, Space]:
    if isinstance(model, DecoupledPolicy) and isinstance(model.skill, CategoricalSkill):
        return Space.finite(model.skill.states), Space.finite(model.skill.actions)
    if isinstance(model, CategoricalActor):
        return Space.finite(model.states), Space.finite(model.network.biases[-1].shape[0])
    if job.learner == ON_POLICY:
        sizes = environment.gymnasium().finite_sizes()
        return Space.finite(sizes.states), Space.finite(sizes.actions)
    states, actions = environment.gymnasium().own_spaces()
    observed = Space.vector(*(states.shape or ()))
    if choices := choices_of(actions):
        return observed, Space.of_choices(choices, first_numbers(actions), actions.shape or ())
    assert isinstance(actions, Box)
    return observed, Space.box(actions.low, actions.high)


def _features(run: Run, problem: Problem, seed: int, model: PolicyModel) -> tuple[str, ...]:
    """Names from the environment on vectors, from the demonstrations, or from the planner that was
    transferred; numbers where nobody has any."""
    environment = run.job.environment.gymnasium()
    if problem.demos is not None:
        own = environment.feature_names() if run.job.learner == OFF_POLICY else ()
        return own or problem.demos.feature_names
    if run.job.spec.takes_planner:
        return read_origin(source_folder(run) / f"seed-{seed}").features
    part = model.planner if isinstance(model, DecoupledPolicy) else model
    if (normaliser := getattr(part, "normaliser", None)) is None:  # finite states
        return ("state",)
    count = normaliser.mean.shape[0]
    return environment.feature_names() or tuple(f"s{i}" for i in range(count))


def describe_demonstrations(job: Job, demos: Demonstrations | None, seed: int) -> str:
    """One line on what a seed imitates: the episodes that it has drawn, not those that are there;
    none where demonstrations are only what policies are scored by."""
    is_used = job.spec.needs_demonstrations or is_fine_tuned(job.settings)
    if demos is None or not is_used:
        return "no demonstrations"
    name = Path(job.demos).name if job.demos else family_of(job.environment).expert
    part = getattr(job.settings, "demos", None)
    drawn = demos if part is None else draw_demonstrations(demos, part.episodes, seed).seen
    seen, every = 0 if drawn is None else drawn.episodes, demos.episodes
    return f"{name}: {every if seen == every else f'{seen} of {every}'} state-only episodes"
