"""State trajectories of an expert: what every method imitates, and the file they are kept in."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from depo.core.codec import decode, encode
from depo.core.errors import DepoError, readable
from depo.core.files import parse_object
from depo.core.npz import array_names, read_npz, write_npz
from depo.data.checked_arrays import (
    checked_actions,
    checked_lengths,
    checked_names,
    checked_observations,
    shaped_observations,
)

ARRAYS = ("observations", "episode_lengths", "actions", "episode_returns", "metadata")
"""What a file holds; others may lie beside them, and are not read."""
SHOWN = 4
"""Names of features in a line about demonstrations."""


@dataclass(frozen=True, eq=False, repr=False)
class Demonstrations:
    """Episodes of states, any lengths, concatenated; actions optional and never needed.

    ``observations`` is ``(total, dimension)`` floats for vector states or ``(total,)`` integers
    for finite states. Arrays are read-only; every instance has passed the same checks.

    >>> demos = Demonstrations.from_episodes([[0, 1, 2], [3, 4]])
    >>> demos.episodes, demos.is_finite, demos.transitions()[0].tolist()
    (2, True, [0, 1, 3])
    >>> demos
    Demonstrations(2 episodes, 3 steps, finite states)
    """

    observations: np.ndarray
    episode_lengths: np.ndarray
    actions: np.ndarray | None = None
    episode_returns: np.ndarray | None = None
    feature_names: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        observations = shaped_observations(np.asarray(self.observations))
        lengths = checked_lengths(np.asarray(self.episode_lengths), len(observations))
        names = checked_names(tuple(self.feature_names), observations)
        observations = checked_observations(observations, lengths, names)
        actions = self.actions
        if actions is not None:
            actions = checked_actions(np.asarray(actions), len(observations), len(lengths))
        returns = self.episode_returns
        if returns is not None:
            returns = np.asarray(returns)
            if returns.shape != (len(lengths),) or returns.dtype.kind not in "fiu":
                raise DepoError(
                    f"episode_returns has shape {returns.shape} and dtype {returns.dtype}: "
                    f"expected one number for each of the {len(lengths)} episodes"
                )
            if not np.isfinite(returns).all():
                bad = int(np.flatnonzero(~np.isfinite(returns))[0])
                raise DepoError(
                    f"episode_returns has {returns[bad]} for episode {bad}: repair it, or leave "
                    "episode_returns out"
                )
        for name, array in [
            ("observations", observations),
            ("episode_lengths", lengths),
            ("actions", actions),
            ("episode_returns", returns),
        ]:
            if array is not None:
                array = array.copy()
                array.setflags(write=False)
            object.__setattr__(self, name, array)
        object.__setattr__(self, "feature_names", names)

    @classmethod
    def from_episodes(
        cls,
        episodes: Sequence[Any],
        *,
        episode_returns: Sequence[float] | None = None,
        feature_names: Sequence[str] = (),
        metadata: Mapping[str, Any] | None = None,
    ) -> Demonstrations:
        """Build from a list of episodes, each an array of states; returns are one number each."""
        try:
            arrays = [np.asarray(episode) for episode in episodes]
        except ValueError as error:
            raise DepoError(f"an episode is no array of states: {error}") from None
        if not arrays:
            raise DepoError("no episodes: demonstrations need at least one")
        for number, array in enumerate(arrays):
            if array.ndim == 0 or len(array) < 2:
                raise DepoError(
                    f"episode {number} has length {array.shape[0] if array.ndim else 1}: an "
                    "episode is a list of at least two states"
                )
        if len({array.shape[1:] for array in arrays}) > 1:
            shapes = sorted({array.shape[1:] for array in arrays})
            raise DepoError(f"episodes have states of different shapes: {shapes}")
        return cls(
            observations=np.concatenate(arrays),
            episode_lengths=np.array([len(array) for array in arrays]),
            episode_returns=None if episode_returns is None else np.asarray(episode_returns),
            feature_names=tuple(feature_names or ()),
            metadata=metadata or {},
        )

    @property
    def episodes(self) -> int:
        """How many episodes there are."""
        return len(self.episode_lengths)

    @property
    def is_finite(self) -> bool:
        """Whether states are integers of a finite set rather than vectors."""
        return self.observations.ndim == 1

    @property
    def dimension(self) -> int:
        """Length of a state vector (1 for finite states)."""
        return 1 if self.is_finite else int(self.observations.shape[1])

    def __repr__(self) -> str:
        """What there is, not the numbers themselves."""
        names = self.feature_names
        shown = ", ".join(map(readable, names[:SHOWN])) + (", …" if len(names) > SHOWN else "")
        steps = len(self.observations) - self.episodes
        said = [
            f"{self.episodes:,} episodes",
            f"{steps:,} steps",
            "finite states" if self.is_finite else f"{self.dimension} features ({shown})",
            "" if self.actions is None else "with actions",
        ]
        if source := self.metadata.get("source") or self.metadata.get("environment"):
            said.append(f"from {readable(str(source))}")
        return f"Demonstrations({', '.join(filter(None, said))})"

    def __iter__(self) -> Iterator[np.ndarray]:
        """The episodes, one array of states each."""
        return iter(np.split(self.observations, np.cumsum(self.episode_lengths)[:-1]))

    def transitions(self) -> tuple[np.ndarray, np.ndarray]:
        """All pairs (s, s') that follow each other within an episode."""
        last = np.zeros(len(self.observations), bool)
        last[np.cumsum(self.episode_lengths) - 1] = True
        first = np.roll(last, 1)
        return self.observations[~last], self.observations[~first]

    def actions_taken(self) -> np.ndarray | None:
        """The action of every pair (s, s') of :meth:`transitions`; None where none was recorded.

        >>> demos = Demonstrations(np.zeros((3, 1)), np.array([3]), actions=np.array([4, 5, 5]))
        >>> demos.actions_taken().tolist()
        [4, 5]
        """
        if self.actions is None:
            return None
        return np.delete(self.actions, np.cumsum(self.episode_lengths) - 1, axis=0)

    def select(self, indices: Sequence[int]) -> Demonstrations:
        """The episodes with these numbers, in this order."""
        if not len(indices):
            raise DepoError("no episodes: demonstrations need at least one")
        episodes = list(self)
        starts = np.cumsum(self.episode_lengths) - self.episode_lengths
        rows = [np.arange(starts[i], starts[i] + self.episode_lengths[i]) for i in indices]
        return Demonstrations(
            observations=np.concatenate([episodes[i] for i in indices]),
            episode_lengths=self.episode_lengths[list(indices)],
            actions=None if self.actions is None else self.actions[np.concatenate(rows)],
            episode_returns=(
                None if self.episode_returns is None else self.episode_returns[list(indices)]
            ),
            feature_names=self.feature_names,
            metadata=self.metadata,
        )

    def save(self, path: str | Path) -> Path:
        """Write one plain ``.npz``, atomically."""
        own = {**self.metadata, "feature_names": self.feature_names}
        about = json.dumps(decode(dict[str, Any], encode(own), "metadata"))
        arrays: dict[str, Any] = {
            "observations": self.observations,
            "episode_lengths": self.episode_lengths,
            "metadata": np.array(about),
        }
        if self.actions is not None:
            arrays["actions"] = self.actions
        if self.episode_returns is not None:
            arrays["episode_returns"] = self.episode_returns
        return write_npz(path, arrays)

    @classmethod
    def load(cls, path: str | Path) -> Demonstrations:
        """Read and check a file; pickled contents are refused, never run."""
        path = Path(path)
        arrays = read_npz(path, ARRAYS)
        missing = {"observations", "episode_lengths"} - set(arrays)
        if missing:
            raise DepoError(
                f"{path} has no array '{sorted(missing)[0]}': demonstrations need "
                f"'observations' and 'episode_lengths' (found: {_listed(array_names(path))})"
            )
        metadata = _read_metadata(path, arrays.get("metadata"))
        names = metadata.pop("feature_names", ())
        try:
            return cls(
                observations=arrays["observations"],
                episode_lengths=arrays["episode_lengths"],
                actions=arrays.get("actions"),
                episode_returns=arrays.get("episode_returns"),
                feature_names=names,
                metadata=metadata,
            )
        except DepoError as error:
            raise DepoError(f"{path}: {error}") from None


def _listed(names: Collection[str]) -> str:
    return ", ".join(readable(name) for name in sorted(names)[:SHOWN]) or "-"


def _read_metadata(path: Path, stored: np.ndarray | None) -> dict[str, Any]:
    if stored is None:
        return {}
    where = f"{path}: metadata"
    if stored.shape or stored.dtype.kind != "U":
        raise DepoError(f"{where} is no text: save demonstrations with Demonstrations.save")
    metadata = decode(dict[str, Any], parse_object(str(stored), where), where)
    names = metadata.get("feature_names", [])
    return metadata | {"feature_names": decode(tuple[str, ...], names, f"{where}: feature_names")}
