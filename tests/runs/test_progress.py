"""How far a checkpoint says it is."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from depo.core.codec import decode, encode
from depo.core.errors import DepoError
from depo.runs.checkpoints import PROGRESS_FORMAT, Progress
from depo.runs.job import Job
from depo.runs.run import Run
from tests.support.mutations import mutations

progress = st.builds(Progress, st.integers(0, 2**53), st.integers(0, 2**53), st.text())
SAID = Progress(2, 100, "abcdef01")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The progress of the only checkpoint of a run."""
    file = tmp_path / "checkpoints" / "000002" / "progress.json"
    PROGRESS_FORMAT.write(file, encode(replace(SAID, own=SAID.digest())))
    return file


def opened(file: Path) -> Run:
    return Run(file.parents[2], Job())


@given(progress)
def test_progress_is_read_back_as_it_was_written(tmp_path_factory, said: Progress) -> None:
    path = tmp_path_factory.mktemp("progress") / "progress.json"
    PROGRESS_FORMAT.write(path, encode(said))
    assert decode(Progress, PROGRESS_FORMAT.read(path), "it") == said


def test_the_first_runs_said_no_format_and_no_digest(file: Path) -> None:
    file.write_text('{"block": 2, "metrics_bytes": 100}')
    assert opened(file).latest()[1] == Progress(2, 100, "")


def test_every_single_damage_is_a_sentence_with_the_remedy(file: Path) -> None:
    accepted = set()
    for damage, data in mutations(json.loads(file.read_text())):
        file.write_text(json.dumps(data))
        try:
            opened(file).latest()
        except DepoError as error:
            assert str(file) in str(error), damage  # noqa: PT017
            assert "go on from the one before" in str(error), damage  # noqa: PT017
        else:
            accepted.add(damage)
    assert accepted == {"format is missing", "own is missing", "own = ''"}


@pytest.mark.parametrize("name", ["000001", "000003", "000200"])
def test_a_renamed_checkpoint_is_refused(file: Path, name: str) -> None:
    file.parent.rename(file.parents[1] / name)
    with pytest.raises(DepoError, match="says block 2: damaged, or renamed"):
        opened(file).latest()


def test_a_folder_that_is_no_number_is_no_checkpoint(file: Path) -> None:
    (file.parents[1] / "9²").mkdir()
    (file.parents[1] / "9²" / "progress.json").write_text("{}")
    assert opened(file).latest()[1].block == 2


@pytest.mark.parametrize("text", ["", "{", "[1]", "\x00", '{"block": Infinity}', "[" * 100_000])
def test_what_is_no_progress_is_refused(file: Path, text: str) -> None:
    file.write_text(text)
    with pytest.raises(DepoError, match="go on from the one before"):
        opened(file).latest()
