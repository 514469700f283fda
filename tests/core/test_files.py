"""Files are the old good version or the new good one, and what cannot be read is a sentence."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest

from depo.core.errors import DepoError
from depo.core.files import (
    json_digest,
    named_file,
    new_folder,
    parse_object,
    read_object,
    read_toml,
    write_bytes,
    write_json,
)


def test_a_write_that_fails_leaves_the_old_version_and_nothing_else(
    tmp_path: Path, monkeypatch
) -> None:
    file = tmp_path / "deep" / "file"
    write_bytes(file, b"old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DepoError, match="No space left on device; nothing saved before"):
        write_bytes(file, b"new")
    assert file.read_bytes() == b"old"
    assert list(file.parent.iterdir()) == [file]


def test_a_folder_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    with suppress(KeyboardInterrupt), new_folder(tmp_path / "folder") as draft:
        (draft / "half").write_text("")
        raise KeyboardInterrupt
    assert not list(tmp_path.iterdir())
    with new_folder(tmp_path / "folder") as draft:
        (draft / "whole").write_text("")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
    assert (tmp_path / "folder" / "whole").exists()


def test_an_object_reads_back(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"β": [1, None]})
    assert read_object(tmp_path / "a.json") == {"β": [1, None]}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[]", "holds a JSON list, not an object"),
        (b'{"a"', "is not readable JSON"),
        (b"\xff\xfe", "is not readable JSON"),
        (b"[" * 100_000, "is not readable JSON"),
    ],
)
def test_what_is_no_object_is_a_sentence(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "a.json").write_bytes(content)
    with pytest.raises(DepoError, match=message):
        read_object(tmp_path / "a.json")


def test_a_missing_file_and_a_broken_toml_are_sentences(tmp_path: Path) -> None:
    with pytest.raises(DepoError, match="does not exist"):
        read_object(tmp_path / "none.json")
    (tmp_path / "a.toml").write_text("a = ")
    with pytest.raises(DepoError, match="is not readable TOML"):
        read_toml(tmp_path / "a.toml")
    with pytest.raises(DepoError, match="the settings is not readable JSON"):
        parse_object("{", "the settings")


def test_a_digest_does_not_depend_on_the_order_of_names() -> None:
    assert json_digest({"a": 1, "b": 2}) == json_digest({"b": 2, "a": 1})
    assert json_digest({"a": 1}) != json_digest({"a": 2})


def test_a_name_is_a_path_or_one_of_the_known(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    known = {"hopper": Path("/shipped/hopper.npz")}
    assert named_file("hopper", known, "demonstrations") == known["hopper"]
    assert named_file("mine.npz", known, "demonstrations") == Path("mine.npz")
    assert named_file("some/where", known, "demonstrations") == Path("some/where")
    with pytest.raises(DepoError, match="unknown demonstrations 'hoper': did you mean 'hopper'"):
        named_file("hoper", known, "demonstrations")


def test_names_of_many_parts_are_refused_before_they_are_parsed(tmp_path: Path) -> None:
    """The parser would take gigabytes for this."""
    file = tmp_path / "a.toml"
    for part in ("a", '"a"', "'a'"):
        file.write_text(f"x = 1.5\n{f'{part} . ' * 20_000}b = 1")
        with pytest.raises(DepoError, match="has a name of more than 64 parts"):
            read_toml(file)
    file.write_text("x = [0.1" + ", 0.1" * 1_000 + "]\ny = 'a.b'")
    assert len(read_toml(file)["x"]) == 1_001


def test_what_is_too_long_or_deep_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text('{"a": "' + "x" * (1 << 22) + '"}')
    with pytest.raises(DepoError, match="has more than the 4,194,304 bytes of JSON"):
        read_object(file)
    file.write_text('{"a": ' + "[" * 400 + "]" * 400 + "}")
    with pytest.raises(DepoError, match="nested too deeply"):
        read_object(file)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "settings.json")
    with pytest.raises(DepoError, match="is no plain file: expected JSON"):
        read_object(tmp_path / "settings.json")
