"""On-policy learning, compiled whole: gather a batch, update, repeat; seeds are a batch axis."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Key

from depo.core.seeds import INIT, LEARN, RESET, stream
from depo.data.transitions import Pairs, Rollout
from depo.environments.tabular import Position, TabularEnvironment
from depo.learners.learner import GivenSkill, OneEnvironment, Trunks
from depo.methods.method import Agent, Metrics
from depo.methods.on_policy.experience import Memory
from depo.methods.on_policy.method import OnPolicyMethod, Spaces
from depo.methods.on_policy.settings import OnPolicySettings
from depo.methods.optimisation import keep_trunk, replace_skill, uniform_index
from depo.models.planner import CategoricalPlanner
from depo.models.policy import PolicyModel
from depo.models.skill import Skill

VARIANTS = 1_000
"""Keys of co-trained variants begin after this number: below it are those that splitting makes."""


class LearnerState(eqx.Module):
    """Everything a run needs to go on, apart from the simulator; a leading axis holds the seeds."""

    seed: Int[Array, ...]
    agent: Agent
    memory: Memory
    key: Key[Array, ...]

    def with_agent(self, agent: Agent) -> LearnerState:
        """The same with another agent."""
        return LearnerState(self.seed, agent, self.memory, self.key)

    def remember(self, rollout: Rollout) -> tuple[LearnerState, Key[Array, ""]]:
        """One seed's state with a rollout in memory, and a key to learn with."""
        key, own = jax.random.split(self.key)
        return LearnerState(self.seed, self.agent, self.memory.add(rollout), key), own


def explore(
    policy: PolicyModel,
    state: Int[Array, " copies"],
    actions: int,
    epsilon: float,
    key: Key[Array, ""],
) -> tuple[Int[Array, " copies"], Int[Array, " copies"]]:
    """The policy's random decision, replaced by a uniform action with probability ε."""
    own, coin, other = jax.random.split(key, 3)
    decision = policy.sample(state, own)
    uniform = uniform_index(other, decision.action.shape, actions)
    random = jax.random.bernoulli(coin, epsilon, decision.action.shape)
    return jnp.where(random, uniform, decision.action), decision.plan


class OnPolicyLearner(OneEnvironment):
    """What on-policy learning in compiled and in Gymnasium environments has in common."""

    def __init__(
        self,
        method: OnPolicyMethod,
        states: int,
        actions: int,
        expert: tuple[np.ndarray, np.ndarray],
        steps: int,
        variant: int = 0,
    ):
        self.method, self.states, self.actions = method, states, actions
        self.variant = variant
        self.settings: OnPolicySettings = method.settings
        self.expert: Pairs = (jnp.asarray(expert[0]), jnp.asarray(expert[1]))
        data = self.settings.collection
        self.time = data.batch_steps // data.copies
        self.iterations = -(-steps // data.batch_steps)

    def init(
        self,
        seeds: Sequence[int],
        planners: CategoricalPlanner | None = None,
        skill: GivenSkill = None,
    ) -> LearnerState:
        """Fresh agents; ``planners`` (one for each seed, stacked) are for transfer."""

        def one(seed: Int[Array, ""], planner: CategoricalPlanner | None) -> LearnerState:
            agent = self.method.init(self.stream(seed, INIT), Spaces(self.states, self.actions))
            if planner is not None:
                agent = self.method.with_planner(agent, planner)
            memory = Memory.empty(self.iterations * self.settings.collection.batch_steps)
            return LearnerState(seed, agent, memory, self.stream(seed, LEARN))

        numbers = jnp.asarray(seeds, jnp.int32)
        state: LearnerState = eqx.filter_jit(eqx.filter_vmap(one))(numbers, planners)
        if skill is None:
            return state
        given = skill.skills if isinstance(skill, Trunks) else [skill] * len(seeds)
        stacked = jax.tree.map(lambda *xs: jnp.stack(xs), *given)
        begin = keep_trunk if isinstance(skill, Trunks) else replace_skill
        return state.with_agent(begin(state.agent, stacked))

    def stream(self, seed: Int[Array, ""], purpose: int) -> Key[Array, ""]:
        """A seed's random key for one purpose; variants that are co-trained have their own."""
        key = stream(seed, purpose)
        return jax.random.fold_in(key, VARIANTS + self.variant) if self.variant else key

    def learn(self, state: LearnerState, rollout: Rollout) -> tuple[LearnerState, Metrics]:
        """Remember one seed's rollout and update its agent."""
        state, own = state.remember(rollout)
        agent, metrics = self.method.update(state.agent, rollout, state.memory, self.expert, own)
        return state.with_agent(agent), metrics

    def stacked_policy(self, state: LearnerState) -> Any:
        """The policies of all seeds, stacked."""
        return self.method.policy(state.agent)

    def policy(self, state: LearnerState, index: int) -> PolicyModel:
        """The policy of one seed."""
        return self.method.policy(jax.tree.map(lambda x: x[index], state.agent))

    def skill(self, state: LearnerState, index: int) -> Skill | None:
        """The skill that one seed learns, if any."""
        own = state.agent.get("skill")
        return None if own is None else jax.tree.map(lambda x: x[index], own.model)

    def save_experience(self, folder: Path) -> None:
        """Nothing: the memory is small and part of the state."""

    def save_experience_until(self, folder: Path, steps: int) -> bool:
        """No: checkpoints are seconds apart, and where a simulator is between them is not kept."""
        return False

    def load_experience(self, folder: Path, steps: int, checkpoint: int) -> None:
        """Nothing: the memory is part of the state."""

    def catch_up(self, state: LearnerState, number: int, checkpoint: int) -> bool:
        """No, see above."""
        return False


class CompiledLearner(OnPolicyLearner):
    """Environment, rollouts and updates in one compiled call."""

    def __init__(self, environment: TabularEnvironment, **common: Any):
        super().__init__(states=environment.states, actions=environment.actions, **common)
        self.environment = environment
        # Seeds one after the other inside the compiled call: on a CPU that is faster than batched
        # matrix products, and each seed's skill fit stops when its own validation says so.
        self._advance = eqx.filter_jit(
            lambda states, positions: jax.lax.map(
                lambda seed: self._advance_one(*seed), (states, positions)
            ),
            donate="all",
        )
        self._reset = eqx.filter_jit(jax.vmap(self._reset_one, in_axes=(0, None)))
        self._positions: Position | None = None

    def synchronise(self, state: LearnerState, number: int) -> None:
        """Reset the environments, as a checkpoint's number and the seed alone determine."""
        self._positions = self._reset(state.seed, jnp.asarray(number))

    def advance(self, state: LearnerState) -> tuple[LearnerState, dict[str, np.ndarray]]:
        """``evaluate_every`` iterations for every seed; metrics are means over them."""
        state, self._positions, metrics = self._advance(state, self.positions())
        return state, {name: np.asarray(value) for name, value in metrics.items()}

    def close(self) -> None:
        """Nothing to close."""

    def _reset_one(self, seed: Int[Array, ""], number: Int[Array, ""]) -> Position:
        key = jax.random.fold_in(self.stream(seed, RESET), number)
        return self.environment.reset(key, self.settings.collection.copies)

    def _advance_one(
        self, state: LearnerState, position: Position
    ) -> tuple[LearnerState, Position, Metrics]:
        def iteration(
            carry: tuple[LearnerState, Position], _: None
        ) -> tuple[tuple[LearnerState, Position], Metrics]:
            state, position, metrics = self.iterate(*carry)
            return (state, position), metrics

        (state, position), metrics = jax.lax.scan(
            iteration, (state, position), length=self.settings.saving.evaluate_every
        )
        return state, position, jax.tree.map(jnp.mean, metrics)

    def iterate(
        self, state: LearnerState, position: Position
    ) -> tuple[LearnerState, Position, Metrics]:
        """One seed gathers a batch and learns from it."""
        state, position, rollout = self.gather(state, position)
        state, metrics = self.learn(state, rollout)
        return state, position, metrics

    def gather(
        self, state: LearnerState, position: Position
    ) -> tuple[LearnerState, Position, Rollout]:
        """One seed gathers a batch."""
        key, own = jax.random.split(state.key)
        position, rollout = self._gather(self.method.policy(state.agent), position, own)
        return LearnerState(state.seed, state.agent, state.memory, key), position, rollout

    def positions(self) -> Position:
        """Where every seed's copies are."""
        assert self._positions is not None, "synchronise first"
        return self._positions

    def place(self, positions: Position) -> None:
        """Put every seed's copies somewhere."""
        self._positions = positions

    def _gather(
        self, policy: PolicyModel, position: Position, key: Key[Array, ""]
    ) -> tuple[Position, Rollout]:
        epsilon = self.settings.exploration.epsilon

        def step(position: Position, key: Key[Array, ""]) -> tuple[Position, Rollout]:
            act, move = jax.random.split(key)
            action, plan = explore(policy, position.state, self.actions, epsilon, act)
            after = self.environment.step(position, action, move)
            return after.position, Rollout(
                state=position.state,
                action=action,
                plan=plan,
                next_state=after.next_state,
                reward=after.reward,
                terminated=after.terminated,
                truncated=after.truncated,
            )

        return jax.lax.scan(step, position, jax.random.split(key, self.time))
