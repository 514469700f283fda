"""Folders of strangers hold plain files only."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from depo.core import folders
from depo.core.errors import DepoError
from depo.core.folders import check_folder, open_plain


def make_link(path: Path) -> None:
    path.symlink_to("/etc")


def make_dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def make_socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # names of sockets are short
    try:
        socket.socket(socket.AF_UNIX).bind(path.name)
    finally:
        os.chdir(here)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (make_link, "holds the link 'a/.b', which may lead anywhere"),
        (make_dangling, "holds the link 'a/.b'"),
        (os.mkfifo, "holds 'a/.b', which is no plain file"),
        (make_socket, "no plain file"),
    ],
)
def test_what_leads_elsewhere_is_refused(make, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "run" / "a").mkdir(parents=True)
    (tmp_path / "run" / "a" / "file").touch()
    (tmp_path / "link").symlink_to("run")
    for given in ("run", "link", "none", "run/a/file"):
        check_folder(tmp_path / given)
    make(tmp_path / "run" / "a" / ".b")
    for given in ("run", "link"):
        with pytest.raises(DepoError, match=sentence):
            check_folder(tmp_path / given)


def test_deep_and_large_folders_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = Path.cwd()
    os.chdir(tmp_path)
    try:
        for _ in range(40):
            os.mkdir("abc")  # noqa: PTH102
            os.chdir("abc")
    finally:
        os.chdir(here)
    with pytest.raises(DepoError, match="16 deep"):
        check_folder(tmp_path)
    monkeypatch.setattr(folders, "LARGEST", 3)
    large = tmp_path / "large"
    large.mkdir()
    for name in "abc":
        (large / name).touch()
    check_folder(large)
    (large / "d").touch()
    with pytest.raises(DepoError, match="more than 3 files"):
        check_folder(large)


def test_a_file_is_opened_without_following_or_waiting(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("kept")
    (tmp_path / "link").symlink_to("elsewhere")
    os.mkfifo(tmp_path / "pipe")
    for mode in ("a", "r", "r+b"):
        with pytest.raises(OSError, match="link"):
            open_plain(tmp_path / "link", mode)
    with pytest.raises(OSError, match="pipe"):
        open_plain(tmp_path / "pipe", "a")
    assert (tmp_path / "elsewhere").read_text() == "kept"
