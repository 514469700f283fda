"""The example package: a method from outside trains, resumes exactly and transfers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from depo.core.weights import digest
from depo.models.folder import load_planner
from depo.runs.run import Run
from tests.support.packages import install

PACKAGE = Path(__file__).parents[1] / "examples" / "add_a_method"
SMALL = ("--size", "3", "--hidden", "8", "--batch-steps", "64", "--steps", "256")
INTERRUPT = """
import sys
from pathlib import Path
from depo.api import make_job
from depo.runs.callbacks import Callback
from depo.runs.training import start

class Stop(Callback):
    def on_evaluation(self, evaluation):
        return "half way" if evaluation.steps >= 128 else None

settings = {"hidden": 8, "batch_steps": 64, "checkpoint_every": 2, "label_noise": 0.2}
start(
    make_job("noisy-supervised", env_args={"size": 3}, steps=256, overrides=settings),
    Path(sys.argv[1]),
    [Stop()] if sys.argv[2] == "stop" else [],
)
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory):
    """Python with the package installed."""
    folder = tmp_path_factory.mktemp("installed")
    paths = [str(install(PACKAGE, folder / "site")), str(PACKAGE.parents[1] / "src")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "NO_COLOR": "1"}

    def python(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return python


def test_it_is_offered_beside_the_others(run) -> None:
    assert "noisy-supervised" in run("-m", "depo", "train", "--help")
    assert "--label-noise" in run("-m", "depo", "train", "noisy-supervised", "--help")


def test_it_trains_resumes_exactly_and_transfers(run, tmp_path: Path) -> None:
    run("-c", INTERRUPT, str(tmp_path / "whole"), "go on")
    run("-c", INTERRUPT, str(tmp_path / "stopped"), "stop")
    run("-m", "depo", "resume", str(tmp_path / "stopped"))
    whole, stopped = (
        (tmp_path / name / "metrics.csv").read_bytes() for name in ("whole", "stopped")
    )
    assert whole == stopped
    planner = tmp_path / "whole" / "planner" / "seed-0"
    out = ("--out", str(tmp_path / "carried"))
    run("-m", "depo", "transfer", str(tmp_path / "whole"), "--k", "2", *SMALL[2:], *out)
    carried = Run.open(tmp_path / "carried")
    assert carried.status() == "finished"
    assert digest(load_planner(carried.path / "planner" / "seed-0")) == digest(
        load_planner(planner)
    )
