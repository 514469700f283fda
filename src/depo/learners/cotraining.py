"""Co-training: one planner learned with several kinds of an environment, everything else apart.

Kinds share their states. Each has a learner of its own, with its replay, skill, critics and
discriminator; the planner and its optimiser are handed on. Steps count for all kinds together.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from depo.environments.tabular import Position
from depo.learners.off_policy import OffPolicyLearner, OffPolicyState
from depo.learners.on_policy import CompiledLearner, LearnerState
from depo.learners.seed_world import SeedWorld
from depo.learners.seeds import LEARN
from depo.methods.descent import Trained
from depo.methods.off_policy.cotraining import joint_update
from depo.methods.off_policy.depo import PlannerGradientMethod
from depo.methods.off_policy.method import Agent
from depo.methods.on_policy.cotraining import joint_improvement
from depo.methods.on_policy.depo import AgnosticMethod
from depo.methods.on_policy.steps import Metrics
from depo.models.policy import DecoupledPolicy, Policy

PLANNER = "planner"
Shared = tuple[Trained, Any]
"""The planner as it is trained, and the average of it that is kept."""


class Cotraining:
    """What is common: kinds by name, and their states side by side."""

    def __init__(self, kinds: dict[str, Any]):
        self.names, self.parts = tuple(kinds), list(kinds.values())
        self.settings = self.parts[0].settings

    def synchronise(self, state: Sequence[Any], number: int) -> None:
        """Reset every kind's environments."""
        for part, own in zip(self.parts, state, strict=True):
            part.synchronise(own, number)

    def policy(self, state: Sequence[Any], index: int) -> Policy:
        """The policy of one seed with the first kind: its planner is everybody's."""
        return self.parts[0].policy(state[0], index)

    def policies(self, state: Sequence[Any], index: int) -> dict[str, Any]:
        """The policy of one seed with every kind."""
        return {
            name: part.policy(own, index)
            for name, part, own in zip(self.names, self.parts, state, strict=True)
        }

    def save_experience(self, folder: Path) -> None:
        """Every kind's own."""
        for name, part in zip(self.names, self.parts, strict=True):
            part.save_experience(folder / name)

    def load_experience(self, folder: Path, steps: int) -> None:
        """Every kind's own; each has taken an equal share of the steps."""
        for name, part in zip(self.names, self.parts, strict=True):
            part.load_experience(folder / name, steps // len(self.parts))

    def close(self) -> None:
        """Close every kind's environments."""
        for part in self.parts:
            part.close()


class OffPolicyCotraining(Cotraining):
    """On vectors: kinds take turns, or all learn together and the planner follows the sum."""

    parts: list[OffPolicyLearner]

    def __init__(self, kinds: dict[str, OffPolicyLearner], schedule: str):
        super().__init__(kinds)
        self._round = self._joint_round if schedule == "joint" else self._round_robin
        self._joint = eqx.filter_jit(self._joint_burst)

    def join(self, states: Sequence[OffPolicyState]) -> tuple[OffPolicyState, ...]:
        """The kinds' states with the first one's planners in all of them."""
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
        """``evaluate_every`` rounds for every seed; metrics are means over them and over kinds."""
        agents: list[list[Agent]] = [list(own.agents) for own in state]
        averages: list[list[Policy]] = [list(own.averages) for own in state]
        rows = []
        for seed in range(len(self.parts[0].worlds)):
            worlds = [part.worlds[seed] for part in self.parts]
            own = [(agents[k][seed], averages[k][seed]) for k in range(len(self.parts))]
            history: list[list[dict[str, float]]] = [[] for _ in self.parts]
            for _ in range(self.settings.evaluate_every):
                own, metrics = self._round(worlds, own)
                for past, new in zip(history, metrics, strict=True):
                    past.append(new)
            means = [
                part.mean_metrics(world, agent, past)
                for part, world, (agent, _), past in zip(
                    self.parts, worlds, own, history, strict=True
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
        self, worlds: list[SeedWorld], own: list[tuple[Agent, Policy]]
    ) -> tuple[list[tuple[Agent, Policy]], list[dict[str, float]]]:
        """Every kind in turn gathers and learns, then hands the planner on."""
        shared = _shared(own[0])
        learned, metrics = [], []
        for part, world, pair in zip(self.parts, worlds, own, strict=True):
            agent, average, new = part.burst(world, *_with_planner(*pair, shared))
            shared = _shared((agent, average))
            learned.append((agent, average))
            metrics.append(new)
        return [_with_planner(*pair, shared) for pair in learned], metrics

    def _joint_round(
        self, worlds: list[SeedWorld], own: list[tuple[Agent, Policy]]
    ) -> tuple[list[tuple[Agent, Policy]], list[dict[str, float]]]:
        """Every kind gathers; then all learn, the planner by the sum of their losses."""
        ready, metrics = [], []
        for part, world, pair in zip(self.parts, worlds, own, strict=True):
            agent, average, new = part.prepare(world, *pair)
            ready.append((agent, average))
            metrics.append(new)
        if worlds[0].replay.total < self.settings.random_steps:
            return ready, metrics
        drawn = [part.draw(world) for part, world in zip(self.parts, worlds, strict=True)]
        experts = [world.expert for world in worlds]
        learned, more = self._joint(ready, drawn, experts, worlds[0].key(LEARN))
        floats = [{name: float(value) for name, value in one.items()} for one in more]
        return learned, [old | new for old, new in zip(metrics, floats, strict=True)]

    def _joint_burst(self, own: Any, drawn: Any, experts: Any, key: Any) -> Any:
        arrays, rest = eqx.partition(own, eqx.is_array)
        methods = [part.method for part in self.parts]
        assert all(isinstance(method, PlannerGradientMethod) for method in methods)

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
    """On a compiled finite world, all kinds inside one compiled call."""

    parts: list[CompiledLearner]

    def __init__(self, kinds: dict[str, CompiledLearner], schedule: str):
        super().__init__(kinds)
        self._round = self._joint_round if schedule == "joint" else self._round_robin
        self._advance = eqx.filter_jit(
            lambda states, positions: jax.lax.map(
                lambda seed: self._advance_one(*seed), (states, positions)
            ),
            donate="all",
        )

    def join(self, states: Sequence[LearnerState]) -> tuple[LearnerState, ...]:
        """The kinds' states with the first one's planners in all of them."""
        planner = states[0].agent[PLANNER]
        return tuple(state.with_agent(state.agent | {PLANNER: planner}) for state in states)

    def advance(
        self, state: Sequence[LearnerState]
    ) -> tuple[tuple[LearnerState, ...], dict[str, np.ndarray]]:
        """``evaluate_every`` rounds for every seed; metrics are means over them and over kinds."""
        # the planner is in every kind's state, and a buffer can be given away only once
        own = tuple(jax.tree.map(jnp.copy, kind) for kind in state)
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

        carry, metrics = jax.lax.scan(one, (states, positions), length=self.settings.evaluate_every)
        return *carry, jax.tree.map(jnp.mean, metrics)

    def _round_robin(
        self, states: Sequence[LearnerState], positions: Sequence[Position]
    ) -> tuple[list[LearnerState], list[Position], list[Metrics]]:
        """Every kind in turn gathers and learns, then hands the planner on."""
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
        """Every kind gathers; then all learn, the planner by the sum of their losses."""
        gathered, moved, prepared = [], [], []
        for part, state, position in zip(self.parts, states, positions, strict=True):
            assert isinstance(part.method, AgnosticMethod)
            state, there, rollout = part.gather(state, position)
            state, key = state.remember(rollout)
            prepared.append(
                part.method.prepare(state.agent, rollout, state.memory, part.expert, key)
            )
            gathered.append(state)
            moved.append(there)
        method = self.parts[0].method
        assert isinstance(method, AgnosticMethod)
        agents, metrics = joint_improvement(method, prepared)
        learned = [state.with_agent(agent) for state, agent in zip(gathered, agents, strict=True)]
        return learned, moved, metrics


def _shared(pair: tuple[Agent, Policy]) -> Shared:
    agent, average = pair
    assert isinstance(average, DecoupledPolicy)
    return agent[PLANNER], average.planner


def _with_planner(agent: Agent, average: Policy, shared: Shared) -> tuple[Agent, Policy]:
    assert isinstance(average, DecoupledPolicy)
    kept = DecoupledPolicy(shared[1], average.skill, average.spread)
    return agent | {PLANNER: shared[0]}, kept
