"""``depo demos from-traffic | make-traffic | export-traffic``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import tyro
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from depo.cli.flags import parse
from depo.cli.output import print_json, print_table, stderr, stdout
from depo.core.errors import DepoError, printable
from depo.data.demonstrations import Demonstrations
from depo.driving.traffic.generation import make_traffic
from depo.driving.traffic.outcomes import as_recorded, constant_velocity, outcome_shares
from depo.driving.traffic.preparation import ChoiceSettings, PreparationSettings, split_of
from depo.driving.traffic.reading import read_recordings
from depo.driving.traffic.recording import Recording
from depo.driving.traffic.repair import RepairSettings, Report
from depo.driving.traffic.scenes import find_recording, make_scene
from depo.driving.traffic.simulation import SimulationSettings
from depo.driving.traffic.text import write_text


@dataclass(frozen=True)
class FromTraffic:
    """Make a scene of recordings of traffic: who drives where, and who is trained and tested on.

    NGSIM's text (18 columns), the data portal's CSV and other files with a shipped layout are
    recognised; any other table (CSV or blanks, gzipped or not, Parquet) needs --layout FILE.toml.
    """

    files: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="FILE")]
    """Tables, recordings (.npz) or names of shipped recordings; several follow one another."""
    out: str
    """The scene to write (.npz)."""
    demos: str = ""
    """Also write the training vehicles' states as demonstrations (.npz)."""
    layout: str = ""
    """What the columns mean: a shipped layout's name or a TOML file; empty: recognised."""
    slots: tuple[int, ...] = ()
    """Which recordings of a file that holds several, counted from 0 in time; none: all."""
    repairs: tyro.conf.OmitArgPrefixes[RepairSettings] = field(default_factory=RepairSettings)
    preparation: tyro.conf.OmitArgPrefixes[PreparationSettings] = field(
        default_factory=PreparationSettings
    )
    choice: tyro.conf.OmitArgPrefixes[ChoiceSettings] = field(default_factory=ChoiceSettings)
    figure: str = ""
    """Also draw where everybody was at what time, in this PNG."""
    json: bool = False
    """Print the result as JSON."""


@dataclass(frozen=True)
class MakeTraffic:
    """Simulate stop-and-go traffic on I-80's geometry with SUMO (pip install 'depo[traffic]')."""

    file: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FILE")]
    """The recording to write (.npz)."""
    text: str = ""
    """Also keep the 18 columns it was read from, in this file."""
    simulation: tyro.conf.OmitArgPrefixes[SimulationSettings] = field(
        default_factory=SimulationSettings
    )
    figure: str = ""
    """Also draw where everybody was at what time, in this PNG."""
    json: bool = False
    """Print the result as JSON."""


@dataclass(frozen=True)
class ExportTraffic:
    """Write a recording as NGSIM's text: 18 columns in feet."""

    recording: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="RECORDING")]
    """An .npz file, or the name of a shipped recording."""
    file: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FILE")]
    """The text to write."""
    json: bool = False
    """Print the result as JSON."""


def from_traffic(argv: list[str]) -> int:
    """Read, repair, prepare, choose, save, and say what was found."""
    flags = parse(FromTraffic, argv, "depo demos from-traffic")
    found: list[tuple[Recording, Report | None]] = []
    with _reading_bar(flags.files) as bars:
        for file, progress in bars:
            if Path(file).suffix == ".npz" or not (Path(file).suffix or Path(file).is_file()):
                found.append((Recording.load(find_recording(file)), None))
                continue
            read = read_recordings(
                file, flags.layout or None, repairs=flags.repairs, progress=progress
            )
            found += _slots(read, flags.slots, file)
    scene = make_scene([recording for recording, _ in found], flags.preparation, flags.choice)
    reports = {recording.name: report.to_dict() for recording, report in found if report}
    about = describe_scene(scene)
    path = scene.save(flags.out)
    _draw(scene, flags.figure)
    if flags.demos:
        about["demonstrations"] = str(_demonstrations(scene).save(flags.demos))
    if flags.json:
        print_json({"file": str(path), **about, "reports": reports})
        return 0
    _print_reports(reports)
    print_table(str(path), ["what", "value"], list(about.items()))
    return 0


def make(argv: list[str]) -> int:
    """Simulate and keep the recording."""
    flags = parse(MakeTraffic, argv, "depo demos make-traffic")
    minutes = flags.simulation.minutes + flags.simulation.warm_up
    stderr.print(f"simulating {minutes:g} minutes; this takes some minutes")
    recording, report = make_traffic(
        flags.simulation, flags.text or None, name=Path(flags.file).stem
    )
    path = recording.save(flags.file)
    _draw(recording, flags.figure)
    about = describe_recording(recording)
    if flags.json:
        print_json({"file": str(path), **about, "report": report.to_dict()})
        return 0
    _print_reports({recording.name: report.to_dict()})
    print_table(str(path), ["what", "value"], list(about.items()))
    return 0


def export(argv: list[str]) -> int:
    """Write the 18 columns."""
    flags = parse(ExportTraffic, argv, "depo demos export-traffic")
    recording = Recording.load(find_recording(flags.recording))
    path = write_text(recording, flags.file)
    if flags.json:
        print_json({"file": str(path), "rows": recording.rows, "vehicles": recording.vehicles})
    else:
        stdout.print(f"{path}: {recording.rows:,} rows of {recording.vehicles:,} vehicles")
    return 0


def describe_recording(recording: Recording) -> dict[str, Any]:
    """What a person wants to know of a recording."""
    start, end = recording.road.zone
    return {
        "name": recording.name,
        "vehicles": recording.vehicles,
        "rows": recording.rows,
        "minutes": round(recording.seconds / 60, 2),
        "lanes": recording.road.lanes,
        "road": f"{recording.road.length:.1f} m, driven from {start:.1f} to {end:.1f} m",
        "cite": recording.notes.cite,
    }


def describe_scene(scene: Recording) -> dict[str, Any]:
    """The same, the split, and how hard it is: who arrives as recorded, and who driving on."""
    split = split_of(scene)
    replay = outcome_shares(scene, split.test, as_recorded)
    straight = outcome_shares(scene, split.test, constant_velocity)
    return {
        **describe_recording(scene),
        "train": len(split.train),
        "validation": len(split.validation),
        "test": len(split.test),
        "arrive_as_recorded": replay.get("arrived", 0.0),
        "arrive_at_constant_velocity": straight.get("arrived", 0.0),
    }


def _demonstrations(scene: Recording) -> Demonstrations:
    """What the vehicles to train on saw, by the simulator's own eyes."""
    from depo.core.runtime import prepare_jax
    from depo.driving.expert import expert_demonstrations
    from depo.driving.opening import open_environment
    from depo.driving.settings import DrivingSettings

    prepare_jax()
    return expert_demonstrations(open_environment(DrivingSettings(part="train"), scene))


def _draw(recording: Recording, figure: str) -> None:
    if figure:
        from depo.plotting.space_time import draw_space_time

        draw_space_time(recording, figure)


def _slots(
    found: list[tuple[Recording, Report]], wanted: Sequence[int], file: str
) -> list[tuple[Recording, Report]]:
    for slot in wanted:
        if not 0 <= slot < len(found):
            raise DepoError(f"--slots {slot}: {file} holds {len(found)} recordings, counted from 0")
    return [found[slot] for slot in wanted] or found


def _print_reports(reports: dict[str, dict[str, int]]) -> None:
    for name, report in reports.items():
        counts = [(what.replace("_", " "), f"{n:,}") for what, n in report.items() if n]
        print_table(name, ["found", "how many"], counts)


@contextmanager
def _reading_bar(files: Sequence[str]) -> Iterator[Iterator[tuple[str, Any]]]:
    """Each file with a function that is told the share that has been read."""
    if not files:
        raise DepoError("no files: depo demos from-traffic FILE… --out SCENE.npz")
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        console=stderr,
    ) as bar:

        def with_progress() -> Iterator[tuple[str, Any]]:
            for file in files:
                task = bar.add_task(f"reading {printable(Path(file).name)}", total=1.0)
                yield file, lambda share, task=task: bar.update(task, completed=share)
                bar.update(task, completed=1.0)

        yield with_progress()
