"""Which bursts are gathered without noise."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from depo.data.transitions import Transitions
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.learners.collector import Collector
from depo.learners.gathering import Chance
from depo.methods.depo import OffPolicyDePO
from depo.methods.settings_tree import with_values
from depo.models.normaliser import Normaliser
from depo.models.policy import GaussianActor, PolicyModel, Quiet
from tests.environments.point import ID

POLICY = GaussianActor(jax.random.key(0), Normaliser.none(2), 2, (4,))


class Asked:
    """In a simulator's place: remembers who was asked to act, and returns empty rows."""

    def __init__(self, collector: Collector):
        self.policies: list[PolicyModel] = []
        self._steps = collector.settings.collection.batch_steps

    def gather(self, policy: PolicyModel, chance: Chance) -> Transitions:
        self.policies.append(policy)
        rows = np.zeros((self._steps, 2), np.float32)
        return Transitions(rows, rows, rows, rows[:, 0], rows[:, 0] > 0)


def quiet_bursts(quiet: float, seed: int, bursts: int = 200) -> list[bool]:
    settings = with_values(OffPolicyDePO(), {"quiet": quiet, "batch_steps": 5, "replay": 10})
    environment = GymnasiumEnvironment(ID)
    collector = Collector(environment, environment.vector_sizes(), seed, None, settings, (0, 1))
    collector.close()
    asked = Asked(collector)
    collector.gathering = asked  # type: ignore[assignment]
    for _ in range(bursts):
        collector.gather(POLICY)
    assert all(p is POLICY or p.policy is POLICY for p in asked.policies)  # type: ignore[attr-defined]
    return [isinstance(policy, Quiet) for policy in asked.policies]


def test_a_share_of_bursts_is_quiet_and_the_seed_tells_which() -> None:
    half = quiet_bursts(0.5, seed=1)
    assert 70 < sum(half) < 130
    assert half == quiet_bursts(0.5, seed=1)
    assert half != quiet_bursts(0.5, seed=2)


@pytest.mark.parametrize(("share", "is_quiet"), [(0.0, False), (1.0, True)])
def test_none_and_all(share: float, is_quiet: bool) -> None:
    assert quiet_bursts(share, seed=1, bursts=20) == [is_quiet] * 20


def test_a_quiet_policy_takes_its_mean() -> None:
    states = jnp.array(np.random.default_rng(0).normal(size=(5, 2)), jnp.float32)
    quiet = Quiet(POLICY)
    for key in (jax.random.key(1), jax.random.key(2)):
        np.testing.assert_array_equal(quiet.sample(states, key).action, POLICY.mode(states).action)
