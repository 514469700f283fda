"""A headless Chromium for tests of pages; where there is none they are skipped, unless that is
forbidden, as in continuous integration."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

REQUIRED = "DEPO_CHROMIUM_REQUIRED"
"""The environment variable that makes a missing browser a failure."""
PROGRAM = "DEPO_CHROMIUM"
"""The environment variable that says where the browser is."""
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """A browser of playwright's."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _without("playwright is not installed: pip install -e '.[dev]'")
    program = os.environ.get(PROGRAM) or next(filter(None, map(shutil.which, NAMES)), "")
    if not program:
        _without(f"no Chromium: apt-get install {NAMES[0]}, or set {PROGRAM} to one")
    with sync_playwright() as playwright:
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []  # which root has none of
        browser = playwright.chromium.launch(executable_path=program, args=sandbox)
        try:
            yield browser
        finally:
            browser.close()


def _without(reason: str) -> None:
    if os.environ.get(REQUIRED):
        pytest.fail(reason)
    pytest.skip(reason)
