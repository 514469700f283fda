"""Off-policy learning: gather steps from Python, then many gradient steps in one compiled call."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from depo.environments.host import HostEnvironment
from depo.learners.refit import Refit
from depo.learners.replay import Replay, Rows
from depo.learners.seed_world import DRAW, RANDOM, REFIT, SeedWorld
from depo.learners.seeds import INIT, LEARN, stream
from depo.methods.descent import Trained, follow, replace_skill
from depo.methods.off_policy.method import Agent, Batch, Metrics, OffPolicyMethod, Pairs
from depo.methods.off_policy.transfer import TransferMethod
from depo.models.policy import Decision, Policy
from depo.models.skill import AnalyticSkill, Skill
from depo.models.standard import give_statistics
from depo.settings.off_policy import (
    OffPolicySettings,
    SkillSettings,
    SkillTransfer,
    epsilon_at,
)


class OffPolicyState(eqx.Module):
    """Everything a run needs to go on, apart from simulator and replay.

    ``averages`` are the policies that are evaluated and kept: running averages of the trained.
    """

    agents: tuple[Agent, ...]
    averages: tuple[Policy, ...]


class OffPolicyLearner:
    """Seeds one after the other; decisions and updates compiled, the simulator's steps Python's."""

    def __init__(
        self,
        environment: HostEnvironment,
        method: OffPolicyMethod,
        seeds: Sequence[int],
        experts: Sequence[tuple[np.ndarray, np.ndarray] | None],
        predicts: tuple[int, ...],
        kind: int = 0,
    ):
        self.method = method
        self.settings: OffPolicySettings = method.settings
        self.sizes = environment.vector_sizes()
        self.updates = max(1, round(self.settings.batch_steps * self.settings.updates_per_step))
        self.worlds = [
            SeedWorld(environment, self.sizes, seed, expert, self.settings, predicts, kind)
            for seed, expert in zip(seeds, experts, strict=True)
        ]
        self.refit = Refit.of(self.settings)
        self._decide = eqx.filter_jit(self._decide_one)
        self._burst = eqx.filter_jit(self._burst_one)
        self._names: tuple[str, ...] = ()

    def init(self, seeds: Sequence[int], planners: Any = None) -> OffPolicyState:
        """Fresh agents; ``planners`` (one for each seed) are for transfer."""
        agents = []
        for i, world in enumerate(self.worlds):
            key = stream(jnp.asarray(world.random_seed), INIT)
            if isinstance(self.method, TransferMethod):
                shape = world.shape_of(planners[i])
                agents.append(self.method.with_planner(self.method.init(key, shape), planners[i]))
            else:
                agents.append(self.method.init(key, world.shape()))
        return self._begin(agents)

    def with_skill(self, state: OffPolicyState, skill: Skill) -> OffPolicyState:
        """The agents with this skill in place of their own."""
        return self._begin([replace_skill(agent, skill) for agent in state.agents])

    def synchronise(self, state: OffPolicyState, number: int) -> None:
        """Reset the environments, as a checkpoint's number and the seed alone determine."""
        for world in self.worlds:
            world.reset(number)

    def advance(self, state: OffPolicyState) -> tuple[OffPolicyState, dict[str, np.ndarray]]:
        """``evaluate_every`` bursts for every seed; metrics are means over them."""
        agents, averages, metrics = [], [], []
        for world, agent, average in zip(self.worlds, state.agents, state.averages, strict=True):
            agent, average, mean = self._advance_one(world, agent, average)
            agents.append(agent)
            averages.append(average)
            metrics.append(mean)
        return OffPolicyState(tuple(agents), tuple(averages)), {
            name: np.array([mean[name] for mean in metrics]) for name in metrics[0]
        }

    def policy(self, state: OffPolicyState, index: int) -> Policy:
        """The policy of one seed that is evaluated and kept."""
        return state.averages[index]

    def save_experience(self, folder: Path) -> None:
        """Write what was gathered since the last checkpoint."""
        for world in self.worlds:
            world.replay.save(folder / f"seed-{world.seed}")

    def load_experience(self, folder: Path, steps: int) -> None:
        """The replay as it was after so many steps."""
        for world in self.worlds:
            world.replay.load(folder / f"seed-{world.seed}", steps)

    def close(self) -> None:
        """Close the environments."""
        for world in self.worlds:
            world.envs.close()

    def _begin(self, agents: Sequence[Agent]) -> OffPolicyState:
        policies = tuple(self.method.policy(agent) for agent in agents)
        return OffPolicyState(tuple(agents), policies)

    def _advance_one(
        self, world: SeedWorld, agent: Agent, average: Policy
    ) -> tuple[Agent, Policy, dict[str, float]]:
        history: list[dict[str, float]] = []
        for _ in range(self.settings.evaluate_every):
            agent, average, metrics = self.burst(world, agent, average)
            history.append(metrics)
        return agent, average, self.mean_metrics(world, agent, history)

    def burst(
        self, world: SeedWorld, agent: Agent, average: Policy
    ) -> tuple[Agent, Policy, dict[str, float]]:
        """Gather steps, then learn from what is there; nothing is learned of the first ones."""
        agent, average, metrics = self.prepare(world, agent, average)
        if world.replay.total < self.settings.random_steps:
            return agent, average, metrics
        batches, wide = self.draw(world)
        method = self._method_after(world.replay.total)
        agent, average, more = self._burst(
            method, agent, average, batches, wide, world.expert, world.key(LEARN)
        )
        return agent, average, metrics | {name: float(value) for name, value in more.items()}

    def prepare(
        self, world: SeedWorld, agent: Agent, average: Policy
    ) -> tuple[Agent, Policy, dict[str, float]]:
        """Gather steps; then what comes before learning from them: statistics, a refit."""
        s, replay = self.settings, world.replay
        before = replay.total
        self._gather(world, agent)
        if replay.total < s.random_steps:
            return agent, average, {}
        is_first = before < s.random_steps
        if is_first and world.standardises_itself:
            agent, average = _standardised(agent, average, replay)
        is_known = isinstance(agent["skill"].model, AnalyticSkill) if "skill" in agent else True
        if self.refit is None or is_known:
            return agent, average, {}
        if not self.refit.is_due(before, replay.total, s.random_steps):
            return agent, average, {}
        agent, metrics = self.refit(agent, replay, world.generator(REFIT), is_first=is_first)
        return agent, average, metrics

    def mean_metrics(
        self, world: SeedWorld, agent: Agent, history: list[dict[str, float]]
    ) -> dict[str, float]:
        """Means over several bursts; every metric has its place, also before the first update."""
        names = self._metric_names(world, agent)
        return {
            name: float(np.mean([m[name] for m in history if name in m] or [np.nan]))
            for name in names
        }

    def _gather(self, world: SeedWorld, agent: Agent) -> None:
        s = self.settings
        steps = s.batch_steps // s.copies
        random = world.replay.total < s.random_steps and s.random_actions
        generator = world.generator(RANDOM)
        uniform = generator.uniform(-1.0, 1.0, (steps, s.copies, self.sizes.actions))
        if isinstance(s, SkillTransfer) and s.extremes:
            bound = generator.random(uniform.shape) < s.extremes
            uniform = np.where(bound, np.sign(uniform), uniform)
        epsilon = 1.0 if random else epsilon_at(s, world.replay.total)
        coin = generator.random((steps, s.copies)) < epsilon
        policy = self.method.policy(agent)
        keys = np.asarray(jax.random.key_data(jax.random.split(world.key(RANDOM), steps)))
        gathered = []
        for t in range(steps):
            if coin[t].all():
                action = uniform[t].astype(np.float32)
            else:
                decision = self._decide(policy, world.state, keys[t])
                action = np.where(coin[t][:, None], uniform[t], np.asarray(decision.action))
                action = action.astype(np.float32)
            before = world.state
            world.state, reached, reward, ended, _ = world.envs.step(action)
            gathered.append(Rows(before, action, reached, reward, ended))
        world.replay.add(Rows(*(np.concatenate(column) for column in zip(*gathered, strict=True))))

    def _decide_one(self, policy: Policy, state: Any, key_data: Any) -> Decision:
        return policy.sample(state, jax.random.wrap_key_data(key_data))

    def draw(self, world: SeedWorld) -> tuple[Batch, Batch]:
        """Minibatches for one burst: from the recent past, and from the skill's longer memory."""
        s, generator = self.settings, world.generator(DRAW)
        shape = (self.updates, s.minibatch)
        recent = world.replay.draw(generator, shape, s.replay)
        wide = recent
        longer = s.skill_replay if isinstance(s, SkillSettings) else s.replay
        if min(longer, world.replay.total) != min(s.replay, world.replay.total):
            wide = world.replay.draw(generator, shape, longer)
        return _batch(recent), _batch(wide)

    def _method_after(self, steps: int) -> OffPolicyMethod:
        """A transfer may set its planner free at some time."""
        return self.method.after(steps) if isinstance(self.method, TransferMethod) else self.method

    def _burst_one(
        self,
        method: OffPolicyMethod,
        agent: Agent,
        average: Policy,
        batches: Batch,
        wide: Batch,
        expert: Pairs,
        key: Key[Array, ""],
    ) -> tuple[Agent, Policy, Metrics]:
        arrays, rest = eqx.partition((agent, average), eqx.is_array)

        def one(arrays: Any, inputs: tuple[Batch, Batch, Key[Array, ""]]) -> tuple[Any, Metrics]:
            agent, average = eqx.combine(arrays, rest)
            agent, metrics = method.update(agent, inputs[0], inputs[1], expert, inputs[2])
            after = (agent, self.averaged(average, agent))
            return eqx.filter(after, eqx.is_array), metrics

        keys = jax.random.split(key, self.updates)
        arrays, metrics = jax.lax.scan(one, arrays, (batches, wide, keys))
        return *eqx.combine(arrays, rest), jax.tree.map(jnp.mean, metrics)

    def averaged(self, average: Any, agent: Agent) -> Any:
        """The policy that is kept, one update on."""
        policy, rate = self.method.policy(agent), self.settings.average
        return follow(average, policy, rate) if rate else policy

    def _metric_names(self, world: SeedWorld, agent: Agent) -> tuple[str, ...]:
        """Names of all metrics, also before the first update."""
        if not self._names:
            s = self.settings
            batch = Batch(
                jnp.zeros((s.minibatch, self.sizes.states)),
                jnp.zeros((s.minibatch, self.sizes.actions)),
                jnp.zeros((s.minibatch, self.sizes.states)),
                jnp.zeros(s.minibatch),
                jnp.zeros(s.minibatch, bool),
            )
            key = jax.random.key(0)
            _, metrics = eqx.filter_eval_shape(
                self._method_after(sys.maxsize).update, agent, batch, batch, world.expert, key
            )
            own = ("skill_fit_error", "skill_fit_passes") if self.refit is not None else ()
            self._names = (*sorted(metrics), *own)
        return self._names


def _standardised(agent: Agent, average: Policy, replay: Replay) -> tuple[Agent, Policy]:
    """Both with the statistics of all states so far; checkpoints and planner folders hold them."""
    states = jnp.array(replay.newest(replay.total).state)
    changed = {
        name: Trained(give_statistics(trained.model, states), trained.moments)
        for name, trained in agent.items()
    }
    return changed, give_statistics(average, states)


def _batch(rows: Rows) -> Batch:
    return Batch(*(jnp.asarray(column) for column in rows))
