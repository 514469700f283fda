"""Co-training: one planner learned with several variants of an environment, everything else apart.

Variants share their states. Each has a learner of its own, with its replay, skill, critics and
discriminator; the planner and its optimiser are handed on. Steps count for all variants together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from depo.core.seeds import LEARN
from depo.environments.tabular import Position
from depo.learners.collector import Collector
from depo.learners.learner import GivenSkill
from depo.learners.off_policy import OffPolicyLearner, OffPolicyState
from depo.learners.on_policy import CompiledLearner, LearnerState
from depo.methods.method import Agent, Metrics
from depo.methods.off_policy.joint import joint_update
from depo.methods.off_policy.method import AddsLosses
from depo.methods.on_policy.joint import joint_planner_update
from depo.methods.on_policy.method import AddsLosses as FiniteAddsLosses
from depo.methods.optimisation import Trained
from depo.models.planner import Planner
from depo.models.policy import DecoupledPolicy, PolicyModel
from depo.models.skill import Skill

PLANNER = "planner"
Shared = tuple[Trained, Any]
"""The planner as it is trained, and the average of it that is kept."""


class Cotraining:
    """What is common: variants by name, and their states side by side."""

    def __init__(self, variants: dict[str, Any]):
        self.names, self.parts = tuple(variants), list(variants.values())
        self.settings = self.parts[0].settings

    def init(
        self, seeds: Sequence[int], planners: Any = None, skill: GivenSkill = None
    ) -> tuple[Any, ...]:
        """Fresh agents of every variant, with the first one's planners in all of them."""
        given = skill if isinstance(skill, Mapping) else dict.fromkeys(self.names, skill)
        return self.join(
            [
                part.init(seeds, planners, given.get(name))
                for name, part in zip(self.names, self.parts, strict=True)
            ]
        )

    def join(self, states: Sequence[Any]) -> tuple[Any, ...]:
        """The variants' states with the first one's planners in all of them."""
        raise NotImplementedError

    def synchronise(self, state: Sequence[Any], number: int) -> None:
        """Reset every variant's environments."""
        for part, own in zip(self.parts, state, strict=True):
            part.synchronise(own, number)

    def policy(self, state: Sequence[Any], index: int) -> PolicyModel:
        """The policy of one seed with the first variant: its planner is everybody's."""
        return self.parts[0].policy(state[0], index)

    def policies(self, state: Sequence[Any], index: int) -> dict[str, PolicyModel]:
        """The policy of one seed with every variant."""
        return {
            name: part.policy(own, index)
            for name, part, own in zip(self.names, self.parts, state, strict=True)
        }

    def skill(self, state: Sequence[Any], index: int) -> Skill | None:
        """The skill of one seed with the first variant."""
        own: Skill | None = self.parts[0].skill(state[0], index)
        return own

    def reward(self, state: Sequence[Any], index: int) -> Any:
        """Of no seed: what variants share is a planner."""
        return None

    def skills(self, state: Sequence[Any], index: int) -> dict[str, Skill | None]:
        """The skill of one seed with every variant."""
        return {
            name: part.skill(own, index)
            for name, part, own in zip(self.names, self.parts, state, strict=True)
        }

    def planner(self, state: Sequence[Any], index: int) -> Planner | None:
        """None: policies act by the planner that they share."""
        return None

    def save_experience(self, folder: Path) -> None:
        """Every variant's own."""
        for name, part in zip(self.names, self.parts, strict=True):
            part.save_experience(folder / name)

    def save_experience_until(self, folder: Path, steps: int) -> bool:
        """Every variant's own; each has taken an equal share of the steps."""
        return all(
            part.save_experience_until(folder / name, steps // len(self.parts))
            for name, part in zip(self.names, self.parts, strict=True)
        )

    def load_experience(self, folder: Path, steps: int, checkpoint: int) -> None:
        """Every variant's own."""
        count = len(self.parts)
        for name, part in zip(self.names, self.parts, strict=True):
            part.load_experience(folder / name, steps // count, checkpoint // count)

    def catch_up(self, state: Sequence[Any], number: int, checkpoint: int) -> bool:
        """Every variant's environments."""
        share = checkpoint // len(self.parts)
        return all(
            part.catch_up(own, number, share) for part, own in zip(self.parts, state, strict=True)
        )

    def close(self) -> None:
        """Close every variant's environments."""
        for part in self.parts:
            part.close()


class OffPolicyCotraining(Cotraining):
    """On vectors: variants take turns, or all learn together and the planner follows the sum."""

    parts: list[OffPolicyLearner]

    def __init__(self, variants: dict[str, OffPolicyLearner], schedule: str):
        super().__init__(variants)
        self._round = self._joint_round if schedule == "joint" else self._round_robin
        self._joint = eqx.filter_jit(self._joint_burst)

    def join(self, states: Sequence[OffPolicyState]) -> tuple[OffPolicyState, ...]:
        """The variants' states with the first one's planners in all of them."""
        first, joined = states[0], []
        for state in states:
            pairs = [
                _with_planner(agent, average, (own[PLANNER], kept.planner))  # type: ignore[attr-defined]
                for agent, average, own, kept in zip(
                    state.agents, state.averages, first.agents, first.averages, strict=True
                )
            ]
            agents, averages = zip(*pairs, strict=True)
            joined.append(OffPolicyState(tuple(agents), tuple(averages)))
        return tuple(joined)

    def advance(
        self, state: Sequence[OffPolicyState]
    ) -> tuple[tuple[OffPolicyState, ...], dict[str, np.ndarray]]:
        """``evaluate_every`` rounds for every seed, fewer at the end of the run; metrics are means
        over them and variants."""
        agents: list[list[Agent]] = [list(own.agents) for own in state]
        averages: list[list[PolicyModel]] = [list(own.averages) for own in state]
        rows = []
        for seed in range(len(self.parts[0].collectors)):
            collectors = [part.collectors[seed] for part in self.parts]
            own = [(agents[k][seed], averages[k][seed]) for k in range(len(self.parts))]
            history: list[list[dict[str, float]]] = [[] for _ in self.parts]
            for _ in range(collectors[0].bursts()):
                own, metrics = self._round(collectors, own)
                for past, new in zip(history, metrics, strict=True):
                    past.append(new)
            means = [
                part.mean_metrics(collector, agent, past)
                for part, collector, (agent, _), past in zip(
                    self.parts, collectors, own, history, strict=True
                )
            ]
            rows.append({name: np.mean([mean[name] for mean in means]) for name in means[0]})
            for k, (agent, average) in enumerate(own):
                agents[k][seed], averages[k][seed] = agent, average
        states = tuple(
            OffPolicyState(tuple(a), tuple(b)) for a, b in zip(agents, averages, strict=True)
        )
        return states, {name: np.array([row[name] for row in rows]) for name in rows[0]}

    def _round_robin(
        self, collectors: list[Collector], own: list[tuple[Agent, PolicyModel]]
    ) -> tuple[list[tuple[Agent, PolicyModel]], list[dict[str, float]]]:
        """Every variant in turn gathers and learns, then hands the planner on."""
        shared = _shared(own[0])
        learned, metrics = [], []
        for part, collector, pair in zip(self.parts, collectors, own, strict=True):
            agent, average, new = part.burst(collector, *_with_planner(*pair, shared))
            shared = _shared((agent, average))
            learned.append((agent, average))
            metrics.append(new)
        return [_with_planner(*pair, shared) for pair in learned], metrics

    def _joint_round(
        self, collectors: list[Collector], own: list[tuple[Agent, PolicyModel]]
    ) -> tuple[list[tuple[Agent, PolicyModel]], list[dict[str, float]]]:
        """Every variant gathers; then all learn, the planner by the sum of their losses."""
        ready, metrics = [], []
        for part, collector, pair in zip(self.parts, collectors, own, strict=True):
            agent, average, new = part.prepare(collector, *pair)
            ready.append((agent, average))
            metrics.append(new)
        shared = _shared(ready[0])  # the first one's units, where each has measured its own
        ready = [_with_planner(*pair, shared) for pair in ready]
        if collectors[0].replay.total < self.settings.exploration.random_steps:
            return ready, metrics
        drawn = [
            part.draw(collector) for part, collector in zip(self.parts, collectors, strict=True)
        ]
        experts = [collector.expert for collector in collectors]
        learned, more = self._joint(ready, drawn, experts, collectors[0].key(LEARN))
        floats = [{name: float(value) for name, value in one.items()} for one in more]
        return learned, [old | new for old, new in zip(metrics, floats, strict=True)]

    def _joint_burst(self, own: Any, drawn: Any, experts: Any, key: Any) -> Any:
        arrays, rest = eqx.partition(own, eqx.is_array)
        methods = [part.method for part in self.parts]
        assert all(isinstance(method, AddsLosses) for method in methods)

        def one(arrays: Any, inputs: Any) -> tuple[Any, list[Metrics]]:
            pairs = eqx.combine(arrays, rest)
            batches, key = inputs
            agents, metrics = joint_update(
                methods,  # type: ignore[arg-type]
                [agent for agent, _ in pairs],
                batches,
                experts,
                key,
            )
            after = [
                (agent, part.averaged(average, agent))
                for part, agent, (_, average) in zip(self.parts, agents, pairs, strict=True)
            ]
            return eqx.filter(after, eqx.is_array), metrics

        keys = jax.random.split(key, self.parts[0].updates)
        arrays, metrics = jax.lax.scan(one, arrays, (drawn, keys))
        return eqx.combine(arrays, rest), jax.tree.map(jnp.mean, metrics)


class OnPolicyCotraining(Cotraining):
    """On a compiled finite environment, all variants inside one compiled call."""

    parts: list[CompiledLearner]

    def __init__(self, variants: dict[str, CompiledLearner], schedule: str):
        super().__init__(variants)
        self._round = self._joint_round if schedule == "joint" else self._round_robin
        self._advance = eqx.filter_jit(
            lambda states, positions: jax.lax.map(
                lambda seed: self._advance_one(*seed), (states, positions)
            ),
            donate="all",
        )

    def join(self, states: Sequence[LearnerState]) -> tuple[LearnerState, ...]:
        """The variants' states with the first one's planners in all of them."""
        planner = states[0].agent[PLANNER]
        return tuple(state.with_agent(state.agent | {PLANNER: planner}) for state in states)

    def advance(
        self, state: Sequence[LearnerState]
    ) -> tuple[tuple[LearnerState, ...], dict[str, np.ndarray]]:
        """``evaluate_every`` rounds for every seed; metrics are means over them and variants."""
        # the planner is in every variant's state, and a buffer can be given away only once
        own = tuple(jax.tree.map(jnp.copy, variant) for variant in state)
        positions = tuple(part.positions() for part in self.parts)
        after, positions, metrics = self._advance(own, positions)
        for part, position in zip(self.parts, positions, strict=True):
            part.place(position)
        return after, {name: np.asarray(value) for name, value in metrics.items()}

    def _advance_one(
        self, states: tuple[LearnerState, ...], positions: tuple[Position, ...]
    ) -> tuple[tuple[LearnerState, ...], tuple[Position, ...], Metrics]:
        def one(carry: Any, _: None) -> tuple[Any, Metrics]:
            states, positions, metrics = self._round(*carry)
            means = jax.tree.map(lambda *xs: jnp.mean(jnp.stack(xs)), *metrics)
            return (tuple(states), tuple(positions)), means

        carry, metrics = jax.lax.scan(
            one, (states, positions), length=self.settings.saving.evaluate_every
        )
        return *carry, jax.tree.map(jnp.mean, metrics)

    def _round_robin(
        self, states: Sequence[LearnerState], positions: Sequence[Position]
    ) -> tuple[list[LearnerState], list[Position], list[Metrics]]:
        """Every variant in turn gathers and learns, then hands the planner on."""
        planner, learned, moved, metrics = states[0].agent[PLANNER], [], [], []
        for part, state, position in zip(self.parts, states, positions, strict=True):
            own = state.with_agent(state.agent | {PLANNER: planner})
            after, there, new = part.iterate(own, position)
            planner = after.agent[PLANNER]
            learned.append(after)
            moved.append(there)
            metrics.append(new)
        joined = [state.with_agent(state.agent | {PLANNER: planner}) for state in learned]
        return joined, moved, metrics

    def _joint_round(
        self, states: Sequence[LearnerState], positions: Sequence[Position]
    ) -> tuple[list[LearnerState], list[Position], list[Metrics]]:
        """Every variant gathers; then all learn, the planner by the sum of their losses."""
        gathered, moved, prepared = [], [], []
        for part, state, position in zip(self.parts, states, positions, strict=True):
            assert isinstance(part.method, FiniteAddsLosses)
            state, there, rollout = part.gather(state, position)
            state, key = state.remember(rollout)
            prepared.append(
                part.method.prepare(state.agent, rollout, state.memory, part.expert, key)
            )
            gathered.append(state)
            moved.append(there)
        method = self.parts[0].method
        assert isinstance(method, FiniteAddsLosses)
        agents, metrics = joint_planner_update(method, prepared)
        learned = [state.with_agent(agent) for state, agent in zip(gathered, agents, strict=True)]
        return learned, moved, metrics


def _shared(pair: tuple[Agent, PolicyModel]) -> Shared:
    agent, average = pair
    assert isinstance(average, DecoupledPolicy)
    return agent[PLANNER], average.planner


def _with_planner(agent: Agent, average: PolicyModel, shared: Shared) -> tuple[Agent, PolicyModel]:
    assert isinstance(average, DecoupledPolicy)
    kept = DecoupledPolicy(shared[1], average.skill, average.spread)
    return agent | {PLANNER: shared[0]}, kept
