"""The expert walks right, half a step each time: so does whoever imitates it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.runs import mean_action, resumes_exactly, train
from tests.support.settings import ADVERSARIAL, IMITATION, SHORT


@pytest.mark.slow
def test_the_expert_is_followed_and_information_is_found(tmp_path: Path) -> None:
    run = train("iddm", tmp_path, steps=3_000, **IMITATION, **ADVERSARIAL)
    assert mean_action(run) == pytest.approx([0.5, 0.0], abs=0.2)
    assert run.metrics()[-1]["mutual_information"] > 0.5  # s' tells much of s


@pytest.mark.slow
def test_it_resumes_exactly(tmp_path: Path) -> None:
    assert resumes_exactly("iddm", tmp_path, **IMITATION | SHORT)
