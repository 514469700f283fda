"""Folders of runs without a name."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from depo.api import make_job
from depo.runs.free_folder import chosen_folder, next_folder
from depo.runs.run import Run


def test_runs_without_a_name_that_begin_at_once_have_folders_of_their_own(
    tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    job = make_job("depo")
    with chosen_folder(job) as first, chosen_folder(job) as second:
        assert (first.name, second.name) == ("depo-gridworld-6x6-k1-1", "depo-gridworld-6x6-k1-2")
        assert next_folder(job).name == "depo-gridworld-6x6-k1-3"
        (second / "something").touch()
    assert not first.exists()  # nothing came of it
    assert second.exists()
    assert Path("runs").exists()
    with chosen_folder(job, "mine") as mine:
        assert mine == Path("mine")
    assert not mine.exists()


def test_eight_that_begin_in_the_same_instant_are_eight(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    job, together = make_job("bco"), threading.Barrier(8)

    def begin(_: int) -> None:
        together.wait()
        with chosen_folder(job) as path, Run.create(path, job, None):
            pass

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(begin, range(8)))
    made = {path.name for path in Path("runs").iterdir()}
    assert made == {f"bco-gridworld-6x6-k1-{number}" for number in range(1, 9)}
    assert all(Run.open(path).job == job for path in Path("runs").iterdir())
