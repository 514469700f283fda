"""A job's environment, demonstrations, learner and evaluator, opened and checked to fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from depo.demos.demonstrations import Demonstrations
from depo.environments.driving.opening import open_recording
from depo.environments.driving.settings import ID as DRIVING_ID
from depo.environments.driving.settings import DrivingSettings, environment_skill
from depo.environments.gridworld import GridWorld
from depo.environments.host import HostEnvironment
from depo.environments.tabular import tabular_gridworld
from depo.errors import DepoError
from depo.evaluation.driving import DrivingEvaluator
from depo.evaluation.exact import ExactEvaluator
from depo.evaluation.rollouts import EPISODES, RolloutEvaluator
from depo.evaluation.statistics import mean_scores
from depo.evaluation.tables import policy_tables, split_seeds
from depo.evaluation.vector_rollouts import VectorEvaluator, score, skill_error
from depo.learners.cotraining import OffPolicyCotraining, OnPolicyCotraining
from depo.learners.host import HostLearner
from depo.learners.learner import Learner
from depo.learners.off_policy import OffPolicyLearner, OffPolicyState
from depo.learners.on_policy import CompiledLearner, LearnerState
from depo.methods import off_policy, on_policy
from depo.models.skill import Skill
from depo.models.skill_source import find_skill, is_formula
from depo.runs.imitated import (
    Drawn,
    check_demonstrations,
    check_vectors,
    default_demonstrations,
    draw_demonstrations,
    expert_pairs,
)
from depo.runs.job import EnvironmentSettings, Job
from depo.runs.planned import planned_features
from depo.runs.planners import finite_planner, is_nameless, planner_folder, vector_planner
from depo.settings import OFF_POLICY, TRANSFER
from depo.settings.off_policy import (
    DemoSettings,
    OffPolicySettings,
    remembers,
    unfreezes,
)
from depo.settings.on_policy import OnPolicySettings

Scores = list[dict[str, float]]


@dataclass(frozen=True, eq=False)
class Problem:
    """All a run needs, opened."""

    job: Job
    demos: Demonstrations | None
    learner: Learner | OffPolicyCotraining | OnPolicyCotraining
    evaluate: Callable[[Any], Scores]
    exact: ExactEvaluator | None
    close: Callable[[], None]
    states: int
    """How many states there are, or how long a state vector is."""
    planners: str
    """Where a transfer's planners are: the job's source, or the run's own copies of them."""
    parts: dict[str, Problem] = field(default_factory=dict)
    """Co-training: the problem of every type."""
    chosen_by: str = ""
    """The score models are chosen by; empty: there is nothing to choose by, the last is kept."""

    def initial_state(self) -> Any:
        """Fresh agents, with the source planners in a transfer and the skill that is given."""
        if isinstance(self.learner, OffPolicyCotraining | OnPolicyCotraining):
            return self.learner.join([part.initial_state() for part in self.parts.values()])
        state = self.learner.init(self.job.seeds, self._planners())
        skill = self._skill()
        return state if skill is None else self.learner.with_skill(state, skill)

    def skeleton(self) -> Any:
        """The shapes of a state, for loading one."""
        if isinstance(self.learner, OffPolicyCotraining | OnPolicyCotraining):
            return self.learner.join([part.skeleton() for part in self.parts.values()])
        state = eqx.filter_eval_shape(self.learner.init, self.job.seeds, self._planners())
        skill = self._skill() if is_formula(self.job.skill) else None
        return state if skill is None else self.learner.with_skill(state, skill)

    def _skill(self) -> Skill | None:
        environment, time_step = self.job.environment, None
        if environment.id == DRIVING_ID:
            time_step = open_recording(dict(environment.arguments).get("recording", "")).time_step
        return find_skill(self.job.skill, time_step)

    def _planners(self) -> Any:
        if self.job.method != TRANSFER:
            return None
        folders = [planner_folder(self.planners, seed) for seed in self.job.seeds]
        if self.job.learner == OFF_POLICY:
            host = host_of(self.job.environment)
            return [vector_planner(folder, host, self.demos) for folder in folders]
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
    rewarded = job.method in ("ppo", "sac", "depo-rl")
    learns_without = rewarded or (job.method == TRANSFER and not unfreezes(job.settings))
    scored_against = job.environment.world is not None
    if demos is None and (job.demos or scored_against or not learns_without):
        demos = default_demonstrations(job.environment, job.demos)
    source = job.planner if planners is None else planners
    if job.types:
        return _open_types(job, demos, source, episodes)
    if job.learner == OFF_POLICY:
        return _open_vectors(job, demos, source, episodes)
    opened = _open_gridworld if job.environment.world is not None else _open_host
    return opened(job, demos, source)


def host_of(environment: EnvironmentSettings) -> HostEnvironment:
    """The Gymnasium environment that settings name."""
    return HostEnvironment(
        environment.id, dict(environment.arguments), dynamics=environment.dynamics
    )


def _open_types(job: Job, demos: Demonstrations | None, planners: str, episodes: int) -> Problem:
    """A problem for every type, their learners joined; scores are means over types."""
    parts = {}
    for kind, name in enumerate(job.types):
        environment = job.environment.of_type(name)
        skill = environment_skill(environment) if is_formula(job.skill) else job.skill
        own = replace(job, environment=environment, types=(), skill=skill)
        if job.learner == OFF_POLICY:
            own = replace(own, steps=job.steps // len(job.types))
            turns = len(job.types) if job.schedule == "round-robin" else 1
            parts[name] = _open_vectors(own, demos, planners, episodes, kind, turns)
        elif environment.world is not None:
            parts[name] = _open_gridworld(own, demos, planners, kind)
        else:
            raise DepoError(
                f"types share a planner on the grid world and on vector states, not on "
                f"{job.environment.id}"
            )
    learners: Any = {name: part.learner for name, part in parts.items()}
    sizes = {name: part.states for name, part in parts.items()}
    if len(set(sizes.values())) > 1:
        raise DepoError(f"types must share their states, these have {sizes}")
    if job.learner == OFF_POLICY:
        _check_same_features(parts)
    if job.learner == OFF_POLICY:
        learner: Any = OffPolicyCotraining(learners, job.schedule)
    else:
        learner = OnPolicyCotraining(learners, job.schedule)

    def evaluate(state: Any) -> Scores:
        scores = [part.evaluate(own) for part, own in zip(parts.values(), state, strict=True)]
        return [
            mean_scores(dict(zip(parts, row, strict=True))) for row in zip(*scores, strict=True)
        ]

    def close() -> None:
        for part in parts.values():
            part.close()

    first = next(iter(parts.values()))
    return Problem(
        job, demos, learner, evaluate, None, close, first.states, planners, parts, first.chosen_by
    )


def _check_same_features(parts: dict[str, Problem]) -> None:
    """Types that are environments of their own may call their features otherwise: refuse them."""
    named = {name: host_of(part.job.environment).feature_names() for name, part in parts.items()}
    said = {name: features for name, features in named.items() if not is_nameless(features)}
    first, *others = said or [""]
    for other in others:
        for i, (ours, theirs) in enumerate(zip(said[first], said[other], strict=True)):
            if ours != theirs:
                raise DepoError(
                    f"types must share their states: feature {i} is '{ours}' to {first} and "
                    f"'{theirs}' to {other}"
                )


def _open_gridworld(
    job: Job, demos: Demonstrations | None, planners: str, kind: int = 0
) -> Problem:
    assert job.environment.world is not None
    assert demos is not None
    assert isinstance(job.settings, OnPolicySettings)
    world = GridWorld(job.environment.world)
    check_demonstrations(demos, world.states, job.environment.label)
    environment = tabular_gridworld(world)
    learner = CompiledLearner(
        environment,
        method=on_policy.make_method(job.settings),
        expert=demos.transitions(),
        steps=job.blocks * job.steps_per_block,
        kind=kind,
    )
    exact = ExactEvaluator(world, environment, demos, job.settings.gamma)

    def evaluate(state: LearnerState) -> Scores:
        tables = split_seeds(policy_tables(learner.policies(state), world.states))
        return [exact(table) for table in tables]

    return Problem(job, demos, learner, evaluate, exact, learner.close, world.states, planners)


def _open_host(job: Job, demos: Demonstrations | None, planners: str) -> Problem:
    assert isinstance(job.settings, OnPolicySettings)
    environment = host_of(job.environment)
    states, _ = environment.finite_sizes()
    if demos is not None:
        check_demonstrations(demos, states, job.environment.id)
    nothing = np.zeros(1, np.int32)
    learner = HostLearner(
        environment,
        job.seeds,
        method=on_policy.make_method(job.settings),
        expert=demos.transitions() if demos is not None else (nothing, nothing),
        steps=job.blocks * job.steps_per_block,
    )
    evaluator = RolloutEvaluator(environment, job.seeds)

    def close() -> None:
        learner.close()
        evaluator.close()

    def evaluate(state: LearnerState) -> Scores:
        return evaluator(learner.policies(state))

    return Problem(job, demos, learner, evaluate, None, close, states, planners)


def _open_vectors(
    job: Job,
    demos: Demonstrations | None,
    planners: str,
    episodes: int,
    kind: int = 0,
    turns: int = 1,
) -> Problem:
    s = job.settings
    assert isinstance(s, OffPolicySettings)
    plain = host_of(job.environment)
    playing = replace(plain, remember=remembers(s))
    training = replace(playing, ignore_termination=s.termination == "ignored")
    states, _ = plain.vector_sizes()
    drawn: list[Drawn] = [Drawn(None, None) for _ in job.seeds]
    if demos is not None:
        check_vectors(demos, states, job.environment.id)
        if isinstance(s, DemoSettings):
            drawn = [draw_demonstrations(demos, s.demo_episodes, seed) for seed in job.seeds]
    names = demos.feature_names if demos is not None else plain.feature_names()
    planned = planned_features(s, plain, names, states)
    learner = OffPolicyLearner(
        training,
        off_policy.make_method(s, round((job.steps - s.random_steps) * s.updates_per_step), turns),
        job.seeds,
        [expert_pairs(own.seen, remembers(s)) if own.seen else None for own in drawn],
        planned,
        kind,
    )
    if job.environment.id == DRIVING_ID:
        judge = DrivingEvaluator(DrivingSettings(**dict(job.environment.arguments)))

        def judge_all(state: OffPolicyState) -> Scores:
            return [judge(learner.policy(state, i)) for i in range(len(job.seeds))]

        return Problem(
            job,
            demos,
            learner,
            judge_all,
            None,
            learner.close,
            states,
            planners,
            chosen_by=judge.chosen_by,
        )
    evaluators = [VectorEvaluator(playing, seed, episodes) for seed in job.seeds]
    known = demos.episode_returns if demos is not None else None
    expert_return = float(np.mean(known)) if known is not None else None
    random_returns: list[float | None] = [None for _ in job.seeds]

    def evaluate(state: OffPolicyState) -> Scores:
        scores = []
        for i, evaluator in enumerate(evaluators):
            if expert_return is not None and random_returns[i] is None:
                random_returns[i] = float(np.mean(evaluator.play(None).returns()))
            policy = learner.policy(state, i)
            episodes = evaluator.play(policy)
            own = score(
                policy,
                episodes,
                expert_return=expert_return,
                random_return=random_returns[i],
                held_out=drawn[i].held_out,
            )
            if "skill" in state.agents[i] and "skill_error" not in own:  # bco acts without it
                own |= skill_error(state.agents[i]["skill"].model, planned, episodes)
            scores.append(own)
        return scores

    def close() -> None:
        learner.close()
        for evaluator in evaluators:
            evaluator.close()

    return Problem(job, demos, learner, evaluate, None, close, states, planners)
