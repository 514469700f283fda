"""A parser that crashes, takes all memory or never ends is lost alone, and said in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from depo.core.child import in_child
from depo.core.errors import DepoError
from tests.support import child

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEPO_READ_SECONDS", "1")
    monkeypatch.setenv("DEPO_READ_LIMIT", "0.25")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def asked(function: str, **arguments: str) -> tuple[str, str]:
    name = f"{child.__name__}:{function}"
    with in_child(name, arguments, "a.h5", 100) as (out, returned):
        return out.read_text(), returned


def test_a_child_writes_and_returns() -> None:
    assert asked("fine", word="yes") == ("yes", "YES")


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("endless", r"a\.h5 cannot be read: it takes more than 1 s: damaged\? .*DEPO_READ_SECONDS"),
        ("greedy", r"a\.h5 cannot be read: .* want of more than 0.75 GiB.*DEPO_READ_LIMIT"),
        ("crashing", r"a\.h5 cannot be read: its parser ended with signal 11"),
        ("refusing", "^the file is blue: paint it$"),
    ],
)
def test_a_child_that_fails_is_a_sentence(function: str, message: str) -> None:
    with pytest.raises(DepoError, match=message):
        asked(function)


def test_an_unknown_failure_is_one_line() -> None:
    with pytest.raises(DepoError, match=r"^b\.h5 cannot be read: KeyError") as error:
        asked("failing", what="b.h5")
    assert "\n" not in str(error.value)


def test_seconds_are_a_number(monkeypatch) -> None:
    monkeypatch.setenv("DEPO_READ_SECONDS", "long")
    with pytest.raises(DepoError, match="DEPO_READ_SECONDS 'long' is not a positive number"):
        asked("fine", word="yes")


def test_modules_of_the_current_folder_are_not_taken(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('taken')")
    (tmp_path / "depo.py").write_text("raise SystemExit('taken')")
    monkeypatch.chdir(tmp_path)
    assert asked("fine", word="yes")[1] == "YES"
