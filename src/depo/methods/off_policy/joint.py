"""One planner step on the sum of several variants' losses; all else of each variant for itself."""

from __future__ import annotations

from collections.abc import Sequence

import jax
from jaxtyping import Array, Float, Key

from depo.data.transitions import Pairs, Transitions
from depo.methods.method import Agent, Metrics
from depo.methods.off_policy.method import AddsLosses
from depo.methods.off_policy.steps import step
from depo.models.planner import GaussianPlanner


def joint_update(
    methods: Sequence[AddsLosses],
    agents: Sequence[Agent],
    batches: Sequence[tuple[Transitions, Transitions]],
    experts: Sequence[Pairs],
    key: Key[Array, ""],
) -> tuple[list[Agent], list[Metrics]]:
    """Critics and skill of every variant, then Σ_variants L(h) for the planner they share."""
    keys = [jax.random.split(jax.random.fold_in(key, k), 3) for k in range(len(agents))]
    ready = [
        method.update_critics(agent, batch, expert, own)
        for method, agent, (batch, _), expert, own in zip(
            methods, agents, batches, experts, keys, strict=True
        )
    ]

    def loss(planner: GaussianPlanner) -> tuple[Float[Array, ""], list[Metrics]]:
        parts = [
            method.planner_loss(planner, agent, batch, value, expert, own[2])
            for method, (agent, value, _), (batch, _), expert, own in zip(
                methods, ready, batches, experts, keys, strict=True
            )
        ]
        return sum((part for part, _ in parts), start=0.0), [more for _, more in parts]  # type: ignore[return-value]

    planner, total, parts = step(agents[0]["planner"], methods[0].planner_optimiser(), loss)
    updated, metrics = [], []
    for method, (agent, _, found), (batch, wide), part, own in zip(
        methods, ready, batches, parts, keys, strict=True
    ):
        fitted, fit = method.fit_skill(agent, batch, wide, own[0])
        updated.append(fitted | {"planner": planner})
        metrics.append(found | fit | part | {"planner_loss": total})
    return updated, metrics
