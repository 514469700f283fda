"""Evaluators put together: means over variants, and several side by side."""

from __future__ import annotations

import pytest

from depo.driving.scores import DrivingEvaluator
from depo.environments.grid.exact import ExactEvaluator
from depo.evaluation.evaluator import Evaluator, MeanOverVariants, Together
from depo.evaluation.rollouts import FiniteRollouts
from depo.evaluation.vector_rollouts import VectorRollouts


class Fixed:
    """Says what it was told to, and how many policies it saw."""

    def __init__(self, chosen_by: str = "", **scores: float):
        self.chosen_by, self.scores, self.seen, self.closed = chosen_by, scores, [], False

    def __call__(self, policies, skills):
        self.seen = list(zip(policies, skills, strict=True))
        return [dict(self.scores) for _ in policies]

    def close(self) -> None:
        self.closed = True


def test_every_implementation_has_what_the_protocol_asks_for() -> None:
    for kind in (ExactEvaluator, FiniteRollouts, VectorRollouts, DrivingEvaluator):
        assert all(hasattr(kind, name) for name in ("chosen_by", "__call__", "close"))
    assert isinstance(Fixed(), Evaluator)


@pytest.mark.wrong_types
def test_variants_see_their_own_policies_and_the_mean_is_told() -> None:
    normal, truck = Fixed("success", success=1.0), Fixed("success", success=0.5)
    both = MeanOverVariants({"normal": normal, "truck": truck})
    scores = both(["n0", "n1", "t0", "t1"], [None, "a", None, "b"])
    assert normal.seen == [("n0", None), ("n1", "a")]
    assert truck.seen == [("t0", None), ("t1", "b")]
    assert scores == [{"success": 0.75, "success_normal": 1.0, "success_truck": 0.5}] * 2
    assert both.chosen_by == "success"
    both.close()
    assert normal.closed
    assert truck.closed


@pytest.mark.wrong_types
def test_side_by_side_the_later_name_wins() -> None:
    first, second = Fixed(a=1.0, b=1.0), Fixed("b", b=2.0)
    together = Together(first, second)
    assert together(["p"], [None]) == [{"a": 1.0, "b": 2.0}]
    assert together.chosen_by == "b"
    together.close()
    assert first.closed
    assert second.closed
