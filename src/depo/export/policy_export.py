"""``depo export``: what a run has learned as a folder that needs no depo.

OUT/manifest.json   names of features, spaces with bounds, shapes of networks, versions, digests
OUT/run.py          a loop that acts in the environment
OUT/policy.py       numpy, jax: the policy in plain code, with planner.npz, skill.npz or actor.npz
OUT/policy.onnx     onnx: state → action and plan; beside it planner.onnx and skill.onnx
"""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box, Discrete

from depo.core.codec import encode
from depo.core.errors import DepoError, unknown
from depo.core.files import as_path, file_digest, new_folder
from depo.environments.arguments import are_allowed
from depo.environments.family import EnvironmentSettings
from depo.environments.gymnasium_environment import TIME_LIMIT
from depo.export.loop import ExportFormat, policy_text, run_text
from depo.models.acting import Policy
from depo.models.plain_model import arrays_of, described, parts_of
from depo.models.policy import DecoupledPolicy
from depo.models.policy_folder import load_policy
from depo.runs.checkpoints import CHECKPOINTS
from depo.runs.home import home_of_policy
from depo.runs.made_with import versions
from depo.runs.run import Run, as_run
from depo.zoo.entries import located

MANIFEST, VERSION = "manifest.json", 1


@dataclass(frozen=True)
class Place:
    """Where an exported policy acts."""

    label: str
    id: str | None
    """What ``gymnasium.make`` takes; None where that is not enough."""
    arguments: dict[str, Any]
    why: str = ""
    """Why it is not enough."""
    most_steps: int = TIME_LIMIT


def export_policy(
    source: str | Path | Run,
    format: ExportFormat,
    out: str | Path,
    *,
    seed: int | None = None,
    variant: str = "",
    trust: bool = False,
) -> Path:
    """Write the policy of a run (its first seed's, its first variant's), or of a policy folder, as
    a folder for ONNX, NumPy or JAX.

    ``depo.export_policy("runs/hopper", "onnx", "hopper-onnx")``. A skill that is a formula is
    somebody's code and is refused.
    """
    if format not in get_args(ExportFormat):
        raise unknown("format", str(format), get_args(ExportFormat))
    out = as_path(out, "out")
    if out.exists():
        raise DepoError(f"{out} exists: choose another folder")
    policy, environment = _opened(source, seed, variant, trust)
    parts = parts_of(policy.model)
    if parts is None:
        raise DepoError(_refused(policy))
    about = described(parts, policy.observations, policy.actions)
    manifest = _manifest(policy, format, about, place_of(policy, environment))
    with new_folder(out) as folder:
        arrays = arrays_of(parts)
        if format == "onnx":
            _write_onnx(folder, manifest, arrays)
        else:
            _write_arrays(folder, arrays)
            (folder / "policy.py").write_text(policy_text(format, manifest), "utf-8")
        (folder / "run.py").write_text(run_text(format, manifest), "utf-8")
        files = {file.name: file_digest(file) for file in sorted(folder.iterdir())}
        text = json.dumps({**manifest, "files": files}, indent=2, ensure_ascii=False)
        (folder / MANIFEST).write_text(text + "\n", "utf-8")
    return out


def _opened(
    source: str | Path | Run, seed: int | None, variant: str, trust: bool
) -> tuple[Policy, EnvironmentSettings | None]:
    """A run's policy or a folder's, and the environment it is for, if that is known."""
    path = source.path if isinstance(source, Run) else located(source, "source", "policy")
    if isinstance(source, Run) or (path / CHECKPOINTS).is_dir():
        run = as_run(source, trust=trust)
        own = run.job.first_environment
        policy = run.policy(seed, variant=variant, trust=trust)
        return policy, run.job.environment.variant(variant) if variant else own
    if seed is not None or variant:
        raise DepoError(f"{path} is one policy, not a run: leave seed and variant out")
    policy = load_policy(path, trust=trust)
    try:
        return policy, home_of_policy(policy, trust=trust)
    except DepoError:  # not ours to open, or of a package that is not here: the loop says so
        return policy, None


def _refused(policy: Policy) -> str:
    skill = getattr(policy.model, "skill", None)
    if isinstance(policy.model, DecoupledPolicy):
        name = getattr(skill, "name", "") or "a function"
        return (
            f"the skill of this policy is the formula {name}, which is Python code and no network: "
            "export a policy with a learned skill, or act with depo.load_policy"
        )
    return (
        f"a policy of the class {type(policy.model).__name__} cannot be exported: it is neither a "
        "planner with a learned skill, nor one of depo's actors"
    )


def place_of(policy: Policy, environment: EnvironmentSettings | None) -> Place:
    """How the loop makes the environment."""
    label = policy.origin.environment
    why = f"{label} cannot be made by gymnasium.make alone: put your environment into run.py"
    if environment is None:
        return Place(label, None, {}, why)
    own = environment.gymnasium()
    if own.dynamics or own.observe or own.id not in gym.registry or not are_allowed(own.arguments):
        return Place(label, None, {}, why)
    arguments = json.loads(json.dumps(own.arguments, default=str))
    try:
        with own.as_registered() as env:
            fits = isinstance(env.observation_space, Box | Discrete)
            most = (env.spec and env.spec.max_episode_steps) or TIME_LIMIT
    except Exception:  # a package that is not installed here, or arguments that are objects
        return Place(label, own.id, arguments)
    return Place(label, own.id, arguments, most_steps=most) if fits else Place(label, None, {}, why)


def _manifest(
    policy: Policy, form: ExportFormat, about: dict[str, Any], place: Place
) -> dict[str, Any]:
    origin = policy.origin
    return {
        "format": VERSION,
        "kind": f"exported policy, {form}",
        "environment": encode(place),
        "method": origin.method,
        "trained_on": origin.trained_on,
        "seed": origin.seed,
        "env_steps": origin.env_steps,
        "features": list(policy.features),
        "planned_features": list(policy.planned_features),
        "remembers": policy.remembers,
        **about,
        "made_with": versions(),
    }


def _write_arrays(folder: Path, arrays: dict[str, np.ndarray]) -> None:
    """A file for each part, so that a planner can go without its skill."""
    for part in sorted({name.partition("/")[0] for name in arrays}):
        own: dict[str, Any] = {n: x for n, x in arrays.items() if n.startswith(f"{part}/")}
        data = io.BytesIO()
        np.savez(data, **own)
        (folder / f"{part}.npz").write_bytes(data.getvalue())


def _write_onnx(folder: Path, manifest: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    try:
        from depo.export.onnx_graph import models
    except ImportError:
        raise DepoError(
            "ONNX needs the package 'onnx', which is not installed: pip install 'depo[onnx]'"
        ) from None
    for name, model in models(manifest, arrays).items():
        (folder / f"{name}.onnx").write_bytes(model.SerializeToString())
