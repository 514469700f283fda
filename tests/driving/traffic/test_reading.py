from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depo.core.errors import DepoError
from depo.driving.traffic import Recording
from depo.driving.traffic import table as table_module
from depo.driving.traffic.layout import Layout, shipped_layouts
from depo.driving.traffic.reading import read_recordings
from depo.driving.traffic.repair import RepairSettings, Report
from depo.driving.traffic.text import write_text
from tests.support.traffic import recording_of, recordings, same

SHARED = Path(__file__).parents[3] / "shared" / "ngsim"
INCH = 0.0254


def read(path: Path, *arguments: object, **more: object) -> tuple[Recording, Report]:
    [found] = read_recordings(path, *arguments, **more)  # type: ignore[arg-type]
    return found


@settings(max_examples=30)
@given(recordings())
def test_text_to_recording_to_text(tmp_path_factory, recording: Recording) -> None:
    folder = tmp_path_factory.mktemp("text")
    written = write_text(recording, folder / "a.txt")
    again, report = read(written, "ngsim-text")
    order = np.argsort(recording.original_id)
    assert again.original_id.tolist() == recording.original_id[order].tolist()
    for v, track in zip(order, again, strict=True):
        np.testing.assert_allclose(track.x, recording.track(v).x, atol=0.0005)
        np.testing.assert_allclose(track.y, recording.track(v).y, atol=0.0005)
        np.testing.assert_array_equal(track.frame, recording.track(v).frame)
        np.testing.assert_array_equal(track.lane, recording.track(v).lane)
    assert report.broken == report.filled == report.repeated == 0
    second = write_text(again, folder / "b.txt")
    assert sorted(second.read_text().split("\n")) == sorted(written.read_text().split("\n"))


@settings(max_examples=20)
@given(recordings(), st.randoms(use_true_random=False), st.sampled_from([" ", "   ", "\t"]))
def test_order_and_blanks_do_not_matter(tmp_path_factory, recording, random, blank: str) -> None:
    folder = tmp_path_factory.mktemp("shuffled")
    plain = write_text(recording, folder / "plain.txt")
    lines = plain.read_text().splitlines()
    random.shuffle(lines)
    shuffled = folder / "shuffled.txt"
    shuffled.write_text("\r\n".join(blank + line.replace(" ", blank) + blank for line in lines))
    same(read(plain, "ngsim-text")[0], read(shuffled, "ngsim-text")[0], 0.0)


CAR = pl.DataFrame(
    {
        "vehicle": [7] * 40 + [8] * 40,
        "frame": [*range(40), *range(40)],
        "x": [50 + 0.8 * t for t in range(40)] + [20 + 0.8 * t for t in range(40)],
        "y": [2.0] * 80,
        "lane": [0] * 80,
        "length": [4.5] * 80,
        "width": [1.8] * 80,
    }
)


def changed(row: int, **values: object) -> pl.DataFrame:
    """The table with other values in one row."""
    index = pl.int_range(pl.len())
    return CAR.with_columns(
        pl.when(index == row).then(pl.lit(value)).otherwise(pl.col(name)).alias(name)
        for name, value in values.items()
    )


def without(*rows: int) -> pl.DataFrame:
    return CAR.with_row_index("i").filter(~pl.col("i").is_in(rows)).drop("i")


def in_csv(table: pl.DataFrame, path: Path) -> Path:
    table.write_csv(path)
    return path


BROKEN: dict[str, tuple[pl.DataFrame, dict[str, int], int]] = {
    # what is wrong: the table, what is counted, how many vehicles are left
    "nothing": (CAR, {}, 2),
    "no number": (changed(5, x=None), {"missing": 1, "filled": 1}, 2),
    "nan": (changed(5, y=float("nan")), {"missing": 1, "filled": 1}, 2),
    "infinite": (changed(5, x=float("inf")), {"missing": 1, "filled": 1}, 2),
    "twice": (pl.concat([CAR, CAR[5:8]]), {"repeated": 3}, 2),
    "disagreeing": (
        pl.concat([CAR, changed(5, x=55.0)[5:6]]),
        {"contradictory": 2, "filled": 1},
        2,
    ),
    "in two lanes": (  # the lateral position says which
        pl.concat([CAR, changed(5, lane=3)[5:6]]),
        {"repeated": 1},
        2,
    ),
    "short gap": (without(10, 11, 12), {"filled": 3}, 2),
    "long gap": (without(*range(10, 25)), {"long_gaps": 1}, 3),
    "outlier": (changed(10, x=250.0), {"outliers": 1, "filled": 1}, 2),
    "lateral outlier": (changed(10, y=15.0), {"outliers": 1, "filled": 1}, 2),
    "lone row": (without(*range(1, 13)), {"long_gaps": 1, "lone": 1}, 2),
    "unknown lane": (changed(5, lane=None), {"lanes_filled": 1}, 2),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_rows_are_counted_and_treated_by_rule(tmp_path: Path, name: str) -> None:
    table, counts, vehicles = BROKEN[name]
    recording, report = read(in_csv(table, tmp_path / "t.csv"), "table")
    found = {what: n for what, n in report.to_dict().items() if n}
    assert found == {"rows": len(table), **counts}
    assert recording.vehicles == vehicles
    whole = recording.vehicle == np.flatnonzero(recording.original_id == 8)[0]
    np.testing.assert_allclose(recording.x[whole], CAR["x"][40:])
    if vehicles == 2 and name != "lone row":
        np.testing.assert_allclose(recording.track(0).x, CAR["x"][:40], atol=1e-9)


def test_a_jump_for_good_splits_a_track(tmp_path: Path) -> None:
    x = [50 + 0.8 * t + (100 if t >= 20 else 0) for t in range(40)]
    table = CAR.with_columns(pl.Series("x", [*x, *CAR["x"][40:]]))
    recording, report = read(in_csv(table, tmp_path / "t.csv"), "table")
    assert (report.teleports, recording.original_id.tolist()) == (1, [7, 7, 8])
    assert recording.durations.tolist() == [20, 20, 40]
    gentle = RepairSettings(max_speed=2000.0)
    assert read(tmp_path / "t.csv", "table", repairs=gentle)[1].teleports == 0


def test_sizes_that_cannot_be_are_replaced_by_the_median(tmp_path: Path) -> None:
    sizes = [0.0] * 40 + [6.0] * 39 + [99.0]
    table = CAR.with_columns(pl.Series("length", sizes))
    recording, report = read(in_csv(table, tmp_path / "t.csv"), "table")
    assert report.sizes_assumed == 1
    assert recording.length.tolist() == [6.0, 6.0]


def test_vehicles_in_each_others_place_are_counted_and_kept(tmp_path: Path) -> None:
    table = CAR.with_columns(pl.Series("x", [*CAR["x"][:40], *(CAR["x"][:40] - 2)]))
    recording, report = read(in_csv(table, tmp_path / "t.csv"), "table")
    assert (report.overlapping, report.crashed, recording.vehicles) == (40, 2, 2)


@settings(max_examples=30)
@given(recordings(), st.data())
def test_any_damage_to_rows_is_counted_or_refused(tmp_path_factory, recording, data) -> None:
    path = write_text(recording, tmp_path_factory.mktemp("damaged") / "a.txt")
    lines = path.read_text().splitlines()
    for _ in range(data.draw(st.integers(1, 4))):
        row = data.draw(st.integers(0, len(lines) - 1))
        words = lines[row].split()
        if words:
            words[data.draw(st.integers(0, len(words) - 1))] = data.draw(
                st.sampled_from(["NaN", "x", "1e99", "-1", "0", "", '"'])
            )
        lines[row] = " ".join(words)
    path.write_text("\n".join(lines))
    try:
        again, report = read(path, "ngsim-text")
    except DepoError as error:
        assert "\n" not in str(error)  # noqa: PT017
        return
    kept = report.rows - report.broken - report.repeated + report.filled
    assert again.rows == kept
    assert np.isfinite(again.x).all()


def portal(path: Path, parts: list[tuple[str, int, Recording]]) -> Path:
    """The data portal's CSV of recordings at places and times (ms), rows in no order."""
    tables = []
    for place, start, recording in parts:
        text = write_text(recording, path.with_suffix(".txt"))
        rows = pl.read_csv(text, separator=" ", has_header=False, infer_schema=False)
        names = dict(zip(rows.columns, PORTAL, strict=True))
        clock = pl.col("Global_Time").cast(pl.Int64) + start
        tables.append(rows.rename(names).with_columns(clock, Location=pl.lit(place)))
    pl.concat(tables).sample(fraction=1.0, shuffle=True, seed=3).write_csv(path)
    return path


PORTAL = [
    *("Vehicle_ID", "Frame_ID", "Total_Frames", "Global_Time", "Local_X", "Local_Y"),
    *("Global_X", "Global_Y", "v_length", "v_Width", "v_Class", "v_Vel", "v_Acc", "Lane_ID"),
    *("Preceding", "Following", "Space_Headway", "Time_Headway"),
]
ONE = recording_of([(1, 40 + 0.9 * np.arange(30), 2.0), (4, 20 + 0.9 * np.arange(25), 9.0)])
OTHER = recording_of([(1, 60 + 0.5 * np.arange(50), 6.0), (9, 10 + 0.9 * np.arange(20), 9.0)])


def test_recordings_of_one_portal_file_are_told_apart(tmp_path: Path) -> None:
    path = portal(
        tmp_path / "portal.csv",
        [("i-80", 3_600_000, OTHER), ("us-101", 0, ONE), ("i-80", 60_000, ONE)],
    )
    (first, report), (second, _) = read_recordings(path)
    assert (first.name, second.name) == ("i-80/0", "i-80/1")
    assert first.metadata["layout"] == "ngsim-portal"
    assert report.contradictory == report.repeated == 0
    same(first, ONE, 0.0005)
    same(second, OTHER, 0.0005)


def test_a_clock_may_begin_with_the_first_frame(tmp_path: Path) -> None:
    for start in (0, 100):
        parts = [("i-80", start, ONE), ("i-80", 3_600_000, OTHER)]
        (first, report), (second, _) = read_recordings(portal(tmp_path / f"{start}.csv", parts))
        assert report.astray == 0
        same(first, ONE, 0.0005)
        same(second, OTHER, 0.0005)


def test_rows_of_a_wrong_clock_are_counted_and_their_recording_is_read(tmp_path: Path) -> None:
    parts = [("i-80", 3_600_000, OTHER), ("i-80", 60_000, ONE)]
    rows = pl.read_csv(portal(tmp_path / "portal.csv", parts), infer_schema=False)
    wrong = pl.when(pl.int_range(pl.len()) == 5).then(pl.lit("99000000000"))
    gone = wrong.when(pl.int_range(pl.len()) == 9).then(pl.lit(None))
    several = tmp_path / "several.csv"
    rows.with_columns(Global_Time=gone.otherwise(pl.col("Global_Time"))).write_csv(several)
    found = read_recordings(several)
    assert [recording.name for recording, _ in found] == ["i-80/0", "i-80/1"]
    assert [report.astray for _, report in found] == [2, 0]
    assert sum(report.rows for _, report in found) == len(rows)
    # a single recording needs no clock
    rows = pl.read_csv(portal(tmp_path / "one.csv", parts[:1]), infer_schema=False)
    single = tmp_path / "single.csv"
    rows.with_columns(Global_Time=gone.otherwise(pl.col("Global_Time"))).write_csv(single)
    ((recording, report),) = read_recordings(single)
    assert report.broken == 0
    same(recording, OTHER, 0.0005)


def test_thousands_may_be_quoted(tmp_path: Path) -> None:
    path = tmp_path / "quoted.csv"
    CAR.with_columns(x=pl.format('"1,0{}"', pl.col("x").round(2))).write_csv(
        path, quote_style="never"
    )
    layout = Layout.named("table")
    shifted = Layout(name="far", columns=layout.columns, road=layout.road, x_origin=1000.0)
    assert read(path, shifted)[1].missing == 0


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet", "t.txt"])
def test_the_generic_table_in_every_format(tmp_path: Path, monkeypatch, name: str) -> None:
    monkeypatch.setattr(table_module, "CHUNK", 500)
    monkeypatch.setattr(table_module, "ROWS", 7)
    path, layout = tmp_path / name, "table"
    if name.endswith("parquet"):
        CAR.write_parquet(path)
    elif name.endswith("gz"):
        path.write_bytes(gzip.compress(CAR.write_csv().encode()))
    elif name.endswith("txt"):
        CAR.write_csv(path, separator=" ")
        text = shipped_layouts()["table"].read_text()
        (tmp_path / "mine.toml").write_text('separator = " "\n' + text)
        layout = str(tmp_path / "mine.toml")
    else:
        CAR.write_csv(path)
    shares: list[float] = []
    recording, report = read(path, layout, progress=shares.append)
    np.testing.assert_allclose(recording.x, CAR["x"])
    assert report.rows == len(CAR)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert len(shares) > 2 or name.endswith(("gz", "parquet"))


def test_times_names_units_and_centres(tmp_path: Path) -> None:
    toml = """
        unit = "ft"
        reference = "centre"
        y_points_left = true
        y_origin = 10.0
        time_step = 0.5
        text_ids = true
        columns = {vehicle = "car", time = "t", x = "along", y = "up", length = "l", width = "w"}
        road = {length = 100.0, lanes = 2, lane_width = 4.0, zone = [10.0, 90.0]}
    """
    (tmp_path / "mine.toml").write_text(toml)
    foot = 12 * INCH
    table = pl.DataFrame(
        {
            "car": ["b", "b", "b", "a", "a"],
            "t": [1.0, 1.5, 2.0, 1.0, 1.5],
            "along": [20 / foot, 25 / foot, 30 / foot, 50 / foot, 55 / foot],
            "up": [9 / foot] * 3 + [4 / foot] * 2,
            "l": [4 / foot] * 5,
            "w": [2 / foot] * 5,
        }
    )
    recording, _ = read(in_csv(table, tmp_path / "t.csv"), tmp_path / "mine.toml")
    assert recording.time_step == 0.5
    np.testing.assert_allclose(recording.track(0).x, [48, 53])
    np.testing.assert_allclose(recording.track(1).x, [18, 23, 28])
    np.testing.assert_allclose(recording.track(1).y, [1, 1, 1])
    assert recording.first_frame.tolist() == [2, 2]
    assert recording.lane.tolist() == [1, 1, 0, 0, 0]


def test_without_sizes_vehicles_are_as_long_as_fits(tmp_path: Path) -> None:
    """The smallest gap behind is 4.2 m for vehicle 7 and 30 m for nobody else: 3.2 m and 5 m."""
    follower = [CAR["x"][t] - (4.2 if t == 20 else 9.0) for t in range(40)]
    table = CAR.with_columns(pl.Series("x", [*CAR["x"][:40], *follower])).drop(
        "length", "width", "y"
    )
    toml = """
        columns = {vehicle = "vehicle", frame = "frame", x = "x", lane = "lane"}
        first_lane = 0
        unknown_lanes = [9]
        road = "i80"
    """
    (tmp_path / "mine.toml").write_text(toml)
    limits = RepairSettings(max_speed=100.0)
    recording, report = read(
        in_csv(table, tmp_path / "t.csv"), tmp_path / "mine.toml", repairs=limits
    )
    np.testing.assert_allclose(recording.length, [3.2, 5.0])
    assert report.sizes_assumed == 2
    assert report.overlapping == 0
    np.testing.assert_allclose(recording.y, 1.85)


def test_a_lane_change_without_lateral_position_is_gradual(tmp_path: Path) -> None:
    lanes = [1] * 60 + [9] * 5 + [2] * 60 + [9] * 125
    table = pl.DataFrame(
        {
            "vehicle_id": [1] * 125 + [2] * 125,
            "frame_id": [*range(125), *range(125)],
            "local_y_ft": [1242 + t for t in range(125)] * 2,
            "lane_id": lanes,
        }
    )
    recording, report = read(in_csv(table, tmp_path / "t.csv"))
    assert recording.metadata["layout"] == "coifman-li"
    assert recording.original_id.tolist() == [1]
    assert (report.lanes_filled, report.lanes_unknown) == (5, 125)
    steps = np.diff(recording.y)
    assert recording.y[[0, -1]] == pytest.approx(12 * 12 * INCH * np.array([0.5, 1.5]))
    assert (steps >= -1e-9).all()
    assert steps.max() == pytest.approx(12 * 12 * INCH / 40)


def test_a_vehicle_in_two_lanes_at_once_is_in_neither_whatever_the_order(tmp_path: Path) -> None:
    """Where the lane is all that says how far to the side it is."""
    rows = {"vehicle_id": [1] * 125, "frame_id": [*range(125)], "lane_id": [1] * 125}
    table = pl.DataFrame(rows | {"local_y_ft": [1242 + t for t in range(125)]})
    other = table[50:52].with_columns(lane_id=pl.lit(3, pl.Int64))
    unknown = table[60:62].with_columns(lane_id=pl.lit(9, pl.Int64))  # says nothing, so no more
    found = []
    for rows in ([table, other, unknown], [unknown, other, table]):
        recording, report = read(in_csv(pl.concat(rows), tmp_path / "t.csv"))
        assert (report.contradictory, report.filled, report.repeated) == (4, 2, 2)
        found.append(recording)
    same(*found, 0.0)
    np.testing.assert_allclose(found[0].y, 12 * 12 * INCH * 0.5)


UNUSABLE: dict[str, tuple[Callable[[Path], object], str]] = {
    "empty": (lambda p: p.write_text(""), "is empty"),
    "header only": (lambda p: p.write_text("vehicle,frame,x,y,lane,length,width\n"), "no rows"),
    "binary": (lambda p: p.write_bytes(b"\x93\0\1\2" * 40), "no text"),
    "other columns": (lambda p: p.write_text("a,b\n1,2\n"), "fits no known layout .columns: a, b"),
    "seventeen columns": (lambda p: p.write_text("1 " * 17 + "\n"), "fits no known layout"),
    "garbage": (
        lambda p: CAR.with_columns(x=pl.lit("?")).write_csv(p),
        "80 of 80 rows are broken .80 without a position",
    ),
    "wrong unit": (
        lambda p: CAR.with_columns(pl.col("x") * 1000).write_csv(p),
        "rows are broken .*alone",
    ),
    "elsewhere": (lambda p: CAR.with_columns(pl.col("x") + 5000).write_csv(p), "on the road"),
    "torn gzip": (
        lambda p: p.write_bytes(gzip.compress(CAR.write_csv().encode())[:-20]),
        "cut short|damaged",
    ),
    "torn parquet": (lambda p: p.write_bytes(b"PAR1" + b"x" * 90), "not a readable Parquet"),
    "folder": (lambda p: p.mkdir(), "is a folder"),
    "absent": (lambda p: None, "does not exist"),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_an_unusable_file_is_refused_with_the_reason(tmp_path: Path, name: str) -> None:
    make, expected = UNUSABLE[name]
    path = tmp_path / "bad.csv"
    make(path)
    with pytest.raises(DepoError, match=expected) as error:
        read_recordings(path)
    assert "\n" not in str(error.value)


BAD_LAYOUTS = {
    "no toml": ("columns = [", "not readable TOML"),
    "no road": ("columns = {vehicle = 'a', frame = 'b', x = 'c', y = 'd'}", "'road' is missing"),
    "unknown field": ("colums = {}", "did you mean 'columns'"),
    "unknown role": ("road = 'i80'\ncolumns = {vehicle = 'a', hight = 'b'}", "column role 'hight'"),
    "no x": ("road = 'i80'\ncolumns = {vehicle = 'a', frame = 'b', y = 'c'}", "no column for 'x'"),
    "no time": ("road = 'i80'\ncolumns = {vehicle = 'a', x = 'b', y = 'c'}", "'frame' or 'time'"),
    "no place": ("road = 'i80'\ncolumns = {vehicle = 'a', x = 'b', frame = 'c'}", "'y' or"),
    "unknown road": ("road = 'i81'\ncolumns = {}", "did you mean 'i80'"),
    "unit": ("road='i80'\nunit='km'\ncolumns={vehicle='a',x='b',y='c',frame='d'}", "'km'"),
    **{
        name: (f"road='i80'\n{line}\ncolumns={{vehicle='a',x='b',y='c',frame='d'}}", expected)
        for name, line, expected in [
            ("text", "x_origin='a'", "x_origin"),
            ("infinite", "assumed_length=inf", "assumed_length inf is not a finite number"),
            ("yes", "smooth=true", "smooth True is not a whole number"),
            ("no table", "where='x'", "where"),
            ("long", "separator=';;'", "separator ';;' separates nothing"),
            ("no time", "time_step=1e-300", "time_step 1e-300 is not a finite number"),
            ("far", "x_origin=1e300", r"x_origin 1e\+300 is not a finite number"),
            ("thin", "assumed_width=-1", "assumed_width -1 is not a finite number"),
            ("too smooth", "smooth=99999999", "smooth 99999999 is not a whole number"),
            ("nothing between", "separator=''", "separator '' separates nothing"),
        ]
    },
    "a hair's width": (
        "road={length=9,lanes=3,lane_width=1e-320,zone=[0,9]}\n"
        "columns={vehicle='a',x='b',y='c',frame='d'}",
        "lane_width 1e-320 m is not between 0.1 m",
    ),
    "half a lane": (
        "road={length=9,lanes=3.5,lane_width=3,zone=[0,9]}\n"
        "columns={vehicle='a',x='b',y='c',frame='d'}",
        "lanes",
    ),
}


@pytest.mark.parametrize("name", BAD_LAYOUTS)
def test_a_bad_layout_is_refused_with_the_reason(tmp_path: Path, name: str) -> None:
    text, expected = BAD_LAYOUTS[name]
    (tmp_path / "bad.toml").write_text(text)
    with pytest.raises(DepoError, match=expected):
        Layout.named(tmp_path / "bad.toml")


def test_a_layouts_missing_column_is_named(tmp_path: Path) -> None:
    path = in_csv(CAR.drop("lane"), tmp_path / "t.csv")
    with pytest.raises(DepoError, match="no column 'lane'"):
        read_recordings(path, "table")
    with pytest.raises(DepoError, match="did you mean 'table'"):
        read_recordings(path, "tabel")


REAL = {
    "i80_0400-0415_cam6_coifman_li_2017.csv.gz": ("coifman-li", 200),
    "i80_0400-0415_pairs_EMD_durraniu.csv.gz": ("leader-follower", 10),
    "i80_0400-0415_smarts_200actors.csv.gz": ("smarts", 100),
}


@pytest.mark.parametrize("name", REAL)
def test_real_files_are_read(tmp_path: Path, name: str) -> None:
    if not (SHARED / name).exists():
        pytest.skip(f"no recording beside the project: ../shared/{SHARED.name}/{name} is absent")
    lines = gzip.decompress((SHARED / name).read_bytes()).split(b"\n")
    part = tmp_path / "part.csv"
    part.write_bytes(b"\n".join(lines[:20_000]))
    recording, report = read(part)
    layout, vehicles = REAL[name]
    assert recording.metadata["layout"] == layout
    assert recording.vehicles >= vehicles
    assert report.broken < 0.01 * report.rows
    forward = np.diff(recording.x)[np.diff(recording.vehicle) == 0]
    assert (forward > -0.5).all()
    assert 2 < forward.mean() / 0.1 < 25
    assert not recording.road.off_road(0.0, np.percentile(recording.y, [0.5, 99.5])).any()


def test_the_real_segment_has_complete_scenes_in_which_nobody_overlaps() -> None:
    name = next(iter(REAL))
    if not (SHARED / name).exists():
        pytest.skip(f"no recording beside the project: ../shared/{SHARED.name}/{name} is absent")
    recording, report = read(SHARED / name)
    assert recording.vehicles > 2_200
    assert (report.overlapping, report.crashed) == (0, 0)
    assert set(np.unique(recording.lane)) == set(range(6))
    present = np.bincount(recording.frame)[1:]
    assert 15 < present.mean() < 30
    assert recording.length.max() == 5.0


def test_a_packed_text_that_expands_without_end_is_refused(tmp_path: Path) -> None:
    rows = b"1,1,50.0,2.0,1,4.5,1.8\n" * (1 << 20)
    with gzip.open(tmp_path / "t.csv.gz", "wb") as file:
        file.write(b"vehicle,frame,x,y,lane,length,width\n")
        for _ in range(8):
            file.write(rows)
    with pytest.raises(DepoError, match=r"unpacked, expands from .* more than 200 times"):
        read(tmp_path / "t.csv.gz", "table")


def test_a_line_without_end_is_refused(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(table_module, "CHUNK", 1 << 17)
    (tmp_path / "t.csv").write_bytes(b"vehicle,frame,x,y,lane,length,width\n" + b"1" * (1 << 19))
    with pytest.raises(DepoError, match="has a line of more than 65,536 bytes"):
        read(tmp_path / "t.csv", "table")


def test_numbers_beyond_every_road_are_missing(tmp_path: Path) -> None:
    for column in ("x", "frame", "vehicle"):
        broken = CAR.with_columns(pl.col(column).cast(pl.Float64))
        values = [1e300, *broken[column][1:]]
        recording, report = read(
            in_csv(broken.with_columns(pl.Series(column, values)), tmp_path / "t.csv"), "table"
        )
        assert report.missing == 1
        assert recording.vehicles == 2


def test_columns_that_are_others_are_refused_before_they_take_for_ever(tmp_path: Path) -> None:
    crowd = range(6_000)
    columns = {"vehicle": [*crowd, *crowd], "frame": [0] * 6_000 + [1] * 6_000}
    table = pl.DataFrame(columns).with_columns(x=pl.lit(50.0), y=pl.lit(2.0), lane=pl.lit(0))
    (tmp_path / "mine.toml").write_text(
        "road = 'i80'\n[columns]\nvehicle='vehicle'\nframe='frame'\nx='x'\ny='y'\nlane='lane'\n"
        "recording='place'"
    )
    path = in_csv(table.with_columns(place=pl.lit("a")), tmp_path / "t.csv")
    with pytest.raises(DepoError, match="6,000 vehicles in one frame are more than 5,000"):
        read(path, tmp_path / "mine.toml")
    in_csv(table.with_columns(place=pl.col("vehicle")), path)
    with pytest.raises(DepoError, match="holds 6,000 recordings, more than 1,000: is 'place'"):
        read(path, tmp_path / "mine.toml")
