"""Minari's folders and spaces, and the mark that depo leaves in a dataset it writes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.spaces import Space

from depo.core.codec import decode
from depo.core.errors import DepoError, readable
from depo.core.files import check_plain_file

ABOUT = "metadata.json"
MARK = "depo"
SAFE_ARROW = (14, 0, 1)
"""Of pyarrow, the first version that makes no Python type of a file's bytes."""


def the_library() -> Any:
    """Minari, if it is installed."""
    try:
        import minari
    except ImportError:
        raise DepoError("Minari datasets need Minari: pip install 'depo[minari]'") from None
    return minari


def find_dataset(dataset: str | Path) -> Path:
    """The folder of a dataset by its id or its folder; of plain files only."""
    the_library()
    from minari.storage import get_dataset_path

    root = get_dataset_path("")
    for folder in (Path(dataset), Path(dataset) / "data", root / dataset / "data"):
        if (folder / ABOUT).is_file():
            for file in folder.rglob("*"):
                if not file.is_dir():
                    check_plain_file(file, "a file of Minari")
            return folder
    raise DepoError(
        f"no Minari dataset '{dataset}' below {root}: fetch it with 'minari download {dataset}', "
        "or set MINARI_DATASETS_PATH to where it is"
    )


@dataclass(frozen=True)
class Mark:
    """What depo writes down in a dataset that it makes."""

    actions: str = ""
    rewards: str = ""
    feature_names: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


def read_mark(about: dict[str, Any]) -> Mark:
    """What depo wrote down when it made the dataset; empty for the datasets of others."""
    if not {"observation_space", "action_space"} <= set(about):  # Minari would run the environment
        raise DepoError("its spaces are not written down: write it again with Minari 0.5")
    _check_format(about.get("data_format"))
    return decode(Mark, about.get(MARK, {}), f"'{MARK}' in its {ABOUT} (repair it, or remove it)")


def _check_format(said: Any) -> None:
    """Refuse a parser that runs what a file says: pyarrow did (CVE-2023-47248)."""
    if said == "hdf5":
        return
    if said not in ("arrow", "parquet"):
        raise DepoError(
            f"its data_format is '{readable(str(said))}': expected hdf5, arrow, parquet"
        )
    try:
        installed = version("pyarrow")
    except PackageNotFoundError:
        raise DepoError(f"it is kept as {said}: pip install 'minari[arrow]'") from None
    if tuple(map(int, re.findall(r"\d+", installed)[:3])) < SAFE_ARROW:
        raise DepoError(
            f"it is kept as {said}, and pyarrow {installed} would run code that it holds: "
            "pip install 'pyarrow>=14.0.1'"
        )


def values_of(values: Any, space: Space) -> np.ndarray:
    """Values as an array, which are of the space."""
    array = np.asarray(values)
    if array.shape[1:] != space.shape:  # Minari 0.5.3 wrote vectors of bytes as pictures
        raise DepoError(
            f"values of shape {array.shape[1:]} are not of its space {short(space)}: "
            "the file is damaged, fetch or write it again"
        )
    return array


def is_plain(space: Space) -> bool:
    """Whether its values are numbers or vectors."""
    return space.shape is not None and len(space.shape) <= 1


def short(space: Space) -> str:
    """A space in one line."""
    return " ".join(str(space).split())
