"""Planner steps on the sum of several variants' losses; all else of each variant for itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jaxtyping import Array, Float

from depo.methods.method import Agent, Metrics
from depo.methods.on_policy.method import AddsLosses, PlannerSteps
from depo.models.planner import CategoricalPlanner


def joint_planner_update(
    method: AddsLosses, prepared: Sequence[tuple[Agent, PlannerSteps, Metrics]]
) -> tuple[list[Agent], list[Metrics]]:
    """The planner all variants share follows Σ_variants L(h), each on a minibatch of its own."""
    each = [steps for _, steps, _ in prepared]

    def loss(planner: CategoricalPlanner, batches: Sequence[Any]) -> Float[Array, ""]:
        parts = [steps.loss(planner, own) for steps, own in zip(each, batches, strict=True)]
        return sum(parts[1:], start=parts[0])

    together = PlannerSteps(loss, tuple(steps.batches for steps in each))
    first, found = method.update_planner(prepared[0][0], together, {})
    agents = [agent | {"planner": first["planner"]} for agent, _, _ in prepared]
    return agents, [metrics | found for _, _, metrics in prepared]
