"""Planner steps on the sum of several kinds' losses; all else of each kind for itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jaxtyping import Array, Float

from depo.methods.on_policy.depo import AgnosticMethod, Todo
from depo.methods.on_policy.method import Agent
from depo.methods.on_policy.steps import Metrics
from depo.models.planner import CategoricalPlanner


def joint_improvement(
    method: AgnosticMethod, prepared: Sequence[tuple[Agent, Todo, Metrics]]
) -> tuple[list[Agent], list[Metrics]]:
    """The planner all kinds share follows Σ_kinds L(h), each on a minibatch of its own."""
    todos = [todo for _, todo, _ in prepared]

    def loss(planner: CategoricalPlanner, batches: Sequence[Any]) -> Float[Array, ""]:
        parts = [todo.loss(planner, own) for todo, own in zip(todos, batches, strict=True)]
        return sum(parts[1:], start=parts[0])

    together = Todo(loss, tuple(todo.batches for todo in todos))
    first, found = method.improve(prepared[0][0], together, {})
    agents = [agent | {"planner": first["planner"]} for agent, _, _ in prepared]
    return agents, [metrics | found for _, _, metrics in prepared]
