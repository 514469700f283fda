"""The scripts of examples/ run, are short, and are typed as an editor would have them."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))
SAYS = {
    "act_with_a_policy": "walked [0, 1, 2, 3, 4, 5]",
    "fit_a_planner": "error: 0.00",
    "own_loop": "800 steps, critic loss",
}


def test_there_are_scripts() -> None:
    assert {path.stem for path in SCRIPTS} == set(SAYS)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_runs(script: Path, tmp_path: Path) -> None:
    assert len(script.read_text().splitlines()) < 60
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert SAYS[script.stem] in done.stdout
    assert not list(tmp_path.iterdir()), "an example left files behind"


def test_scripts_are_typed() -> None:
    """``make types`` checks them, together with depo, and each of them as strictly as can be."""
    assert (ROOT / "src/depo/py.typed").exists()
    mypy = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]
    assert "examples" in mypy["files"]
    assert mypy["strict"]
    loosened = {name for name, value in mypy.items() if value is False}
    own = next(part for part in mypy["overrides"] if SCRIPTS[0].stem in part["module"])
    packages = {f"{path.parent.name}.*" for path in (ROOT / "examples").glob("*/*/__init__.py")}
    assert set(own["module"]) == {path.stem for path in SCRIPTS} | packages
    assert {name for name, value in own.items() if value is True} == loosened
