from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from depo.data.importing.report import FileReport
from depo.data.importing.segments import Segmenter


def split(time: np.ndarray, label: np.ndarray | None, cuts: list[int]) -> tuple[list, FileReport]:
    """Segments of rows in chunks, each a list of times."""
    report, found = FileReport("a"), []
    own = Segmenter(1.0, report)
    for part in np.split(np.arange(len(time)), sorted(cuts)):
        tag = None if label is None else label[part]
        for segment in own.split(time[part], time[part, None], tag):
            assert (segment.time == segment.rows[:, 0]).all()
            if segment.is_new:
                found.append([])
            found[-1] += segment.time.tolist()
    return [each for each in found if each], report


def test_gaps_restarts_and_labels_cut_and_small_disorder_is_left_out() -> None:
    time = np.array([0, 0.5, 0.4, 1.0, 1.0, 5.0, 5.5, np.nan, 6.0, 0.0, 0.5, 1.0])
    found, report = split(time, None, [])
    assert found == [[0, 0.5, 1.0], [5.0, 5.5, 6.0], [0.0, 0.5, 1.0]]
    assert (report.splits, report.repeated, report.untimed) == (2, 2, 1)
    label = np.array([0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2])
    found, report = split(np.arange(12) * 0.5, label, [])
    assert [len(each) for each in found] == [3, 5, 4]
    assert report.splits == 0


@given(st.integers(0, 2**32 - 1), st.lists(st.integers(0, 40), max_size=5))
def test_times_grow_in_a_segment_and_chunks_make_no_difference(seed: int, cuts: list[int]) -> None:
    rng = np.random.default_rng(seed)
    time = np.cumsum(
        rng.choice([0.3, 0.5, -0.4, 0.0, 3.0, -7.0], 40, p=[0.4, 0.3, 0.1, 0.1, 0.05, 0.05])
    )
    label = np.sort(rng.integers(0, 4, 40)).astype(float)
    whole, report = split(time, label, [])
    parts, other = split(time, label, cuts)
    assert whole == parts
    assert report == other
    for each in whole:
        assert (np.diff(each) > 0).all()
    assert sum(map(len, whole)) + report.repeated == 40
