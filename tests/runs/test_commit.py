from __future__ import annotations

from pathlib import Path

from depo.runs.commit import source_commit

SHA = "0123456789abcdef0123456789abcdef01234567"


def checkout(root: Path) -> Path:
    package = root / "src" / "depo"
    package.mkdir(parents=True)
    (root / ".git" / "refs" / "heads").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    return package


def test_a_branch_is_followed_to_its_commit(tmp_path: Path) -> None:
    package = checkout(tmp_path)
    (tmp_path / ".git" / "refs" / "heads" / "main").write_text(f"{SHA}\n")
    assert source_commit(package) == SHA


def test_packed_references_are_read(tmp_path: Path) -> None:
    package = checkout(tmp_path)
    (tmp_path / ".git" / "packed-refs").write_text(f"# pack-refs\n{SHA} refs/heads/main\n")
    assert source_commit(package) == SHA


def test_a_commit_that_is_checked_out_itself(tmp_path: Path) -> None:
    package = checkout(tmp_path)
    (tmp_path / ".git" / "HEAD").write_text(f"{SHA}\n")
    assert source_commit(package) == SHA


def test_the_repository_around_an_installed_package_is_not_ours(tmp_path: Path) -> None:
    checkout(tmp_path)
    (tmp_path / ".git" / "HEAD").write_text(f"{SHA}\n")
    installed = tmp_path / "venv" / "site-packages" / "depo"
    installed.mkdir(parents=True)
    assert source_commit(installed) == ""


def test_what_is_no_commit_is_none(tmp_path: Path) -> None:
    package = checkout(tmp_path)
    (tmp_path / ".git" / "HEAD").write_text("<script>")
    assert source_commit(package) == ""
