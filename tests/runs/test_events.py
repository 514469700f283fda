from __future__ import annotations

from pathlib import Path

from depo.runs.training import begin, go_on
from tests.support.runs import cloning


def test_tensorboard_is_given_up_rather_than_the_run(tmp_path: Path, monkeypatch, caplog) -> None:
    from depo.runs import events

    def no_space(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(events.EventsWriter, "write_event", no_space)
    run = go_on(begin(cloning(), tmp_path / "run"))
    assert run.status() == "finished"
    assert len(run.metrics()) == 6
    assert len([r for r in caplog.records if "TensorBoard will not see" in r.message]) == 1
