"""A run that another package's method made, where that package is not installed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from depo.cli.runs import print_runs, row_of
from depo.core.errors import DepoError
from depo.runs.run import Run
from depo.runs.settings_file import SETTINGS
from depo.runs.training import begin
from tests.support.small_jobs import job


@pytest.mark.parametrize("part", ["method", "environment"])
def test_it_names_the_package(part: str, tmp_path: Path, capsys) -> None:
    begin(job("compiled", tmp_path, "depo-supervised"), tmp_path / "run")
    about = json.loads((tmp_path / "run" / SETTINGS).read_text())
    about["job"] |= {"method": "gone"} if part == "method" else {}
    about["job"]["environment"] |= {"family": "gone"} if part == "environment" else {}
    about["made_with"] |= {"depo-gone": "1.3", "pytest": "1"}
    (tmp_path / "run" / SETTINGS).write_text(json.dumps(about))
    said = "run was made with depo-gone 1.3, not installed here: .*unknown .*'gone'"
    with pytest.raises(DepoError, match=said):
        Run.open(tmp_path / "run")
    assert row_of(tmp_path / "run")["status"].startswith("its package is not installed: ")
    print_runs([row_of(tmp_path / "run")])
    below = capsys.readouterr().out.splitlines()[-1]
    assert "run was made with depo-gone 1.3, not installed here" in below
    assert "damaged" not in below


@pytest.mark.parametrize("name", ["", "../a", "a\n\x1b[31m", "x" * 9_000])
def test_a_name_that_no_package_has_is_no_trouble(name: str, tmp_path: Path) -> None:
    begin(job("compiled", tmp_path, "depo-supervised"), tmp_path / "run")
    about = json.loads((tmp_path / "run" / SETTINGS).read_text())
    about["made_with"] |= {name: "1"}
    (tmp_path / "run" / SETTINGS).write_text(json.dumps(about))
    assert Run.open(tmp_path / "run").job.method == "depo-supervised"
    about["job"]["method"] = "gone"
    (tmp_path / "run" / SETTINGS).write_text(json.dumps(about))
    with pytest.raises(DepoError, match="unknown method 'gone'") as refused:
        Run.open(tmp_path / "run")
    assert str(refused.value).isprintable()
