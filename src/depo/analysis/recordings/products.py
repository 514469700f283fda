r"""Features that follow a product of two others: \(\cos' - \cos ≈ -k \sin \dot\theta\).

Where an environment shows its angles as sine and cosine, nothing is a position with its velocity;
these follow all the same from one step to the next, and tell how long it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from depo.analysis.recordings.moves import NOTHING, Moves
from depo.analysis.recordings.pairs import FEWEST

LEAST = 0.98
"""The correlation from which a relation is believed."""
KEPT = 0.7
"""The same in a recording."""
MOST = 40
"""Features among which products are tried."""


class Product(NamedTuple):
    """Feature ``changes`` changes in a step by ``slope`` times the product of two others."""

    changes: int
    first: int
    second: int
    slope: float
    correlation: float


def find_products(moves: Moves) -> list[Product]:
    """The best product for every feature that follows one."""
    size = moves.features
    if len(moves.states) < FEWEST or not 3 <= size <= MOST:  # a third follows the product of two
        return []
    middle = (moves.states + moves.reached) / 2
    first, second = np.triu_indices(size, 1)
    products = _standard(middle[:, first] * middle[:, second])
    found = _standard(moves.change).T @ products / len(middle)
    best = np.abs(found).argmax(axis=1)
    return [
        product_of(moves, i, int(first[k]), int(second[k]))
        for i, k in enumerate(best)
        if abs(found[i, k]) >= LEAST and i not in (first[k], second[k])
    ]


def product_of(moves: Moves, changes: int, first: int, second: int) -> Product:
    """How one feature follows the product of two."""
    middle = (moves.states + moves.reached) / 2
    x, y = middle[:, first] * middle[:, second], moves.change[:, changes]
    square = float(x @ x)
    if square <= NOTHING or np.ptp(y) <= NOTHING or np.ptp(x) <= NOTHING:
        return Product(changes, first, second, 0.0, 0.0)
    return Product(changes, first, second, float(x @ y) / square, float(np.corrcoef(x, y)[0, 1]))


def ratios(recording: Moves, explored: Moves) -> tuple[np.ndarray, np.ndarray]:
    """log of recorded over explored slope for every product, and how much each says."""
    known = find_products(explored)
    own = [product_of(recording, *product[:3]) for product in known]
    both = [(p, o) for p, o in zip(known, own, strict=True) if abs(o.correlation) >= KEPT]
    alike = [(p, o) for p, o in both if p.slope * o.slope > 0]
    found = np.array([np.log(o.slope / p.slope) for p, o in alike])
    return found, np.array([o.correlation**2 for _, o in alike])


def _standard(columns: np.ndarray) -> np.ndarray:
    centred = columns - columns.mean(axis=0)
    size = centred.std(axis=0)
    return np.divide(centred, size, out=np.zeros_like(centred), where=size > NOTHING)
