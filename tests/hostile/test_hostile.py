"""Files of every kind, damaged a few hundred times: refused with a sentence, or valid.

``make fuzz`` does the same many more times; ``tests/hostile/fuzz.py`` keeps what fails.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest

from tests.hostile.kinds import KINDS
from tests.hostile.mutate import INSIDE, mutate_file
from tests.hostile.pool import Attempt, Worker, as_users_do

COUNT = 200
IMPORTED = dict.fromkeys(("log", "logged Parquet", "HDF5", "trajectory", "LeRobot"), 25)
SLOW = {"traffic CSV": 100, "traffic text": 100, "policy": 100, "opened run": 100} | IMPORTED
"""Kinds that take 20 ms each, or more."""


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    own = Worker()
    yield own
    own.close()


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_are_refused_with_a_sentence_or_valid(worker: Worker, kind: str) -> None:
    found = []
    for seed in range(SLOW.get(kind, COUNT)):
        found.append(as_users_do(worker.attempt(kind, seed)))
        if worker.is_lost():
            break
    assert [f"{each}" for each in found if not each.is_good] == []
    outcomes = {each.outcome for each in found}
    assert outcomes == {"refused", "valid"}, "damage that is always seen, or never, tests little"


def test_a_worker_that_is_lost_is_an_outcome(worker: Worker) -> None:
    lost = Worker()
    lost.close()
    assert lost.attempt("weights", 0).outcome == "lost"
    assert Attempt("weights", 0, "lost").is_good is False


def test_damage_is_determined_by_its_seed(tmp_path) -> None:
    for kind, seed in itertools.product(("planner", "demonstrations"), range(20)):
        seen = []
        for copy in ("a", "b"):
            folder = tmp_path / kind / str(seed) / copy
            folder.mkdir(parents=True)
            KINDS[kind].make(folder)
            rng, files = random.Random(seed), KINDS[kind].files(folder)
            done = mutate_file(rng.choice(files), files, rng)
            seen.append((done, [p.read_bytes() for p in KINDS[kind].files(folder)]))
        assert seen[0] == seen[1]


def test_every_format_is_damaged_inside_too(tmp_path) -> None:
    for name, kind in KINDS.items():
        folder = tmp_path / name
        folder.mkdir()
        kind.make(folder)
        suffixes = {path.suffix for path in kind.files(folder)}
        assert suffixes <= {*INSIDE, ".gz"}, name
