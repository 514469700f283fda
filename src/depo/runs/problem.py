"""A job's environment, demonstrations, learner and evaluator, opened and checked to fit."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from depo.core.errors import DepoError
from depo.data.demonstrations import Demonstrations
from depo.data.transitions import Expert
from depo.environments.family import family_of
from depo.evaluation.evaluator import EPISODES, Evaluator, MeanOverVariants, Scores, Scoring
from depo.learners.factory import cotraining_learner, finite_learner, pace, vector_learner
from depo.learners.learner import GivenSkill, Learner, Trunks
from depo.methods.off_policy.settings import uses_memory
from depo.methods.registry import OFF_POLICY
from depo.methods.transfer import keeps_trunk
from depo.models.reward import StateReward
from depo.models.skill import Skill
from depo.models.skill_source import find_skill, is_formula
from depo.runs.blame import blaming
from depo.runs.demonstrations import (
    Drawn,
    check_actions,
    check_demonstrations,
    check_states,
    default_demonstrations,
    draw_demonstrations,
    expert_actions,
    expert_pairs,
)
from depo.runs.job import Job
from depo.runs.memory import fitting_shapes
from depo.runs.planned_features import planned_features
from depo.runs.planners import finite_planner, is_nameless, planner_folder, trunk, vector_planner
from depo.runs.recorded_ends import share_of_ends
from depo.runs.rewards import given_reward
from depo.runs.run import Run


@dataclass(frozen=True, eq=False)
class Problem:
    """All a run needs, opened once; simulators to score in are made when first used."""

    job: Job
    demos: Demonstrations | None
    learner: Learner
    scoring: Scoring
    states: int
    """How many states there are, or how long a state vector is."""
    planners: str
    """Where planners, or rewards, that are given are: the job's source, or the run's own copies."""
    parts: dict[str, Problem] = field(default_factory=dict)
    """Co-training: the problem of every variant."""

    @cached_property
    def evaluator(self) -> Evaluator:
        """Who scores policies while they are trained; of variants, the mean."""
        if self.parts:
            return MeanOverVariants({name: part.evaluator for name, part in self.parts.items()})
        environment = self.job.environment
        return family_of(environment).evaluator(environment, self.scoring)

    @cached_property
    def report(self) -> Evaluator:
        """Who scores policies that are finished: all that can be said; of variants, the mean."""
        if self.parts:
            return MeanOverVariants({name: part.report for name, part in self.parts.items()})
        environment = self.job.environment
        return family_of(environment).report(environment, self.scoring)

    @property
    def chosen_by(self) -> str:
        """The score models are chosen by; empty: there is none, the last model is kept."""
        return self.evaluator.chosen_by

    def evaluate(self, state: Any) -> Scores:
        """The scores of every seed's policy."""
        return self.evaluator(*self.policies_and_skills(state))

    def policies_and_skills(self, state: Any) -> tuple[list[Any], list[Skill | None]]:
        """What evaluators take: of every seed; of variants one after the other."""
        count = range(len(self.job.seeds))
        policies = [self.learner.policies(state, i) for i in count]
        skills = [self.learner.skills(state, i) for i in count]
        names = list(self.parts) or [""]
        return (
            [own[name] for name in names for own in policies],
            [own[name] for name in names for own in skills],
        )

    def close(self) -> None:
        """Close all simulators."""
        self.learner.close()
        for name in ("evaluator", "report"):
            if name in self.__dict__:
                getattr(self, name).close()

    def initial_state(self) -> Any:
        """Fresh agents, with the source planners in a transfer and the skill that is given."""
        self.skeleton()  # refuses what does not fit this machine
        with blaming(self.job.spec):
            return self.learner.init(self.job.seeds, self._planners(), self._skill())

    def skeleton(self) -> Any:
        """The shapes of a state, for loading one."""
        skill = self._skill() if is_formula(self.job.skill) else None
        planners = self._planners()

        def shapes() -> Any:
            return eqx.filter_eval_shape(self.learner.init, self.job.seeds, planners, skill)

        with blaming(self.job.spec):
            return fitting_shapes(self.job, self.states, shapes)

    def _skill(self) -> GivenSkill:
        """The skill that is given; of variants each one's own."""
        if self.parts:
            found = {name: part._skill() for name, part in self.parts.items()}
            return {name: skill for name, skill in found.items() if isinstance(skill, Skill)}
        if keeps_trunk(self.job.settings):
            return Trunks(tuple(trunk(self.planners, seed) for seed in self.job.seeds))
        environment = self.job.environment
        return find_skill(self.job.skill, family_of(environment).time_step(environment))

    def _planners(self) -> Any:
        if not self.job.spec.takes_planner:
            return None
        folders = [planner_folder(self.planners, seed) for seed in self.job.seeds]
        if self.job.learner == OFF_POLICY:
            environment = self.job.environment.gymnasium()
            return [vector_planner(folder, environment, self.demos) for folder in folders]
        planners = [finite_planner(folder, self.states) for folder in folders]
        if len({tuple(w.shape for w in p.network.weights) for p in planners}) > 1:
            raise DepoError("the seeds' planners have networks of different shapes")
        return jax.tree.map(lambda *xs: jnp.stack(xs), *planners)


def open_problem(
    job: Job,
    demos: Demonstrations | None = None,
    planners: str | None = None,
    episodes: int = EPISODES,
) -> Problem:
    """Open what a job names; a run gives its own copies of demonstrations and planners."""
    if demos is None and (job.demos or job.needs_demonstrations):
        demos = default_demonstrations(job.environment, job.demos)
    source = (job.planner or job.reward_from) if planners is None else planners
    if job.variants:
        return _open_variants(job, demos, source, episodes)
    opened = _open_vectors if job.learner == OFF_POLICY else _open_finite
    with blaming(job.spec):
        return opened(job, demos, source, episodes)


def open_problem_of(run: Run, job: Job | None = None, episodes: int = EPISODES) -> Problem:
    """What a run works on, or another job with its copies; refused where that would import what
    only somebody else's folder names."""
    run.check_imports()
    return open_problem(job or run.job, run.demonstrations(), str(run.path), episodes)


def _open_variants(job: Job, demos: Demonstrations | None, planners: str, episodes: int) -> Problem:
    """A problem for every variant, their learners joined."""
    parts = {}
    for number, name in enumerate(job.variants):
        own = _job_of(job, name)
        if job.learner == OFF_POLICY:
            turns = len(job.variants) if job.schedule == "round-robin" else 1
            parts[name] = _open_vectors(own, demos, planners, episodes, number, turns)
        else:
            parts[name] = _open_finite(own, demos, planners, episodes, number)
    sizes = {name: part.states for name, part in parts.items()}
    if len(set(sizes.values())) > 1:
        raise DepoError(f"variants must share their states, these have {sizes}")
    if job.learner == OFF_POLICY:
        _check_same_features(parts)
    learners = {name: part.learner for name, part in parts.items()}
    first = next(iter(parts.values()))
    return Problem(
        job=job,
        demos=demos,
        learner=cotraining_learner(job.learner, learners, job.schedule),
        scoring=first.scoring,
        states=first.states,
        planners=planners,
        parts=parts,
    )


def _job_of(job: Job, name: str) -> Job:
    """The share that a variant has in a job: its own formula where the skill is one, and on
    vectors its part of the steps."""
    environment = job.environment.variant(name)
    formula = family_of(environment).formula(environment) if is_formula(job.skill) else ""
    own = replace(job, environment=environment, variants=(), skill=formula or job.skill)
    if job.learner != OFF_POLICY:
        return own
    return replace(own, steps=job.total_steps // len(job.variants))


def _check_same_features(parts: dict[str, Problem]) -> None:
    """Refuse variants that are environments of their own and call their features otherwise."""
    named = {name: part.job.environment.gymnasium().feature_names() for name, part in parts.items()}
    said = {name: features for name, features in named.items() if not is_nameless(features)}
    first, *others = said or [""]
    for other in others:
        for i, (ours, theirs) in enumerate(zip(said[first], said[other], strict=True)):
            if ours != theirs:
                raise DepoError(
                    f"variants must share their states: feature {i} is '{ours}' to {first} and "
                    f"'{theirs}' to {other}"
                )


def _open_finite(
    job: Job,
    demos: Demonstrations | None,
    planners: str,
    episodes: int,
    variant: int | None = None,
) -> Problem:
    s, environment = job.settings, job.environment.gymnasium()
    table = family_of(job.environment).open_table(job.environment)
    if table is None and variant is not None:
        raise DepoError(
            "variants share a planner where finite states have tables, as in the grid world, and "
            f"on vector states, not on {environment.id}"
        )
    states = environment.finite_sizes().states if table is None else table.states
    if demos is not None:
        check_demonstrations(demos, states, job.environment.label)
    learner = finite_learner(
        job.implementation.build(s),
        table,
        environment,
        seeds=job.seeds,
        steps=job.total_steps,
        expert=None if demos is None else demos.transitions(),
        variant=variant or 0,
    )
    scoring = Scoring(job.seeds, gamma=s.learning.gamma, demos=demos, episodes=episodes)
    return Problem(job, demos, learner, scoring, states, planners)


def _shown(job: Job, demos: Demonstrations) -> Expert:
    """What a method is shown of demonstrations: states, and actions where it imitates them."""
    if job.spec.needs_actions:
        return expert_actions(demos, job.environment.gymnasium())
    return expert_pairs(demos, uses_memory(job.settings))


def _rewards(job: Job, source: str) -> list[StateReward] | None:
    """The reward of every seed, where the method is given one."""
    if not job.spec.takes_reward:
        return None
    environment = job.environment.gymnasium()
    return [given_reward(source, seed, environment) for seed in job.seeds]


def _open_vectors(
    job: Job,
    demos: Demonstrations | None,
    planners: str,
    episodes: int,
    variant: int = 0,
    turns: int = 1,
) -> Problem:
    s, environment = job.settings, job.environment.gymnasium()
    states = environment.vector_sizes().states
    drawn: list[Drawn] = [Drawn(None, None) for _ in job.seeds]
    if demos is not None:
        check_states(demos, job.environment)
        if job.spec.needs_actions:
            check_actions(demos, job.method)
        if (part := getattr(s, "demos", None)) is not None:
            drawn = [draw_demonstrations(demos, part.episodes, seed) for seed in job.seeds]
    names = environment.feature_names()
    if demos is not None and not (names and is_nameless(demos.feature_names)):
        names = demos.feature_names
    planned = planned_features(s, environment, names, states)
    limit = environment.time_limit()
    learner = vector_learner(
        job.implementation.build(s, pace(s.learning, s.exploration, job.steps, turns)),
        environment,
        family_of(job.environment).open_jax(job.environment),
        seeds=job.seeds,
        experts=[None if own.seen is None else _shown(job, own.seen) for own in drawn],
        planned=planned,
        variant=variant,
        rewards=_rewards(job, planners),
        steps=job.total_steps,
        ends=[0.0 if own.seen is None else share_of_ends(own.seen, limit) for own in drawn],
    )
    scoring = Scoring(
        job.seeds,
        demos=demos,
        held_out=tuple(own.held_out for own in drawn),
        planned=planned,
        remember=uses_memory(s),
        episodes=episodes,
    )
    return Problem(job, demos, learner, scoring, states, planners)
