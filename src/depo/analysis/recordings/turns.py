"""Angles that the environment keeps in one turn, and a recording does not."""

from __future__ import annotations

from depo.analysis.recordings.comparison import Comparison
from depo.analysis.recordings.findings import Finding, listed, number, span
from depo.core.errors import readable
from depo.data.importing.resampling import TURN
from depo.data.importing.wrapping import wrap_within

MOST_OUTSIDE = 1e-3
"""Part of a turn by which an angle may leave its range by rounding."""


def find_turned(comparison: Comparison) -> list[Finding]:
    """Features that jump by a turn under random actions, and leave that turn in the recording."""
    explored, own = comparison.explored.moves, comparison.recording.states
    found = []
    for feature, name in enumerate(comparison.names):
        wrap = wrap_within(explored.states[:, feature], explored.change[:, feature])
        if wrap is None:
            continue
        slack = MOST_OUTSIDE * wrap.turn
        values = own[:, feature]
        if values.min() >= wrap.low - slack and values.max() <= wrap.low + wrap.turn + slack:
            continue
        ends = f"{number(wrap.low)} to {number(wrap.low + wrap.turn)}"
        is_wrapped = wrap.turn == TURN and wrap.low < 0  # what that word of --columns means
        by_import = f"import it with --columns '{readable(name)}:wrapped', or " * is_wrapped
        found.append(
            Finding(
                "range",
                f"{listed(comparison.names, [feature])} is an angle that the environment keeps in "
                f"{ends}, the recording has {span(values)}: {by_import}take whole turns off it",
                (feature,),
            )
        )
    return found
