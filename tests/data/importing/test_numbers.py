"""Numbers as people write them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depo.data.importing.numbers import NumberFormat, number_format
from depo.data.importing.text import open_text
from tests.support.recordings import demos_of, import_here

FORMATS = [(".", ""), (",", ""), (".", ","), (",", "."), (".", " "), (",", "’")]
VALUES = st.lists(st.floats(-1e7, 1e7).map(lambda x: round(x, 2)), min_size=2, max_size=20)


def written(value: float, decimal: str, thousands: str) -> str:
    text = f"{value:,.2f}".replace(",", "T").replace(".", "D")
    return text.replace("T", thousands).replace("D", decimal)


@pytest.mark.parametrize(("decimal", "thousands"), FORMATS)
@settings(max_examples=25)
@given(VALUES)
def test_a_format_is_told_and_its_numbers_are_the_numbers(
    decimal: str, thousands: str, values: list[float]
) -> None:
    cells = [written(value, decimal, thousands) for value in values]
    found = number_format([cells])
    assert found.decimal == decimal
    assert all(found.fits(cell) for cell in cells)
    assert found.numbers(pl.Series(cells)).to_list() == values


def test_three_digits_after_a_comma_are_what_the_other_numbers_say() -> None:
    assert number_format([["0.5", "1,234"]]) == NumberFormat(".", ",")
    assert number_format([["0,5", "1,234"]]) == NumberFormat(",")
    assert number_format([["950"], ["1,020"], ["12"]]) == NumberFormat(".", ",")
    assert number_format([["1,234"], ["2,345"]]) == NumberFormat(",")


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("t,a,b", '{t},"{a:,.2f}",{b}'),
        ("t;a;b", "{t};{a:,.2f};{b}"),
        ('"t","a","b"', '"{t}","{a:.2f}","{b}"'),
    ],
)
def test_thousands_and_quotes_in_a_file(tmp_path: Path, header: str, row: str) -> None:
    a, b = np.linspace(-3_000, 3_000, 20).round(2), np.linspace(0, 1, 20).round(3)
    rows = [row.format(t=i / 10, a=a[i], b=b[i]) for i in range(20)]
    (tmp_path / "a.csv").write_text("\n".join([header, *rows, ""]))
    demos = demos_of(tmp_path / "a.csv", {})
    assert demos.feature_names == ("a", "b")
    np.testing.assert_allclose(demos.observations, np.stack([a, b], axis=1), atol=1e-3)


def test_truths_are_numbers_and_other_words_for_nothing_are_missing(tmp_path: Path) -> None:
    words = ["#VALUE!", "-nan(ind)", "N.A.", "<NA>", "."]
    rows = [f"{i},{words[i // 2] if i in (2, 4, 6, 8) else i},{i % 2 == 0}" for i in range(12)]
    (tmp_path / "a.csv").write_text("\n".join(["t,x,contact", *rows]))
    found = import_here(tmp_path / "a.csv", {})
    states = found.demonstrations().observations
    np.testing.assert_allclose(states[:, 0], np.arange(12))
    np.testing.assert_array_equal(states[:, 1], np.arange(12) % 2 == 0)
    assert (found.reports[0].unreadable, found.reports[0].repaired) == (0, 4)


def test_comments_and_odd_lines_among_rows_are_said(tmp_path: Path) -> None:
    rows = [f"{i},{i}" for i in range(10)]
    rows[4:4] = ["# the operator touched it"]
    rows[7] += ",99"
    (tmp_path / "a.csv").write_text("\n".join(["x,y", *rows, ""]))
    report = import_here(tmp_path / "a.csv", {"recorded_hz": 10.0}).reports[0]
    assert (report.rows, report.states) == (10, 10)
    assert report.notes == [
        "comments after line 1 are left out",
        "lines with more than 2 cells (1 of those up to line 11): what is too much is left out",
    ]


def test_line_ends_of_old_and_columns_called_by_numbers(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"time,1,2\r0.0,5,6\r0.1,7,8\r0.2,9,1\r")
    table = open_text(tmp_path / "a.csv")
    assert [column.header for column in table.columns] == ["time", "1", "2"]
    np.testing.assert_array_equal(
        demos_of(tmp_path / "a.csv", {}).observations, [[5, 6], [7, 8], [9, 1]]
    )


def test_opensim_says_that_angles_are_in_degrees(tmp_path: Path) -> None:
    head = "Coordinates\nnRows=3\ninDegrees=yes\nendheader\ntime\thip_flexion\tpelvis_tx\n"
    rows = [f"{i / 10}\t{10 * i}\t{i}\n" for i in range(20)]
    (tmp_path / "a.mot").write_text(head + "".join(rows))
    states = demos_of(tmp_path / "a.mot", {}).observations
    np.testing.assert_allclose(states[:, 0], np.deg2rad(10.0 * np.arange(20)), atol=1e-5)
    np.testing.assert_array_equal(states[:, 1], np.arange(20))
