"""One burst of steps in copies of an environment: from Python, or inside the compiler."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any, NamedTuple, Protocol, runtime_checkable

import equinox as eqx
import jax
import numpy as np

from depo.data.transitions import Transitions, with_kept_goal
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.environments.vector_stepper import VectorStepper
from depo.models.policy import Decision, PolicyModel


class Chance(NamedTuple):
    """The random numbers of a burst, drawn before it: every way of gathering uses the same."""

    uniform: np.ndarray
    """(steps, copies, actions) random actions."""
    coin: np.ndarray
    """(steps, copies) where they are taken instead of the policy's."""
    keys: np.ndarray
    """(steps, 2) data of the keys of the policy's decisions."""


@runtime_checkable
class Gathering(Protocol):
    """Copies of an environment that a policy acts in; no transition crosses a reset."""

    def reset(self, seeds: Sequence[int]) -> None:
        """Start every copy from its own seed."""

    def gather(self, policy: PolicyModel, chance: Chance) -> Transitions:
        """The transitions of a burst, all copies' first steps first."""

    def close(self) -> None:
        """Close the environments."""


_SIMULATING = Lock()
"""Seeds learn at the same time, but simulators take turns: others' code may not bear threads."""


class HostGathering:
    """Decisions compiled, the environment's steps Python's."""

    def __init__(self, environment: GymnasiumEnvironment, copies: int):
        self._envs: VectorStepper = environment.vector(copies)
        self._seen = np.zeros(0, np.float32)

    def reset(self, seeds: Sequence[int]) -> None:
        """Start every copy from its own seed."""
        self._seen = self._envs.reset(seeds)

    def gather(self, policy: PolicyModel, chance: Chance) -> Transitions:
        """One call of the simulator for each step."""
        with _SIMULATING:
            gathered = [self._step(policy, *row) for row in zip(*chance, strict=True)]
        return Transitions(*(np.concatenate(column) for column in zip(*gathered, strict=True)))

    def _step(
        self, policy: PolicyModel, uniform: np.ndarray, coin: np.ndarray, key: np.ndarray
    ) -> Transitions:
        action, before = uniform, self._seen
        if not coin.all():
            decision = _decide(policy, before, key)
            action = np.where(coin[:, None], uniform, np.asarray(decision.action))
        self._seen, reached, reward, ended, _ = self._envs.step(action)
        return Transitions(before, action, reached, reward, ended)

    def close(self) -> None:
        """Close the environments."""
        self._envs.close()


class GoalKeeping:
    """A gathering of transitions that keep their goal."""

    def __init__(self, gathering: Gathering, goal: Sequence[int]):
        self._own, self._goal = gathering, goal
        self.reset, self.close = gathering.reset, gathering.close

    def gather(self, policy: PolicyModel, chance: Chance) -> Transitions:
        """The same transitions, each towards one goal."""
        rows = self._own.gather(policy, chance)
        _, kept = with_kept_goal((rows.state, np.asarray(rows.next_state)), self._goal)
        return rows._replace(next_state=kept)


@eqx.filter_jit
def _decide(policy: PolicyModel, state: Any, key_data: Any) -> Decision:
    return policy.sample(state, jax.random.wrap_key_data(key_data))
