"""Peers and this package on the same demonstrations and cores, for equal wall-clock, in turns.

    python benchmarks/peers.py --venvs venvs --out peers --seconds 600 --seeds 100 101 102

Makes a virtual environment for every peer (``--venvs``), then lets each contender learn for as many
seconds, one after the other, seed by seed. What cannot be installed, or fails, is named in the
table and does not stop the rest.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from peers_table import Curves, Point, draw, parse, rows_of, table, write_csv

from depo.core.files import write_bytes
from depo.data import Demonstrations
from depo.data.shipped import load_demonstrations
from depo.environments.mujoco import TASKS
from depo.experiments.continuous import find_demos

WORKERS = Path(__file__).parent / "peers"
TORCH = "torch==2.13.0"
STEPS = {"hopper": 60_000, "half-cheetah": 150_000}
"""Environment steps of this package's runs, if time allows: rates fall towards the end."""
EVERY = 1_000
"""Environment steps between evaluations."""
GRACE = 300.0
"""Seconds beyond its own after which a worker hangs: start, compilation, evaluations."""


@dataclass(frozen=True)
class Contender:
    """Who learns, from what, and where it is from."""

    name: str
    worker: str
    shown: str
    """What it learns from, for the table."""
    packages: tuple[str, ...] = ()
    """To install; the first is the peer itself. None: this package."""
    beside: tuple[str, ...] = ()
    """Installed last and without what they need: newer than the peer asks for."""
    method: str = ""
    needs_actions: bool = False

    @property
    def venv(self) -> str:
        """Its environment's name."""
        return self.packages[0].partition("=")[0]


def contenders() -> tuple[Contender, ...]:
    """Peers with the simulator that this package has, then its own methods."""
    simulator = tuple(f"{name}=={version(name)}" for name in ("gymnasium", "mujoco"))
    own = [("depo", "states"), ("gaifo", "states"), ("bco", "states"), ("sac", "reward")]
    return (
        Contender(
            "imitation GAIL",
            "imitation_gail.py",
            "states (actions are zeros, unseen)",
            ("imitation==1.0.1", TORCH, "mujoco"),
            (*simulator, "stable-baselines3==2.9.2"),  # its own cannot make -v5 tasks
        ),
        Contender(
            "SB3 SAC", "sb3_sac.py", "reward", ("stable-baselines3==2.9.2", TORCH, *simulator)
        ),
        Contender(
            "d3rlpy BC",
            "d3rlpy_bc.py",
            "states and actions",
            ("d3rlpy==2.8.1", TORCH, "mujoco"),
            simulator,
            needs_actions=True,
        ),
        *(Contender(f"depo: {name}", "ours.py", shown, method=name) for name, shown in own),
    )


def install(contender: Contender, venvs: Path) -> tuple[Path, str]:
    """The Python that runs a contender, and the version of what it is."""
    if not contender.packages:
        return Path(sys.executable), f"depo {version('depo')}"
    folder = (venvs / contender.venv).absolute()
    python, done = folder / "bin" / "python", folder / "installed"
    if not done.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        pip = [str(python), "-m", "pip", "install", "-q"]
        subprocess.run([*pip, *contender.packages], check=True)
        if contender.beside:
            subprocess.run([*pip, "--no-deps", *contender.beside], check=True)
        done.touch()
    return python, contender.packages[0].replace("==", " ")


def measure(python: Path, contender: Contender, job: Mapping[str, Any]) -> list[Point]:
    """One seed's curve; raises RuntimeError with the end of its errors where it fails."""
    words = [str(python), str(WORKERS / contender.worker)]
    threads = str(job["threads"])
    env = os.environ | {"OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads}
    limit = 3 * float(job["seconds"]) + GRACE
    try:
        answer = subprocess.run(
            words,
            input=json.dumps(job),
            capture_output=True,
            text=True,
            env=env,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"did not end within {limit:.0f} s") from None
    except OSError as error:
        raise RuntimeError(f"{python} cannot be started ({error.strerror})") from None
    if answer.returncode:
        last = [line for line in answer.stderr.splitlines() if line.strip()][-1:]
        raise RuntimeError(" ".join(last) or f"ended with {answer.returncode}")
    # a worker looks at its clock between rounds: what came too late does not count
    if not (points := [p for p in parse(answer.stdout) if p.seconds <= job["seconds"]]):
        raise RuntimeError("ended without an evaluation in its time")
    return points


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--venvs", type=Path, required=True, help="folder of the environments")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tasks", nargs="*", default=list(STEPS), choices=list(STEPS))
    parser.add_argument("--demos-dir", default="", help="TASK.npz instead of the shipped ones")
    parser.add_argument("--seeds", nargs="*", type=int, default=[100, 101, 102])
    parser.add_argument("--seconds", type=float, default=600.0, help="of each, a seed")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--episodes", type=int, default=10, help="of an evaluation")
    parser.add_argument("--only", nargs="*", default=[], help="contenders, by name")
    return parser.parse_args()


def _installed(
    given: argparse.Namespace,
) -> tuple[dict[str, Path], dict[str, tuple[str, str]], dict[str, str]]:
    """The Python of every contender that can run; what is said of all; and why others cannot."""
    pythons: dict[str, Path] = {}
    about: dict[str, tuple[str, str]] = {}
    failed: dict[str, str] = {}
    for contender in contenders():
        if given.only and contender.name not in given.only:
            continue
        about[contender.name] = ("–", contender.shown)
        try:
            pythons[contender.name], of = install(contender, given.venvs)
            about[contender.name] = (of, contender.shown)
        except (subprocess.CalledProcessError, OSError) as error:
            failed[contender.name] = f"cannot be installed here ({type(error).__name__})"
    return pythons, about, failed


def _demonstrations(task: str, given: argparse.Namespace) -> Demonstrations:
    return load_demonstrations(find_demos(given.demos_dir, task))


def _job(
    given: argparse.Namespace, task: str, contender: Contender, seed: int, demos: str
) -> dict[str, Any]:
    out = given.out / "runs" / f"{task}-{contender.name.replace(': ', '-')}-{seed}"
    if out.exists():
        raise RuntimeError(f"{out} is there: give another --out")
    return {
        "env": TASKS[task][0],
        "seed": seed,
        "seconds": given.seconds,
        "every": EVERY,
        "episodes": given.episodes,
        "demos": demos,
        "threads": given.cores,
        "method": contender.method,
        "steps": STEPS[task],
        "out": str(out.absolute()),
    }


def main() -> None:
    """Install what is not there, measure in turns, then write CSV, figure and tables."""
    given = _arguments()
    given.out.mkdir(parents=True, exist_ok=True)
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: given.cores])
    pythons, about, failed = _installed(given)
    rows: list[list[Any]] = []
    curves: dict[str, Curves] = {}
    tables = []
    for task in given.tasks:
        demos = _demonstrations(task, given)
        curves[task], troubles = _in_turns(given, task, demos, pythons, rows)
        expert = float("nan") if demos.episode_returns is None else demos.episode_returns.mean()
        head = f"{task}, expert {expert:,.0f}, {given.seconds:.0f} s each on {given.cores} cores"
        tables.append(f"{head}\n\n" + table(curves[task], expert, about, failed | troubles))
        write_bytes(given.out / "peers.md", "\n".join(tables).encode())
    draw({task: own for task, own in curves.items() if own}, given.out / "peers.png")
    print("\n".join(tables))


def _in_turns(
    given: argparse.Namespace,
    task: str,
    demos: Demonstrations,
    pythons: Mapping[str, Path],
    rows: list[list[Any]],
) -> tuple[Curves, dict[str, str]]:
    """Every contender's curves, seed by seed, and why somebody has none; rows are added to."""
    curves: dict[str, list[list[Point]]] = {}
    troubles: dict[str, str] = {}
    file = str(demos.save(given.out.absolute() / f"{task}.npz"))
    for seed in given.seeds:
        for contender in contenders():
            name = contender.name
            if name in troubles or name not in pythons:
                continue
            if contender.needs_actions and demos.actions is None:
                troubles[name] = "the recording has no actions"
                continue
            try:
                job = _job(given, task, contender, seed, file)
                points = measure(pythons[name], contender, job)
            except RuntimeError as error:
                troubles[name] = f"failed: {error}"
                curves.pop(name, None)  # the seeds before are in the CSV
                continue
            curves.setdefault(name, []).append(points)
            rows += rows_of(task, name, seed, points)
            write_csv(given.out / "peers.csv", rows)
            print(f"{task}, {name}, seed {seed}: {points[-1]}", flush=True)
    return curves, troubles


if __name__ == "__main__":
    main()
