"""``--env module:function`` from training to export, whatever the function makes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.support.command import call
from tests.support.pure import straight

SMALL = "--hidden 16 --skill-hidden 16 --minibatch 16 --batch-steps 40 --copies 4 --random-steps 80"
ADVERSARY = "--discriminator-hidden 16 --demo-episodes 3"


@pytest.mark.parametrize(
    "env",
    [
        "tests.environments.point:batch",  # of many at once, in NumPy
        pytest.param("tests.support.pure:Point", marks=pytest.mark.slow),  # of gymnax, in JAX
    ],
)
def test_a_function_that_makes_an_environment_is_all_that_is_given(
    env: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    straight().save(tmp_path / "walks.npz")
    shown = ["--env", env, "--demos", "walks.npz", "--steps", "240", *SMALL.split()]
    assert call("train", "depo", *shown, *ADVERSARY.split(), "--out", "run") == 0
    capsys.readouterr()
    assert call("evaluate", "run", "--episodes", "2", "--json") == 0
    (score,) = json.loads(capsys.readouterr().out)["scores"]
    assert score["episode_length"] <= 12
    assert call("imagine", "run", "--steps", "3", "--starts", "2", "--no-video", "--json") == 0
    assert len(json.loads(capsys.readouterr().out)["errors"]) == 4
    carried = ["--steps", "240", *SMALL.split()[4:], "--dynamics", "inverted", "--out", "carried"]
    assert call("transfer", "run", *carried) == 0
    assert call("export", "carried", "--format", "numpy", "-o", "sent") == 0
    planners = [tmp_path / name / "planner" / "seed-0" for name in ("run", "carried")]
    kept = {(folder / "weights.safetensors").read_bytes() for folder in planners}
    assert len(kept) == 1
    with np.load(tmp_path / "sent" / "planner.npz") as sent:
        assert len(sent.files) > 1
