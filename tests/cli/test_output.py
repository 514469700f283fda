"""What a person sees while a run works."""

from __future__ import annotations

import pytest
from rich.console import Console

from depo.cli.output import cell, print_rows, print_table, progress_bar, score_cell, score_text


def test_reports_that_are_minutes_apart_still_give_a_rate_and_an_estimate() -> None:
    now = 0.0
    with progress_bar() as progress:
        progress.get_time = lambda: now
        progress.add_task("depo", total=60_000, score="")
        [task] = progress.tasks
        assert "estimating" in str(progress.columns[3](task))
        for done in (5_000, 10_000, 15_000):
            now += 200.0
            progress.update(task.id, completed=done)
        assert task.speed == pytest.approx(25.0)
        assert task.time_remaining == pytest.approx(1_800)
        assert "25 steps/s" in str(progress.columns[3](task))


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_a_bar_is_one_line(capsys, monkeypatch, width: int) -> None:
    console = Console(width=width, force_terminal=True, color_system=None)
    monkeypatch.setattr("depo.runs.progress.stderr", console)
    bar = progress_bar()
    bar.add_task("depo", total=60_000, completed=12_800, score="success rate 1.000")
    console.print(bar.get_renderable())
    [line] = capsys.readouterr().out.splitlines()
    assert "12,800/60,000" in line
    assert "success rate 1.000" in line
    assert ("estimating" in line) == (width >= 80)


def test_the_score_to_watch_is_the_mean_in_digits_that_mean_something() -> None:
    assert score_text([{"return": 3400.0, "success": 0.25}, {"success": 0.75}]) == (
        "success rate 0.500"
    )
    assert score_text([{"return": 3400.0}, {"return": 3425.4}]) == "return 3,413"
    assert score_text([{"policy_loss": 1.0}]) == score_text([]) == ""


def test_a_cell_is_rounded_by_its_metric() -> None:
    assert score_cell("distance", 98.765) == "98.8"
    assert score_cell("gap_distance", float("nan")) == "–"
    assert score_cell("episodes", 10) == "10"


@pytest.mark.parametrize("is_terminal", [True, False])
def test_rows_are_readable_at_80_columns_and_in_a_pipe(capsys, monkeypatch, is_terminal) -> None:
    console = Console(width=80, force_terminal=is_terminal, color_system=None, markup=False)
    monkeypatch.setattr("depo.cli.output.stdout", console)
    words = [f"{'a-long-word-' * 2}{i}" for i in range(6)]
    print_rows("runs", ["run", *(f"column-{i}" for i in range(1, 6))], [words, [*words[:5], None]])
    said = capsys.readouterr().out
    assert all(word in said for word in words)  # none is broken in two
    if is_terminal:
        assert max(map(len, said.splitlines())) <= 80
        assert said.count("column-5") == 1
    else:
        assert len([line for line in said.splitlines() if words[0] in line]) == 2


@pytest.mark.parametrize("width", [80, 40])
@pytest.mark.parametrize("is_terminal", [True, False])
def test_no_word_of_a_table_is_broken(capsys, monkeypatch, width: int, is_terminal: bool) -> None:
    console = Console(width=width, force_terminal=is_terminal, color_system=None, markup=False)
    monkeypatch.setattr("depo.cli.output.stdout", console)
    words = ["inverted-pendulum", "InvertedPendulum-v5", "deterministic", "policy"]
    rows = [[*words[:2], " ".join(words[2:])], ["hopper", "Hopper-v5", ""]]
    print_table("shipped", ["name", "environment", "source"], rows)
    said = capsys.readouterr().out
    assert said.count("source") == 1
    assert all(word in said for word in words)
    longest = max(map(len, said.splitlines()))
    assert longest <= width or not is_terminal
    assert ("┃" in said) == (width == 80 or not is_terminal)


def test_what_needs_little_more_room_has_it_first(capsys, monkeypatch) -> None:
    monkeypatch.setattr("depo.cli.output.stdout", Console(width=40, color_system=None))
    print_table("", ["a", "b"], [["one two", "many words " * 9]])
    lines = capsys.readouterr().out.splitlines()
    assert any("one two" in line for line in lines)  # in one line
    assert max(map(len, lines)) <= 40


def test_a_name_of_a_megabyte_does_not_fill_the_terminal(capsys) -> None:
    assert len(cell("x" * 1_000_000)) == 1_000
    print_table("t", ["x" * 1_000_000, "b"], [["y" * 1_000_000, 1]])
    assert len(capsys.readouterr().out) < 30_000
