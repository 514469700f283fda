from __future__ import annotations

from pathlib import Path

import pytest

import depo
from depo.api import make_job
from depo.runs.run import Run
from depo.runs.training import begin, start

TINY = {"hidden": 8, "batch_steps": 64, "evaluate_every": 1, "checkpoint_every": 2}


def tiny_job(steps: int = 384):
    return make_job("depo-supervised", steps=steps, env_args={"size": 3}, overrides=TINY)


class Diary(depo.Callback):
    def __init__(self) -> None:
        self.pages: list[str] = []

    def on_start(self, run: Run) -> None:
        self.pages.append(f"start {run.steps_done()}")

    def on_evaluation(self, evaluation: depo.Evaluation) -> None:
        assert evaluation.means["success"] == evaluation.rows[0]["success"]
        self.pages.append(f"{evaluation.steps}/{evaluation.total}")

    def on_end(self, run: Run) -> None:
        self.pages.append(f"end {run.status()}")


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Run:
    return start(tiny_job(), tmp_path_factory.mktemp("whole") / "run")


def test_callbacks_see_start_evaluations_and_end(whole: Run, tmp_path: Path) -> None:
    diary = Diary()
    start(tiny_job(128), tmp_path / "run", [diary])
    assert diary.pages == ["start 0", "64/128", "128/128", "end finished"]


def test_a_run_stopped_by_a_callback_goes_on_bit_for_bit(whole: Run, tmp_path: Path) -> None:
    def enough(evaluation: depo.Evaluation) -> str | None:
        return "enough" if evaluation.steps >= 192 else None

    run = start(tiny_job(), tmp_path / "run", [depo.Call(enough)])
    assert run.status() == "stopped"
    assert run.stop_reason() == "enough"
    assert run.steps_done() == 256  # the next checkpoint after 192
    assert "stopped, enough" in repr(run)
    assert (run.path / "planner" / "seed-0").is_dir()
    diary = Diary()
    again = depo.resume(run, callbacks=[diary])
    assert diary.pages[:2] == ["start 256", "320/384"]
    assert again.status() == "finished"
    assert again.stop_reason() == ""
    assert (run.path / "metrics.csv").read_bytes() == (whole.path / "metrics.csv").read_bytes()
    assert run.latest()[0].read_bytes() == whole.latest()[0].read_bytes()


def test_begin_and_go_on_is_the_same_as_start(whole: Run, tmp_path: Path) -> None:
    run = depo.resume(begin(tiny_job(), tmp_path / "run").path)
    assert (run.path / "metrics.csv").read_bytes() == (whole.path / "metrics.csv").read_bytes()
    assert run.latest()[0].read_bytes() == whole.latest()[0].read_bytes()


def evaluations(run: Run, *values: float) -> list[depo.Evaluation]:
    rows = [({"seed": 0, "env_steps": 64 * i, "success": v},) for i, v in enumerate(values, 1)]
    return [depo.Evaluation(run, 64 * i, 999, row) for i, row in enumerate(rows, 1)]


def test_stop_at_score(whole: Run) -> None:
    stop = depo.StopAtScore("success", 0.9)
    said = [stop.on_evaluation(e) for e in evaluations(whole, 0.5, 0.89, 0.9)]
    assert said == [None, None, "success reached 0.9 at 192 steps"]
    below = depo.StopAtScore("success", 0.4, better="lower")
    assert below.on_evaluation(evaluations(whole, 0.3)[0]) is not None


def test_stop_when_nothing_improves(whole: Run, tmp_path: Path) -> None:
    stop = depo.StopWhenNothingImproves("success", patience=2)
    fresh = begin(tiny_job(), tmp_path / "run")
    for _ in range(2):  # a callback may be used again
        stop.on_start(fresh)
        said = [stop.on_evaluation(e) for e in evaluations(fresh, 0.5, 0.4, 0.6, 0.6, 0.1)]
        assert said[:4] == [None] * 4
        assert said[4] == "success is no better than 0.6 for 2 evaluations"
    stop.on_start(whole)  # what it reached before counts
    best = max(row["success"] for row in whole.metrics())
    assert stop.on_evaluation(evaluations(whole, best + 1)[0]) is None


def test_the_main_score_is_watched_if_none_is_named(whole: Run) -> None:
    stop = depo.StopWhenNothingImproves(patience=1)
    said = [stop.on_evaluation(e) for e in evaluations(whole, 0.5, 0.4)]
    assert said == [None, "success is no better than 0.5 for 1 evaluations"]
    nothing = depo.Evaluation(whole, 64, 999, ({"seed": 0, "env_steps": 64, "critic_loss": 1.0},))
    with pytest.raises(depo.DepoError, match="critic_loss is a score to watch"):
        stop.on_evaluation(nothing)


def test_the_progress_bar_goes_to_stderr(tmp_path: Path, capsys, monkeypatch) -> None:
    from rich.console import Console

    from depo.runs import progress

    console = Console(stderr=True, force_terminal=True, width=120)
    monkeypatch.setattr(progress, "stderr", console)
    assert progress.is_watched()
    depo.train(
        "depo-supervised", steps=64, env_args={"size": 3}, overrides=TINY, out=tmp_path / "run"
    )
    seen = capsys.readouterr()
    assert not seen.out
    assert "64/64" in seen.err
    depo.train(
        "depo-supervised",
        steps=64,
        env_args={"size": 3},
        overrides=TINY,
        out=tmp_path / "quiet",
        progress=False,
    )
    assert not capsys.readouterr().err


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    ("callbacks", "sentence"),
    [
        (depo.Callback(), "give a list"),
        ([print], "wrap a function in depo.Call"),
        ([depo.StopAtScore("sucess", 1.0, better="higher")], "unknown metric of this run 'sucess'"),
        ([depo.Call(lambda evaluation: 3)], "a text, the reason"),
    ],
)
def test_what_is_no_callback_gets_a_sentence(callbacks, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(depo.DepoError, match=sentence):
        start(tiny_job(64), tmp_path / "run", callbacks)


def test_a_score_with_no_direction_needs_one() -> None:
    with pytest.raises(depo.DepoError, match="say which is better"):
        depo.StopAtScore("something_new", 1.0)


def test_a_short_repr(whole: Run, tmp_path: Path) -> None:
    assert repr(whole).startswith(f"Run('{whole.path}', depo-supervised on gridworld-3x3-k1, fin")
    assert repr(Run(tmp_path / "gone", whole.job)).endswith("damaged)")
