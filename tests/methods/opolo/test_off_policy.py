"""The expert walks right, half a step each time: so does whoever imitates it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.runs import mean_action, resumes_exactly, train
from tests.support.settings import ADVERSARIAL, SHORT, SKILL


@pytest.mark.slow
@pytest.mark.parametrize("divergence", ["chi-square", "kl"])
def test_dual_critics_and_a_skill_teach_the_experts_actions(
    divergence: str, tmp_path: Path
) -> None:
    run = train("opolo", tmp_path, steps=3_000, divergence=divergence, **SKILL, **ADVERSARIAL)
    assert mean_action(run) == pytest.approx([0.5, 0.0], abs=0.2)


@pytest.mark.slow
def test_it_resumes_exactly(tmp_path: Path) -> None:
    assert resumes_exactly("opolo", tmp_path, **SKILL | SHORT)
