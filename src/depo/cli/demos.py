"""``depo demos``: list, info, record, make, Minari in and out; traffic is in its own module."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Annotated, Any

import numpy as np
import tyro

from depo.cli.flags import parse
from depo.cli.output import print_json, print_table, stdout
from depo.core.errors import DepoError, unknown
from depo.core.files import named_file
from depo.data.demonstrations import Demonstrations
from depo.data.minari_datasets import from_minari, to_minari
from depo.data.shipped import load_demonstrations, shipped
from depo.driving.traffic.recording import is_recording
from depo.driving.traffic.scenes import load_scene, shipped_recordings
from depo.environments.by_name import named_environment
from depo.environments.grid.gridworld import GridWorld, GridWorldSettings

TRAFFIC = "depo.cli.traffic"
HELP = """depo demos: demonstrations, which are states only

  depo demos list                          what ships with the package
  depo demos info FILE                     read a file and describe it, feature by feature
  depo demos check FILE --env ID           compare it with an environment
  depo demos record RUN FILE               play a run's policy and keep where it went
  depo demos make FILE --size 20 …         record the grid world's built-in expert
  depo demos import PATH… --out FILE       make demonstrations of CSV, Parquet, HDF5, LeRobot, …
  depo demos import-minari DATASET FILE    make demonstrations of a Minari dataset
  depo demos export-minari FILE DATASET    make a Minari dataset of demonstrations
  depo demos from-traffic FILE… --out …    make a scene of recordings of traffic
  depo demos make-traffic FILE             simulate such a recording (needs SUMO)
  depo demos export-traffic FILE TEXT      write a recording as NGSIM's 18 columns
"""


@dataclass(frozen=True)
class List:
    """What ships with the package."""

    json: bool = False
    """Print the result as JSON."""


@dataclass(frozen=True)
class Info:
    """Check a file and describe it."""

    file: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FILE")]
    """An .npz file (demonstrations, or a scene of traffic), or the name of a shipped one."""
    json: bool = False
    """Print the result as JSON."""


@dataclass(frozen=True)
class Record:
    """Play a run's deterministic policy and keep where it went; actions are not kept."""

    run: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """The run's folder; its last checkpoint plays."""
    file: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FILE")]
    """The .npz file to write."""
    episodes: int = 10
    """How many episodes, from seeds that training and evaluation never use."""
    seed: int | None = None
    """Which of the run's seeds; the first unless given."""
    noise: float = 0.0
    """Deviation of noise added to actions, of [−1, 1], or share of discrete ones that are random:
    shows how the policy finds back when it is pushed off, which a planner cloned from it has to
    know."""
    keep_actions: bool = False
    """Keep the actions too, for bc, gail and airl; the other methods need none."""
    trust: bool = False
    """Import the modules that the run names, though somebody else made it."""
    json: bool = False
    """Print the result as JSON."""


@dataclass(frozen=True)
class Make:
    """Record the grid world's built-in expert: the way from (0,0), through --via, to the goal."""

    file: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FILE")]
    """The .npz file to write."""
    episodes: int = 100
    """How many recordings of the path."""
    world: tyro.conf.OmitArgPrefixes[GridWorldSettings] = field(default_factory=GridWorldSettings)
    json: bool = False
    """Print the result as JSON."""


@dataclass(frozen=True)
class ImportMinari:
    """Make demonstrations of a Minari dataset that is on this machine."""

    dataset: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="DATASET")]
    """The dataset's id ('D4RL/door/human-v2') or its folder."""
    file: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FILE")]
    """The .npz file to write."""
    keep_actions: bool = False
    """Keep the recorded actions too, for bc, gail and airl; the other methods need none."""
    episodes: int = 0
    """Take only the first n episodes; 0: all."""
    json: bool = False
    """Print the result as JSON."""


@dataclass(frozen=True)
class ExportMinari:
    """Make a Minari dataset of demonstrations; what they do not hold is zeros, and marked."""

    file: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FILE")]
    """An .npz file, or the name of a shipped set."""
    dataset: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="DATASET")]
    """The id to give it, NAME-v0 or GROUP/NAME-v0; MINARI_DATASETS_PATH says where it goes."""
    env: str = ""
    """The Gymnasium id they belong to ('module:Id-v0' imports); empty: spaces as the data has."""
    json: bool = False
    """Print the result as JSON."""


def run(argv: list[str]) -> int:
    """List, describe, make or convert demonstrations."""
    if not argv or argv[0] in ("-h", "--help"):
        print(HELP)
        return 0
    known = actions()
    if argv[0] not in known:
        raise unknown("demos command", argv[0], known)
    return known[argv[0]](argv[1:])


def actions() -> dict[str, Callable[[list[str]], int]]:
    """What follows 'depo demos'."""
    return {
        "list": _list,
        "info": _info,
        "check": _of_module("depo.cli.demos_check", "run"),
        "record": _record,
        "make": _make,
        "import": _import,
        "import-minari": _import_minari,
        "export-minari": _export_minari,
        "from-traffic": _of_module(TRAFFIC, "from_traffic"),
        "make-traffic": _of_module(TRAFFIC, "make"),
        "export-traffic": _of_module(TRAFFIC, "export"),
    }


def _of_module(name: str, action: str) -> Callable[[list[str]], int]:
    """A command of another module, imported when it is called."""

    def act(argv: list[str]) -> int:
        run: Callable[[list[str]], int] = getattr(import_module(name), action)
        return run(argv)

    return act


def _import(argv: list[str]) -> int:
    """A command of a module of its own, imported when it is called."""
    run: Callable[[list[str]], int] = import_module("depo.cli.demos_import").run
    return run(argv)


def _list(argv: list[str]) -> int:
    flags = parse(List, argv, "depo demos list")
    found = [{"name": name, **describe(load_demonstrations(name))} for name in shipped()]
    if flags.json:
        print_json(found)
    else:
        columns = ["name", "environment", "episodes", "states", "dimension", "source"]
        print_table("shipped", columns, [[row.get(c, "") for c in columns] for row in found])
        traffic = [(name, "recording of traffic: depo demos info") for name in shipped_recordings()]
        print_table("shipped, to drive in", ["name", "what"], traffic)
    return 0


def _info(argv: list[str]) -> int:
    flags = parse(Info, argv, "depo demos info")
    known = shipped() | shipped_recordings()
    path = named_file(flags.file, known, "demonstrations or recording")
    if path.is_file() and is_recording(path):
        about = import_module("depo.cli.traffic").describe_scene(load_scene(path))
    else:
        demos = Demonstrations.load(path)
        about = {**describe(demos), "ranges": ranges(demos)}
    if flags.json:
        print_json({"file": str(path), **about})
    else:
        features = about.pop("ranges", None)
        print_table(str(path), ["what", "value"], list(about.items()))
        if features:
            print_table("", list(features[0]), [list(row.values()) for row in features])
    return 0


def _make(argv: list[str]) -> int:
    flags = parse(Make, argv, "depo demos make")
    if flags.episodes < 1:
        raise DepoError(f"--episodes {flags.episodes} is not positive")
    return _keep(GridWorld(flags.world).demonstrations(flags.episodes), flags.file, flags.json)


def _record(argv: list[str]) -> int:
    flags = parse(Record, argv, "depo demos record")
    from depo.analysis.record import record
    from depo.core.runtime import prepare_jax

    prepare_jax()
    demos = record(
        flags.run,
        episodes=flags.episodes,
        seed=flags.seed,
        actions=flags.keep_actions,
        noise=flags.noise,
        trust=flags.trust,
    )
    return _keep(demos, flags.file, flags.json)


def _keep(demos: Demonstrations, file: str, as_json: bool) -> int:
    """Write demonstrations and say what they are."""
    path, about = demos.save(file), describe(demos)
    if as_json:
        print_json({"file": str(path), **about})
        return 0
    returns = f", mean return {about['mean_return']:.4g}" if "mean_return" in about else ""
    lengths = about["episode_lengths"]
    stdout.print(f"{path}: {demos.episodes} episodes of {lengths} states{returns}")
    return 0


def _import_minari(argv: list[str]) -> int:
    flags = parse(ImportMinari, argv, "depo demos import-minari")
    demos = from_minari(
        flags.dataset, keep_actions=flags.keep_actions, episodes=flags.episodes or None
    )
    return _keep(demos, flags.file, flags.json)


def _export_minari(argv: list[str]) -> int:
    flags = parse(ExportMinari, argv, "depo demos export-minari")
    demos = load_demonstrations(flags.file)
    own = named_environment(flags.env).gymnasium() if flags.env else None
    folder = to_minari(
        demos,
        flags.dataset,
        env=own.id if own is not None else None,
        arguments=own.arguments if own is not None else None,
    )
    if flags.json:
        print_json({"dataset": flags.dataset, "folder": str(folder), **describe(demos)})
    else:
        stdout.print(f"{flags.dataset}: {demos.episodes} episodes in {folder}")
    return 0


def describe(demos: Demonstrations) -> dict[str, Any]:
    """What a person wants to know of a set."""
    lengths = demos.episode_lengths
    about: dict[str, Any] = {
        "environment": demos.metadata.get("environment", "unknown"),
        "source": demos.metadata.get("source", "unknown"),
        "episodes": demos.episodes,
        "states": len(demos.observations),
        "episode_lengths": f"{lengths.min()} to {lengths.max()}",
        "state_space": "finite" if demos.is_finite else "vectors",
        "dimension": demos.dimension,
        "features": ", ".join(demos.feature_names),
        "actions": "none (bc, gail and airl need some)" if demos.actions is None else "recorded",
    }
    if demos.is_finite:
        about["distinct_states"] = len(np.unique(demos.observations))
    if demos.episode_returns is not None:
        returns = demos.episode_returns
        about["mean_return"] = float(np.mean(returns))
        about["returns"] = f"{returns.min():.4g} to {returns.max():.4g}"
    return about


def ranges(demos: Demonstrations) -> list[dict[str, Any]]:
    """Of every feature of vector states: its values, and how much it changes in a step."""
    if demos.is_finite:
        return []
    before, after = demos.transitions()
    step = np.abs(after - before)
    columns: dict[str, Sequence[Any]] = {
        "feature": demos.feature_names,
        "least": demos.observations.min(axis=0).tolist(),
        "median": np.median(demos.observations, axis=0).tolist(),
        "largest": demos.observations.max(axis=0).tolist(),
        "median change in a step": np.median(step, axis=0).tolist(),
        "largest change in a step": step.max(axis=0).tolist(),
    }
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
