"""The expert walks right, half a step each time: so does whoever imitates it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.runs import mean_action, resumes_exactly, train
from tests.support.settings import ADVERSARIAL, IMITATION, SHORT


@pytest.mark.slow
def test_a_discriminator_of_actions_teaches_the_experts(tmp_path: Path) -> None:
    run = train("gail", tmp_path, steps=3_000, **IMITATION, **ADVERSARIAL)
    assert mean_action(run) == pytest.approx([0.5, 0.0], abs=0.2)


@pytest.mark.slow
def test_it_resumes_exactly(tmp_path: Path) -> None:
    assert resumes_exactly("gail", tmp_path, **IMITATION | SHORT)
