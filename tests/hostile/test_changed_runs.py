"""A run whose settings were changed by somebody who has made its digests anew."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import depo
from depo.core.errors import DepoError
from depo.core.files import json_digest
from depo.runs.checkpoints import PROGRESS
from depo.runs.run import SETTINGS, STOPPED, Run
from depo.runs.training import begin
from tests.support.small_jobs import job


def changed(run: Path, **settings: object) -> None:
    """Other settings, and checkpoints that say that they are theirs."""
    stored = json.loads((run / SETTINGS).read_text())
    stored["job"]["settings"] |= settings
    (run / SETTINGS).write_text(json.dumps(stored))
    for file in (run / "checkpoints").glob(f"*/{PROGRESS}"):
        progress = json.loads(file.read_text()) | {"settings": json_digest(stored["job"])}
        file.write_text(json.dumps(progress | {"own": ""}))


def test_steps_that_the_replay_has_lost_are_not_taken_again(tmp_path: Path) -> None:
    """Checkpoints far apart: all steps since the first would be repeated, from the ring."""
    kind = job("third-party", tmp_path, "depo-supervised")
    begin(kind, tmp_path / "run")
    depo.resume(tmp_path / "run")
    shutil.rmtree(Run.open(tmp_path / "run").checkpoints()[-1])
    changed(tmp_path / "run", checkpoint_every=1_000)
    with pytest.raises(DepoError, match=r"steps 0 to 480, .* are not all in the replay"):
        depo.resume(tmp_path / "run", trust=True)


def test_a_reason_of_a_megabyte_is_shortened(tmp_path: Path) -> None:
    begin(job("compiled", tmp_path, "depo-supervised"), tmp_path / "run")
    run = Run.open(tmp_path / "run")
    run.mark_stopped("\x1b[2J" + "x" * 1_000_000)
    assert (tmp_path / "run" / STOPPED).stat().st_size > 1_000_000
    assert len(run.stop_reason()) == 1_000
    assert run.stop_reason().isprintable()
