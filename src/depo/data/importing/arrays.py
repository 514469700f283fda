"""Datasets by name, as NPZ and HDF5 hold them: which of them are columns, and which the state."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from depo.core.errors import DepoError, readable
from depo.data.importing.clock import find_time
from depo.data.importing.roles import bare

STATES = ("observations", "observation", "obs", "states", "state", "qpos")
"""What the state is called, the likeliest first; a dataset of this name, or all below it."""
NO_STATE = ("action", "reward", "terminal", "timeout", "done", "termination", "truncation", "info")
SHORT = re.compile(r"(acts?|rews?)(\.\d+)?$")
"""The same, where names are short."""
ACTION = re.compile(r"((last|prev|previous)_)?(actions?|acts?)(\.\d+)?$")
"""What was done before, where it lies beside what was seen."""
MOST_COLUMNS = 10_000


def headers_of(name: str, shape: Sequence[int]) -> list[str]:
    """A dataset's columns: one, or one for each component.

    >>> headers_of("time", (100,)), headers_of("t", (100, 1)), headers_of("obs", (100, 2))
    (['time'], ['t'], ['obs.0', 'obs.1'])
    """
    if len(shape) == 1 or shape[1] == 1:
        return [name]
    if shape[1] > MOST_COLUMNS:
        raise DepoError(
            f"'{readable(name)}' has {shape[1]:,} columns, at most {MOST_COLUMNS:,} are read: are "
            "rows and columns the right way round?"
        )
    return [f"{name}.{i}" for i in range(shape[1])]


def component_of(header: str, names: Mapping[str, object]) -> tuple[str, int | None]:
    """The dataset and the component that a header means.

    >>> component_of("obs.1", {"obs": 0}), component_of("time", {"time": 0})
    (('obs', 1), ('time', None))
    """
    if header in names:
        return header, None
    name, _, number = header.rpartition(".")
    return name, int(number)


def table_length(shapes: Mapping[str, tuple[int, ...]]) -> int:
    """How many rows the table has: that of the state, else the length that most columns share."""
    for word in STATES:
        for name, shape in shapes.items():
            if name == word or name.startswith(f"{word}/"):
                return shape[0]
    widths: Counter[int] = Counter()
    for shape in shapes.values():
        widths[shape[0]] += 1 if len(shape) == 1 else shape[1]
    return max(widths, key=lambda rows: (widths[rows], rows)) if widths else 0


def check_not_turned(shapes: Mapping[str, tuple[int, ...]], rows: int, path: Path) -> None:
    """Refuse arrays that have a column for each time instead of a row."""
    times = {
        name: math.prod(shape)
        for name, shape in shapes.items()
        if find_time([bare(name)]) and math.prod(shape) == max(shape) > 1
    }
    if not times or rows in times.values():
        return
    for name, shape in shapes.items():
        for time, length in times.items():
            if len(shape) == 2 and name != time and shape[0] == rows and shape[1] == length:
                raise DepoError(
                    f"{path}: '{readable(name)}' has shape {shape} and '{readable(time)}' "
                    f"{length:,} times: a row must be a point in time, so save it the other way "
                    f"round, {readable(name)}.T"
                )


def state_headers(names: Sequence[str]) -> tuple[str, ...]:
    """The columns that are the state, by what they are called; none: it cannot be told.

    >>> state_headers(["actions.0", "obs/actions.0", "obs/hip.0", "next_obs/hip.0"])
    ('obs/hip.0',)
    >>> state_headers(["steps/is_last", "steps/observation.0", "infos/qpos.0"])
    ('steps/observation.0',)
    """
    for rule in (_begins, _has_part):
        for word in STATES:
            found = [n for n in names if rule(n, word)]
            if word == "qpos" and found:
                found += [n for n in names if rule(n, "qvel")]
            kept = [n for n in found if not ACTION.match(_last(n))]
            if found:
                return tuple(kept or found)
    kept = [n for n in names if not (_last(n).startswith(NO_STATE) or SHORT.match(_last(n)))]
    return tuple(kept) if len(kept) < len(names) else ()


def are_steps(names: Sequence[str]) -> bool:
    """Whether rows are steps of an environment: they have actions and rewards, too.

    >>> are_steps(["data/obs.0", "data/actions.0", "data/rewards"]), are_steps(["reward", "x"])
    (True, False)
    """
    last = [_last(name) for name in names]
    return all(any(name.startswith(word) for name in last) for word in ("act", "rew"))


def _begins(name: str, word: str) -> bool:
    return name == word or name.startswith((f"{word}.", f"{word}/"))


def _has_part(name: str, word: str) -> bool:
    """Whether a group or dataset on the way is called so, and none that holds no states."""
    parts = name.split("/")
    is_other = any(part.startswith((*NO_STATE, "next")) for part in parts)
    return not is_other and any(part == word or part.startswith(f"{word}.") for part in parts)


def _last(name: str) -> str:
    return name.split("/")[-1].lower()


def without_poses(shapes: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    """The datasets without those that have a matrix for each row of a table beside them: of one
    that is called as a state, or has a time.

    >>> list(without_poses({"qpos": (200, 7), "xpos": (200, 3, 3)}))
    ['qpos']
    >>> list(without_poses({"state": (4, 50), "obs": (4, 50, 3)}))
    ['state', 'obs']
    """
    times = {n for n, s in shapes.items() if math.prod(s) == s[0] > 1 and find_time([bare(n)])}
    timed = {shapes[name][0] for name in times}
    cubes = {name: shape for name, shape in shapes.items() if len(shape) == 3}
    episodes = {shape[:2] for shape in cubes.values()}
    rows = {
        shape[0]
        for name, shape in shapes.items()
        if name not in {*cubes, *times}
        and (shape[0] in timed or (len(shape) == 2 and name.split("/")[-1] in STATES))
        and shape not in episodes
    }
    return {name: s for name, s in shapes.items() if name not in cubes or s[0] not in rows}


def without_matrices(
    shapes: Mapping[str, tuple[int, ...]], marked: Collection[int], path: Path
) -> dict[str, tuple[int, ...]]:
    """The datasets without those of which a row is a matrix: as many rows as there are marks of
    ends (``marked``), so that they are no episodes of steps."""
    matrices = [name for name, shape in shapes.items() if len(shape) == 3 and shape[0] in marked]
    left = {name: shape for name, shape in shapes.items() if name not in matrices}
    if matrices and not any(name.split("/")[-1] in STATES for name in left):
        name = matrices[0]
        raise DepoError(
            f"{path}: '{readable(name)}' has shape {shapes[name]} and ends of episodes are marked "
            f"for each of {shapes[name][0]:,} rows, so a row is a matrix: write it as (rows, "
            "numbers), array.reshape(len(array), -1); pictures are no states"
        )
    return left
