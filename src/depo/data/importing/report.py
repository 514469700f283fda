"""What an import has kept, repaired and dropped of each file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

MOST_PIECES, MOST_NOTES = 2_000, 20
"""Of a file, that are remembered."""


class Piece(NamedTuple):
    """A stretch of a file without a gap: seconds since the file's beginning, and its fate."""

    start: float
    end: float
    is_kept: bool


@dataclass
class FileReport:
    """Counts of one file; ``notes`` are sentences about it."""

    file: str
    rows: int = 0
    """Rows that were read."""
    states: int = 0
    """States that were kept."""
    episodes: int = 0
    """Episodes that were kept."""
    repaired: int = 0
    """Values that were interpolated over missing ones."""
    unreadable: int = 0
    """Cells that are no number, and were taken for missing."""
    untimed: int = 0
    """Rows without a time, left out."""
    repeated: int = 0
    """Rows whose time had been there already, left out."""
    unlabelled: int = 0
    """Rows that belong to no episode, as where episodes were filled up to one length, left out."""
    splits: int = 0
    """Places where an episode was cut: at a gap, or where the time went back."""
    short_pieces: int = 0
    """Pieces that were too short, left out."""
    short_states: int = 0
    """The states in them."""
    recorded_hz: float | None = None
    """How often rows were recorded, the median."""
    notes: list[str] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)

    def note(self, sentence: str) -> None:
        """Remember a sentence, once."""
        if sentence not in self.notes and len(self.notes) < MOST_NOTES:
            self.notes.append(sentence)

    def add_piece(self, piece: Piece, states: int) -> None:
        """Count a piece that has ended."""
        if piece.is_kept:
            self.episodes += 1
            self.states += states
        else:
            self.short_pieces += 1
            self.short_states += states
        if len(self.pieces) < MOST_PIECES:
            self.pieces.append(piece)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, without what is zero or empty."""
        own = {name: value for name, value in vars(self).items() if name != "pieces"}
        return {name: value for name, value in own.items() if value or name in ALWAYS}


ALWAYS = ("file", "rows", "states", "episodes")
