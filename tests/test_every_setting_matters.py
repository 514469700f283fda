"""For every setting of every method: changing it changes what is built, drawn or computed.

Nothing is trained. A job is opened with the setting and with another value of it, and what can be
seen of the two is compared, cheapest first: numbers of the job, models, what is gathered and drawn,
and in the end the program of an update.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from depo.cli.dry_run import updates
from depo.data.transitions import Rollout, Transitions
from depo.environments.family import EnvironmentSettings
from depo.learners.factory import training_form
from depo.learners.gathering import Chance
from depo.methods.ineffective import ineffective
from depo.methods.off_policy.method import Pace
from depo.methods.on_policy.experience import Memory
from depo.methods.on_policy.method import Spaces
from depo.methods.optimisation import Trained
from depo.methods.presets import preset_settings
from depo.methods.registry import OFF_POLICY, ON_POLICY, LearnerName, methods
from depo.methods.settings_tree import MethodSettings, Setting, every_name, leaves, with_values
from depo.models.folder import save_reward
from depo.models.normaliser import Normaliser
from depo.models.planner import CategoricalPlanner, GaussianPlanner
from depo.models.reward import StateReward
from depo.runs.home import find_environment
from depo.runs.job import Job
from depo.runs.problem import Problem, open_problem
from tests.environments.point import ID, straight_demonstrations

SMALL = {
    "hidden": 4,
    "skill_hidden": 4,
    "discriminator_hidden": 4,
    "minibatch": 4,
    "batch_steps": 20,
    "copies": 2,
    "random_steps": 30,
    "replay": 40,
    "skill_replay": 50,
    "evaluate_every": 2,
    "checkpoint_every": 2,
    "demo_episodes": 2,
    "epochs": 2,
    "skill_steps": 2,
}
"""What makes opening and tracing quick."""
NEEDS: dict[str, dict[str, Any]] = {
    "epsilon_decay": {"epsilon": 0.9, "epsilon_every": 20},
    "epsilon_every": {"epsilon": 0.9, "epsilon_decay": 0.5, "epsilon_every": 20},
    "anneal_after": {"anneal": 0.5},
    **{n: {"skill_schedule": "refit"} for n in ("refit_every", "refit_patience", "refit_passes")},
    "first_fit_passes": {"skill_schedule": "refit"},
    "extremes": {"epsilon": 0.5},
    "end_cost": {"termination": "relative"},
    "absorbing_logit": {"termination": "absorbing"},
    "pair_input": {"step_units": False},
    "decision_steps": {"step_units": True},
}
"""What a setting goes with."""
OTHERS: dict[str, Any] = {
    "termination": "ignored",
    "vary": "gain=0.5:0.6",
    "copies": 4,
    "plans": "0",
    "unfreeze_after": 60,
    "epsilon_every": 10,
    "goals_ahead": 1,
    "supervision_loss": "sampled",
}
"""Values to try where twice as much, half as much or the next word will not do."""
FORMS = {
    OFF_POLICY: find_environment(ID),
    ON_POLICY: find_environment("", arguments={"size": 2, "horizon": 4}),
}
ELSEWHERE = {"skill_start": "methods/transfer/test_trunk.py"}
"""Beside a planner alone, as here, there is no trunk."""
FIRST = ("bco", "depo", "depo-rl", "gaifo", "sac", "transfer")


def _marks(method: str, leaf: Setting) -> tuple[pytest.MarkDecorator, ...]:
    """What others share with those above is looked at there; here, where there is time."""
    shared = leaf.owner.__module__.startswith("depo.methods.off_policy.settings.")
    return (pytest.mark.slow,) if shared and method not in FIRST else ()


SETTINGS = [
    pytest.param(name, learner, leaf, id=f"{name}-{learner}-{leaf.name}", marks=_marks(name, leaf))
    for name, spec in methods().items()
    for learner, own in spec.implementations.items()
    for leaf in {
        leaf.name: leaf
        for switches in ({}, {n: 60 for n in ("unfreeze_after",) if n in every_name(own.settings)})
        for leaf in leaves(with_values(own.settings(), switches))
    }.values()
    if leaf.name not in ELSEWHERE
]


@pytest.mark.parametrize(("method", "learner", "leaf"), SETTINGS)
def test_a_setting_changes_something(
    method: str, learner: LearnerName, leaf: Setting, recordings: Path
) -> None:
    known = every_name(methods()[method].implementations[learner].settings)
    given = {name: value for name, value in NEEDS.get(leaf.name, {}).items() if name in known}
    if leaf.name == "output_penalty" and method == "transfer":
        given = {"skill_fit": "effects"}
    if leaf.path[0] == "fine_tuning" and leaf.name != "unfreeze_after":
        given = given | {"unfreeze_after": 60}
    before = _settings(method, learner, given)
    after = with_values(before, {leaf.name: _other(leaf, before)})
    job = _job(method, learner, before, str(recordings))
    assert leaf.name not in ineffective(before, job.facts), "it has no effect: see NEEDS"
    first = _seen(method, learner, tuple(sorted(given.items())), str(recordings))
    second = _observations(_job(method, learner, after, str(recordings)))
    for what, here in second:
        if here != first(what):
            return
    pytest.fail(f"{leaf.name} {_value(before, leaf)} or {_value(after, leaf)}: all is the same")


@pytest.mark.parametrize(
    ("method", "learner"),
    [(name, learner) for name, spec in methods().items() for learner in spec.implementations],
)
def test_the_same_settings_look_the_same(
    method: str, learner: LearnerName, recordings: Path
) -> None:
    settings = _settings(method, learner, {})
    first = _seen(method, learner, (), str(recordings))
    for what, here in _observations(_job(method, learner, settings, str(recordings))):
        assert here == first(what), what


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demos")
    reward = StateReward(jax.random.key(0), Normaliser.none(2), (4, 4), 0.9)
    save_reward(folder / "reward", reward)
    return straight_demonstrations(folder / "demos.npz")


def _settings(method: str, learner: LearnerName, given: dict[str, Any]) -> MethodSettings:
    kind = methods()[method].implementations[learner].settings
    small = {n: v for n, v in {**SMALL, **given}.items() if n in every_name(kind)}
    settings = kind()
    known = {leaf.name for leaf in leaves(with_values(settings, given))}
    return with_values(settings, {n: v for n, v in small.items() if n in known})


def _other(leaf: Setting, settings: MethodSettings) -> Any:
    value = _value(settings, leaf)
    if leaf.name in OTHERS and value != OTHERS[leaf.name]:
        return OTHERS[leaf.name]
    if get_origin(leaf.type) is Literal:
        return next(word for word in get_args(leaf.type) if word != value)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return 2 * value
    return value / 2 if value else 0.5


def _value(settings: Any, leaf: Setting) -> Any:
    for attribute in leaf.path:
        settings = getattr(settings, attribute)
        if settings is None:
            return None
    return settings


def _job(method: str, learner: LearnerName, settings: MethodSettings, recordings: str) -> Job:
    environment: EnvironmentSettings = FORMS[learner]
    demos = recordings if learner == OFF_POLICY else ""
    given = str(Path(recordings).parent / "reward") if methods()[method].takes_reward else ""
    return Job(method, learner, settings, environment, steps=240, demos=demos, reward_from=given)


@cache
def _seen(method: str, learner: LearnerName, given: tuple, recordings: str):
    """What is seen of a method's small settings, looked at once."""
    job = _job(method, learner, _settings(method, learner, dict(given)), recordings)
    rest, found = _observations(job), {}

    def look(what: str) -> Any:
        while what not in found:
            name, value = next(rest)
            found[name] = value
        return found[what]

    return look


def _observations(job: Job) -> Iterator[tuple[str, Any]]:
    """What can be seen of a job, cheapest first."""
    every = job.settings.saving.checkpoint_every
    yield "job", (job.steps_per_block, job.blocks, updates(job), -(-job.blocks // every))
    observe = _on_vectors if job.learner == OFF_POLICY else _on_finite_states
    problem = open_problem(job)
    try:
        scoring = problem.scoring
        held_out = [own and own.episodes for own in scoring.held_out]
        yield (
            "scoring",
            (scoring.gamma if job.learner == ON_POLICY else 0, held_out, scoring.planned),
        )
        yield from observe(job, problem)
    finally:
        problem.close()


def _on_vectors(job: Job, problem: Problem) -> Iterator[tuple[str, Any]]:
    learner: Any = problem.learner
    method, collector = learner.method, learner.collectors[0]
    yield "refit", learner.refit and (learner.refit.skill.refits, learner.refit.first)
    form = training_form(job.settings, job.environment.gymnasium())
    yield "form", (form, collector.uses_memory, collector.replay.capacity)
    shape = collector.shape()
    if job.spec.takes_planner:
        planner = GaussianPlanner(jax.random.key(0), Normaliser.none(2), (4, 4))
        shape = collector.shape_of(planner)
    yield "shape", jax.tree.map(lambda x: np.asarray(x).tolist(), tuple(shape))
    asked: list[tuple[Any, ...]] = []
    with pytest.MonkeyPatch.context() as patch:
        adam = Pace.adam
        patch.setattr(Pace, "adam", lambda *given: asked.append(given) or adam(*given))
        agent = eqx.filter_eval_shape(method.init, jax.random.key(0), shape)
        if learner.rewards is not None:
            agent |= {"reward": Trained(learner.rewards[0], None)}
        if job.spec.takes_planner:
            agent = eqx.filter_eval_shape(method.with_planner, agent, planner)
    policy = method.policy(agent)
    yield "models", (repr(agent), repr(policy), jax.tree.structure((agent, policy)), asked)
    yield "gathered", _gathered(collector, policy)
    batches = jax.tree.map(lambda x: np.asarray(x).tolist(), learner.draw(collector))
    yield "drawn", batches
    key = jax.random.key(0)
    yield "init", _program(lambda k: method.init(k, shape), key)
    arrays, rest = eqx.partition(agent, _is_array)

    def average(arrays: Any) -> Any:
        agent = eqx.combine(arrays, rest)
        return learner.averaged(method.policy(agent), agent)

    yield "average", _program(average, arrays)
    size, width = job.settings.learning.minibatch, learner.sizes.states
    none = jnp.zeros(size)
    batch = Transitions(*(jnp.zeros((size, n)) for n in (width, 2, width)), none, none > 0)
    for number, own in enumerate({method: None, method.after(10_000): None}):

        def update(arrays: Any, key: Any, own: Any = own) -> Any:
            return own.update(eqx.combine(arrays, rest), batch, batch, collector.expert, key)

        with pytest.MonkeyPatch.context() as patch:  # what Adam is asked has been seen
            patch.setattr(Pace, "adam", lambda *_: optax.scale(-1.0))
            patch.setattr(eqx, "filter_value_and_grad", _value_for_gradient)
            program = _program(update, arrays, key)
        yield f"update {number}", program


def _gathered(collector: Any, policy: Any) -> list[Any]:
    """Who acts in some bursts, before and after the first update, and with what chances."""
    actors: list[str] = []
    chances: list[Chance] = []

    def gather(actor: Any, chance: Chance) -> Transitions:
        actors.append(type(actor).__name__)
        chances.append(chance)
        rows = chance.uniform.shape[0] * chance.uniform.shape[1]
        states = np.arange(rows * collector.replay._rows.state.shape[1], dtype=np.float32)
        states = states.reshape(rows, -1)
        actions = chance.uniform.reshape(rows, -1)
        return Transitions(states, actions, states, states[:, 0], states[:, 0] < 0)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(collector.gathering, "gather", gather)
        for _ in range(4):
            collector.gather(policy)
    return [*actors, *([np.asarray(x).tolist() for x in chance] for chance in chances)]


def _on_finite_states(job: Job, problem: Problem) -> Iterator[tuple[str, Any]]:
    learner: Any = problem.learner
    method, key = learner.method, jax.random.key(0)
    yield "learner", (learner.time, learner.iterations)
    agent = eqx.filter_eval_shape(method.init, key, Spaces(learner.states, learner.actions))
    if job.spec.takes_planner:
        planner = CategoricalPlanner(key, learner.states, (4,))
        agent = eqx.filter_eval_shape(method.with_planner, agent, planner)
    yield "models", (repr(agent), jax.tree.structure(agent))
    arrays, rest = eqx.partition(agent, _is_array)
    start = learner._reset_one(jnp.asarray(0), jnp.asarray(0))
    yield "position", start.state.shape
    shape = (learner.time, job.settings.collection.copies)
    whole = jnp.zeros(shape, jnp.int32)
    rollout = Rollout(whole, whole, whole, whole, jnp.zeros(shape), whole > 0, whole > 0)

    def gather(arrays: Any, key: Any) -> Any:
        return learner._gather(method.policy(eqx.combine(arrays, rest)), start, key)

    yield "gather", _program(gather, arrays, key)

    def update(arrays: Any, key: Any) -> Any:
        memory = Memory.empty(64).add(rollout)
        return method.update(eqx.combine(arrays, rest), rollout, memory, learner.expert, key)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(eqx, "filter_value_and_grad", _value_for_gradient)
        program = _program(update, arrays, key)
    yield "update", program


def _value_for_gradient(loss: Any, *, has_aux: bool = False) -> Any:
    """A loss in place of its gradient: what changes the one changes the other, and it is traced
    three times as fast."""

    def both(model: Any, *rest: Any) -> Any:
        found = loss(model, *rest)
        value = found[0] if has_aux else found
        numbers = eqx.filter(model, eqx.is_inexact_array)
        return found, jax.tree.map(lambda x: jnp.full_like(x, value), numbers)

    return both


def _program(function: Any, *arguments: Any) -> str:
    """What the compiler is given, without what nothing depends on."""
    traced = jax.make_jaxpr(lambda *x: eqx.filter(function(*x), eqx.is_array))(*arguments)
    used, _ = jax.interpreters.partial_eval.dce_jaxpr(
        traced.jaxpr, [True] * len(traced.jaxpr.outvars)
    )
    return str(used) + str([np.asarray(x).tolist() for x in traced.consts if np.size(x) < 100])


def _is_array(x: Any) -> bool:
    return isinstance(x, jax.ShapeDtypeStruct) or eqx.is_array(x)


@pytest.mark.parametrize("learner", [ON_POLICY, OFF_POLICY])
def test_presets_speak_of_settings_that_there_are(learner: LearnerName) -> None:
    for name, spec in methods().items():
        own = spec.implementations.get(learner)
        if own is None:
            continue
        known = every_name(own.settings)
        for preset, values in own.presets.items():
            assert set(values) <= known, (name, preset)
            preset_settings(name, preset, learner)
        for tables in (own.tasks, own.dynamics):
            for table in tables.values():
                for task, values in table.items():
                    assert set(values) <= known, (name, task)
