"""``depo pull`` and ``depo push``: a model's folder from and to another place, whole and checked.

What is taken: planner, skill and policy folders, and entries of a zoo (a planner, a policy and a
card). Everything is loaded from a temporary folder, with digests compared, before it is placed.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from depo.core.errors import DepoError, readable
from depo.core.files import as_path, read_object
from depo.models.card import SETTINGS
from depo.models.folder import load_planner, load_skill
from depo.models.policy_folder import load_policy
from depo.sharing.places import (
    ENTRY_FILES,
    MODEL_FILES,
    PARTS,
    FolderPlace,
    Place,
    checked_names,
    open_place,
)
from depo.zoo.entries import ENTRY, is_zoo, located, read_entry


def pull(source: str | Path, out: str | Path, *, force: bool = False) -> Path:
    """Bring a model's folder here; it is checked before it takes its place.

    ``depo.pull("s3://bucket/hopper-planner", "planners/hopper")``. Nothing is imported that it
    names.
    """
    target = as_path(out, "out")
    place = open_place(located(source, "source") if is_zoo(source) else source)
    _move(place, str(source), FolderPlace(target), str(target), force)
    return target


def push(folder: str | Path, target: str | Path, *, force: bool = False) -> None:
    """Put a model's folder elsewhere; what is there is not overwritten without ``force``."""
    source = FolderPlace(located(folder, "folder"))
    _move(source, str(folder), open_place(target), str(target), force)


def _move(source: Place, name: str, target: Place, into: str, force: bool) -> None:
    sizes = source.sizes()
    if not sizes:
        raise DepoError(f"there is nothing at {readable(name)}: give a model's folder, or its URL")
    names = list(checked_names(sizes, readable(name)))
    taken = ENTRY_FILES if ENTRY in names else MODEL_FILES
    if extra := sorted(set(names) - taken):
        raise DepoError(
            f"{readable(name)} holds '{readable(extra[0])}', which no planner, skill, policy or "
            "zoo entry has: give a folder such as RUN/planner/seed-0"
        )
    if target.sizes() and not force:
        raise DepoError(f"{readable(into)} is not empty: --force replaces it")
    files = {each: source.read(each) for each in names}
    _check(files, readable(name))
    target.write(files, replace=force)


def _check(files: dict[str, bytes], name: str) -> None:
    """Load everything from a temporary folder, as its user would."""
    temporary = Path(tempfile.mkdtemp(prefix="depo-"))
    try:
        for each, data in files.items():
            file = temporary / each
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(data)
        if ENTRY in files:
            read_entry(temporary)
            for part in PARTS:
                _check_model(temporary / part, part)
        else:
            _check_model(temporary)
    except DepoError as error:
        said = str(error).replace(str(temporary), name)
        raise DepoError(f"nothing was placed: {said}") from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _check_model(folder: Path, expected: str = "") -> None:
    kind = read_object(folder / SETTINGS).get("kind")
    if expected and kind != expected:
        raise DepoError(f"{folder} holds a {readable(str(kind))}, not a {expected}")
    if kind == "planner":
        load_planner(folder)
    elif kind == "skill":
        load_skill(folder)
    elif kind == "policy":
        load_policy(folder)
    else:
        raise DepoError(f"{folder / SETTINGS} says kind {kind!r}: not a planner, skill or policy")
