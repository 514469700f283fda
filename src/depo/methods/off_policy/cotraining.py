"""One planner step on the sum of several kinds' losses; all else of each kind for itself."""

from __future__ import annotations

from collections.abc import Sequence

import jax
from jaxtyping import Array, Float, Key

from depo.methods.off_policy.depo import PlannerGradientMethod
from depo.methods.off_policy.method import Agent, Batch, Metrics, Pairs
from depo.methods.off_policy.parts import improve_skill, planner_optimiser, step
from depo.models.planner import GaussianPlanner


def joint_update(
    methods: Sequence[PlannerGradientMethod],
    agents: Sequence[Agent],
    batches: Sequence[tuple[Batch, Batch]],
    experts: Sequence[Pairs],
    key: Key[Array, ""],
) -> tuple[list[Agent], list[Metrics]]:
    """Judges and skill of every kind, then Σ_kinds L(h) for the planner they share."""
    keys = [jax.random.split(jax.random.fold_in(key, k), 3) for k in range(len(agents))]
    judged = [
        method.improve_judges(agent, batch, expert, own)
        for method, agent, (batch, _), expert, own in zip(
            methods, agents, batches, experts, keys, strict=True
        )
    ]

    def loss(planner: GaussianPlanner) -> tuple[Float[Array, ""], list[Metrics]]:
        parts = [
            method.planner_loss(planner, agent, batch, value, expert, own[2])
            for method, (agent, value, _), (batch, _), expert, own in zip(
                methods, judged, batches, experts, keys, strict=True
            )
        ]
        return sum((part for part, _ in parts), start=0.0), [more for _, more in parts]  # type: ignore[return-value]

    first = methods[0]
    planner, total, parts = step(
        agents[0]["planner"], planner_optimiser(first.settings, first.pace), loss
    )
    updated, metrics = [], []
    for method, (agent, _, judge_metrics), (_, wide), part in zip(
        methods, judged, batches, parts, strict=True
    ):
        skill, fit = improve_skill(agent["skill"], wide, method.settings, method.pace)
        updated.append(agent | {"planner": planner, "skill": skill})
        metrics.append(judge_metrics | fit | part | {"planner_loss": total})
    return updated, metrics
