"""Where the best return is known: walk to a line and stay there."""

from __future__ import annotations

from pathlib import Path

import depo
from tests.environments.point import ID
from tests.support.arguments import flat
from tests.support.runs import best_return
from tests.support.settings import SMALL


def test_soft_actor_critic_solves_a_task_with_a_known_optimum(tmp_path: Path) -> None:
    run = depo.train(
        "sac",
        env=ID,
        steps=4_000,
        out=tmp_path / "run",
        **flat(**SMALL, actor_rate=3e-3, critic_rate=3e-3),
    )
    assert run.metrics()[-1]["return"] > 3 * best_return()  # doing nothing is worth 40 × 0.5
    assert run.metrics()[-1]["return"] > -6.0
