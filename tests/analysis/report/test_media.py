from __future__ import annotations

from pathlib import Path

import pytest

from depo.analysis.report import media
from depo.analysis.report.media import ALL, media_of
from depo.runs.run import FIGURES, Run
from tests.support.kept_runs import GRID, kept_run

PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    folder = kept_run(GRID, tmp_path / "run")
    (folder / "figures").mkdir()
    return Run.open(folder)


def test_pictures_and_films_are_found_in_order(run: Run) -> None:
    files = {"run.png": PNG, "policy-seed-0.mp4": bytes(4) + b"ftypisom", "run.pdf": b"%PDF"}
    for name, data in {**files, "imagined-0.gif": b"GIF89a"}.items():
        (run.path / "figures" / name).write_bytes(data)
    found, left_out = media_of(run.path / FIGURES, ALL)
    assert [one.name for one in found] == ["policy-seed-0.mp4", "imagined-0.gif", "run.png"]
    assert found[0].is_film
    assert found[2].uri.startswith("data:image/png;base64,iVBORw0KGgo")
    assert left_out == []


def test_what_is_too_large_or_something_else_is_left_out_and_said(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(media, "EACH", 200)
    (run.path / "figures" / "a.png").write_bytes(b"<script>alert(1)</script>")
    (run.path / "figures" / "b.png").write_bytes(PNG + bytes(100))
    (run.path / "figures" / "c.png").write_bytes(PNG)
    (run.path / "figures" / "d.png").write_bytes(PNG)
    found, left_out = media_of(run.path / FIGURES, room=150)
    assert [one.name for one in found] == ["c.png"]
    assert [said.split()[0] for said in left_out] == ["a.png", "b.png", "d.png"]
    assert "is no image/png" in left_out[0]
