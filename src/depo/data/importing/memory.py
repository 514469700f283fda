"""Tables that are in memory: demonstrations, and what is small."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from depo.data.demonstrations import Demonstrations
from depo.data.importing.array_episodes import labels_from_lengths
from depo.data.importing.arrays import component_of
from depo.data.importing.report import FileReport
from depo.data.importing.table import ROWS, Column, Rows, Table


@dataclass(frozen=True)
class ArrayTable(Table):
    """Columns that are in memory."""

    arrays: Mapping[str, np.ndarray] = field(kw_only=True)
    """Datasets by name, of rank 1 or 2."""
    labels: np.ndarray | None = None
    """Each row's episode, where the format says it."""

    @property
    def tells_episodes(self) -> bool:
        """Whether it says where episodes begin."""
        return self.labels is not None

    def rows(
        self, wanted: Sequence[str], time: str, episode: str, report: FileReport
    ) -> Iterator[Rows]:
        """The columns, a chunk at a time."""
        del report
        total = len(self._column(wanted[0]))
        label = self._column(episode) if episode else self.labels
        for begin in range(0, total, ROWS):
            own = slice(begin, begin + ROWS)
            yield Rows(
                np.stack([self._column(name)[own] for name in wanted], axis=1).astype(float),
                self._column(time)[own].astype(float) if time else None,
                None if label is None else np.asarray(label[own], float),
                min(1.0, (begin + ROWS) / total),
            )

    def _column(self, header: str) -> np.ndarray:
        name, component = component_of(header, self.arrays)
        return self.arrays[name] if component is None else self.arrays[name][:, component]


def demonstrations_table(demos: Demonstrations, path: Path) -> ArrayTable:
    """Demonstrations as rows: each is one step of the environment they are from."""
    states = demos.observations[:, None] if demos.is_finite else demos.observations
    step = demos.metadata.get("time_step")
    is_step = isinstance(step, int | float) and not isinstance(step, bool)
    return ArrayTable(
        path=path,
        columns=tuple(Column(name, name) for name in demos.feature_names),
        state=demos.feature_names,
        hz=1 / step if is_step and step and 0 < step < math.inf else None,
        are_steps=True,
        is_finite=demos.is_finite,
        environment=str(demos.metadata.get("environment", "")),
        arrays={name: states[:, i] for i, name in enumerate(demos.feature_names)},
        labels=labels_from_lengths(demos.episode_lengths),
    )
