"""Demonstrations written state by state: never all in memory, there only when whole."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np

from depo.core.errors import DepoError, readable
from depo.core.npz import write_npz_from
from depo.data.importing.report import FileReport, Piece

SHOWN, POINTS = 8, 2_000
"""Episodes that are remembered for a figure, and states of each."""


MOST_ROUNDED = 0.02
"""Of what a feature changes from state to state, that float32 may round."""


def rounding_of(states: np.ndarray) -> np.ndarray:
    """What float32 rounds of each feature, and what it changes, added up."""
    rounded = np.abs(states - states.astype(np.float32)).sum(axis=0)
    return np.stack([rounded, np.abs(np.diff(states, axis=0)).sum(axis=0)])


def coarse_features(rounding: np.ndarray, names: Sequence[str]) -> Iterator[str]:
    """A sentence for each feature whose steps are lost in its distance from 0.

    >>> far = 5.4e6 + np.linspace(0, 20, 100)[:, None]
    >>> len(list(coarse_features(rounding_of(far), ["north"])))
    1
    """
    if rounding.shape[1] != len(names):  # nothing was written
        return
    rounded, changed = rounding
    for i in np.flatnonzero((rounded > MOST_ROUNDED * changed) & (changed > 0)):
        yield (
            f"'{readable(names[int(i)])}' lies so far from 0 that much of its steps is rounded "
            "away (states are float32): take a common origin off it, and import again"
        )


@dataclass
class Shown:
    """An episode for a figure: some of its states."""

    file: str
    time: list[float] = field(default_factory=list)
    states: list[np.ndarray] = field(default_factory=list)


@dataclass
class EpisodeWriter:
    """Takes states of one episode after the other; keeps those that are long enough."""

    file: IO[bytes]
    names: tuple[str, ...]
    shortest: int
    is_finite: bool = False
    lengths: list[int] = field(default_factory=list)
    shown: list[Shown] = field(default_factory=list)
    low: np.ndarray | None = None
    high: np.ndarray | None = None
    _waiting: list[np.ndarray] = field(default_factory=list)
    _count: int = 0
    _span: tuple[float, float] | None = None
    _shown: Shown | None = None

    def add(self, time: np.ndarray, states: np.ndarray, report: FileReport) -> None:
        """More states of the open episode; ``time``: seconds since the file's beginning."""
        if not len(states):
            return
        self._check(states, report)
        start = self._span[0] if self._span else float(time[0])
        self._span = (start, float(time[-1]))
        self._show(time - start, states, report)
        self._count += len(states)
        self._waiting.append(states.astype(np.int32 if self.is_finite else np.float32))
        if self._count >= self.shortest:
            self._flush()

    def end(self, report: FileReport) -> None:
        """The episode ends here."""
        if self._span is None:
            return
        is_kept = self._count >= self.shortest
        report.add_piece(Piece(*self._span, is_kept), self._count)
        if is_kept:
            self.lengths.append(self._count)
            if self._shown is not None:
                self.shown.append(self._shown)
        self._waiting, self._count, self._span, self._shown = [], 0, None, None

    def _flush(self) -> None:
        for states in self._waiting:
            low, high = states.min(axis=0), states.max(axis=0)
            self.low = low if self.low is None else np.minimum(self.low, low)
            self.high = high if self.high is None else np.maximum(self.high, high)
            self.file.write(np.ascontiguousarray(states).tobytes())
        self._waiting = []

    def _check(self, states: np.ndarray, report: FileReport) -> None:
        """Refuse numbers that demonstrations cannot hold, and say where they are."""
        most = np.iinfo(np.int32).max if self.is_finite else np.finfo(np.float32).max
        wrong = ~(np.abs(states) <= most)
        rule = f"demonstrations hold numbers up to {most:.3g}: rescale it"
        if self.is_finite and not wrong.any():
            wrong = (states < 0) | (states != np.round(states))
            rule = "finite states are whole numbers from 0"
        if wrong.any():
            row, column = (int(i) for i in np.argwhere(wrong)[0])
            raise DepoError(
                f"{report.file}: episode {report.episodes}, step {self._count + row}, "
                f"'{self.names[column]}' is {states[row, column]:.6g}, {rule}"
            )

    def _show(self, time: np.ndarray, states: np.ndarray, report: FileReport) -> None:
        if self._shown is None:
            if len(self.shown) >= SHOWN:
                return
            self._shown = Shown(report.file)
        room = POINTS - len(self._shown.time)
        self._shown.time += time[:room].tolist()
        self._shown.states += list(states[:room])


@contextlib.contextmanager
def episode_writer(
    out: Path, names: tuple[str, ...], shortest: int, is_finite: bool
) -> Iterator[EpisodeWriter]:
    """A writer beside the file that is to be, for the block."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        raw = tempfile.TemporaryFile(dir=out.parent)  # noqa: SIM115  closed below
    except OSError as error:
        raise DepoError(f"cannot write {out}: {error.strerror}") from None
    with raw:
        yield EpisodeWriter(raw, names, shortest, is_finite)


def finish(writer: EpisodeWriter, out: Path, metadata: Mapping[str, Any]) -> None:
    """Write what was taken as demonstrations, atomically."""
    total = sum(writer.lengths)
    shape = (total,) if writer.is_finite else (total, len(writer.names))
    own = {**metadata, "feature_names": writer.names}
    arrays = {
        "episode_lengths": np.array(writer.lengths, np.int64),
        "metadata": np.array(json.dumps(own)),
    }
    kind = np.dtype(np.int32 if writer.is_finite else np.float32)
    writer.file.seek(0)
    write_npz_from(out, arrays, "observations", writer.file, shape, kind)
