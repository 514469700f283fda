"""What a user gave is tried on a few states before the first step: are its actions right?"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from depo.core.errors import DepoError
from depo.methods.registry import OFF_POLICY
from depo.models.formula import TRIED, Bounded, check_range, plans_around_mean
from depo.models.policy import check_formula
from depo.models.skill_source import wanted_formula
from depo.runs.blame import blaming, packages_of
from depo.runs.problem import Problem


def check_formulas(problem: Problem, state: Any) -> None:
    """Refuse a skill that is a formula and gives no actions of the environment's."""
    for name, model in problem.learner.policies(state, 0).items() if problem.job.skill else ():
        own = problem.parts.get(name, problem)
        if own.job.learner == OFF_POLICY:
            check_formula(model, own.job.environment.gymnasium().vector_sizes().actions)
            _check_range(own, model)


def check_decisions(problem: Problem, state: Any) -> None:
    """Refuse a policy of another package's method that gives no actions of the environment's."""
    spec = problem.job.spec
    if not packages_of(spec):
        return
    for name, model in problem.learner.policies(state, 0).items():
        learner: Any = problem.parts.get(name, problem).learner
        if problem.job.learner == OFF_POLICY:
            seen = jax.ShapeDtypeStruct((TRIED, learner.sizes.states), jnp.float32)
            wanted: tuple[int, ...] = (TRIED, learner.sizes.actions)
        else:
            seen, wanted = jax.ShapeDtypeStruct((TRIED,), jnp.int32), (TRIED,)
        with blaming(spec):
            found = jax.eval_shape(lambda state, model=model: model.mode(state).action, seen)
        if found.shape != wanted:
            raise DepoError(
                f"method '{spec.name}' gives actions of the shape {found.shape} for {TRIED} states "
                f"at once, expected is {wanted}, an action for each"
            )


def _check_range(problem: Problem, model: Any) -> None:
    """Refuse a user's formula of other units: by demonstrated transitions, or by what a planner
    that is given plans."""
    formula = getattr(getattr(model, "skill", None), "formula", None)
    if not isinstance(formula, Bounded) or not wanted_formula(problem.job.skill):
        return
    if problem.demos is not None:
        rows = [jnp.asarray(x[:TRIED]) for x in problem.demos.transitions()]
        check_range(formula, rows[0], model.planner.select(rows[1]))
    elif problem.job.spec.takes_planner:
        check_range(formula, *plans_around_mean(model.planner))
