"""Checkpoints of a run: complete states, how far each is, and by which digests a change is seen."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from depo.core.codec import Natural, decode, encode
from depo.core.errors import DepoError
from depo.core.files import check_plain_file, file_digest, json_digest, new_folder
from depo.core.formats import Format

CHECKPOINTS, STATE, PROGRESS = "checkpoints", "state.safetensors", "progress.json"
KEPT_CHECKPOINTS = 2
REMOVE = "remove that checkpoint's folder to go on from the one before"
PROGRESS_FORMAT = Format("checkpoint's progress", (lambda old: old,), unmarked=True)  # 2: digests


@dataclass(frozen=True)
class Progress:
    """How far a checkpoint is, and how much of metrics.csv belongs to it."""

    block: Natural
    metrics_bytes: Natural
    settings: str = ""
    """A digest of the settings it was made with; empty: not known, from before that was kept."""
    state: str = ""
    """A digest of the file with the state; empty as above."""
    metrics: str = ""
    """A digest of the bytes of metrics.csv; empty as above."""
    own: str = ""
    """A digest of all the above; empty as above."""

    def digest(self) -> str:
        """What ``own`` is where nothing was changed."""
        return json_digest({**encode(self), "own": ""})


def complete(folder: Path) -> list[Path]:
    """The checkpoints in a folder that were written to their end, oldest first."""
    found = [path for path in folder.glob("[0-9]*") if (path / PROGRESS).exists()]
    return sorted((path for path in found if path.name.isdecimal()), key=lambda p: int(p.name))


def read_progress(checkpoint: Path, blocks: int) -> Progress:
    """How far a checkpoint is, of a run of so many blocks."""
    file = checkpoint / PROGRESS
    try:
        progress = decode(Progress, PROGRESS_FORMAT.read(file), str(file))
        if progress.own not in ("", progress.digest()):
            raise DepoError(f"{file} is damaged: it is not as it was written")
        if progress.block != int(checkpoint.name) or progress.block > blocks:
            raise DepoError(f"{file} says block {progress.block}: damaged, or renamed?")
    except DepoError as error:
        raise DepoError(f"{error}; {REMOVE}") from None
    return progress


def write_checkpoint(folder: Path, progress: Progress, save: Callable[[Path], Any]) -> None:
    """A checkpoint in one rename, unless it is there; ``save(path)`` writes the state, of which the
    digest is added."""
    target = folder / f"{progress.block:06d}"
    if (target / PROGRESS).exists():
        return
    shutil.rmtree(target, ignore_errors=True)  # damaged: no checkpoint is without it
    with new_folder(target) as new:
        save(new / STATE)
        progress = replace(progress, state=file_digest(new / STATE))
        progress = replace(progress, own=progress.digest())
        PROGRESS_FORMAT.write(new / PROGRESS, encode(progress))


def load_state(file: Path, progress: Progress, skeleton: Any) -> Any:
    """What a checkpoint holds, if it is as it was written."""
    # JAX, which a table of runs does not need
    from depo.core.weights import check_file_size, load_tree
    from depo.models.normaliser import check_statistics

    try:
        check_plain_file(file, "a checkpoint")
        check_file_size(file, skeleton)
        if progress.state not in ("", file_digest(file)):
            raise DepoError(f"{file} is damaged: it is not as it was written")
        state = load_tree(file, skeleton)
        check_statistics(state, file)
    except DepoError as error:
        raise DepoError(f"{error}; {REMOVE}") from None
    return state
