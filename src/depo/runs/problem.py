"""A job's environment, demonstrations, learner and evaluator, opened and checked to fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from depo.demos.demonstrations import Demonstrations
from depo.demos.shipped import load_demonstrations, shipped
from depo.environments.driving.opening import driving_demonstrations
from depo.environments.driving.settings import ID as DRIVING_ID
from depo.environments.driving.settings import DrivingSettings
from depo.environments.gridworld import GridWorld, GridWorldSettings
from depo.environments.host import HostEnvironment
from depo.environments.mujoco import NAME_OF
from depo.environments.tabular import tabular_gridworld
from depo.errors import DepoError
from depo.evaluation.exact import ExactEvaluator
from depo.evaluation.rollouts import EPISODES, RolloutEvaluator
from depo.evaluation.tables import policy_tables, split_seeds
from depo.evaluation.vector_rollouts import VectorEvaluator, score
from depo.learners.host import HostLearner
from depo.learners.learner import Learner
from depo.learners.off_policy import OffPolicyLearner, OffPolicyState
from depo.learners.on_policy import CompiledLearner, LearnerState
from depo.learners.seeds import derived_seed
from depo.methods import off_policy, on_policy
from depo.models.folder import load_planner, load_skill, read_origin
from depo.models.planner import CategoricalPlanner
from depo.runs.job import EnvironmentSettings, Job
from depo.runs.run import CHECKPOINTS
from depo.settings import OFF_POLICY, TRANSFER
from depo.settings.off_policy import DemoSettings, OffPolicySettings, remembers
from depo.settings.on_policy import OnPolicySettings

Scores = list[dict[str, float]]
DRAW_DEMOS = 3
"""The word from which the seeds of drawn demonstrations are derived."""


@dataclass(frozen=True, eq=False)
class Problem:
    """All a run needs, opened."""

    job: Job
    demos: Demonstrations | None
    learner: Learner
    evaluate: Callable[[Any], Scores]
    exact: ExactEvaluator | None
    close: Callable[[], None]
    states: int
    """How many states there are, or how long a state vector is."""
    planners: str
    """Where a transfer's planners are: the job's source, or the run's own copies of them."""

    def initial_state(self) -> Any:
        """Fresh agents, with the source planners in a transfer."""
        state = self.learner.init(self.job.seeds, self._planners())
        return (
            self.learner.with_skill(state, load_skill(self.job.skill)) if self.job.skill else state
        )

    def skeleton(self) -> Any:
        """The shapes of a state, for loading one."""
        planners = None
        if self.job.method == TRANSFER:
            planners = self._planners()
        return eqx.filter_eval_shape(self.learner.init, self.job.seeds, planners)

    def _planners(self) -> CategoricalPlanner | None:
        if self.job.method != TRANSFER:
            return None
        folders = [planner_folder(self.planners, seed) for seed in self.job.seeds]
        planners = [fitting_planner(folder, self.states) for folder in folders]
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
    learns_without = job.method in ("ppo", "sac", TRANSFER)
    scored_against = job.environment.world is not None
    if demos is None and (job.demos or scored_against or not learns_without):
        demos = default_demonstrations(job.environment, job.demos)
    if job.learner == OFF_POLICY:
        return _open_vectors(job, demos, episodes)
    opened = _open_gridworld if job.environment.world is not None else _open_host
    return opened(job, demos, job.planner if planners is None else planners)


def default_demonstrations(environment: EnvironmentSettings, name: str) -> Demonstrations:
    """The demonstrations named, or the environment's own.

    A grid world has a built-in expert; in traffic the recorded drivers of the train part are it.
    """
    if name:
        return load_demonstrations(name)
    if environment.id == DRIVING_ID:
        return driving_demonstrations(DrivingSettings(**dict(environment.arguments)))
    if environment.world is None:
        if (shipped_name := NAME_OF.get(environment.id, "")) in shipped():
            return load_demonstrations(shipped_name)
        raise DepoError(f"no demonstrations for {environment.id}: pass --demos FILE")
    if environment.world == GridWorldSettings(k=environment.world.k):
        return load_demonstrations("gridworld")
    return GridWorld(environment.world).demonstrations()


def check_demonstrations(demos: Demonstrations, states: int, environment: str) -> None:
    """Refuse demonstrations of another state space."""
    if not demos.is_finite:
        raise DepoError(
            f"demonstrations hold {demos.dimension}-dimensional vectors, {environment} has "
            f"{states} finite states: pass --demos recorded there"
        )
    highest = int(demos.observations.max())
    if highest >= states:
        raise DepoError(
            f"demonstrations visit state {highest}, {environment} has states 0 to {states - 1}: "
            "pass --demos recorded there"
        )


def planner_folder(source: str, seed: int) -> Path:
    """The planner folder itself, or that of a seed in a run."""
    path = Path(source)
    if not (path / CHECKPOINTS).is_dir():
        return path
    own = path / "planner" / f"seed-{seed}"
    if not own.is_dir():
        found = [folder.name for folder in sorted((path / "planner").glob("seed-*"))]
        has = f"has planners for {', '.join(found)}" if found else "has no planner (finished?)"
        raise DepoError(
            f"run {path} {has}, none for seed {seed}: "
            "give a planner folder, which then serves every seed"
        )
    return own


def fitting_planner(folder: Path, states: int) -> CategoricalPlanner:
    """Load a planner and refuse it if it plans in another state space."""
    planner = load_planner(folder)
    if not isinstance(planner, CategoricalPlanner):
        raise DepoError(
            f"{folder} plans {len(planner.predicts)}-dimensional vectors, "
            f"the environment has {states} finite states"
        )
    if planner.states != states:
        origin = read_origin(folder)
        raise DepoError(
            f"planner {folder} was trained on {planner.states} states ({origin.environment}), "
            f"the environment has {states}: transfer keeps the state space"
        )
    return planner


def _open_gridworld(job: Job, demos: Demonstrations | None, planners: str) -> Problem:
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
    )
    exact = ExactEvaluator(world, environment, demos, job.settings.gamma)

    def evaluate(state: LearnerState) -> Scores:
        tables = split_seeds(policy_tables(learner.policies(state), world.states))
        return [exact(table) for table in tables]

    return Problem(job, demos, learner, evaluate, exact, learner.close, world.states, planners)


def _open_host(job: Job, demos: Demonstrations | None, planners: str) -> Problem:
    assert isinstance(job.settings, OnPolicySettings)
    environment = HostEnvironment(job.environment.id, dict(job.environment.arguments))
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


def _open_vectors(job: Job, demos: Demonstrations | None, episodes: int) -> Problem:
    s = job.settings
    assert isinstance(s, OffPolicySettings)
    arguments = dict(job.environment.arguments)
    plain = HostEnvironment(job.environment.id, arguments)
    playing = replace(plain, remember=remembers(s))
    training = replace(playing, ignore_termination=s.termination == "ignored")
    states, _ = plain.vector_sizes()
    drawn: list[Drawn] = [Drawn(None, None) for _ in job.seeds]
    if demos is not None:
        check_vectors(demos, states, job.environment.id)
        if isinstance(s, DemoSettings):
            drawn = [draw_demonstrations(demos, s.demo_episodes, seed) for seed in job.seeds]
    learner = OffPolicyLearner(
        training,
        off_policy.make_method(s, round((job.steps - s.random_steps) * s.updates_per_step)),
        job.seeds,
        [expert_pairs(own.seen, remembers(s)) if own.seen else None for own in drawn],
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
            scores.append(
                score(
                    policy,
                    evaluator.play(policy),
                    expert_return=expert_return,
                    random_return=random_returns[i],
                    held_out=drawn[i].held_out,
                )
            )
        return scores

    def close() -> None:
        learner.close()
        for evaluator in evaluators:
            evaluator.close()

    return Problem(job, demos, learner, evaluate, None, close, states, "")


class Drawn(NamedTuple):
    """The demonstrations a seed learns from, and the others."""

    seen: Demonstrations | None
    held_out: Demonstrations | None


def draw_demonstrations(demos: Demonstrations, episodes: int, seed: int) -> Drawn:
    """Each seed draws its own episodes; with too few, all are seen and none held out."""
    order = np.random.default_rng(derived_seed(DRAW_DEMOS, seed)).permutation(demos.episodes)
    numbers = order.tolist()
    seen, rest = sorted(numbers[:episodes]), sorted(numbers[episodes:])
    return Drawn(demos.select(seen), demos.select(rest) if rest else None)


def expert_pairs(demos: Demonstrations, remember: bool) -> tuple[np.ndarray, np.ndarray]:
    """Expert transitions (s,s'); with memory the state before is appended to either."""
    if not remember:
        return demos.transitions()
    pairs = []
    for episode in demos:
        before = np.concatenate([episode[:1], episode[:-1]])
        remembered = np.concatenate([episode, before], axis=1)
        pairs.append((remembered[:-1], remembered[1:]))
    return tuple(np.concatenate(column) for column in zip(*pairs, strict=True))  # type: ignore[return-value]


def check_vectors(demos: Demonstrations, dimension: int, environment: str) -> None:
    """Refuse demonstrations of another state space."""
    if demos.is_finite:
        raise DepoError(
            f"demonstrations hold finite states, {environment} has {dimension}-dimensional "
            "vectors: pass --demos recorded there"
        )
    if demos.dimension != dimension:
        slim = NAME_OF.get(environment, "")
        hint = f" (--env {slim} has the short ones)" if slim in ("ant", "humanoid") else ""
        raise DepoError(
            f"demonstrations hold {demos.dimension}-dimensional states, {environment} has "
            f"{dimension}: pass --demos recorded there, or the --env-args they were recorded "
            f"with{hint}"
        )
