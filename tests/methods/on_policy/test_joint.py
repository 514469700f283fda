from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from depo.core.weights import digest
from depo.methods.depo import OnPolicyDePO
from depo.methods.depo.on_policy import DePOMethod
from depo.methods.on_policy.joint import joint_planner_update
from depo.methods.on_policy.method import PlannerSteps, Spaces
from depo.methods.settings_tree import with_values


def test_the_joint_planner_follows_the_sum_of_losses() -> None:
    small = {"hidden": 8, "minibatch": 16, "planner_rate": 0.1}
    method = DePOMethod(with_values(OnPolicyDePO(), small))
    agent = method.init(jax.random.key(0), Spaces(5, 3))

    def towards(state: int, weight: float):
        def loss(planner, batch):
            return -weight * jnp.mean(planner.log_probabilities(batch)[:, state])

        return agent, PlannerSteps(loss, jnp.zeros((30, 4), jnp.int32)), {"reward": jnp.ones(())}

    (first, second), metrics = joint_planner_update(method, [towards(1, 3.0), towards(2, 1.0)])
    assert digest(first["planner"].model) == digest(second["planner"].model)
    assert set(metrics[0]) == {"reward", "planner_loss"}
    planned = np.exp(first["planner"].model.log_probabilities(jnp.zeros(1, jnp.int32)))[0]
    np.testing.assert_allclose(planned[[1, 2]], [0.75, 0.25], atol=0.05)  # 3 : 1, as weights are
