"""Scenes: recordings that are ready to be driven in, by a file or by the name of a shipped one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from depo.core.errors import DepoError
from depo.core.files import named_file
from depo.driving.traffic.preparation import (
    ChoiceSettings,
    PreparationSettings,
    choose,
    join,
    prepare,
)
from depo.driving.traffic.recording import Recording

FOLDER = Path(__file__).parent / "recordings"
DEFAULT = "stop-and-go"
"""The recording that ships with the package."""


def shipped_recordings() -> dict[str, Path]:
    """Name and file of every recording in the package.

    >>> DEFAULT in shipped_recordings()
    True
    """
    return {path.stem: path for path in sorted(FOLDER.glob("*.npz"))}


def find_recording(name: str | Path) -> Path:
    """The file that a name means: a path, or the name of a shipped recording."""
    return named_file(name, shipped_recordings(), "recording of traffic")


def make_scene(
    recordings: Sequence[Recording],
    preparation: PreparationSettings | None = None,
    choice: ChoiceSettings | None = None,
) -> Recording:
    """Prepare recordings put them one after the other, choose vehicles."""
    if not recordings:
        raise DepoError("no recordings: a scene needs at least one")
    prepared = [prepare(r, preparation) for r in recordings]
    return choose(join(prepared), choice)


def load_scene(name: str | Path = DEFAULT) -> Recording:
    """A scene with its split into train, validation and test (``split_of``).

    A recording that has not been prepared yet is prepared with the default settings.

    >>> scene = load_scene()
    >>> {use: len(ids) for use, ids in scene.metadata["split"].items()}
    {'train': 700, 'validation': 150, 'test': 150}
    """
    recording = Recording.load(find_recording(name))
    return recording if "split" in recording.metadata else make_scene([recording])
