"""Numbers that mean that there is none, as -999, told by where they lie."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from depo.core.errors import readable
from depo.data.importing.report import FileReport

CODES = np.array(
    [
        *(sign * x for x in (999, 999.9, 999.99, 9999, 9999.9, 9999.99) for sign in (-1, 1)),
        *(sign * x for x in (99999, 999999, 9999999) for sign in (-1, 1)),
        *(-999.25, -32768, 32767, 65535, -2147483648, 2147483647, 4294967295),
        *(sign * x for x in (1e20, 1e30, 1e31, 1e35, 1e36, 1e37) for sign in (-1, 1)),
        *(9.96921e36, 9.969209968386869e36, 3.402823466e38, -3.402823466e38),
    ]
)
"""What loggers write where a sensor had nothing to say."""
SMALLEST = float(np.abs(CODES).min())
FEWEST = 10
"""Other numbers of a column, from which its range is known."""
FAR = 0.75
"""Of the range of all other values, that a code lies beside it."""


@dataclass
class MissingCodes:
    """Takes such numbers out of rows, chunk after chunk."""

    headers: list[str]
    report: FileReport
    _low: np.ndarray = field(init=False)
    _high: np.ndarray = field(init=False)
    _count: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self._low, self._high = np.full((2, len(self.headers)), np.nan)
        self._count = np.zeros(len(self.headers), int)

    def without(self, values: np.ndarray) -> np.ndarray:
        """The rows, NaN where a number is a code.

        >>> rows = np.array([[*np.linspace(0, 1, 11), -999]]).T
        >>> MissingCodes(["x"], FileReport("a")).without(rows)[-2:].ravel()
        array([ 1., nan])
        """
        with np.errstate(invalid="ignore"):
            is_code = np.abs(values) >= SMALLEST
            is_code[is_code] = np.isin(values[is_code], CODES)
            rest = np.where(is_code | ~np.isfinite(values), np.nan, values)
            self._low = np.fmin(self._low, np.fmin.reduce(rest, axis=0))
            self._high = np.fmax(self._high, np.fmax.reduce(rest, axis=0))
            self._count += np.isfinite(rest).sum(axis=0)
            beside = np.maximum(values - self._high, self._low - values)
            largest = np.maximum(np.abs(self._low), np.abs(self._high))
            reach = np.maximum(self._high - self._low, 0.1 * largest)
            is_code &= (beside > FAR * reach) & (self._count >= FEWEST)
        if not is_code.any():
            return values
        for column in np.flatnonzero(is_code.any(axis=0)):
            code = values[np.flatnonzero(is_code[:, column])[0], column]
            self.report.note(
                f"'{readable(self.headers[column])}' is {code:.10g} in some rows, far from all its "
                "other numbers: taken for missing"
            )
        return np.where(is_code, np.nan, values)
