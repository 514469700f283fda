"""Pictures and films of a run, or of results, as they are put inside a page."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import Path

from depo.core.errors import DepoError
from depo.core.files import read_bytes

EACH, ALL = 4 << 20, 24 << 20
"""Bytes of one file, and of all files of a page."""
KINDS = {
    ".png": ("image/png", b"\x89PNG\r\n\x1a\n", 0),
    ".gif": ("image/gif", b"GIF8", 0),
    ".mp4": ("video/mp4", b"ftyp", 4),
}
"""Ending: the type, and the bytes that such a file has at some place."""
ORDER = ("policy", "imagined", "reachability", "run")


@dataclass(frozen=True)
class Medium:
    """One picture or film."""

    name: str
    type: str
    data: bytes

    @property
    def uri(self) -> str:
        """The file itself, as an address."""
        return f"data:{self.type};base64,{base64.b64encode(self.data).decode()}"

    @property
    def is_film(self) -> bool:
        """Whether it is played rather than shown."""
        return self.type.startswith("video/")


def media_of(folder: Path, room: int) -> tuple[list[Medium], list[str]]:
    """The files of a folder that fit, and a sentence for each that does not."""
    found, left_out = [], []
    files = sorted(folder.iterdir(), key=_place) if folder.is_dir() else []
    for path in files:
        if path.suffix not in KINDS or path.name.startswith("."):
            continue
        kind, magic, at = KINDS[path.suffix]
        try:
            data = read_bytes(path, kind, min(EACH, max(room, 0)))
        except DepoError:
            left_out.append(f"{path.name} is left out: more than {EACH >> 20} MB, or no room left")
            continue
        if data[at : at + len(magic)] != magic:
            left_out.append(f"{path.name} is left out: it is no {kind}")
            continue
        room -= len(data)
        found.append(Medium(path.name, kind, data))
    return found, left_out


def _place(path: Path) -> tuple[int, str]:
    first = next((i for i, word in enumerate(ORDER) if path.name.startswith(word)), len(ORDER))
    return first, path.name
