"""HDF5 files of strangers: one may name other files, whose bytes would be read as its own.

A link to an object of another file, a dataset whose numbers lie in a file beside (which may be any
file of the user's), a dataset put together from others: HDF5 follows each without a word.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from depo.core.errors import DepoError, readable


def check_self_contained(path: Path) -> None:
    """Refuse a file that would have another one read."""
    import h5py

    with h5py.File(path, "r") as file:
        waiting, seen = [file["/"]], set()
        while waiting:
            group = waiting.pop()
            for name in group:
                link = group.get(name, getlink=True)
                if isinstance(link, h5py.ExternalLink):
                    raise _refused(path, group, name)
                if not isinstance(link, h5py.HardLink):
                    continue  # to a place in this file, which is come upon there
                inner = group[name]
                if isinstance(inner, h5py.Dataset):
                    if inner.is_virtual or inner.external:
                        raise _refused(path, group, name)
                elif isinstance(inner, h5py.Group):
                    place = h5py.h5o.get_info(inner.id).addr
                    if place not in seen:  # a group may hold itself
                        seen.add(place)
                        waiting.append(inner)


def _refused(path: Path, group: Any, name: str) -> DepoError:
    inside = readable(f"{group.name.rstrip('/')}/{name}")
    return DepoError(
        f"'{inside}' of its {path.name} lies in another file, which depo does not open: copy it "
        "into this one"
    )
