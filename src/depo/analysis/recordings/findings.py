"""What a check found: one sentence each, with the place in the recording and the remedy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

Kind = Literal[
    "dimension",
    "names",
    "few",
    "bounds",
    "constant",
    "duplicate",
    "repeated",
    "order",
    "sign",
    "zero",
    "rounded",
    "units",
    "step size",
    "velocity",
    "range",
    "starts",
    "lengths",
    "reachable",
]
SHOWN = 4
"""Features that a sentence names; of more it says how many there are."""


@dataclass(frozen=True)
class Finding:
    """Something in a recording that does not fit, the features it is about, and what to do."""

    kind: Kind
    sentence: str
    features: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.kind}: {self.sentence}"


def listed(names: Sequence[str], features: Sequence[int]) -> str:
    """Names of some features in a sentence.

    >>> listed(["x", "y", "z"], [0, 2])
    "'x' and 'z'"
    """
    said = [f"'{names[i]}'" for i in features[:SHOWN]]
    if len(features) > SHOWN:
        return f"{', '.join(said)} and {len(features) - SHOWN} more"
    return " and ".join(filter(None, [", ".join(said[:-1]), said[-1]]))


def verb(features: Sequence[int], one: str, many: str) -> str:
    """The word for one feature or for many."""
    return one if len(features) == 1 else many


def number(value: float) -> str:
    """A number with the digits that mean something.

    >>> number(1234.5), number(0.0321), number(-2.0)
    ('1,230', '0.0321', '-2')
    """
    if value == 0 or not np.isfinite(value):
        return f"{value:g}"
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if abs(rounded) >= 1_000 else f"{rounded:g}"


def span(values: np.ndarray) -> str:
    """From the least to the largest.

    >>> span(np.array([0.5, -1.0, 2.0]))
    '-1 to 2'
    """
    return f"{number(float(values.min()))} to {number(float(values.max()))}"


def times(factor: float) -> str:
    """A factor in words.

    >>> times(1000.0), times(0.001)
    ('1,000 times as large', '1/1,000 as large')
    """
    said = number(factor if factor >= 1 else 1 / factor)
    return f"{said} times as large" if factor >= 1 else f"1/{said} as large"
