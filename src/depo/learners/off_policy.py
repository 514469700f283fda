"""Off-policy learning: gather steps, then many gradient steps in one compiled call."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from depo.core.runtime import cores
from depo.core.seeds import INIT, LEARN, stream
from depo.data.transitions import Expert, Pairs, Transitions
from depo.learners.collector import DRAW, REFIT, Collector
from depo.learners.learner import GivenSkill, OneEnvironment, Trunks
from depo.learners.refit import Refit
from depo.methods.method import Agent, Metrics
from depo.methods.off_policy.method import OffPolicyMethod
from depo.methods.off_policy.settings import OffPolicySettings, skill_part, steps_ahead
from depo.methods.off_policy.steps import follow_ends
from depo.methods.optimisation import Trained, follow, keep_trunk, replace_skill
from depo.models.normaliser import give_statistics
from depo.models.planner import Planner
from depo.models.policy import PolicyModel
from depo.models.reward import StateReward
from depo.models.skill import AnalyticSkill, Skill


class OffPolicyState(eqx.Module):
    """Everything a run needs to go on, apart from simulator and replay.

    ``averages`` are the policies that are evaluated and kept: running averages of the trained.
    """

    agents: tuple[Agent, ...]
    averages: tuple[PolicyModel, ...]


class OffPolicyLearner(OneEnvironment):
    """A thread for each seed, as many at once as there are cores; updates compiled, and steps too
    where the environment allows it. Seeds know nothing of each other, so the order cannot matter.

    ``collectors`` are each seed's simulator and replay; ``rewards`` are what each seed learns by,
    where that is given.
    """

    def __init__(
        self,
        method: OffPolicyMethod,
        collectors: Sequence[Collector],
        rewards: Sequence[StateReward] | None = None,
    ):
        self.method, self.rewards = method, rewards
        self.settings: OffPolicySettings = method.settings
        self.collectors, self.sizes = list(collectors), collectors[0].sizes
        s = self.settings
        self.updates = max(1, round(s.collection.batch_steps * s.learning.updates_per_step))
        self.ahead = steps_ahead(s, len(collectors[0].predicts), self.sizes.actions)
        self.refit = Refit.of(self.settings)
        self._burst = eqx.filter_jit(self._burst_one)
        self._compiling, self._compiled = Lock(), set[OffPolicyMethod]()
        self._names: tuple[str, ...] = ()

    def init(
        self, seeds: Sequence[int], planners: Any = None, skill: GivenSkill = None
    ) -> OffPolicyState:
        """Fresh agents; ``planners`` (one for each seed) are for transfer."""
        agents = []
        for i, collector in enumerate(self.collectors):
            key = stream(jnp.asarray(collector.random_seed), INIT)
            if self.rewards is not None:
                agent = self._learning_by(self.rewards[i], key, collector)
            elif planners is None:
                agent = self.method.init(key, collector.shape())
            else:
                self.ahead = getattr(planners[i], "ahead", self.ahead)
                agent = self.method.init(key, collector.shape_of(planners[i]))
                agent = self.method.with_planner(agent, planners[i])
            if isinstance(skill, Trunks):
                agent = keep_trunk(agent, skill.skills[i])
            elif skill is not None:
                agent = replace_skill(agent, skill)
            agents.append(agent)
        policies = tuple(self.method.policy(agent) for agent in agents)
        return OffPolicyState(tuple(agents), policies)

    def _learning_by(self, reward: StateReward, key: Key[Array, ""], collector: Collector) -> Agent:
        """A fresh agent beside a reward, whose statistics it takes over."""
        shape = collector.shape()._replace(normaliser=reward.normaliser)
        return self.method.init(key, shape) | {"reward": Trained(reward, None)}

    def synchronise(self, state: OffPolicyState, number: int) -> None:
        """Reset the environments, as a checkpoint's number and the seed alone determine."""
        for collector in self.collectors:
            collector.reset(number)

    def advance(self, state: OffPolicyState) -> tuple[OffPolicyState, dict[str, np.ndarray]]:
        """``evaluate_every`` bursts for every seed, fewer at the end of the run; metrics are means
        over them."""
        seeds = list(zip(self.collectors, state.agents, state.averages, strict=True))
        if len(seeds) == 1:
            advanced = [self._advance_one(*seeds[0])]
        else:
            with ThreadPoolExecutor(min(len(seeds), len(cores()))) as pool:
                waiting = [
                    pool.submit(copy_context().run, partial(self._advance_one, *seed))
                    for seed in seeds
                ]
                advanced = [seed.result() for seed in waiting]
        agents, averages, metrics = zip(*advanced, strict=True)
        return OffPolicyState(agents, averages), {
            name: np.array([mean[name] for mean in metrics]) for name in metrics[0]
        }

    def policy(self, state: OffPolicyState, index: int) -> PolicyModel:
        """The policy of one seed that is evaluated and kept."""
        return state.averages[index]

    def skill(self, state: OffPolicyState, index: int) -> Skill | None:
        """The skill that one seed learns as it is trained, if any."""
        own = state.agents[index].get("skill")
        return None if own is None else own.model

    def reward(self, state: OffPolicyState, index: int) -> StateReward | None:
        """The reward of states that one seed learns, or learns by, if any."""
        own = state.agents[index].get("reward")
        return None if own is None else own.model

    def planner(self, state: OffPolicyState, index: int) -> Planner | None:
        """The planner that one seed learns as it is trained, if any."""
        own = state.agents[index].get("planner")
        return None if own is None else own.model

    def save_experience(self, folder: Path) -> None:
        """Write what was gathered since the last checkpoint."""
        for collector in self.collectors:
            collector.replay.save(folder / f"seed-{collector.seed}")

    def save_experience_until(self, folder: Path, steps: int) -> bool:
        """The same as it was after n steps, unless some of it has been overwritten since."""
        return all(
            collector.replay.save_until(folder / f"seed-{collector.seed}", steps)
            for collector in self.collectors
        )

    def load_experience(self, folder: Path, steps: int, checkpoint: int) -> None:
        """The replay as it was after n steps."""
        for collector in self.collectors:
            collector.replay.load(folder / f"seed-{collector.seed}", steps, checkpoint)

    def catch_up(self, state: OffPolicyState, number: int, checkpoint: int) -> bool:
        """Take all actions since the checkpoint again."""
        return all(
            collector.catch_up(self.method.policy(agent), number, checkpoint)
            for collector, agent in zip(self.collectors, state.agents, strict=True)
        )

    def close(self) -> None:
        """Close the environments."""
        for collector in self.collectors:
            collector.close()

    def _advance_one(
        self, collector: Collector, agent: Agent, average: PolicyModel
    ) -> tuple[Agent, PolicyModel, dict[str, float]]:
        history: list[dict[str, float]] = []
        for _ in range(collector.bursts()):
            agent, average, metrics = self.burst(collector, agent, average)
            history.append(metrics)
        return agent, average, self.mean_metrics(collector, agent, history)

    def burst(
        self, collector: Collector, agent: Agent, average: PolicyModel
    ) -> tuple[Agent, PolicyModel, dict[str, float]]:
        """Gather steps, then learn from what is there; nothing is learned of the first ones."""
        agent, average, metrics = self.prepare(collector, agent, average)
        if collector.replay.total < self.settings.exploration.random_steps:
            return agent, average, metrics
        batches, wide = self.draw(collector)
        method = self.method.after(collector.replay.total)
        agent, average, more = self._learn(
            method, agent, average, batches, wide, collector.expert, collector.key(LEARN)
        )
        return agent, average, metrics | {name: float(value) for name, value in more.items()}

    def _learn(self, method: OffPolicyMethod, *rest: Any) -> tuple[Agent, PolicyModel, Metrics]:
        """The compiled burst; seeds that come to it at once wait for the first to compile it."""
        if method in self._compiled:
            return self._burst(method, *rest)
        with self._compiling:
            learned = self._burst(method, *rest)
            self._compiled.add(method)
            return learned

    def prepare(
        self, collector: Collector, agent: Agent, average: PolicyModel
    ) -> tuple[Agent, PolicyModel, dict[str, float]]:
        """Gather steps; then what comes before learning from them: statistics, a refit."""
        first, replay = self.settings.exploration.random_steps, collector.replay
        before = replay.total
        collector.gather(self.method.policy(agent))
        agent = follow_ends(agent, replay.newest(replay.total - before).terminated)
        if replay.total < first:
            return agent, average, {}
        is_first = before < first
        if is_first and collector.standardises_itself:
            shown = (collector.expert[0], collector.expert[1]) if collector.widens else None
            agent, average = _standardised(agent, average, replay.newest(replay.total), shown)
        is_known = isinstance(agent["skill"].model, AnalyticSkill) if "skill" in agent else True
        if self.refit is None or is_known:
            return agent, average, {}
        if not self.refit.is_due(before, replay.total, first):
            return agent, average, {}
        agent, metrics = self.refit(agent, replay, collector.generator(REFIT), is_first=is_first)
        return agent, average, metrics

    def mean_metrics(
        self, collector: Collector, agent: Agent, history: list[dict[str, float]]
    ) -> dict[str, float]:
        """Means over several bursts; every metric has its place, also before the first update."""
        names = self._metric_names(collector, agent)
        return {
            name: float(np.mean([m[name] for m in history if name in m] or [np.nan]))
            for name in names
        }

    def draw(self, collector: Collector) -> tuple[Transitions, Transitions]:
        """Minibatches for one burst: from the recent past, and from the skill's longer memory; for
        a method with distant goals the same rows twice, the second time with those as what was
        reached."""
        skill, newest = skill_part(self.settings), self.settings.collection.replay
        generator = collector.generator(DRAW)
        shape = (self.updates, self.settings.learning.minibatch)
        if (ahead := self.ahead) > 1:
            copies, longest = self.settings.collection.copies, collector.replay.capacity
            rows, goals = collector.replay.draw_ahead(generator, shape, longest, ahead, copies)
            return _batch(rows), _batch(rows._replace(next_state=goals))
        recent = collector.replay.draw(generator, shape, newest)
        wide = recent
        longer = newest if skill is None else skill.replay
        if min(longer, collector.replay.total) != min(newest, collector.replay.total):
            wide = collector.replay.draw(generator, shape, longer)
        return _batch(recent), _batch(wide)

    def _burst_one(
        self,
        method: OffPolicyMethod,
        agent: Agent,
        average: PolicyModel,
        batches: Transitions,
        wide: Transitions,
        expert: Expert,
        key: Key[Array, ""],
    ) -> tuple[Agent, PolicyModel, Metrics]:
        arrays, rest = eqx.partition((agent, average), eqx.is_array)

        def one(
            arrays: Any, inputs: tuple[Transitions, Transitions, Key[Array, ""]]
        ) -> tuple[Any, Metrics]:
            agent, average = eqx.combine(arrays, rest)
            agent, metrics = method.update(agent, inputs[0], inputs[1], expert, inputs[2])
            after = (agent, self.averaged(average, agent))
            return eqx.filter(after, eqx.is_array), metrics

        keys = jax.random.split(key, self.updates)
        arrays, metrics = jax.lax.scan(one, arrays, (batches, wide, keys))
        return *eqx.combine(arrays, rest), jax.tree.map(jnp.mean, metrics)

    def averaged(self, average: Any, agent: Agent) -> Any:
        """The policy that is kept, one update on."""
        policy, rate = self.method.policy(agent), self.settings.learning.average
        return follow(average, policy, rate) if rate else policy

    def _metric_names(self, collector: Collector, agent: Agent) -> tuple[str, ...]:
        """Names of all metrics, also before the first update."""
        if not self._names:
            size = self.settings.learning.minibatch
            batch = Transitions(
                jnp.zeros((size, self.sizes.states)),
                jnp.zeros((size, self.sizes.actions)),
                jnp.zeros((size, self.sizes.states)),
                jnp.zeros(size),
                jnp.zeros(size, bool),
            )
            key = jax.random.key(0)
            _, metrics = eqx.filter_eval_shape(
                self.method.after(sys.maxsize).update, agent, batch, batch, collector.expert, key
            )
            own = ("skill_fit_error", "skill_fit_passes") if self.refit is not None else ()
            self._names = (*sorted(metrics), *own)
        return self._names


def _standardised(
    agent: Agent, average: PolicyModel, rows: Transitions, shown: Pairs | None
) -> tuple[Agent, PolicyModel]:
    """Both with the statistics of all steps so far, or of what was shown in units that these
    widen; checkpoints and planner folders hold them."""
    seen = jnp.array(rows.state), jnp.array(rows.next_state), shown
    changed = {
        name: Trained(give_statistics(trained.model, *seen), trained.moments)
        for name, trained in agent.items()
    }
    return changed, give_statistics(average, *seen)


def _batch(rows: Transitions) -> Transitions:
    return Transitions(*(jnp.asarray(column) for column in rows))
