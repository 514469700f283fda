"""The learner for what an environment offers: the fastest form that it has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from depo.data.transitions import Expert, Pairs
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.learners.collector import UNLIMITED, Collector
from depo.learners.cotraining import OffPolicyCotraining, OnPolicyCotraining
from depo.learners.gymnasium_on_policy import GymnasiumLearner
from depo.learners.learner import Learner
from depo.learners.off_policy import OffPolicyLearner
from depo.learners.on_policy import CompiledLearner
from depo.methods.off_policy.method import OffPolicyMethod, Pace
from depo.methods.off_policy.settings import Exploration, Learning, OffPolicySettings, uses_memory
from depo.methods.on_policy.method import OnPolicyMethod
from depo.methods.registry import OFF_POLICY
from depo.models.reward import StateReward

if TYPE_CHECKING:
    from depo.environments.jax_environment import JaxEnvironment
    from depo.environments.tabular import TabularEnvironment

NOTHING = (np.zeros(1, np.int32), np.zeros(1, np.int32))
"""What learners on finite states are told where there are no demonstrations."""


def finite_learner(
    method: OnPolicyMethod,
    table: TabularEnvironment | None,
    environment: GymnasiumEnvironment,
    *,
    seeds: Sequence[int],
    steps: int,
    expert: Pairs | None,
    variant: int = 0,
) -> CompiledLearner | GymnasiumLearner:
    """On finite states: inside the compiler where there is a table."""
    common: dict[str, Any] = {
        "method": method,
        "expert": NOTHING if expert is None else expert,
        "steps": steps,
    }
    if table is not None:
        return CompiledLearner(table, **common, variant=variant)
    return GymnasiumLearner(environment, seeds, **common)


def vector_learner(
    method: OffPolicyMethod,
    environment: GymnasiumEnvironment,
    compiled: JaxEnvironment | None = None,
    *,
    seeds: Sequence[int],
    experts: Sequence[Expert | None],
    planned: tuple[int, ...],
    variant: int = 0,
    rewards: Sequence[StateReward] | None = None,
    steps: int = UNLIMITED,
    ends: Sequence[float] = (),
) -> OffPolicyLearner:
    """On vectors: steps inside the compiler where the environment has such a form."""
    form = training_form(method.settings, environment)
    sizes, own = form.vector_sizes(), None if form.is_wrapped else compiled
    collectors = [
        Collector(
            form,
            sizes,
            seed,
            expert,
            method.settings,
            planned,
            variant=variant,
            compiled=own,
            steps=steps,
            expert_ends=end,
        )
        for seed, expert, end in zip(seeds, experts, ends or [0.0] * len(seeds), strict=True)
    ]
    return OffPolicyLearner(method, collectors, rewards)


def pace(learning: Learning, exploration: Exploration, steps: int, turns: int = 1) -> Pace:
    """How rates change in a run of n environment steps; ``turns`` variants take turns with the
    planner."""
    updates = round((steps - exploration.random_steps) * learning.updates_per_step)
    return Pace.for_run(learning, updates, turns)


def training_form(
    settings: OffPolicySettings, environment: GymnasiumEnvironment
) -> GymnasiumEnvironment:
    """The environment as a learner gathers in it: its ends, its memory and how it varies are
    settings."""
    gathering = settings.collection
    return replace(
        environment,
        remember=uses_memory(settings),
        ignore_termination=gathering.termination == "ignored",
        vary=gathering.vary,
    )


def cotraining_learner(learner: str, parts: Mapping[str, Any], schedule: str) -> Learner:
    """The variants' learners joined by their planner."""
    if learner == OFF_POLICY:
        return OffPolicyCotraining(dict(parts), schedule)
    return OnPolicyCotraining(dict(parts), schedule)
