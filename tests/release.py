"""Build wheel and sdist, install them where nothing else is, and use them there.

    python -m tests.release [--pythons 3.11 3.12 …/bin/python3.13] [--extras minari …] [--no-demo]

A row for each environment: the core under every Python (of the wheel; under the first of the
sdist, too), and each extra under the first. The first row is the demo, the others train briefly.
Needs ``pip install -e '.[release]'`` and the network.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
DEVELOPERS = {"dev", "docs", "fuzz", "release"}
"""Extras that a clone needs and an installed package does not."""
RESOLVED_ONLY = {"cuda"}
"""Gigabytes that run on no machine without a GPU: that versions fit together is looked at."""
TRIES: dict[str, Sequence[str]] = {
    "minari": ("python", "-c", "import h5py, minari"),
    "mujoco": ("depo", "train", "depo", "--env", "inverted-pendulum", "--dry-run"),
    "onnx": ("python", "-c", "import onnx, onnxruntime"),
    "ray": ("python", "-c", "import ray"),
    "robotics": ("python", "-c", "import gymnasium_robotics"),
    "track": ("python", "-c", "import tensorboard, trackio, wandb"),
    "traffic": ("python", "-c", "import sumo"),
}
"""What an extra is for, in seconds."""


class FaultError(Exception):
    """What a release must not have."""


def done(*words: str | Path, cwd: Path = ROOT, refused: str = "") -> str:
    """What a command prints; it has to succeed, or to be refused with some words."""
    hidden = {"PYTHONPATH", "VIRTUAL_ENV", "XLA_FLAGS"}
    environment = {key: value for key, value in os.environ.items() if key not in hidden}
    ended = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=1800,
    )
    said = f"{' '.join(map(str, words))}:\n{ended.stdout[-2000:]}{ended.stderr[-2000:]}"
    if refused:
        if ended.returncode != 2 or refused not in ended.stderr:
            raise FaultError(f"not refused with '{refused}': {said}")
    elif ended.returncode:
        raise FaultError(said)
    return ended.stdout


def built(folder: Path) -> tuple[Path, Path]:
    """Wheel and sdist, made in an environment of their own; the wheel is made of the sdist."""
    done(sys.executable, "-m", "build", "--outdir", folder, ROOT)
    version = PROJECT["version"]
    return folder / f"depo-{version}-py3-none-any.whl", folder / f"depo-{version}.tar.gz"


def tracked(*under: str) -> set[str]:
    """Files of the repository below some folders."""
    said = done("git", "ls-files", "--", *under).splitlines()
    return {name for name in said if (ROOT / name).is_file()}


def check_contents(wheel: Path, sdist: Path) -> None:
    """All that is tracked is packed, and nothing else."""
    with zipfile.ZipFile(wheel) as opened:
        packed = {name for name in opened.namelist() if ".dist-info/" not in name}
    wanted = {name.removeprefix("src/") for name in tracked("src/depo")}
    if packed != wanted:
        raise FaultError(f"the wheel and src/depo differ: {sorted(packed ^ wanted)[:10]}")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    folders = ("src", "tests", "docs", "examples", "benchmarks")
    missing = tracked(*folders, ".github", "Makefile", "uv.lock", "CITATION.cff") - names
    if missing:
        raise FaultError(f"the sdist lacks {sorted(missing)[:10]}")


def environment(folder: Path, python: str, what: str) -> Path:
    """A new environment with the package alone; the folder of its commands."""
    done("uv", "venv", "--quiet", "--python", python, folder)
    done("uv", "pip", "install", "--quiet", "--python", folder / "bin" / "python", what)
    done("uv", "pip", "check", "--python", folder / "bin" / "python")
    return folder / "bin"


def check_core(commands: Path, work: Path, demo: bool) -> str:
    """Version, help, a sentence where an extra is missing, and the demo or a short training."""
    depo = commands / "depo"
    if done(depo, "--version", cwd=work).strip() != PROJECT["version"]:
        raise FaultError(f"{depo} --version is not {PROJECT['version']}")
    done(depo, "--help", cwd=work)
    done(depo, "demos", "info", "hopper", cwd=work)
    hopper = ("train", "depo", "--env", "hopper", "--dry-run")
    done(depo, *hopper, cwd=work, refused="depo[mujoco]")
    if not demo:
        done(depo, "train", "depo", "--steps", "1280", "--out", "run", cwd=work)
        done(depo, "evaluate", "run", cwd=work)
        return "trained and evaluated"
    shown = json.loads(done(depo, "demo", "--out", "demo", "--json", cwd=work))
    if not (shown["success"] > 0.9 and shown["success_transfer"] > 0.9):
        raise FaultError(f"the demo learned little: {shown}")
    return f"demo {shown['success']:.3f}, {shown['success_transfer']:.3f}"


def check_extra(commands: Path, work: Path, extra: str) -> str:
    """Help, and what the extra is for."""
    done(commands / "depo", "--help", cwd=work)
    program, *words = TRIES[extra]
    done(commands / program, *words, cwd=work)
    return " ".join(TRIES[extra])


def check_resolved(wheel: Path, extra: str, python: str) -> str:
    """Versions of everything an extra wants fit together."""
    wanted = wheel.parent / f"{extra}.in"
    wanted.write_text(f"depo[{extra}] @ {wheel.as_uri()}\n")
    found = done("uv", "pip", "compile", "--quiet", "--python-version", python, wanted)
    wanted.unlink()
    return f"{sum('==' in line for line in found.splitlines())} packages resolved, not installed"


def check(label: str, wheel: Path, sdist: Path, python: str, work: Path, demo: bool) -> str:
    """One environment: the core of wheel or sdist, or an extra."""
    if label in RESOLVED_ONLY:
        return check_resolved(wheel, label, python)
    if label in ("wheel", "sdist"):
        package = str(wheel if label == "wheel" else sdist)
        return check_core(environment(work / "env", python, package), work, demo)
    return check_extra(environment(work / "env", python, f"{wheel}[{label}]"), work, label)


def main() -> int:
    """Build, install, try; 1 if anything was amiss."""
    public = sorted(set(PROJECT["optional-dependencies"]) - DEVELOPERS)
    parser = argparse.ArgumentParser(prog="python -m tests.release", description=__doc__)
    parser.add_argument("--pythons", nargs="+", default=["3.11", "3.12", "3.13"])
    parser.add_argument("--extras", nargs="*", default=public, choices=public)
    parser.add_argument("--no-demo", action="store_true", help="train briefly in its place")
    parser.add_argument("--dist", type=Path, default=ROOT / "dist")
    flags = parser.parse_args()
    done("uv", "lock", "--check")
    wheel, sdist = built(flags.dist.resolve())
    check_contents(wheel, sdist)
    size = [f"{file.stat().st_size / 1e6:.1f} MB" for file in (wheel, sdist)]
    print(f"{wheel.name} {size[0]}, {sdist.name} {size[1]}", flush=True)
    first, *others = flags.pythons
    jobs = [("wheel", first), ("sdist", first), *(("wheel", python) for python in others)]
    jobs += [(extra, first) for extra in flags.extras]
    faults = 0
    for i, (label, python) in enumerate(jobs):
        began, demo = time.perf_counter(), i == 0 and not flags.no_demo
        with tempfile.TemporaryDirectory() as work:
            try:
                outcome = check(label, wheel, sdist, python, Path(work), demo)
            except FaultError as fault:
                faults, outcome = faults + 1, f"FAULT {fault}"
        seconds = time.perf_counter() - began
        print(f"{label:10} Python {python:6} {seconds:4.0f} s  {outcome}", flush=True)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
