"""Many runs, on several engines."""

from __future__ import annotations

from pathlib import Path

import pytest

from depo.api import make_job
from depo.core.errors import DepoError
from depo.experiments.sweep import PlannedRun, Sweep
from tests.support.arguments import flat

SMALL = {"size": 3, "hidden": 32, "batch_steps": 64}


def test_ray_runs_the_same_jobs(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="Ray is an extra: pip install 'depo[ray]' to test it")
    sweep = Sweep(tmp_path, {"ppo": PlannedRun(make_job("ppo", steps=128, **flat(**SMALL)))})
    seen: dict[str, int] = {}
    sweep.execute(
        workers=1, engine="ray", watch=lambda label, steps, _: seen.__setitem__(label, steps)
    )
    assert seen == {"ppo": 128}
    assert sweep.is_finished("ppo")


def test_a_failing_run_is_named(tmp_path: Path) -> None:
    broken = PlannedRun(make_job("transfer", planner=tmp_path / "nowhere", **flat(**SMALL)))
    sweep = Sweep(tmp_path, {"lost": broken})
    with pytest.raises(DepoError, match="run 'lost'"):
        sweep.execute(workers=1, watch=lambda *_: None)
