"""What is in the zoo, and where ``zoo:NAME`` is.

    zoo/models/NAME/README.md    the card, with the metadata that model hubs read
    zoo/models/NAME/entry.json   the same for programs: scores with intervals, how it was made
    zoo/models/NAME/planner      a planner folder
    zoo/models/NAME/policy       a policy folder

No JAX here: names are part of the command line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from depo.core.codec import decode
from depo.core.errors import unknown
from depo.core.files import as_path, read_text
from depo.core.formats import Format

PREFIX = "zoo:"
FOLDER = Path(__file__).parent / "models"
ENTRY, README = "entry.json", "README.md"
LARGEST = 1_000_000
"""Bytes of an entry."""
FORMAT = Format("zoo entry")
Part = Literal["planner", "policy"]


@dataclass(frozen=True)
class Score:
    """The mean over episodes, and a 95% bootstrap interval of it."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Entry:
    """What a card says, for programs."""

    name: str
    environment: str
    method: str
    scores: Mapping[str, Score]
    episodes: int
    seeds: tuple[int, ...]
    """With which the environment was reset, one for each episode."""
    env_steps: int
    seed: int
    """Of the training."""
    trained_on: str
    command: str
    """How to train it again."""
    settings: Mapping[str, Any]
    """The job of its run."""
    last_evaluation: Mapping[str, float] = field(default_factory=dict)
    """What its run measured at the end, on seeds of its own."""
    made_with: Mapping[str, Any] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """Where it is."""
        return FOLDER / self.name

    def card(self) -> str:
        """The card's text, for people."""
        return read_text(self.folder / README, "a card")


def names() -> list[str]:
    """What is in the zoo."""
    return sorted(file.parent.name for file in FOLDER.glob(f"*/{ENTRY}"))


def find(name: str) -> Entry:
    """The entry of that name."""
    if name not in names():
        raise unknown("model of the zoo", name, names())
    return read_entry(FOLDER / name)


def read_entry(folder: Path) -> Entry:
    """What is said in a folder."""
    return decode(Entry, FORMAT.read(folder / ENTRY), str(folder / ENTRY))


def is_zoo(source: object) -> bool:
    """Whether a source is ``zoo:NAME``.

    >>> is_zoo("zoo:grid"), is_zoo("runs/zoo")
    (True, False)
    """
    return isinstance(source, str) and source.startswith(PREFIX)


def located(source: object, what: str, part: Part | None = None) -> Path:
    """A path as it is given; of ``zoo:NAME`` that of its planner or policy.

    >>> located("runs/mine", "planner")
    PosixPath('runs/mine')
    """
    if not is_zoo(source):
        return as_path(source, what)
    name = str(source).removeprefix(PREFIX)
    if name not in names():
        raise unknown("model of the zoo", name, names())
    folder = FOLDER / name
    return folder if part is None else folder / part
