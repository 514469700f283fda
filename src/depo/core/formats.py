"""Versions of files: each kind has a number, and a chain of changes that leads older ones here.

A step takes a file's data as format n had them and returns them as format n + 1 has them, so what
reads a file knows the newest format only.

>>> def rename(old: dict[str, Any]) -> dict[str, Any]:
...     return {"variants": old["types"]}
>>> runs = Format("run", (rename,))
>>> runs.current
2
>>> runs.migrated({"format": 1, "types": ["1", "2"]}, "settings.json")
{'variants': ['1', '2']}
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from depo.core.errors import DepoError
from depo.core.files import read_object, write_json
from depo.core.imports import allow, is_allowed
from depo.core.signature import PLACE, SIGNATURE, here, is_signed, signed

Data = dict[str, Any]


@dataclass(frozen=True)
class Format:
    """A kind of file with all its versions."""

    kind: str
    """What is in such a file, for people."""
    steps: tuple[Callable[[Data], Data], ...] = ()
    """From format 1 to 2, from 2 to 3, and so on."""
    unmarked: bool = False
    """Whether the first files of this kind do not say their format."""
    key: str = "format"
    """What the number is called in the file."""
    signed: bool = False
    """Whether such files say that this user made them."""

    @property
    def current(self) -> int:
        """The format that is written."""
        return 1 + len(self.steps)

    def number(self, stored: Data, where: str) -> int:
        """The format a file says it has; refuses what is none, or newer than this depo."""
        if self.key not in stored and self.unmarked:
            return 1
        found = stored.get(self.key)
        if not isinstance(found, int) or isinstance(found, bool) or found < 1:
            raise DepoError(
                f"{where} says {self.key} {found!r}, a {self.kind} has a whole number from 1 to "
                f"{self.current}: damaged?"
            )
        if found > self.current:
            raise DepoError(
                f"{where} was written by a newer depo: {self.key} {found}, this one reads "
                f"up to {self.current}: update depo"
            )
        return found

    def migrated(self, stored: Data, where: str) -> Data:
        """The data as the newest format has them, without their number."""
        number = self.number(stored, where)
        apart = (SIGNATURE, PLACE) if self.signed else ()
        for name in apart:
            if not isinstance(found := stored.get(name, ""), str):
                raise DepoError(f"{where}: {name} {found!r} is not a text: damaged?")
        data = {name: x for name, x in stored.items() if name not in (self.key, *apart)}
        for step in self.steps[number - 1 :]:
            try:
                data = step(data)
            except (LookupError, TypeError, ValueError, AttributeError) as error:
                raise DepoError(
                    f"{where} is not as format {number} of a {self.kind} is: damaged? ({error!r})"
                ) from None
        return data

    def read(self, path: Path) -> Data:
        """A JSON file's data as the newest format has them."""
        return self.migrated(read_object(path), str(path))

    def is_own(self, stored: Data) -> bool:
        """Whether this user made a file of these contents, and nobody has changed it since."""
        return self.signed and is_signed(self.kind, stored)

    def allow_own(self, stored: Data, names: Collection[str]) -> bool:
        """Whether the file is this user's own, and may have imported what these names mean."""
        own = bool(names) and self.is_own(stored)
        if own:
            allow(names, made_here=stored.get(PLACE) == here())
        return own

    def marked(self, data: Data, names: Collection[str] = ()) -> Data:
        """Data of the newest format with its number, and signed where such files are: but not if
        among the ``names`` of what they will have imported is one that a stranger has said."""
        numbered = {self.key: self.current, **data}
        if self.signed and all(map(is_allowed, names)):
            place = {PLACE: here()} if names else {}
            numbered = signed(self.kind, numbered | place)
        return numbered

    def write(self, path: Path, data: Data, names: Collection[str] = ()) -> None:
        """Write data, :meth:`marked`."""
        write_json(path, self.marked(data, names))
