"""One seed's simulator, replay and demonstrations, and the random numbers it draws."""

from __future__ import annotations

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from depo.core.errors import DepoError
from depo.core.seeds import TRAINING, derived_seed, stream
from depo.core.stopping import may_stop
from depo.data.replay import Replay
from depo.data.transitions import Acted, Expert, with_kept_goal
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.environments.jax_environment import JaxEnvironment
from depo.environments.sizes import VectorSizes
from depo.learners.gathering import Chance, Gathering, GoalKeeping, HostGathering
from depo.learners.jax_gathering import CompiledGathering
from depo.methods.off_policy.method import Shape
from depo.methods.off_policy.settings import Coordinates, OffPolicySettings, skill_part, uses_memory
from depo.models.normaliser import Normaliser
from depo.models.planner import GaussianPlanner
from depo.models.policy import PolicyModel, Quiet

DRAW, RANDOM, REFIT, VARIANT, QUIET = 11, 12, 13, 14, 16
"""Words from which the seeds of minibatches, random actions, refits, other variants of the
environment and bursts without noise are derived."""
UNLIMITED = sys.maxsize
"""Steps of a collector that no run sets an end to."""


class Collector:
    """One seed's simulator, replay and demonstrations."""

    def __init__(
        self,
        environment: GymnasiumEnvironment,
        sizes: VectorSizes,
        seed: int,
        expert: Expert | None,
        settings: OffPolicySettings,
        predicts: tuple[int, ...],
        *,
        variant: int = 0,
        compiled: JaxEnvironment | None = None,
        steps: int = UNLIMITED,
        expert_ends: float = 0.0,
    ):
        self.seed, self.settings = seed, settings
        self.sizes, self.actions = sizes, sizes.action_space
        self.expert_ends = expert_ends
        self.predicts, self.steps = predicts, steps
        self.random_seed = derived_seed(VARIANT, seed, variant) % 2**31 if variant else seed
        copies = settings.collection.copies
        self.gathering: Gathering = (
            HostGathering(environment, copies)
            if compiled is None
            else CompiledGathering(compiled, environment.id)
        )
        if goal := environment.goal_features():
            self.gathering = GoalKeeping(self.gathering, goal)
        skill = skill_part(settings)
        capacity = settings.collection.replay
        if skill is not None:
            capacity = max(capacity, skill.replay)
        self.replay = Replay(capacity, sizes.states, sizes.actions)
        self.expert = _shown(expert, goal, sizes.states)
        self.coordinates: Coordinates | None = getattr(settings, "coordinates", None)
        c, gathers_first = self.coordinates, settings.exploration.random_steps > 0
        self.widens = c is not None and c.wide_units and expert is not None and gathers_first
        standardises = c is not None and c.standardise
        self.standardises_itself = standardises and (expert is None or self.widens)
        self.uses_memory = uses_memory(settings)

    def shape(self) -> Shape:
        """The coordinates networks see: the demonstrations' statistics, or none (yet)."""
        s, states = self.coordinates, self.expert[0]
        own = states.shape[1] // 2 if self.uses_memory else states.shape[1]
        if s is None or not s.standardise:
            return self._shape(Normaliser.none(own), Normaliser.none(states.shape[1]))
        if self.standardises_itself:
            begin = Normaliser.none(own, s.clip, s.step_units)
            return self._shape(begin, Normaliser.none(states.shape[1], s.clip, s.step_units))
        reached = self.expert[1] if s.step_units else None
        every = Normaliser.of(states, s.clip, reached)
        return self._shape(every.at(tuple(range(own))), every)

    def shape_of(self, planner: GaussianPlanner) -> Shape:
        """The coordinates of a planner that is given: its own statistics, never new ones."""
        own = planner.normaliser
        skill = own.twice() if self.uses_memory else own
        shape = Shape(own, self.actions.length, skill, planner.predicts, self.actions.choices)
        return shape._replace(expert_ends=self.expert_ends)

    def _shape(self, normaliser: Normaliser, skill: Normaliser) -> Shape:
        own, shown = self.actions, (self.expert[0], self.expert[1])
        ends = self.expert_ends
        return Shape(normaliser, own.length, skill, self.predicts, own.choices, shown, ends)

    def reset(self, number: int) -> None:
        """Start every copy from a seed that only run seed, checkpoint and copy determine."""
        copies = range(self.settings.collection.copies)
        self.gathering.reset([derived_seed(TRAINING, self.random_seed, number, c) for c in copies])

    def bursts(self) -> int:
        """Bursts until the next evaluation; at the end of the run fewer than usual."""
        left = -(-(self.steps - self.replay.total) // self.settings.collection.batch_steps)
        return min(self.settings.saving.evaluate_every, left)

    def gather(self, policy: PolicyModel) -> None:
        """A burst of steps, into the replay: the policy's, and random ones among them."""
        may_stop()
        own = Quiet(policy) if self._is_quiet() else policy
        self.replay.add(self.gathering.gather(own, self._chance(self.replay.total)))

    def _is_quiet(self) -> bool:
        """Whether the next burst is without noise; drawn, to keep no step with episodes."""
        share = self.settings.exploration.quiet
        return share > 0 and self.generator(QUIET, self.replay.total).random() < share

    def catch_up(self, policy: PolicyModel, number: int, since: int) -> bool:
        """Bring the copies from a checkpoint's reset, ``since`` rows into the replay, to where they
        were, by taking the same actions again; whether every row came out the same, to the bit.

        ``policy`` decides nothing.
        """
        if since < self.replay.total - self.replay.capacity:
            raise DepoError(
                f"steps {since:,} to {self.replay.total:,}, which the newest checkpoint goes on "
                "from, are not all in the replay: its settings were changed, put them back"
            )
        self.reset(number)
        for begin in range(since, self.replay.total, self.settings.collection.batch_steps):
            chance = self._chance(begin)
            before = self.replay.rows(begin, begin + chance.coin.size)
            taken = before.action.reshape(chance.uniform.shape)
            all_given = chance._replace(uniform=taken, coin=np.ones_like(chance.coin))
            rows = self.gathering.gather(policy, all_given)
            if not all(map(np.array_equal, rows, before)):
                return False
        return True

    def _chance(self, total: int) -> Chance:
        s, copies = self.settings.exploration, self.settings.collection.copies
        steps = min(self.settings.collection.batch_steps, self.steps - total) // copies
        random = total < s.random_steps and s.random_actions
        generator = self.generator(RANDOM, total)
        uniform = self.actions.random(generator, (steps, copies))
        extremes = 0.0 if self.actions.choices else getattr(self.settings, "extremes", 0.0)
        if extremes:
            bound = generator.random(uniform.shape) < extremes
            uniform = np.where(bound, np.sign(uniform), uniform)
        epsilon = 1.0 if random else s.epsilon_at(total)
        coin = generator.random((steps, copies)) < epsilon
        keys = jax.random.key_data(jax.random.split(self.key(RANDOM, total), steps))
        return Chance(uniform.astype(np.float32), coin, np.asarray(keys))

    def close(self) -> None:
        """Close the environments."""
        self.gathering.close()

    def generator(self, word: int, total: int | None = None) -> np.random.Generator:
        """Random numbers that only run seed, purpose and transitions so far determine."""
        return np.random.default_rng([word, self.random_seed, self._so_far(total)])

    def key(self, word: int, total: int | None = None) -> Key[Array, ""]:
        """The same for JAX."""
        own = stream(jnp.asarray(self.random_seed), word)
        return jax.random.fold_in(own, self._so_far(total))

    def _so_far(self, total: int | None) -> int:
        return self.replay.total if total is None else total


def _shown(expert: Expert | None, goal: tuple[int, ...], states: int) -> Expert:
    """What a method is shown of an expert; without one, a transition that means nothing."""
    nothing = np.zeros((1, states), np.float32)
    known = (nothing, nothing) if expert is None else (expert[0], expert[1])
    state, after = (jnp.array(column) for column in with_kept_goal(known, goal))
    if isinstance(expert, Acted):
        return Acted(state, after, jnp.array(expert.action))
    return state, after
