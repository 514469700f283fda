"""A film of a run's policy, drawn by the environment itself; works without a screen."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

import jax.numpy as jnp
import numpy as np

from depo.analysis.evaluate import gymnasium_of, load_policies, under
from depo.core.errors import DepoError
from depo.core.files import write_bytes
from depo.core.seeds import EVALUATION, derived_seed
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.environments.mujoco_states import drawable, picture
from depo.models.policy import PolicyModel
from depo.runs.run import Run


def film(
    run: Run, *, seconds: float = 10.0, kind: str = "", dynamics: str | None = None
) -> list[Path]:
    """One file for each seed in RUN/figures; mp4 where an encoder is installed, else GIF.

    ``dynamics`` puts the policy, as it is, under other than the run's; files are named after them.
    """
    kind = kind or film_kind()
    job, name = run.job, "policy"
    if dynamics is not None:
        job = under(run.job, dynamics)
        name = f"policy-{job.environment.label}"
    written = []
    for seed, policy in zip(run.job.seeds, load_policies(run), strict=True):
        frames, rate = frames_of(gymnasium_of(job), policy, seed, seconds)
        written.append(
            write_film(run.path / "figures" / f"{name}-seed-{seed}.{kind}", frames, rate)
        )
    return written


def frames_of(
    environment: GymnasiumEnvironment, policy: PolicyModel, seed: int, seconds: float
) -> tuple[list[np.ndarray], float]:
    """Pictures of the first evaluation episode, and how many make a second."""
    env = drawable(environment)
    try:
        rate = float(env.metadata.get("render_fps", 30))
        state, _ = env.reset(seed=derived_seed(EVALUATION, seed, 0))
        frames = [picture(env)]
        for _ in range(int(seconds * rate)):
            action = np.asarray(policy.mode(jnp.array(state, jnp.float32)[None]).action)[0]
            state, _, ended, cut, _ = env.step(action)
            frames.append(picture(env))
            if ended or cut:
                break
        return frames, rate
    finally:
        env.close()


def write_film(path: Path, frames: Sequence[np.ndarray], rate: float) -> Path:
    """Write mp4 or GIF, atomically, by the file's ending."""
    if path.suffix == ".gif":
        return _write_gif(path, frames, rate)
    if not has_encoder():
        raise DepoError("writing mp4 needs an encoder: pip install 'depo[mujoco]', or choose gif")
    import imageio.v2 as imageio

    temporary = path.with_name(f".{path.name}.tmp.mp4")
    path.parent.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*os.fork", category=RuntimeWarning)
        imageio.mimwrite(temporary, list(frames), fps=rate, macro_block_size=None)
    temporary.replace(path)
    return path


def _write_gif(path: Path, frames: Sequence[np.ndarray], rate: float) -> Path:
    from io import BytesIO

    from PIL import Image

    every = max(1, round(rate / 25))  # GIF viewers are slow, and files large
    pictures = [Image.fromarray(frame) for frame in frames[::every]]
    buffer = BytesIO()
    pictures[0].save(
        buffer,
        format="GIF",
        save_all=True,
        append_images=pictures[1:],
        duration=1000 * every / rate,
        loop=0,
    )
    write_bytes(path, buffer.getvalue())
    return path


def film_kind() -> str:
    """mp4 where an encoder is installed, else gif."""
    return "mp4" if has_encoder() else "gif"


def has_encoder() -> bool:
    """Whether mp4 can be written."""
    try:
        import imageio_ffmpeg  # noqa: F401
    except ImportError:
        return False
    return True
