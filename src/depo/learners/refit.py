"""Fitting the skill to convergence at intervals, as the authors did: whole passes over the data."""

from __future__ import annotations

from dataclasses import dataclass

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from depo.core.stopping import may_stop
from depo.data.replay import Replay
from depo.data.transitions import Transitions
from depo.methods.method import Agent
from depo.methods.off_policy.method import STEADY
from depo.methods.off_policy.settings import FirstFit, OffPolicySettings, Skill, skill_part
from depo.methods.off_policy.steps import skill_loss
from depo.methods.optimisation import Trained, descend
from depo.methods.plateau import Plateau
from depo.models.skill import DiscreteSkill, VectorSkill

HELD_OUT_SHARE, HELD_OUT_MOST = 0.2, 5_000
STEPS_AT_ONCE = 50


@dataclass(frozen=True, eq=False)
class Refit:
    """Passes over all transitions until the held-out ones stop improving, or the cap."""

    skill: Skill
    first: FirstFit | None
    """How the first fit differs, where there is a stage before it."""
    minibatch: int

    @classmethod
    def of(cls, settings: OffPolicySettings) -> Refit | None:
        """The refit that a method's settings ask for, if any."""
        skill = skill_part(settings)
        if skill is None or skill.schedule != "refit":
            return None
        return cls(skill, getattr(settings, "first_fit", None), settings.learning.minibatch)

    def is_due(self, before: int, now: int, first: int) -> bool:
        """Whether the transitions gathered between call for a fit: the first, then at intervals."""
        every = self.skill.refits.every
        return before < first <= now or (now > first and before // every < now // every)

    def __call__(
        self, agent: Agent, replay: Replay, generator: np.random.Generator, *, is_first: bool
    ) -> tuple[Agent, dict[str, float]]:
        """The agent with its skill refitted, the held-out error and the passes it took.

        The first fit takes a fixed number of passes, whatever the held-out transitions say, where
        the method has such a stage (a transfer has not).
        """
        rows = replay.newest(self.skill.replay)
        total = len(rows.reward)
        order = generator.permutation(total)
        held_out = min(int(HELD_OUT_SHARE * total), HELD_OUT_MOST)
        validation, training = _at(rows, order[:held_out]), order[held_out:]
        first = self.first if is_first else None
        passes = self.skill.refits.passes if first is None else first.passes
        skill, plateau, done = agent["skill"], Plateau(), 0
        for _ in range(passes):
            skill = self._one_pass(skill, rows, generator.permutation(training))
            error = float(_error(skill.model, *validation))
            done += 1
            plateau = plateau.after(error)
            if plateau.stale > self.skill.refits.patience and first is None:
                break
        return agent | {"skill": skill}, {"skill_fit_error": error, "skill_fit_passes": done}

    def _one_pass(
        self, skill: Trained[Fitted], rows: Transitions, order: np.ndarray
    ) -> Trained[Fitted]:
        size = min(self.minibatch, len(order))
        count = max(1, len(order) // size)
        batches = order[: count * size].reshape(count, size)
        for begin in range(0, count, STEPS_AT_ONCE):
            may_stop()
            skill = _fit(self.skill.rate, skill, _at(rows, batches[begin : begin + STEPS_AT_ONCE]))
        return skill


Fitted = VectorSkill | DiscreteSkill
Columns = tuple[Float[Array, "..."], Float[Array, "..."], Float[Array, "..."]]


def _at(rows: Transitions, index: np.ndarray) -> Columns:
    state, action, reached = (jnp.asarray(x[index]) for x in rows[:3])
    return state, reached, action


@eqx.filter_jit
def _fit(rate: float, skill: Trained[Fitted], batches: Columns) -> Trained[Fitted]:
    def loss(model: Fitted, batch: Columns) -> Float[Array, ""]:
        return skill_loss(model, *batch)

    return descend(skill, STEADY.adam(rate), loss, batches)[0]


@eqx.filter_jit
def _error(skill: Fitted, state: Array, next_state: Array, action: Array) -> Array:
    return skill_loss(skill, state, next_state, action)
