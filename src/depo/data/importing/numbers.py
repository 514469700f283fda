"""How a text file writes numbers: decimal points or commas, and what stands between thousands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl

MISSING = (
    *("", "nan", "na", "n/a", "n.a.", "#n/a", "<na>", "null", "nil", "none", "missing", "\\n"),
    *("-", "--", ".", "?", "inf", "-inf", "+inf", "infinity", "-infinity", "#value!", "#div/0!"),
    *("-nan", "nan(ind)", "-nan(ind)", "1.#qnan", "-1.#ind", "1.#inf", "-1.#inf", "#num!"),
)
"""What a cell without a number says, in lower case."""
BOOLEANS = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0, "on": 1.0, "off": 0.0}
NUMBER = re.compile(r"[-+]?(\d++\.?\d*+|\.\d++)([eE][-+]?\d++)?$")
"""Digits are not divided in another way (``++``) where a cell of very many ends in a letter."""
COMMA_NUMBER = re.compile(r"[-+]?(\d++,\d*+|,\d++|\d++)([eE][-+]?\d++)?$")
BLANKS = " '’\u00a0\u202f"
"""Signs between thousands that are never decimal ones."""
GROUPED = re.compile(rf"[-+]?\d{{1,3}}(?:([.,{BLANKS}])\d{{3}})+([.,]\d+)?$")
ONE_GROUP = re.compile(r"[-+]?[1-9]\d{0,2}[.,]\d{3}$")
"""Either thousands, or three decimals."""


@dataclass(frozen=True)
class NumberFormat:
    """The sign before decimals, and the one between thousands; none: there is none."""

    decimal: str = "."
    thousands: str = ""

    def fits(self, cell: str) -> bool:
        """Whether a cell holds a number, or a truth.

        >>> NumberFormat(",").fits("1,5"), NumberFormat().fits("1,5"), NumberFormat().fits("-2e-3")
        (True, False, True)
        """
        if self.thousands and GROUPED.match(cell):
            cell = cell.translate(dict.fromkeys(map(ord, self._between)))
        fits = NUMBER.match(cell) or (self.decimal == "," and COMMA_NUMBER.match(cell))
        return bool(fits) or cell.lower() in BOOLEANS

    def numbers(self, texts: pl.Series) -> pl.Series:
        """The numbers of a column of texts; null where there is none."""
        low = texts.str.to_lowercase()
        for sign in self._between:
            texts = texts.str.replace_all(sign, "", literal=True)
        if self.decimal == ",":
            texts = texts.str.replace(",", ".", literal=True)
        found = texts.cast(pl.Float64, strict=False)
        if found.null_count():
            for word, value in BOOLEANS.items():
                found = found.set(low == word, value)
        return found

    @property
    def _between(self) -> str:
        return BLANKS if self.thousands and self.thousands in BLANKS else self.thousands


def is_missing(cell: str) -> bool:
    """Whether a cell says that there is no number."""
    return cell.lower() in MISSING


def could_be_number(cell: str) -> bool:
    """Whether a cell is a number in some format.

    >>> [could_be_number(cell) for cell in ("1.234,5", "1,5", "2e3", "1 234", "a")]
    [True, True, True, True, False]
    """
    fits = NUMBER.match(cell) or COMMA_NUMBER.match(cell) or GROUPED.match(cell)
    return bool(fits) or cell.lower() in BOOLEANS


def number_format(rows: Sequence[Sequence[str]]) -> NumberFormat:
    """The format in which the cells of some rows make sense together.

    >>> number_format([["0.5", "1,234"]]), number_format([["0,5", "1,234"]])
    (NumberFormat(decimal='.', thousands=','), NumberFormat(decimal=',', thousands=''))
    """
    cells = [cell for row in rows for cell in row]
    signs = {sign for cell in cells for sign in _between_thousands(cell)}
    points, commas = (any(map(sure, cells)) for sure in (_has_decimal_point, _has_decimal_comma))
    if blanks := signs & set(BLANKS):
        return NumberFormat("," if commas else ".", min(blanks))
    if commas or "." in signs:
        return NumberFormat(",", "." if "." in signs else "")
    if "," in signs:
        return NumberFormat(".", ",")
    unsure = {i for row in rows for i, c in enumerate(row) if "," in c and ONE_GROUP.match(c)}
    if not unsure:
        return NumberFormat()
    is_thousands = points or _counts_below_thousand(rows, unsure)
    return NumberFormat(".", ",") if is_thousands else NumberFormat(",")


def _between_thousands(cell: str) -> Iterable[str]:
    """The sign that surely stands between thousands here."""
    found = GROUPED.match(cell)
    if found is None or found[1] == found[2]:
        return ()
    is_sure = found[1] in BLANKS or found[2] is not None or cell.count(found[1]) > 1
    return found[1] if is_sure else ()


def _has_decimal_point(cell: str) -> bool:
    return "." in cell and bool(NUMBER.match(cell)) and not ONE_GROUP.match(cell)


def _has_decimal_comma(cell: str) -> bool:
    if ((found := GROUPED.match(cell)) and found[1] != ",") and (found[2] or "").startswith(","):
        return True
    return "," in cell and bool(COMMA_NUMBER.match(cell)) and not ONE_GROUP.match(cell)


def _counts_below_thousand(rows: Sequence[Sequence[str]], columns: set[int]) -> bool:
    """Whether columns with ``1,234`` have whole numbers without comma, all below a thousand."""
    plain = [
        c for row in rows for i, c in enumerate(row) if i in columns and c.lstrip("+-").isdigit()
    ]
    return bool(plain) and all(len(cell.lstrip("+-")) <= 3 for cell in plain)
