from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from depo.core.errors import DepoError
from depo.data.importing.columns import choose, resolve_one
from depo.data.importing.memory import ArrayTable
from depo.data.importing.table import Column
from tests.support.recordings import import_here

HEADERS = (
    "time [ms]",
    "hip [deg]",
    "knee [deg]",
    "x [mm]",
    "qw",
    "qx",
    "qy",
    "qz",
    "obs.0",
    "obs.1",
)


def table(*headers: str) -> ArrayTable:
    columns = tuple(Column.of(header) for header in headers or HEADERS)
    return ArrayTable(
        Path("a.csv"), columns, time="time [ms]", others=("who",), arrays={"a": np.zeros(1)}
    )


def names(*items: str, **more: bool) -> list[str]:
    return list(choose(table(), items, without=("time [ms]",), **more)[0].names)


def test_a_column_is_found_without_a_unit_that_nobody_knows() -> None:
    both = table("load [furlong]", "load [stone]", "speed [mach]")
    assert choose(both, ["v=speed"])[0].headers == ["speed [mach]"]
    assert choose(both, ["speed"])[0].names == ("speed [mach]",)
    with pytest.raises(DepoError, match="unknown column 'load'"):
        choose(both, ["load"])


def test_names_ranges_renames_and_vectors() -> None:
    assert names("hip [deg]", "KNEE") == ["hip", "knee"]
    assert names("hip..x") == ["hip", "knee", "x"]
    assert names("left=hip", "obs", "leg=hip..knee") == ["left", "obs.0", "obs.1", "leg_0", "leg_1"]
    assert names("hip,knee") == ["hip", "knee"]
    assert names()[:3] == ["hip", "knee", "x"]
    assert names("hip", "x", velocities=True) == ["hip", "x", "hip_velocity", "x_velocity"]
    assert names("hip:rate", "v=x:rate") == ["hip_velocity", "v"]


def test_units_and_words_decide_how_a_signal_is_treated() -> None:
    found, _ = choose(table(), ["hip", "x", "h=hip:linear", "o=obs.0:deg", "qw..qz:quaternion"])
    kinds = [(signal.kind, round(signal.factor, 4)) for signal in found.signals]
    assert kinds == [
        ("angle", 0.0175),
        ("linear", 0.001),
        ("linear", 0.0175),
        ("angle", 0.0175),
        ("quaternion", 1.0),
    ]
    assert [feature.component for feature in found.features[-4:]] == [0, 1, 2, 3]


def test_what_counts_rows_or_holds_words_is_left_out_and_said() -> None:
    found, left = choose(table("frame", "hip [deg]"))
    assert (found.names, left) == (("hip",), ["frame", "who"])


def test_a_header_may_look_like_an_item() -> None:
    found, _ = choose(table("a=b", "c:deg", "d..e", "f, g"), ["a=b", "c:deg", "d..e", "f, g"])
    assert found.names == ("a=b", "c:deg", "d..e", "f, g")


@pytest.mark.parametrize(
    ("items", "said"),
    [
        (["hpi"], "a.csv: unknown column 'hpi': did you mean 'hip'?"),
        (["who"], "'who' holds words or dates, no numbers"),
        (["x..hip"], "'x' comes after 'hip'"),
        (["hip", "hip"], "two features would be called 'hip'"),
        (["qw..qy:quaternion"], "a quaternion is four columns"),
    ],
)
def test_what_cannot_be_chosen_is_named(items: list[str], said: str) -> None:
    with pytest.raises(DepoError) as refused:
        choose(table(), items)
    assert said in str(refused.value)


def test_one_column_is_one() -> None:
    assert resolve_one("WHO", table(), "--episode") == "who"
    with pytest.raises(DepoError, match="means 2 columns"):
        resolve_one("obs", table(), "--episode")


def test_a_table_of_words_alone_is_refused(tmp_path: Path) -> None:
    pl.DataFrame({"name": ["a", "b", "c"]}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(DepoError, match="has no column of numbers beside its time"):
        import_here(tmp_path / "a.parquet", {})
