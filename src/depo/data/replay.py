"""The newest transitions of one seed: a ring of arrays, and append-only chunks on the disk.

    RUN/replay/seed-0/000000000-000020000.safetensors    rows 0 to 19,999
    RUN/replay/seed-0/000020000-000040000.safetensors    … a chunk is never written again

Transitions have absolute numbers, so the ring after loading is bit for bit the ring that was saved.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from depo.core.errors import DepoError, readable
from depo.core.files import check_plain_file, write_bytes
from depo.core.limits import check_size
from depo.data.transitions import Transitions

_CHUNK = re.compile(r"[0-9]{9,15}-[0-9]{9,15}")


class Replay:
    """A ring of ``capacity`` rows.

    >>> replay = Replay(capacity=4, states=1, actions=1)
    >>> for i in range(6):
    ...     x = np.full((1, 1), i, np.float32)
    ...     replay.add(Transitions(x, x, x, np.zeros(1, np.float32), np.zeros(1, bool)))
    >>> sorted(set(replay.draw(np.random.default_rng(0), (99,), newest=3).state[:, 0].tolist()))
    [3.0, 4.0, 5.0]
    """

    def __init__(self, capacity: int, states: int, actions: int):
        self.capacity, self.total = capacity, 0
        self._saved = self._checkpoint = 0
        try:
            self._rows = Transitions(
                state=np.zeros((capacity, states), np.float32),  # pages are mapped when touched
                action=np.zeros((capacity, actions), np.float32),
                next_state=np.zeros((capacity, states), np.float32),
                reward=np.zeros(capacity, np.float32),
                terminated=np.zeros(capacity, bool),
            )
        except (ValueError, MemoryError):  # the former of what no machine could address
            raise DepoError(
                f"a replay of {capacity:,} transitions has no place in memory: lower --replay and "
                "--skill-replay"
            ) from None

    def add(self, rows: Transitions) -> None:
        """Append rows, over the oldest where the ring is full."""
        count = len(rows.reward)
        places = np.arange(self.total, self.total + count) % self.capacity
        for column, values in zip(self._rows, rows, strict=True):
            column[places] = values
        self.total += count

    def draw(
        self, generator: np.random.Generator, shape: tuple[int, ...], newest: int
    ) -> Transitions:
        """Copies of rows, uniformly among the newest."""
        available = min(newest, self.total, self.capacity)
        places = (self.total - 1 - generator.integers(available, size=shape)) % self.capacity
        return Transitions(*(column[places] for column in self._rows))

    def draw_ahead(
        self,
        generator: np.random.Generator,
        shape: tuple[int, ...],
        newest: int,
        ahead: int,
        copies: int = 1,
    ) -> tuple[Transitions, np.ndarray]:
        """The same among the rows from which ``ahead`` more states of the episode follow (counting
        the next), and beside each row the last of these; where too few rows for a minibatch have so
        many, as many as so many rows have. ``copies`` of the environment were stepped in turn.
        """
        available = min(newest, self.total, self.capacity)
        number = np.arange(self.total - available, self.total)
        after = (number + copies) % self.capacity
        goes_on = (self._rows.state[after] == self._rows.next_state[number % self.capacity]).all(-1)
        goes_on &= number + copies < self.total
        begins, steps = np.ones(available, bool), 1
        while steps < ahead:
            longer, passed = begins.copy(), (steps - 1) * copies
            longer[: max(available - passed, 0)] &= goes_on[passed:]
            if longer.sum() < min(shape[-1], available):
                break
            begins, steps = longer, steps + 1
        chosen = generator.choice(number[begins], size=shape)
        last = (chosen + (steps - 1) * copies) % self.capacity
        rows = Transitions(*(column[chosen % self.capacity] for column in self._rows))
        return rows, self._rows.next_state[last]

    def newest(self, count: int) -> Transitions:
        """The newest rows, oldest first."""
        return self.rows(self.total - min(count, self.total, self.capacity), self.total)

    def rows(self, begin: int, end: int) -> Transitions:
        """The rows ``begin`` to ``end − 1``, which must not have been overwritten."""
        assert max(0, self.total - self.capacity) <= begin <= end <= self.total
        places = np.arange(begin, end) % self.capacity
        return Transitions(*(column[places] for column in self._rows))

    def save(self, folder: Path) -> None:
        """Write the rows added since the last save as one chunk; drop chunks long overwritten."""
        if self.total != self._saved:
            self._write(folder, max(self._saved, self.total - self.capacity), self.total)
        oldest_needed = self._checkpoint - self.capacity  # by the checkpoint before this one
        for chunk in chunks(folder):
            if chunk.end <= oldest_needed:
                chunk.path.unlink(missing_ok=True)
        self._saved = self._checkpoint = self.total

    def save_until(self, folder: Path, total: int) -> bool:
        """Write the rows since the last save as they were when ``total`` had been added, and drop
        none; False: some of them, or of those since the checkpoint, which environments take again,
        have been overwritten since."""
        if min(self._saved, self._checkpoint) < self.total - self.capacity:
            return False
        if total != self._saved:
            self._write(folder, self._saved, total)
        return True

    def _write(self, folder: Path, begin: int, end: int) -> None:
        rows = self.rows(begin, end)._asdict()
        arrays = {name: np.ascontiguousarray(column) for name, column in rows.items()}
        about = {"rows": f"{begin}-{end}", "sha256": _digest(arrays)}
        write_bytes(folder / chunk_name(begin, end), _in_order(save(arrays, about)))

    def load(self, folder: Path, total: int, checkpoint: int | None = None) -> None:
        """The ring as it was when ``total`` rows had been added; later chunks are removed.

        ``checkpoint`` rows had been added at the last one that :meth:`save` was called for, if that
        is another.
        """
        needed: list[Chunk] = []
        position = total
        for chunk in reversed(chunks(folder)):
            if chunk.end > total:  # written by a sitting that was killed
                chunk.path.unlink(missing_ok=True)
            elif chunk.end == position and position > total - self.capacity:
                needed.append(chunk)
                position = chunk.begin
        if position > max(0, total - self.capacity):
            raise DepoError(
                f"{folder} lacks the transitions before {position:,} of {total:,}: "
                "the run is damaged, train again"
            )
        self.total = position
        for chunk in reversed(needed):
            rows = read_chunk(chunk)
            own = self._rows
            check_lengths(rows, own.state.shape[1], own.action.shape[1], chunk.path)
            self.add(rows)
        self._saved = total
        self._checkpoint = total if checkpoint is None else checkpoint


class Chunk(NamedTuple):
    """A file with the rows ``begin`` to ``end − 1``."""

    begin: int
    end: int
    path: Path


def chunk_name(begin: int, end: int) -> str:
    """File name of the rows ``begin`` to ``end − 1``."""
    return f"{begin:09d}-{end:09d}.safetensors"


def chunks(folder: Path) -> list[Chunk]:
    """Every chunk in a folder, in order."""
    found = []
    for path in sorted(folder.glob("*-*.safetensors")):
        begin, _, end = path.stem.partition("-")
        if _CHUNK.fullmatch(path.stem) and int(begin) < int(end):
            found.append(Chunk(int(begin), int(end), path))
    return found


def read_chunk(chunk: Chunk) -> Transitions:
    """The rows of one chunk, checked: those its name says, of one length, finite, undamaged."""
    path = chunk.path
    check_plain_file(path, "a chunk of transitions")
    check_size(path.stat().st_size, str(path))
    try:
        with safe_open(path, "np") as file:
            about = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in Transitions._fields}
            names = set(file.keys())
        rows = Transitions(**arrays)
    except (SafetensorError, OSError, ValueError, TypeError, LookupError, AttributeError) as error:
        said = readable(str(error))
        raise DepoError(f"{path} is not a readable chunk of transitions: {said}") from None
    if names != set(Transitions._fields):
        raise DepoError(f"{path} holds other arrays than a chunk of transitions: damaged?")
    _check_rows(rows, chunk)
    own = {"rows": f"{chunk.begin}-{chunk.end}", "sha256": _digest(arrays)}
    for name in ("rows", "sha256"):
        if about.get(name, own[name]) != own[name]:  # the first version wrote neither
            reason = "was renamed" if name == "rows" else "is damaged, its digest is another"
            raise DepoError(f"{path} {reason}: put it back, or train again")
    return rows


def _check_rows(rows: Transitions, chunk: Chunk) -> None:
    count, ranks = chunk.end - chunk.begin, (2, 2, 2, 1, 1)
    for name, column, rank in zip(rows._fields, rows, ranks, strict=True):
        kind = np.bool_ if name == "terminated" else np.float32
        if column.dtype != kind or column.ndim != rank or len(column) != count:
            raise DepoError(
                f"{chunk.path}: '{name}' is {column.dtype}{list(column.shape)}, expected {count} "
                f"rows of {np.dtype(kind).name}: damaged, or renamed?"
            )
        if not np.isfinite(column).all():
            raise DepoError(f"{chunk.path}: '{name}' holds NaN or infinite numbers: damaged?")
    if rows.state.shape != rows.next_state.shape:
        raise DepoError(f"{chunk.path}: states before and after differ in length: damaged?")


def check_lengths(rows: Transitions, states: int, actions: int, where: Path) -> None:
    """Refuse transitions of another environment."""
    found = rows.state.shape[1], rows.action.shape[1]
    if found != (states, actions):
        raise DepoError(
            f"{where} holds states of {found[0]} and actions of {found[1]} numbers, this run's "
            f"have {states} and {actions}: of another run?"
        )


def _in_order(data: bytes) -> bytes:
    """A file whose metadata stand in order: safetensors takes any, so that two runs that are the
    same would have files that are not."""
    end = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:end])
    header["__metadata__"] = dict(sorted(header["__metadata__"].items()))
    text = json.dumps(header, separators=(",", ":")).encode()
    return data[:8] + text.ljust(end - 8) + data[end:]


def _digest(arrays: Mapping[str, np.ndarray]) -> str:
    sha = hashlib.sha256()
    for name in Transitions._fields:
        sha.update(np.ascontiguousarray(arrays[name]).tobytes())
    return sha.hexdigest()


def read_newest(folder: Path, count: int, states: int, actions: int) -> Transitions | None:
    """The newest rows on the disk, oldest first; None where there are none. Changes nothing.

    ``states`` and ``actions`` are how long either is.
    """
    found: list[Transitions] = []
    for chunk in reversed(chunks(folder)):
        if sum(len(rows.reward) for rows in found) >= count:
            break
        rows = read_chunk(chunk)
        check_lengths(rows, states, actions, chunk.path)
        found.insert(0, rows)
    if not found:
        return None
    return Transitions(*(np.concatenate(column)[-count:] for column in zip(*found, strict=True)))
