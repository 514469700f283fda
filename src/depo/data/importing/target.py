"""What an environment says of its states, and what an import makes of that: which columns they
are, in which order, and in which range its angles lie."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from depo.core.errors import DepoError, printable, readable
from depo.data.importing.columns import Selection
from depo.data.importing.report import FileReport
from depo.data.importing.table import Table
from depo.data.importing.units import ANGLE

MOST_NAMES = 24
"""Features that a sentence names."""
MOST_PAIRS = 6
"""Pairs of names that a sentence shows."""


@dataclass(frozen=True)
class Target:
    """States that recordings are for; empty: nobody has said which."""

    environment: str = ""
    dimension: int | None = None
    """Numbers in a state; None: any."""
    names: tuple[str, ...] = ()
    """What the environment calls them, if it does."""
    lows: Mapping[int, float] = field(default_factory=dict)
    """Where the range of a feature begins that is an angle of one turn, −π or 0."""
    says_step: bool = True
    """Whether it is known how long a step of the environment is."""

    def columns_in(
        self, table: Table, without: Collection[str] = (), *, velocities: bool = False
    ) -> tuple[str, ...]:
        """Items of ``--columns`` for all features, in order, if each is called as one column is;
        else none. Where ``velocities`` are derived, they are the second half of a state."""
        columns, found = [c for c in table.columns if c.header not in without], dict[str, str]()
        names = self.names[: len(self.names) // 2] if velocities else self.names
        for name in names:
            own = (
                [c for c in columns if c.header == name]
                or [c for c in columns if c.name == name]
                or [c for c in columns if name.lower() in (c.header.lower(), c.name.lower())]
            )
            if len(own) == 1:
                is_same = own[0].name == name
                found[own[0].header] = own[0].header if is_same else f"{name}={own[0].header}"
        return tuple(found.values()) if len(found) == len(names) else ()

    def wrapped(self, selection: Selection, report: FileReport) -> Selection:
        """The same with angles in the ranges that they have in the environment, unless somebody
        has said another."""
        if self.dimension != len(selection.features):
            return selection
        features, put = list(selection.features), []
        for i, low in self.lows.items():
            signal = selection.signals[features[i].signal]
            own = features[i]
            is_said = own.is_free or own.low is not None
            if signal.kind == ANGLE and not (own.is_rate or is_said):
                features[i] = own._replace(low=low)
                put.append(own.name)
        if put:
            report.note(
                f"{readable(', '.join(put))}: put in the range of one turn that {self.environment} "
                "has (otherwise: --columns …:angle)"
            )
        return replace(selection, features=tuple(features))

    def check(self, names: Sequence[str], is_finite: bool) -> None:
        """Refuse recordings of another shape."""
        if is_finite and len(names) != 1:
            raise DepoError(
                f"finite states are one column, {len(names)} were chosen "
                f"({readable(', '.join(names))}): name one by --columns"
            )
        if self.dimension is None or is_finite or self.dimension == len(names):
            return
        known = f" ({listed(self.names)})" if self.names else ""
        ours = {name.lower() for name in names}
        missing = [name for name in self.names if name.lower() not in ours]
        raise DepoError(
            f"{self.environment} has states of {self.dimension} numbers{known}, the recordings "
            f"give {len(names)} ({listed(names)})"
            + (f"; none is called {listed(missing)}" if 0 < len(missing) < self.dimension else "")
            + ": choose and order them by --columns"
            + (", or add --velocities" if 2 * len(names) == self.dimension else "")
        )

    def check_step(self, *, rows_are_steps: bool) -> None:
        """Refuse to guess how long a step is, unless every row is one."""
        if self.dimension is not None and not self.says_step and not rows_are_steps:
            raise DepoError(
                f"environment '{self.environment}' does not say how long a step is (no 'dt', no "
                "'render_fps'): say it by --hz, or leave --env out to keep rows as they are"
            )

    def compare(self, names: Sequence[str], report: FileReport) -> None:
        """Say which number of the file is taken for which of the environment's."""
        both = zip(self.names, names, strict=False)
        if not (pairs := [(ours, name) for ours, name in both if ours != name]):
            return
        said = ", ".join(f"{ours} = {name}" for ours, name in pairs[:MOST_PAIRS])
        more = ", …" if len(pairs) > MOST_PAIRS else ""
        report.note(
            f"{self.environment} has other names; taken for the same are {printable(said)}{more} "
            "(if one is wrong: --columns)"
        )


def low_of_turn(low: float, high: float) -> float | None:
    """Where a range begins that is one turn, from −π or from 0; None: it is another.

    >>> low_of_turn(-3.1415927, 3.1415927), low_of_turn(0, 6.283), low_of_turn(-1, 1)
    (-3.141592653589793, 0.0, None)
    """
    for begin in (-math.pi, 0.0):
        ends = begin, begin + 2 * math.pi
        if abs(low - ends[0]) < 0.01 and abs(high - ends[1]) < 0.01:
            return begin
    return None


def listed(names: Sequence[str]) -> str:
    """The names for a sentence, which need not show all of them."""
    more = ["…"] if len(names) > MOST_NAMES else []
    return printable(", ".join([*names[:MOST_NAMES], *more]))
