from __future__ import annotations

import json
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from PIL import Image

from depo.driving.drivers import ConstantVelocity, ExpertReplay
from depo.driving.imagination import imagine
from depo.driving.opening import open_environment
from depo.driving.rectangles import Rectangle
from depo.driving.settings import ID, DrivingSettings
from depo.plotting.road import EGO, corners
from tests.support.command import call
from tests.support.traffic import flowing

RED = tuple(int(EGO[i : i + 2], 16) for i in (1, 3, 5))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(flowing().save(tmp_path_factory.mktemp("traffic") / "flowing.npz"))


def test_a_picture_and_a_film_are_drawn(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture, film = tmp_path / "drive.png", tmp_path / "drive.gif"
    assert call("render", str(picture), "--recording", file, "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert said["ended"] == "arrived"
    pixels = np.asarray(Image.open(picture).convert("RGB"))
    assert (pixels == RED).all(axis=-1).sum() > 200  # the ego is to be seen
    number = str(said["vehicle"])
    words = ("--recording", file, "--number", number, "--seconds", "0.5", "--ahead", "0")
    assert call("render", str(film), *words, "--driver", "constant-velocity") == 0
    assert Image.open(film).n_frames == 3
    assert not list(tmp_path.glob("*.pdf"))


def test_what_cannot_be_drawn_gets_a_sentence(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("render", str(tmp_path / "drive.jpg"), "--recording", file) == 2
    assert "unknown picture format '.jpg'" in capsys.readouterr().err
    words = ("--recording", file, "--number", "9999")
    assert call("render", str(tmp_path / "drive.png"), *words) == 2
    assert "vehicle 9999 is not in the recording" in capsys.readouterr().err
    assert call("render", str(tmp_path / "drive.png"), "--recording", "nowhere") == 2
    assert "unknown recording of traffic 'nowhere'" in capsys.readouterr().err


def test_the_gymnasium_face_draws(file: str) -> None:
    env = gym.make(ID, recording=file, render_mode="rgb_array").unwrapped
    env.reset(seed=0)
    env.step(np.zeros(2, np.float32))
    frame = env.render()
    assert frame.dtype == np.uint8
    assert (frame == RED).all(axis=-1).sum() > 100


def test_imagined_paths_are_the_plans_one_after_the_other(file: str) -> None:
    environment = open_environment(DrivingSettings(recording=file, part="test"))
    vehicle = int(environment.choice[0])
    ego = environment.begin_one(vehicle)
    scene = environment.scene
    expert = np.asarray(imagine(environment, ExpertReplay(), ego, 20))[:, 0]
    recorded = scene.recorded(vehicle, scene.start_frame[vehicle] + np.arange(1, 21))
    np.testing.assert_allclose(expert[:, 0], recorded.x, atol=0.02)
    np.testing.assert_allclose(expert[:, 1], recorded.y, atol=0.02)
    straight = np.asarray(imagine(environment, ConstantVelocity(), ego, 20))[:, 0]
    vx = float(ego.pose.velocity()[0][0])
    np.testing.assert_allclose(np.diff(straight[:, 0]), 0.1 * vx, atol=1e-3)


def test_corners_enclose_the_vehicle() -> None:
    turned = corners(Rectangle(*(np.array([v]) for v in (10.0, 5.0, 0.6, 0.8, 2.0, 1.0))))[0]
    np.testing.assert_allclose(turned.mean(axis=0), [10.0, 5.0])
    sides = np.linalg.norm(np.diff(turned, axis=0), axis=1)
    np.testing.assert_allclose(sides, [2.0, 4.0, 2.0])
