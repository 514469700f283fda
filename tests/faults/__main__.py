"""Kill depo a hundred times, and make its life hard in other ways; a table of what came of it.

    python -m tests.faults [--kills 100] [--seed 0] [--only vectors refits] [--record FILE]

All has to end bit for bit as if nothing had happened, or be refused in a sentence. What happens is
drawn from the seed; at which instant it happens depends on the machine, too, apart from signals
that are sent while a certain file is written. A campaign that was cut short goes on from its
record.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.faults.circumstances import CIRCUMSTANCES, Outcome
from tests.faults.kills import SIGNALS, Kill, campaign
from tests.faults.subjects import READINGS, TRAININGS, Subject, reading, training


def prepared(names: Sequence[str], folder: Path) -> list[Subject]:
    """The subjects that are wanted, each done once without a fault."""
    subjects = []
    for name in [n for n in (*TRAININGS, *READINGS) if n in names]:
        own = folder / name.replace(" ", "-")
        own.mkdir()
        finished = folder / "grid" / "whole"
        subject = training(name, own) if name in TRAININGS else reading(name, own, finished)
        ended = subject.measure()
        if ended.status:
            sys.exit(f"{name} fails without any fault: {ended.said}")
        print(f"{name}: {subject.seconds:.0f} s, {subject.writes} writes", flush=True)
        subjects.append(subject)
    return subjects


def table(kills: Sequence[Kill]) -> str:
    """A row for each subject, a column for each signal."""
    lines = [f"{'':18}" + "".join(f"{s.name:>9}" for s in SIGNALS) + "   longest stop   faults"]
    for name in dict.fromkeys(kill.subject for kill in kills):
        own = [kill for kill in kills if kill.subject == name]
        counts = "".join(f"{sum(k.signal is s for k in own):9}" for s in SIGNALS)
        longest, faults = max(k.seconds for k in own), sum(bool(k.fault) for k in own)
        lines.append(f"{name:18}{counts}{longest:13.1f} s{faults:9}")
    return "\n".join(lines)


def circumstances(subject: Subject, folder: Path) -> list[Outcome]:
    """Every other fault, with a run that was stopped half-way."""
    found = []
    for name, fault in CIRCUMSTANCES.items():
        own = folder / name.replace(" ", "-")
        own.mkdir()
        for outcome in fault(subject, own):
            print(f"  {name}: {outcome.told}", flush=True)
            found.append(outcome)
    return found


def recorded(record: Path | None) -> list[Kill]:
    """The kills of this campaign so far."""
    lines = record.read_text().splitlines() if record and record.exists() else []
    rows = [json.loads(line) for line in lines]
    return [Kill(**row | {"signal": signal.Signals[row["signal"]]}) for row in rows]


def add(kill: Kill, record: Path | None) -> None:
    """One line more in the record."""
    if record is not None:
        row = dataclasses.asdict(kill) | {"signal": kill.signal.name}
        with record.open("a") as file:
            file.write(json.dumps(row) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", default=[*TRAININGS, *READINGS, "circumstances"])
    parser.add_argument("--record", type=Path, help="kills are added to it, and counted from it")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what is mounted has to go
    with tempfile.TemporaryDirectory(prefix="depo-faults-") as folder:
        os.environ.setdefault("DEPO_CACHE", f"{folder}/cache")  # one that is given is warm
        os.environ["XDG_CONFIG_HOME"] = f"{folder}/config"
        began = time.monotonic()
        needed = {"grid"} if set(asked.only) & set(READINGS) else set()
        needed |= {"vectors"} if "circumstances" in asked.only else set()
        subjects = prepared([*asked.only, *needed], Path(folder))
        chosen, kills = [s for s in subjects if s.name in asked.only], recorded(asked.record)
        for kill in campaign(chosen, asked.kills, asked.seed, tuple(kills)) if chosen else ():
            kills.append(kill)
            add(kill, asked.record)
            told = f"  {len(kills)}: {kill.subject}, {kill.signal.name} at a random {kill.instant}"
            print(f"{told}, {kill.seconds:.1f} s: {kill.fault or 'identical'}", flush=True)
        others = []
        if "circumstances" in asked.only:
            vectors = next(s for s in subjects if s.name == "vectors")
            others = circumstances(vectors, Path(folder))
        print(table(kills))
        bad = sum(bool(k.fault) for k in kills) + sum(o.is_fault for o in others)
        minutes = (time.monotonic() - began) / 60
        print(
            f"{len(kills)} kills and {len(others)} other faults, seed {asked.seed}: "
            f"{bad} ended badly ({minutes:.0f} min)"
        )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
