"""Fitting the skill to convergence at intervals, as the authors did: whole passes over the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from depo.learners.replay import Replay, Rows
from depo.methods.descent import Trained, descend
from depo.methods.off_policy.method import STEADY, Agent
from depo.methods.off_policy.parts import skill_loss
from depo.models.skill import VectorSkill
from depo.settings.off_policy import BCO, Agnostic, DePORL, SkillTransfer, Supervised

HELD_OUT_SHARE, HELD_OUT_MOST = 0.2, 5_000
STEPS_AT_ONCE = 50
ENOUGH = 0.99  # a pass counts as progress when it is 1% better than the best before


@dataclass(frozen=True, eq=False)
class Refit:
    """Passes over all transitions until the held-out ones stop improving, or the cap."""

    settings: BCO | Supervised | Agnostic | DePORL

    @classmethod
    def of(cls, settings: Any) -> Refit | None:
        """The refit that a method's settings ask for, if any."""
        kinds = BCO | Supervised | Agnostic | DePORL
        if isinstance(settings, kinds) and settings.skill_schedule == "refit":
            return cls(settings)
        return None

    def is_due(self, before: int, now: int, first: int) -> bool:
        """Whether the transitions gathered between call for a fit: the first, then at intervals."""
        every = self.settings.refit_every
        return before < first <= now or (now > first and before // every < now // every)

    def __call__(
        self, agent: Agent, replay: Replay, generator: np.random.Generator, *, is_first: bool
    ) -> tuple[Agent, dict[str, float]]:
        """The agent with its skill refitted, the held-out error and the passes it took.

        The first fit takes a fixed number of passes, whatever the held-out transitions say, unless
        it is a transfer's.
        """
        s = self.settings
        rows = replay.newest(s.skill_replay)
        total = len(rows.reward)
        order = generator.permutation(total)
        held_out = min(int(HELD_OUT_SHARE * total), HELD_OUT_MOST)
        validation, training = _at(rows, order[:held_out]), order[held_out:]
        fixed = is_first and not isinstance(s, SkillTransfer)  # a transfer has no stage before
        passes = s.first_fit_passes if fixed else s.refit_passes
        skill, best, stale, done = agent["skill"], np.inf, 0, 0
        for _ in range(passes):
            skill = self._one_pass(skill, rows, generator.permutation(training))
            error = float(_error(skill.model, *validation))
            done += 1
            stale = 0 if error < ENOUGH * best else stale + 1
            best = min(best, error)
            if stale > s.refit_patience and not fixed:
                break
        return agent | {"skill": skill}, {"skill_fit_error": error, "skill_fit_passes": done}

    def _one_pass(
        self, skill: Trained[VectorSkill], rows: Rows, order: np.ndarray
    ) -> Trained[VectorSkill]:
        size = min(self.settings.minibatch, len(order))
        count = max(1, len(order) // size)
        batches = order[: count * size].reshape(count, size)
        for begin in range(0, count, STEPS_AT_ONCE):
            skill = _fit(
                self.settings.skill_rate, skill, _at(rows, batches[begin : begin + STEPS_AT_ONCE])
            )
        return skill


Columns = tuple[Float[Array, "..."], Float[Array, "..."], Float[Array, "..."]]


def _at(rows: Rows, index: np.ndarray) -> Columns:
    state, action, reached = (jnp.asarray(x[index]) for x in rows[:3])
    return state, reached, action


@eqx.filter_jit
def _fit(rate: float, skill: Trained[VectorSkill], batches: Columns) -> Trained[VectorSkill]:
    def loss(model: VectorSkill, batch: Columns) -> Float[Array, ""]:
        return skill_loss(model, *batch)

    return descend(skill, STEADY.adam(rate), loss, batches)[0]


@eqx.filter_jit
def _error(skill: VectorSkill, state: Array, next_state: Array, action: Array) -> Array:
    return skill_loss(skill, state, next_state, action)
