"""Before every training that takes somebody's recording, and without touching its numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import depo
from depo.analysis.recordings import before_training
from depo.analysis.recordings.before_training import RecordingWarning, check_before_training
from depo.api import make_job
from depo.core.errors import DepoError
from depo.data import Demonstrations
from tests.support.cart import ID, demonstrations, recording

TINY = {"hidden": 16, "skill_hidden": 16, "minibatch": 32, "batch_steps": 40}
TINY |= {"random_steps": 160, "evaluate_every": 4, "demo_episodes": 2}


def job(file: Path | str = ""):
    return make_job("depo-supervised", env=ID, demos=file, steps=160, overrides=TINY)


def in_millimetres() -> Demonstrations:
    return demonstrations([walk * [1000, 1000, 1, 1] for walk in recording(episodes=2)])


def test_a_file_is_checked(tmp_path: Path) -> None:
    fits, wrong = tmp_path / "fits.npz", tmp_path / "wrong.npz"
    demonstrations(recording()).save(fits)
    in_millimetres().save(wrong)
    assert check_before_training(job(fits)) == ()
    (said,) = check_before_training(job(wrong))
    assert said.startswith("units: ")
    with pytest.raises(DepoError, match=r"--strict: .*wrong\.npz does not fit the environment"):
        check_before_training(job(wrong), strict=True)


def test_what_the_environment_brings_along_is_not_explored(monkeypatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(before_training, "check_in", never)
    assert check_before_training(make_job()) == ()
    assert check_before_training(make_job(env="hopper")) == ()
    assert check_before_training(make_job(env="hopper", demos="hopper")) == ()
    with pytest.raises(AssertionError):
        check_before_training(make_job(env="walker2d", demos="half-cheetah"))


def test_what_the_training_refuses_is_left_to_it(tmp_path: Path) -> None:
    Demonstrations.from_episodes([np.zeros((5, 3))]).save(tmp_path / "short.npz")
    assert check_before_training(job(tmp_path / "short.npz")) == ()
    assert check_before_training(job(tmp_path / "missing.npz")) == ()


def test_a_training_warns_or_refuses_before_it_writes_and_goes_on_silently(tmp_path: Path) -> None:
    small = {"steps": 160, "overrides": TINY, "progress": False}
    arguments = {"env": ID, "demos": in_millimetres(), **small}
    folder = tmp_path / "run"
    with pytest.raises(DepoError, match="does not fit the environment: units"):
        depo.train("depo-supervised", out=folder, strict=True, **arguments)
    assert not folder.exists()
    with pytest.warns(RecordingWarning, match="millimetres where the environment has metres"):
        run = depo.train("depo-supervised", out=folder, **arguments)
    assert depo.resume(run, progress=False).is_finished()
