"""CSV files of two in the morning."""

from __future__ import annotations

import gzip
import resource
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depo.core.errors import DepoError
from depo.data.importing import text
from depo.data.importing.report import FileReport
from depo.data.importing.text import open_text


def read(path: Path, episode: str = "") -> tuple[Any, FileReport, Any]:
    """Everything a file holds: values of all columns but the time, report, table."""
    table, report = open_text(path), FileReport("a")
    wanted = [c.header for c in table.columns if c.header != table.time]
    rows = list(table.rows(wanted, table.time, episode, report))
    return rows, report, table


def values(path: Path) -> np.ndarray:
    return np.concatenate([rows.values for rows in read(path)[0]])


def save(folder: Path, content: str, encoding: str = "utf-8") -> Path:
    path = folder / "a.csv"
    path.write_bytes(content.encode(encoding))
    return path


AWFUL = (
    "\ufeff# Motion logger 3.1\r\nRate: 100 Hz\r\n\r\n"
    "Time [ms];hip [deg];knee [deg];state;\r\n"
    "0;1,5;2,5;ok;\r\n10;1,6; 2,6 ;ok;\r\n\r\n20;ERR;2,7;ok;\r\n30;;2,8;bad;\r\n40;1,9;2,9;ok;\r\n"
    "\r\n\r\n"
)


def test_an_awful_file(tmp_path: Path) -> None:
    rows, report, table = read(save(tmp_path, AWFUL))
    nan = np.nan
    expected = [[1.5, 2.5], [1.6, 2.6], [nan, 2.7], [nan, 2.8], [1.9, 2.9]]
    np.testing.assert_array_equal(np.concatenate([r.values for r in rows]), expected)
    np.testing.assert_array_equal(rows[0].time, [0, 10, 20, 30, 40])
    assert [c.name for c in table.columns] == ["Time", "hip", "knee"]
    assert (table.time, table.others) == ("Time [ms]", ("state",))
    assert report.unreadable == 1
    assert report.notes == [
        "line 8, column 'hip [deg]': 'ERR' is no number, taken for missing",
        "an episode begins after a blank line",
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    path = save(tmp_path, "zeit;Hüfte [°]\n0,0;1,5\n0,1;2,5\n", encoding)
    assert [c.name for c in open_text(path).columns] == ["zeit", "Hüfte"]
    np.testing.assert_array_equal(values(path), [[1.5], [2.5]])


@pytest.mark.parametrize(
    "content",
    [
        "t,x,y\n0,1,2\n1,3,4\n",
        "t\tx\ty\n0\t1\t2\n1\t3\t4\n",
        "t x  y\n 0 1 2\n 1   3 4 \n",
        "t|x|y\n0|1|2\n1|3|4",
        '"t","x","y"\n"0","1","2"\n"1","3","4"\n',
        "t;x;y\ns;mm;deg\n0;1,0;2\n1;3,0;4\n",
        "# t,x,y\n0,1,2\n1,3,4\n",
    ],
)
def test_manners(tmp_path: Path, content: str) -> None:
    np.testing.assert_array_equal(values(save(tmp_path, content)), [[1, 2], [3, 4]])


def test_units_may_have_a_line_of_their_own(tmp_path: Path) -> None:
    table = open_text(save(tmp_path, "t;x;y\ns;mm;deg\n0;1,0;2\n1;3,0;4\n"))
    assert [c.unit and c.unit.name for c in table.columns] == ["s", "mm", "deg"]


def test_no_header(tmp_path: Path) -> None:
    table = open_text(save(tmp_path, "0,1,2\n1,3,4\n"))
    assert [c.header for c in table.columns] == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("end", "kept", "is_cut"),
    [
        ("2,5.25", 3, False),
        ("2,5.25\n", 3, False),
        ("2,5.2", 2, True),
        ("2,", 2, True),
        ("2", 2, True),
    ],
)
def test_a_file_that_is_cut_in_the_middle(
    tmp_path: Path, end: str, kept: int, is_cut: bool
) -> None:
    rows, report, _ = read(save(tmp_path, f"t,x\n0,1.25\n1,3.25\n{end}"))
    assert sum(len(r.values) for r in rows) == kept
    assert (report.notes == ["cut in the middle of line 4: that line was left out"]) is is_cut


def test_a_packed_file_that_is_cut(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    whole = "t,x\n" + "".join(f"{i},{rng.normal():.9f}\n" for i in range(20_000))
    packed = gzip.compress(whole.encode(), mtime=0)
    path = tmp_path / "a.csv.gz"
    path.write_bytes(packed)
    assert len(values(path)) == 20_000
    path.write_bytes(packed[: len(packed) // 2])
    rows, report, _ = read(path)
    assert "the packed file is cut: its end is missing" in report.notes
    assert 0 <= sum(len(r.values) for r in rows) < 20_000


def test_a_logger_that_was_started_anew(tmp_path: Path) -> None:
    rows, report, _ = read(save(tmp_path, "t,x\n0,1\n1,2\nt,x\n0,5\n1,6\n"))
    assert report.notes == ["the header comes again: the logger was started anew"]
    assert np.isnan(rows[0].time[2])
    assert report.unreadable == 0


def test_dates_and_labels(tmp_path: Path) -> None:
    content = (
        "stamp,x,trial\n2024-05-01 23:59:59.5,1,a\n2024-05-02 00:00:00.0,2,a\n"
        "2024-05-02T00:00:00.5,3,b\n"
    )
    rows, _, table = read(save(tmp_path, content), "trial")
    assert table.time == "stamp"
    np.testing.assert_allclose(np.diff(rows[0].time), 0.5)
    assert (np.diff(rows[0].label) != 0).tolist() == [False, True]


@settings(max_examples=10)
@given(st.lists(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=2), min_size=2, max_size=30))
def test_small_chunks_give_the_same_numbers(
    tmp_path_factory: pytest.TempPathFactory, rows: Any
) -> None:
    path = tmp_path_factory.mktemp("a") / "a.csv"
    path.write_text("t,x,y\n" + "".join(f"{i},{x!r},{y!r}\n" for i, (x, y) in enumerate(rows)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text, "CHUNK", 17)
        np.testing.assert_array_equal(values(path), np.array(rows))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "a.csv is empty"),
        ("\n\n", "a.csv is empty"),
        ("time,hip\n", "a.csv has no row of numbers in its first 1 lines (line 1 is 'time,hip')"),
        ("dear sir\nhow are you\n", "has no row of numbers"),
        ("a\0b", "is no text"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, content: str, said: str) -> None:
    with pytest.raises(DepoError) as refused:
        open_text(save(tmp_path, content))
    assert said in str(refused.value)


def test_a_quote_too_many_leaves_columns_of_one_length(tmp_path: Path) -> None:
    lines = [f"{10 * i};{7 * i},0;a" for i in range(60)]
    lines[10] += '"' + lines.pop(11)
    lines[30] = "300;2x,0;b"
    path = save(tmp_path, "time [ms];hip [deg];trial\n" + "\n".join(lines) + "\n")
    table, report = open_text(path), FileReport("a")
    for rows in table.rows(["hip [deg]"], table.time, "trial", report):
        assert len(rows.time) == len(rows.label) == len(rows.values)


def test_what_is_far_larger_unpacked_is_refused_before_it_is_parsed(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    with gzip.open(path, "wb", 9) as file:
        file.write(b"t,x\n")
        for _ in range(10):
            file.write(b"0.01,0\n" * (1 << 20))
    with pytest.raises(DepoError, match=r"a.csv.gz, unpacked, expands from .* more than 200 times"):
        open_text(path)


@pytest.mark.parametrize(
    "above",
    [
        "FREQUENCY\t50\nNO_OF_MARKERS\t2\nMARKERS\tA\tB\n",  # Qualisys
        "LabVIEW Measurement\nSeparator\tTab\nChannels\t2\t\nSamples\t9\t9\t\n***End***\t\t\n",
        "Rate\t50\nOffset\t0.5\nGain\t2\nRange\t10\nBits\t16\n\n",
    ],
)
def test_what_a_file_says_of_itself_is_no_row(tmp_path: Path, above: str) -> None:
    """The table was said to lack columns, in words of the parser's."""
    rows = "".join(f"{i / 50}\t{i}.5\t{i}.25\n" for i in range(9))
    path = save(tmp_path, f"{above}Time\thip\tknee\n{rows}")
    own = open_text(path)
    assert [c.name for c in own.columns] == ["Time", "hip", "knee"]
    np.testing.assert_array_equal(values(path)[:, 0], np.arange(9) + 0.5)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_wide_text_without_its_mark(tmp_path: Path, encoding: str) -> None:
    path = save(tmp_path, "t,x\n0,1.5\n1,2.5\n", encoding)
    np.testing.assert_array_equal(values(path), [[1.5], [2.5]])


def test_the_one_column_of_clocks_is_the_time(tmp_path: Path) -> None:
    path = save(tmp_path, "When,x\n" + "".join(f"10:00:0{i},{i}\n" for i in range(5)))
    assert open_text(path).time == "When"


def test_very_many_blank_lines_take_no_memory(tmp_path: Path) -> None:
    """The pattern kept a way back for each: 1.6 GB for 100 MB of them."""
    path = save(tmp_path, "t,x\n0,1.5\n" + "\n" * (8 << 20) + "1,2.5\n")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    np.testing.assert_array_equal(values(path)[:, 0], [1.5, 2.5])
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 400_000


def test_blanks_in_words_divide_no_cells(tmp_path: Path) -> None:
    """The number of a trial was taken for the state."""
    path = save(tmp_path, "x,subject,trial\n" + "".join(f"{i}.5,s1,walk {i}\n" for i in range(9)))
    with pytest.raises(DepoError, match="has no row of numbers"):
        open_text(path)
