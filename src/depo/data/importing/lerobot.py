"""LeRobot's datasets, versions 2 and 3: Parquet files of episodes, described by ``meta/info.json``.

Version 2 has a file for each episode, version 3 many episodes in a file; in both ``episode_index``
tells them apart, ``timestamp`` is the time in seconds, and vectors are lists.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from depo.core.codec import decode
from depo.core.errors import DepoError
from depo.core.files import check_plain_file, read_object
from depo.data.importing.foreign import ForeignTable, open_foreign
from depo.data.importing.table import Column

ABOUT = "meta/info.json"
STATE, PREFIX = "observation.state", "observation."
EPISODE, TIME = "episode_index", "timestamp"


def open_dataset(folder: Path) -> list[ForeignTable | DepoError]:
    """The data files of a dataset, in order; columns have the names that the dataset gives them."""
    about = read_object(folder / ABOUT)
    where = str(folder / ABOUT)
    features = decode(dict[str, Any], about.get("features", {}), f"{where}: features")
    hz = decode(float | None, about.get("fps"), f"{where}: fps")
    files = sorted((folder / "data").rglob("*.parquet"))
    if not files:
        raise DepoError(f"{folder} is a LeRobot dataset without data/*.parquet: fetch it whole")
    for file in files:
        check_plain_file(file, "Parquet")
    names = {name: _names(feature) for name, feature in features.items()}
    few = _missing(about.get("total_episodes"), files)
    version = str(about.get("codebase_version", ""))[:20]
    found: list[ForeignTable | DepoError] = []
    for table in open_foreign("parquet", files):
        if isinstance(table, DepoError):
            found.append(table)
            continue
        headers = [column.header for column in table.columns]
        has_state = any(header.startswith(f"{STATE}.") for header in headers)
        prefix = f"{STATE}." if has_state else PREFIX
        state = [h for h in headers if h.startswith(prefix) or h == STATE]
        if not state:
            found.append(DepoError(f"{table.path} has no column '{STATE}': name some by --columns"))
            continue
        found.append(
            replace(
                table,
                columns=_renamed(table.columns, state, names),
                state=tuple(state),
                time=TIME if TIME in headers else "",
                episode=EPISODE if EPISODE in headers else "",
                hz=hz if hz and 0 < hz < 1e6 else None,
                notes=(*table.notes, f"a LeRobot dataset {version}".rstrip(), *few),
            )
        )
    return found


def _missing(episodes: Any, files: Sequence[Path]) -> list[str]:
    """What to say where version 2, which has a file for each episode, has fewer of them."""
    found = sum(file.name.startswith("episode_") for file in files)
    is_number = isinstance(episodes, int) and not isinstance(episodes, bool)
    if not found or not is_number or found >= episodes:
        return []
    return [f"{found} files of {episodes:,} episodes are here: fetch the rest, if they are wanted"]


def _names(feature: Any) -> list[str]:
    """Names of a vector's components; none: the dataset gives none that can be used."""
    given = feature.get("names") if isinstance(feature, Mapping) else None
    if isinstance(given, Mapping):  # {"motors": […]}
        given = next(iter(given.values()), None)
    if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
        return []
    return given if len(set(given)) == len(given) else []


def _renamed(
    columns: Sequence[Column], state: Sequence[str], names: Mapping[str, list[str]]
) -> tuple[Column, ...]:
    """Columns under the names of the state's components; actions have the same ones."""
    given = {header: _name(header, names) for header in state}
    times = Counter(given.values())
    once = {header: name for header, name in given.items() if times[name] == 1}
    return tuple(replace(column, name=once.get(column.header, column.name)) for column in columns)


def _name(header: str, names: Mapping[str, list[str]]) -> str:
    """What the dataset calls a component of a vector; else its header."""
    vector, _, number = header.rpartition(".")
    known = names.get(vector, [])
    return known[int(number)] if number.isdecimal() and int(number) < len(known) else header
