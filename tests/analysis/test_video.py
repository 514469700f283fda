"""Films of a policy in an environment that draws itself, and of one that does not."""

from __future__ import annotations

from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from PIL import Image

import depo
from depo.analysis.video import film, write_film
from depo.core.errors import DepoError
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.environments.mujoco_states import drawable, picture
from tests.environments.point import ID, Point, straight_demonstrations
from tests.support.arguments import flat

SMALL = {"hidden": 8, "skill_hidden": 8, "minibatch": 16, "batch_steps": 40, "steps": 160}


class Drawn(Point):
    """A grey plane, brighter to the right."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 10}  # noqa: RUF012

    def __init__(self, render_mode: str | None = None):
        super().__init__()
        self.render_mode = render_mode

    def render(self):
        return np.full((33, 47, 3), np.clip(120 + 20 * self.state[0], 0, 255), np.uint8)


gym.register("depo-test/Drawn-v0", entry_point=Drawn, max_episode_steps=40)


def test_a_policy_is_filmed_and_the_film_has_its_length(tmp_path: Path) -> None:
    demos = straight_demonstrations(tmp_path / "demos.npz")
    env = f"{__name__}:depo-test/Drawn-v0"
    run = depo.train(
        "bco",
        env=env,
        demos=demos,
        out=tmp_path / "run",
        **flat(random_steps=80, evaluate_every=2, **SMALL),
    )
    assert run.final_scores()[0]["skill_error"] >= 0  # though bco acts without its skill
    (path,) = film(run, seconds=2.0, kind="gif")
    pictures = Image.open(path)
    assert pictures.n_frames > 1
    assert pictures.size == (46, 32)  # even, as encoders want
    (turned,) = film(run, seconds=2.0, kind="gif", dynamics="inverted")
    assert turned.name == "policy-drawn-v0-inverted-seed-0.gif"
    there, back = (_brightening(film) for film in (path, turned))
    assert there * back < 0  # what went right goes left
    written = write_film(tmp_path / "film.mp4", [np.zeros((32, 32, 3), np.uint8)] * 5, 10.0)
    assert written.stat().st_size > 100


def _brightening(film: Path) -> int:
    """How much brighter a film ends than it begins."""
    pictures = Image.open(film)
    first = np.asarray(pictures.convert("L"), int)[0, 0]
    pictures.seek(pictures.n_frames - 1)
    return int(np.asarray(pictures.convert("L"), int)[0, 0] - first)


def test_an_environment_that_cannot_draw_is_named() -> None:
    with pytest.raises(DepoError, match=r"Point-v0' draws no pictures: 'rgb_array' is not among"):
        drawable(GymnasiumEnvironment(ID))


def test_nobody_runs_off_the_floor() -> None:
    env = drawable(GymnasiumEnvironment("Hopper-v5"))
    env.reset(seed=0)
    body = env.unwrapped
    tiles = []
    for x in (0.0, 60.0, 600.0):
        body.set_state(np.array([x, *body.data.qpos[1:]]), body.data.qvel)
        tiles.append(float(picture(env)[-100:].std()))
    env.close()
    assert min(tiles) > 0.8 * max(tiles) > 0  # without a floor there is smooth sky
