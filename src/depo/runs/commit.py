"""Which commit of the source a process runs, where it is a checkout: read from files, no git."""

from __future__ import annotations

import re
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
_SHA = re.compile(r"[0-9a-f]{40}")


def source_commit(package: Path = PACKAGE) -> str:
    """The commit that is checked out around the package; empty: it is installed without one.

    Somebody else's repository, with the package installed in a folder below, is none of ours.
    """
    root = package.parents[1]
    if package != root / "src" / "depo":
        return ""
    try:
        return _commit(root / ".git")
    except (OSError, UnicodeDecodeError):
        return ""


def _commit(git: Path) -> str:
    if git.is_file():  # a second working tree
        said = git.read_text("utf-8").removeprefix("gitdir:").strip()
        git = (git.parent / said).resolve()
    head = (git / "HEAD").read_text("utf-8").strip()
    if not head.startswith("ref:"):
        return head if _SHA.fullmatch(head) else ""
    name = head.removeprefix("ref:").strip()
    common = git / "commondir"
    roots = [git]
    if common.exists():
        roots.append((git / common.read_text("utf-8").strip()).resolve())
    for root in roots:
        if (root / name).is_file():
            found = (root / name).read_text("utf-8").strip()
            return found if _SHA.fullmatch(found) else ""
        if (packed := root / "packed-refs").is_file():
            for line in packed.read_text("utf-8").splitlines():
                if line.endswith(f" {name}") and _SHA.fullmatch(line[:40]):
                    return line[:40]
    return ""
