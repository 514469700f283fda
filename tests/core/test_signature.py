"""Which folders are the user's own: the key and what is signed under it."""

from __future__ import annotations

import logging
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from depo.core.errors import DepoError
from depo.core.signature import KEY_BYTES, is_signed, key_file, signed

DATA = {"format": 2, "job": {"steps": 0.1, "skill": "mine:ü", "seeds": [1, 2]}}


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DEPO_CONFIG", str(tmp_path / "config" / "depo"))
    return tmp_path / "config" / "depo"


def test_what_was_signed_is_known_again_and_any_change_is_seen() -> None:
    mine = signed("run", DATA)
    assert {name: mine[name] for name in DATA} == DATA
    assert is_signed("run", mine)
    assert is_signed("run", dict(reversed(mine.items())))
    for other in (
        {**mine, "format": 3},
        {**mine, "more": None},
        {**mine, "job": {**DATA["job"], "skill": "evil:u"}},
        {**mine, "signature": "0" * 64},
        {**mine, "signature": "ü"},
        {**mine, "signature": None},
        DATA,
    ):
        assert not is_signed("run", other)
    assert not is_signed("policy folder", mine)


def test_another_users_key_is_another(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mine = signed("run", DATA)
    monkeypatch.setenv("DEPO_CONFIG", str(tmp_path / "theirs"))
    assert not is_signed("run", mine)
    assert not key_file().exists()  # looking makes none
    theirs = signed("run", DATA)
    assert theirs != mine


def test_the_key_is_for_the_user_alone_and_made_once(config: Path) -> None:
    os.umask(previous := os.umask(0))
    os.umask(0)
    try:
        with ThreadPoolExecutor(8) as pool:
            made = set(pool.map(lambda _: signed("run", DATA)["signature"], range(32)))
    finally:
        os.umask(previous)
    assert len(made) == 1
    about = (config / "key").stat()
    assert stat.S_IMODE(about.st_mode) == 0o600
    assert stat.S_IMODE(config.stat().st_mode) == 0o700
    assert about.st_size == KEY_BYTES
    assert [path.name for path in config.iterdir()] == ["key"]


def test_the_key_is_in_the_users_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEPO_CONFIG")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/somewhere")
    assert key_file() == Path("/somewhere/depo/key")
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", "/home/me")
    assert key_file() == Path("/home/me/.config/depo/key")


def test_a_key_that_others_may_know_is_refused(
    config: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    mine, key = signed("run", DATA), config / "key"

    def refused(match: str) -> None:
        for use in (lambda: signed("run", DATA), lambda: is_signed("run", mine)):
            with pytest.raises(DepoError, match=match):
                use()

    key.chmod(0o640)
    refused(r"mode 0640.*chmod 600")
    key.chmod(0o600)
    with monkeypatch.context() as other:
        other.setattr(os, "geteuid", lambda: 4711)
        refused("belongs to user .*you are 4711")
    content = key.read_bytes()
    key.write_bytes(content[:-1])
    refused("has 31 bytes, not 32")
    key.unlink()
    (tmp_path / "elsewhere").write_bytes(content)
    key.symlink_to(tmp_path / "elsewhere")
    refused("key, which signs your folders")
    key.unlink()
    os.mkfifo(key, 0o600)
    refused("no plain file")
    key.unlink()
    key.mkdir()
    refused("no plain file")


def test_without_a_place_for_a_key_folders_are_not_signed(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("DEPO_CONFIG", str(tmp_path / "file" / "depo"))
    with caplog.at_level(logging.WARNING, "depo"):
        assert signed("run", DATA) == DATA
    assert "count as a stranger's" in caplog.text


def test_nor_where_nobody_knows_the_home_folder(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As in a container for a user without an entry."""
    for name in ("DEPO_CONFIG", "XDG_CONFIG_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # what Python then does
    with caplog.at_level(logging.WARNING, "depo"):
        assert signed("run", DATA) == DATA
    assert not is_signed("run", DATA | {"signature": "0" * 64})
    assert "no home folder is known" in caplog.text
