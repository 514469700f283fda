"""The example package: a method from outside trains, resumes exactly and transfers."""

from __future__ import annotations

import ast
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
CHECK = """
import sys
from pathlib import Path
from depo.testing import check_method

settings = {"hidden": 8, "batch_steps": 64, "checkpoint_every": 2, "label_noise": 0.2}
check_method(
    "noisy-supervised", Path(sys.argv[1]), env_args={"size": 3}, steps=256, overrides=settings
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
    run("-c", CHECK, str(tmp_path))
    planner = tmp_path / "whole" / "planner" / "seed-0"
    out = ("--out", str(tmp_path / "carried"))
    run("-m", "depo", "transfer", str(tmp_path / "whole"), "--k", "2", *SMALL[2:], *out)
    carried = Run.open(tmp_path / "carried")
    assert carried.status() == "finished"
    assert digest(load_planner(carried.path / "planner" / "seed-0")) == digest(
        load_planner(planner)
    )


def test_what_it_imports_is_promised() -> None:
    """On the page of what an extension may import."""
    promised = (PACKAGE.parents[1] / "docs" / "stability.md").read_text()
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("depo"):
                names = {f"`{node.module}`", *(f"`{node.module}.{x.name}`" for x in node.names)}
                assert any(name in promised for name in names), f"{file.name}: {node.module}"
