"""A folder is data: modules are imported that the user names, or that the user's own folders do."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import depo
from depo.api import make_job
from depo.environments.family import EnvironmentSettings
from depo.experiments.engines import work
from depo.models.card import Origin
from depo.runs.job import Job
from depo.runs.run import Run
from depo.runs.training import begin
from tests.environments import point
from tests.support.command import call

MODULE = "gift_for_depo"
ID = f"{MODULE}:depo-test/Point-v0"
FORMULA = f"{MODULE}:inverse"
OURS = {ID: point.ID, FORMULA: f"{point.__name__}:inverse"}


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of this user's in an environment of this user's, with a formula as skill."""
    folder = tmp_path_factory.mktemp("own")
    origin = Origin(environment="point-v0", features=("s0", "s1"))
    planner = depo.save_planner(folder / "planner", point.walking((0.1, 0.0)), origin)
    return depo.transfer(
        planner, env=point.ID, skill=point.inverse, steps=0, out=folder / "run", progress=False
    )


@pytest.fixture(autouse=True)
def _gift(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A module that can be imported, and leaves a trace if it is."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    (tmp_path / f"{MODULE}.py").write_text("from tests.environments.point import *\n")
    monkeypatch.setattr("depo.core.imports._allowed", set())
    monkeypatch.setattr("depo.core.imports._strangers", {})
    sys.modules.pop(MODULE, None)
    yield
    sys.modules.pop(MODULE, None)


def is_imported() -> bool:
    return MODULE in sys.modules


def gift(own: Run, folder: Path, *changes: str) -> Path:
    """The run as somebody else might hand it over: other names in its settings."""
    shutil.copytree(own.path, folder)
    for file in folder.rglob("settings.json"):
        text = file.read_text()
        for name in changes:
            text = text.replace(OURS[name], name)
        file.write_text(text)
    return folder


COMMANDS: dict[str, list[str]] = {
    "evaluate": ["evaluate", "gift"],
    "evaluate under others": ["evaluate", "gift", "--dynamics", "inverted", "--json"],
    "film": ["evaluate", "gift", "--video"],
    "imagine": ["imagine", "gift", "--steps", "2"],
    "imagine a planner": ["imagine", "gift/planner/seed-0", "--steps", "2"],
    "reachability": ["reachability", "gift"],
    "record": ["demos", "record", "gift", "out.npz"],
    "resume": ["resume", "gift"],
    "transfer": ["transfer", "gift", "--steps", "100"],
    "transfer a planner": ["transfer", "gift/planner/seed-0"],
    "dry run": ["transfer", "gift", "--dry-run"],
    "help": ["transfer", "gift", "--help"],
    "settings": ["settings", "transfer", "--planner", "gift"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_imports_the_environment_a_stranger_names(
    name: str, own: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gift(own, tmp_path / "gift", ID)
    assert call(*COMMANDS[name]) == 2
    said = capsys.readouterr().err
    assert f"the module '{MODULE}' ({ID})" in said
    assert "--trust" in said
    assert not is_imported()
    assert not list(tmp_path.glob("out*"))


@pytest.mark.parametrize("name", ["evaluate", "imagine", "reachability", "record", "resume"])
def test_nor_the_formula(
    name: str, own: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gift(own, tmp_path / "gift", FORMULA)
    assert call(*COMMANDS[name]) == 2
    assert f"the module '{MODULE}' ({FORMULA})" in capsys.readouterr().err
    assert not is_imported()


@pytest.mark.parametrize(
    "use",
    [
        lambda path: depo.evaluate(path),
        lambda path: depo.evaluate(Run.open(path)),
        lambda path: depo.imagine(path, steps=2),
        lambda path: depo.reachability(path),
        lambda path: depo.record(path),
        lambda path: depo.resume(path, progress=False),
        lambda path: depo.transfer(path, steps=100),
        lambda path: Run.open(path).policy(skill=point.by_numpy),
        lambda path: depo.load_policy(path / "policy" / "seed-0"),
        lambda path: Run.open(path).job.environment.gymnasium().make(),
    ],
)
def test_nor_does_python(use: Callable[[Path], object], own: Run, tmp_path: Path) -> None:
    folder = gift(own, tmp_path / "gift", ID, FORMULA)
    if "by_numpy" in use.__code__.co_names:
        shutil.rmtree(folder / "policy")  # so that the run itself is asked
    with pytest.raises(depo.DepoError, match=f"the module '{MODULE}' .*trust=True"):
        use(folder)
    assert not is_imported()


def test_what_needs_no_import_is_there_for_everybody(
    own: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = gift(own, tmp_path / "gift", ID, FORMULA)
    run = Run.open(folder)
    assert run.wants == (FORMULA, ID)
    assert run.status() == "finished"
    assert run.final_scores() == own.final_scores()
    assert call("runs", tmp_path) == 0
    assert "damaged" not in capsys.readouterr().out
    assert depo.load_planner(folder / "planner" / "seed-0")
    policy = run.policy(skill=point.inverse)
    np.testing.assert_allclose(policy.act(np.zeros(2)), [1.0, 0.0], atol=1e-5)
    named = depo.transfer(folder, env=point.ID, skill=point.inverse, steps=0, out=tmp_path / "mine")
    assert not is_imported()
    assert Run.open(named.path).wants == ()


def test_trust_allows_it_for_this_call(own: Run, tmp_path: Path) -> None:
    folder = gift(own, tmp_path / "gift", ID, FORMULA)
    assert call("evaluate", folder, "--trust", "--episodes", "1") == 0
    assert is_imported()
    with pytest.raises(depo.DepoError, match="trust=True"):
        depo.evaluate(folder, episodes=1)
    assert depo.evaluate(Run.open(folder, trust=True), episodes=1)
    with pytest.raises(depo.DepoError, match="trust=True"):
        depo.load_policy(folder / "policy" / "seed-0")
    assert depo.load_policy(folder / "policy" / "seed-0", trust=True)
    assert Run.open(folder).policy(trust=True)


def test_ones_own_run_needs_no_word_wherever_it_is(own: Run, tmp_path: Path) -> None:
    folder = gift(own, tmp_path / "copy")
    assert depo.evaluate(folder, episodes=1)
    assert depo.load_policy(folder / "policy" / "seed-0").act(np.zeros(2)).shape == (2,)
    shutil.rmtree(folder / "policy")
    assert Run.open(folder).policy().act(np.zeros(2)).shape == (2,)


def test_changing_settings_makes_it_a_strangers(own: Run, tmp_path: Path) -> None:
    folder = gift(own, tmp_path / "copy")
    file = folder / "settings.json"
    stored = json.loads(file.read_text())
    unsigned = {name: value for name, value in stored.items() if name != "signature"}
    for changed in (stored | {"made_with": {}}, stored | {"signature": "0" * 64}, unsigned):
        file.write_text(json.dumps(changed))
        assert Run.open(folder).wants
    file.write_text(json.dumps(stored))  # other blanks are no change
    assert Run.open(folder).wants == ()


def test_a_strangers_name_is_not_signed_unless_trusted(own: Run, tmp_path: Path) -> None:
    folder = gift(own, tmp_path / "gift", ID, FORMULA)
    policy = depo.load_policy(folder / "policy" / "seed-0", skill=point.inverse)
    mine = depo.save_policy(tmp_path / "policy", policy)
    assert MODULE not in (mine / "settings.json").read_text()
    job = Run.open(folder).job  # somebody's own program might go on with it
    with Run.create(tmp_path / "laundered", job, None):
        pass
    assert Run.open(tmp_path / "laundered").wants == (FORMULA, ID)
    moved = depo.transfer(folder, skill=point.inverse, steps=0, out=tmp_path / "moved", trust=True)
    assert moved.job.environment.id == ID
    assert Run.open(moved.path).wants == ()


def test_a_driver_says_what_a_worker_does(
    own: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = gift(own, tmp_path / "gift", ID)
    monkeypatch.setenv("DEPO_CONFIG", str(tmp_path / "another machine"))
    work(own.job.to_json(), str(folder))
    assert not is_imported()


def test_every_way_to_name_a_module_is_known() -> None:
    arm = EnvironmentSettings.from_json(
        {"family": "gymnasium", "settings": {"id": "evil:Arm-v0", "arguments": []}}
    )
    hopper = {"family": "gymnasium", "settings": {"id": "Hopper-v5"}}
    assert Job().wants == ()
    job = make_job("depo", env=point.ID, variants=("as-is", "evil:Arm-v0", "inverted"))
    assert job.wants == (point.ID, "evil:Arm-v0")
    assert make_job("depo", env="driving").wants == ()  # our own formula
    for value, wanted in {
        "hopper.xml": (),
        "/elsewhere/evil.xml": ("xml_file=/elsewhere/evil.xml",),
        "./evil.xml": ("xml_file=./evil.xml",),
        ".evil.xml": ("xml_file=.evil.xml",),
        "evil:Arm-v0": ("xml_file=evil:Arm-v0",),
    }.items():
        for data in (value, [1, {"a": value}]):
            hopper["settings"]["arguments"] = [["xml_file", data], ["frame_skip", 4]]  # type: ignore[index]
            found = Job(environment=EnvironmentSettings.from_json(hopper))
            assert found.wants == wanted
    assert Job(environment=arm).wants == ("evil:Arm-v0",)


@pytest.mark.parametrize(
    ("line", "argv"),
    [
        (f'env = "{ID}"', ["train", "bco"]),
        (f'variants = "as-is,{ID}"', ["cotrain", "depo", "--env", "hopper"]),
        (f'skill = "{FORMULA}"', ["transfer", "planner", "--env", "hopper"]),
        (f'env = "{ID}"', ["imagine", "planner"]),
        (f'env = "{ID}"', ["demos", "export-minari", "hopper", "x-v0"]),
    ],
)
def test_a_config_file_may_be_anybodys(
    line: str, argv: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "planner").mkdir()
    (tmp_path / "gift.toml").write_text(line)
    assert call(*argv, "--config", "gift.toml") == 2
    assert f"gift.toml names the module '{MODULE}'" in capsys.readouterr().err
    (tmp_path / "gift.toml").write_text(f"{line}\ntrust = true")
    assert call(*argv, "--config", "gift.toml") == 2
    assert "'trust' is for you to say" in capsys.readouterr().err
    assert not is_imported()


def test_a_config_file_that_the_user_repeats_or_trusts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.toml").write_text(f'env = "{ID}"\n')
    for more in (["--trust"], ["--env", ID]):
        sys.modules.pop(MODULE, None)
        assert call("settings", "sac", "--config", "mine.toml", *more) == 0
        assert is_imported()


def test_a_run_of_ones_own_can_be_resumed(tmp_path: Path, own: Run) -> None:
    job = make_job("sac", env=ID, steps=6_000, overrides={"hidden": 8})
    begin(job, tmp_path / "run")
    sys.modules.pop(MODULE, None)
    assert Run.open(tmp_path / "run").wants == ()
    assert Run.open(tmp_path / "run").policy().act(np.zeros(2)).shape == (2,)
    assert is_imported()


def test_a_module_that_was_put_beside_ones_own_run_is_not_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody hands back a run that is signed, with a module of the right name beside it."""
    name, code = "arm_for_depo", "from tests.environments.point import *\n"
    for place in ("project", "gift"):
        (tmp_path / place).mkdir()
        (tmp_path / place / f"{name}.py").write_text(code)
    monkeypatch.chdir(tmp_path / "project")
    job = make_job("sac", env=f"{name}:depo-test/Point-v0", steps=6_000, overrides={"hidden": 8})
    begin(job, tmp_path / "gift" / "run")
    monkeypatch.setattr(sys, "path", [p for p in sys.path if "project" not in p])
    for start in ("gift", "project"):
        monkeypatch.chdir(tmp_path / start)
        sys.modules.pop(name, None)
        monkeypatch.setattr("depo.core.imports._allowed", set())
        opened = Run.open(tmp_path / "gift" / "run")
        if start == "gift":
            with pytest.raises(depo.DepoError, match=r"No module named .*where this was not made"):
                opened.policy()
            assert name not in sys.modules
            assert str(tmp_path) not in (opened.path / "settings.json").read_text()
        else:
            assert opened.policy()
    sys.modules.pop(name, None)


LINKS = (".lock", "metrics.csv", "timing.csv", "figures", "events", "checkpoints", "replay")


@pytest.mark.parametrize("name", [*LINKS, "stopped.json", "planner/seed-0/card.md", "planner"])
def test_a_link_in_a_run_leads_nowhere(
    name: str, own: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, outside = gift(own, tmp_path / "gift"), tmp_path / "outside"
    place = folder / name
    if place.is_dir():
        shutil.move(place, outside)
    elif Path(name).suffix or name == ".lock":
        outside.write_text("seed,env_steps\n0,0\n")
        place.unlink(missing_ok=True)
    else:
        outside.mkdir()
    place.symlink_to(outside)
    before = {path: path.stat().st_mtime_ns for path in [outside, *outside.rglob("*")]}
    for argv in (
        ["resume", "gift"],
        ["evaluate", "gift", "--episodes", "1"],
        ["imagine", "gift"],
        ["transfer", "gift", "--env", point.ID, "--skill", OURS[FORMULA], "--steps", "0"],
    ):
        assert call(*argv) == 2
        assert f"gift holds the link '{name}'" in capsys.readouterr().err
    assert before == {path: path.stat().st_mtime_ns for path in [outside, *outside.rglob("*")]}


@pytest.mark.parametrize("kind", ["planner", "policy", "skill"])
def test_nor_does_one_in_a_model(kind: str, own: Run, tmp_path: Path) -> None:
    folder = gift(own, tmp_path / "gift") / ("planner" if kind == "skill" else kind) / "seed-0"
    load = {"planner": depo.load_planner, "policy": depo.load_policy, "skill": depo.load_skill}
    (folder / "weights.safetensors").rename(tmp_path / "outside")
    (folder / "weights.safetensors").symlink_to(tmp_path / "outside")
    with pytest.raises(depo.DepoError, match=r"holds the link 'weights.safetensors'"):
        load[kind](folder)
    (folder / "weights.safetensors").unlink()
    os.mkfifo(folder / "weights.safetensors")
    with pytest.raises(depo.DepoError, match="no plain file"):
        load[kind](folder)


def test_a_link_to_a_run_is_fine(own: Run, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(own.path)
    assert depo.evaluate(tmp_path / "link", episodes=1)


def test_a_lock_is_not_cut(own: Run, tmp_path: Path) -> None:
    folder = gift(own, tmp_path / "gift")
    (folder / ".lock").write_text("kept")
    run = Run.open(folder)
    with run.locked():
        assert run.is_running()
        assert (folder / ".lock").read_text() == "kept"
    assert not run.is_running()
    (folder / ".lock").unlink()
    (folder / ".lock").symlink_to(tmp_path / "outside")  # after it was opened
    with pytest.raises(OSError, match="link"), run.locked():
        pass
    assert not (tmp_path / "outside").exists()
