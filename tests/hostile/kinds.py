"""Every kind of file that depo reads: an example of it, and how it is read and looked at."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from depo.core.child import in_child
from depo.core.errors import DepoError
from depo.data.demonstrations import Demonstrations
from tests.support.child import without_child

OLD = Path(__file__).parents[1] / "fixtures" / "v0.1"
STATES, ACTIONS = 3, 2
REAL_CHILD = "DEPO_HOSTILE_CHILD"


@dataclass(frozen=True)
class Kind:
    """``make`` writes an example into an empty folder; ``read`` reads it as commands do, and fails
    by an assertion where something was taken that is not valid."""

    name: str
    make: Callable[[Path], None]
    read: Callable[[Path], None]
    only: Sequence[str] = ("*",)
    """Names of the files that are damaged, as patterns below the folder."""
    in_child: bool = False
    """Whether users have it parsed by a child, whose noise nobody hears."""

    def files(self, folder: Path) -> list[Path]:
        """What can be damaged."""
        found = {p for pattern in self.only for p in folder.rglob(pattern) if p.is_file()}
        return sorted(found)


def demonstrations(vectors: bool = True) -> Demonstrations:
    generator = np.random.default_rng(0)
    if not vectors:
        return Demonstrations.from_episodes([[0, 1, 2, 3], [3, 4]], metadata={"source": "a grid"})
    return Demonstrations(
        generator.normal(size=(12, STATES)),
        np.array([7, 5]),
        actions=generator.normal(size=(12, ACTIONS)),
        episode_returns=np.array([1.0, 2.0]),
        feature_names=("x", "y", "speed"),
        metadata={"environment": "hopper-v5", "notes": {"a": [1, 2.5, None]}},
    )


def make_demonstrations(folder: Path) -> None:
    demonstrations().save(folder / "vectors.npz")
    demonstrations(vectors=False).save(folder / "finite.npz")


def read_demonstrations(folder: Path) -> None:
    for file in ("vectors.npz", "finite.npz"):
        check_demonstrations(Demonstrations.load(folder / file))


def check_demonstrations(demos: Demonstrations) -> None:
    from depo.cli.demos import describe

    assert np.isfinite(demos.observations).all()
    assert demos.observations.dtype == (np.int32 if demos.is_finite else np.float32)
    assert demos.episode_lengths.min() >= 2
    assert demos.episode_lengths.sum() == len(demos.observations)
    assert len(demos.feature_names) == demos.dimension
    assert demos.actions is None or len(demos.actions) == len(demos.observations)
    before, after = demos.transitions()
    assert len(before) == len(after) == len(demos.observations) - demos.episodes
    assert describe(demos)["episodes"] == demos.episodes
    demos.select([0])
    repr(demos)


def make_scene(folder: Path) -> None:
    from depo.driving.traffic.preparation import choose
    from tests.support.traffic import recording_of

    tracks = [
        (i, np.linspace(0, 300, 60 + i % 3), 2.0 + 3.7 * (i % 6) + 0 * np.arange(60 + i % 3))
        for i in range(12)
    ]
    choose(recording_of(tracks, metadata={"cite": "me", "recordings": []})).save(folder / "a.npz")


def read_scene(folder: Path) -> None:
    from depo.cli.traffic import describe_scene
    from depo.driving.traffic.recording import is_recording
    from depo.driving.traffic.scenes import load_scene

    if not is_recording(folder / "a.npz"):
        check_demonstrations(Demonstrations.load(folder / "a.npz"))
        return
    scene = load_scene(folder / "a.npz")
    check_recording(scene)
    describe_scene(scene)


def check_recording(recording: Any) -> None:
    assert np.isfinite(recording.x).all()
    assert np.isfinite(recording.y).all()
    assert (recording.length > 0).all()
    assert (recording.width > 0).all()
    assert recording.begin[-1] == recording.rows == len(recording.frame)
    assert recording.lane.min() >= -1
    assert recording.lane.max() <= recording.road.lanes
    assert 0 < recording.seconds < 1e9


def table() -> Any:
    import polars as pl

    steps = range(30)
    return pl.DataFrame(
        {
            "vehicle": [v for v in (7, 8, 9) for _ in steps],
            "frame": [t for _ in range(3) for t in steps],
            "x": [20.0 * v + 0.8 * t for v in range(3) for t in steps],
            "y": [2.0 + 3.7 * v for v in range(3) for _ in steps],
            "lane": [v for v in range(3) for _ in steps],
            "length": [4.5] * 90,
            "width": [1.8] * 90,
        }
    )


def make_csv(folder: Path) -> None:
    table().write_csv(folder / "a.csv")
    (folder / "b.csv.gz").write_bytes(gzip.compress((folder / "a.csv").read_bytes(), mtime=0))


def read_csv(folder: Path) -> None:
    for file in ("a.csv", "b.csv.gz"):
        read_traffic(folder / file)


def read_traffic(path: Path, layout: str | None = None) -> None:
    from depo.driving.traffic.preparation import prepare
    from depo.driving.traffic.reading import read_recordings

    for recording, report in read_recordings(path, layout):
        check_recording(recording)
        assert 0 <= report.broken <= report.rows
        with contextlib.suppress(DepoError):  # few rows, no scene
            check_recording(prepare(recording))


def make_text(folder: Path) -> None:
    from depo.driving.traffic.text import write_text
    from tests.support.traffic import recording_of

    tracks = [(i, np.linspace(5 * i, 60, 20), 2.0 + i + 0 * np.arange(20)) for i in range(4)]
    write_text(recording_of(tracks), folder / "a.txt")


def read_text(folder: Path) -> None:
    read_traffic(folder / "a.txt")


def child() -> Any:
    """How foreign formats are parsed: in this worker, which has limits too and is quicker, or in a
    child as users do (``REAL_CHILD`` in the environment)."""
    return in_child if os.environ.get(REAL_CHILD) else without_child


def make_parquet(folder: Path) -> None:
    table().write_parquet(folder / "a.parquet")


def read_parquet(folder: Path) -> None:
    """Parsed here, in a worker with limits as strict as the child's."""
    from depo.driving.traffic import table as module

    module.in_child = child()  # type: ignore[assignment]
    read_traffic(folder / "a.parquet")


def make_layout(folder: Path) -> None:
    from depo.driving.traffic.layout import shipped_layouts

    text = shipped_layouts()["table"].read_text()
    more = "x_origin = 1.5\nunknown_lanes = [-1]\nsmooth = 1\n[blacklist]\nt = [1, 2]\n"
    road = "[road]\nlength = 100.0\nlanes = 6\nlane_width = 3.7\nzone = [10.0, 90.0]\n"
    kept = "\n".join(line for line in text.splitlines() if not line.startswith("road"))
    top, _, columns = kept.partition("[columns]")
    (folder / "a.toml").write_text(f"{top}{more}{road}[columns]{columns}\n")
    table().write_csv(folder / "t.csv")


def read_layout(folder: Path) -> None:
    from depo.driving.traffic.layout import Layout

    Layout.load(folder / "a.toml")
    read_traffic(folder / "t.csv", str(folder / "a.toml"))


def make_config(folder: Path) -> None:
    text = 'steps = 12800\nseeds = 2\npreset = "fast"\n[planner]\nhidden = 32\nskill_rate = 1e-3\n'
    (folder / "a.toml").write_text(text)


def read_config(folder: Path) -> None:
    from depo.cli.main import main

    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
            main(["settings", "depo", "--config", str(folder / "a.toml"), "--json"])
    except SystemExit as stop:
        if stop.code:
            raise DepoError("as the command line has said") from None


@cache
def skeleton() -> Any:
    import equinox as eqx
    import jax

    from depo.models.critic import Critic

    def build(key: Any) -> Any:
        return {"critic": Critic(key, 4, (5, 6)), "key": key, "count": jax.numpy.zeros(2, "int32")}

    return eqx.filter_eval_shape(build, jax.random.key(0))


def make_weights(folder: Path) -> None:
    import jax

    from depo.core.weights import save_tree
    from depo.models.critic import Critic

    key = jax.random.key(0)
    tree = {"critic": Critic(key, 4, (5, 6)), "key": key, "count": jax.numpy.zeros(2, "int32")}
    save_tree(folder / "a.safetensors", tree)


def read_weights(folder: Path) -> None:
    from depo.core.weights import load_tree, named_arrays

    tree = load_tree(folder / "a.safetensors", skeleton())
    assert all(np.isfinite(array).all() for array in named_arrays(tree).values())


def make_models(folder: Path) -> None:
    """Planners, skills and policies, for vectors and for finite states."""
    import jax
    import jax.numpy as jnp

    from depo.models.acting import Policy, Space
    from depo.models.card import Origin
    from depo.models.folder import save_planner, save_skill
    from depo.models.normaliser import Normaliser
    from depo.models.planner import CategoricalPlanner, GaussianPlanner
    from depo.models.policy import CategoricalActor, DecoupledPolicy
    from depo.models.policy_folder import save_policy
    from depo.models.skill import CategoricalSkill, VectorSkill

    key, bounds = jax.random.key(0), (-np.ones(ACTIONS, np.float32), np.ones(ACTIONS, np.float32))
    own = Normaliser(jnp.ones(STATES), jnp.full(STATES, 2.0), 5.0)
    origin = Origin("hopper-v5", "depo", ("x", "y", "v"), "4 episodes", 1000, 0, {"return": 3.0})
    planner, skill = GaussianPlanner(key, own, (4,)), VectorSkill(key, own, ACTIONS, (4, 4))
    save_planner(folder / "planner", planner, origin)
    save_skill(folder / "skill", skill, origin)
    save_planner(folder / "finite-planner", CategoricalPlanner(key, 5, (4,)))
    save_skill(folder / "finite-skill", CategoricalSkill(key, 5, 3, (4,)))
    vectors, box = Space.vector(STATES), Space.box(*bounds)
    policy = DecoupledPolicy(planner, skill)
    save_policy(folder / "policy", Policy(policy, observations=vectors, actions=box, origin=origin))
    actor = CategoricalActor(key, 5, 3, (4,))
    finite = Policy(actor, observations=Space.finite(5), actions=Space.finite(3))
    save_policy(folder / "finite-policy", finite)


def only(*names: str) -> Callable[[Path], None]:
    """Make some of the models."""

    def make(folder: Path) -> None:
        make_models(folder)
        for other in set(folder.iterdir()) - {folder / name for name in names}:
            shutil.rmtree(other)

    return make


@cache
def saved_weights() -> dict[str, str]:
    """Digests of the arrays of all examples, by the names of their folders."""
    from depo.core.weights import digest
    from depo.models.folder import load_planner, load_skill
    from depo.models.policy_folder import load_policy

    with tempfile.TemporaryDirectory() as folder:
        make_models(Path(folder))
        loads = {"planner": load_planner, "skill": load_skill, "policy": load_policy}
        found = {p.name: loads[p.name.split("-")[-1]](p) for p in Path(folder).iterdir()}
    return {name: digest(getattr(model, "model", model)) for name, model in found.items()}


def check_weights(model: Any, name: str) -> None:
    """No damage leaves other numbers in place of those that were saved."""
    from depo.core.weights import digest

    assert digest(model) == saved_weights()[name]


def check_model(model: Any) -> None:
    import jax

    from depo.models.normaliser import Normaliser

    parts = jax.tree.leaves(model, is_leaf=lambda part: isinstance(part, Normaliser))
    for part in parts:
        if isinstance(part, Normaliser):
            assert (np.asarray(part.scale) > 0).all()
            assert part.clip >= 0
        assert all(np.isfinite(np.asarray(leaf)).all() for leaf in jax.tree.leaves(part))
    predicts = getattr(model, "predicts", None)
    if predicts is not None:
        assert sorted(set(predicts)) == sorted(predicts)
        assert 0 <= min(predicts) <= max(predicts) < len(model.normaliser.mean)


def read_planners(folder: Path) -> None:
    from depo.models.card import read_origin
    from depo.models.folder import load_planner
    from depo.runs.home import home_of

    for name in ("planner", "finite-planner"):
        planner = load_planner(folder / name)
        check_model(planner)
        check_weights(planner, name)
        repr(read_origin(folder / name))
        home_of(folder / name)


def read_skills(folder: Path) -> None:
    from depo.models.folder import load_skill
    from depo.models.skill_source import shape_settings

    for name in ("skill", "finite-skill"):
        skill = load_skill(folder / name)
        check_model(skill)
        check_weights(skill, name)
        shape_settings(str(folder / name))


def read_policies(folder: Path) -> None:
    """Shapes of what is done in a state are those of the action space; nothing is compiled."""
    import jax

    from depo.models.policy_folder import load_policy

    for name in ("policy", "finite-policy"):
        policy = load_policy(folder / name)
        check_weights(policy.model, name)
        for part in jax.tree.leaves(policy.model, is_leaf=lambda p: hasattr(p, "network")):
            check_model(part)
        repr(policy)
        assert len(policy.planned_features) <= max(1, len(policy.features))
        space, actions = policy.observations, policy.actions
        state = jax.ShapeDtypeStruct(space.shape, space.dtype)
        decided = jax.eval_shape(policy.model.mode, state).action
        assert decided.shape == actions.shape
        assert actions.count or (np.array(actions.low) <= np.array(actions.high)).all()


def make_run(folder: Path) -> None:
    """A finished run in the grid world, as far as a table of runs and a resume look at it."""
    from depo.environments.grid.gridworld import GridWorld
    from depo.runs.run import METRICS, TIMING, Run
    from depo.runs.tables import append_csv
    from tests.support.runs import cloning

    job = cloning()
    demos = GridWorld(job.environment.settings).demonstrations(2)
    with Run.create(folder / "run", job, demos) as run:
        for block in range(job.blocks + 1):
            steps = block * job.steps_per_block
            row = {"seed": 0, "env_steps": steps, "success": 0.5 * block, "skill_loss": 1e-3}
            append_csv(run.path / METRICS, [row])
            append_csv(run.path / TIMING, [{"env_steps": steps, "seconds": 1.5}])
        make_weights(folder)
        state = folder / "a.safetensors"
        run.save_checkpoint(job.blocks, lambda file: shutil.copy(state, file))
        run.mark_stopped("a whim")
    state.unlink()


def old_run(folder: Path) -> None:
    shutil.copytree(OLD / "grid-depo", folder / "run")


def read_run(folder: Path) -> None:
    """All that is said of a run without opening its environment."""
    from depo.cli.runs import row_of
    from depo.runs.run import Run, find_runs
    from depo.runs.scores import ScoreHistory

    for path in find_runs(folder):
        assert row_of(path)["run"] == str(path)
    run = Run.open(folder / "run")
    progress = run.latest()[1]
    run.check(progress)
    assert 0 <= progress.block <= run.job.blocks
    demos = run.demonstrations()
    if demos is not None:
        check_demonstrations(demos)
    for row in run.metrics():
        assert row["seed"] in run.job.seeds
    repr(run)
    values = (run.status(), run.stop_reason(), run.seconds(), run.steps_so_far(), run.differences())
    assert 0 <= values[2] < float("inf")
    ScoreHistory("", run.metrics())
    assert run.job.environment.label


def make_opened(folder: Path) -> None:
    """Runs with all that opening them needs: on finite states, and on vectors."""
    from depo.api import make_job
    from depo.runs.run import Run

    make_run(folder)
    (folder / "run").rename(folder / "finite")
    small = {"hidden": 8, "skill_hidden": 8, "random_steps": 300, "replay": 1_000}
    job = make_job("depo", env="Pendulum-v1", steps=10_000, overrides=small)
    with Run.create(folder / "vectors", job, demonstrations()):
        pass


def read_opened(folder: Path) -> None:
    """As resuming and evaluating open a run, up to where something would be compiled."""
    from depo.runs.problem import open_problem
    from depo.runs.run import Run

    for name in ("finite", "vectors"):
        run = Run.open(folder / name)
        problem = open_problem(run.job, run.demonstrations(), str(run.path))
        try:
            problem.skeleton()
        finally:
            problem.close()


@cache
def old_skeleton(name: str) -> Any:
    """Shapes of the state of a run of version 0.1, of the settings as they were."""
    from depo.runs.problem import open_problem
    from depo.runs.run import Run

    run = Run.open(OLD / name)
    problem = open_problem(run.job, run.demonstrations(), str(run.path))
    try:
        return problem.skeleton()
    finally:
        problem.close()


def make_checkpoint(folder: Path) -> None:
    """A checkpoint as this version writes it, of a run of version 0.1."""
    from depo.core.weights import save_tree
    from depo.runs.checkpoints import CHECKPOINTS
    from depo.runs.run import Run

    old_run(folder)
    run = Run.open(folder / "run")
    state, block = run.load(old_skeleton("grid-depo")), run.latest()[1].block
    shutil.rmtree(folder / "run" / CHECKPOINTS)
    run.save_checkpoint(block, lambda file: save_tree(file, state))


def read_checkpoint(folder: Path) -> None:
    import jax

    from depo.runs.run import Run

    run = Run.open(folder / "run")
    run.check(run.latest()[1])
    state = run.load(old_skeleton("grid-depo"))
    plain = [
        x for x in jax.tree.leaves(state) if not jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key)
    ]
    assert all(np.isfinite(np.asarray(leaf)).all() for leaf in plain)


def make_replay(folder: Path) -> None:
    from depo.data.replay import Replay
    from depo.data.transitions import Transitions

    generator, replay = np.random.default_rng(0), Replay(30, STATES, ACTIONS)
    for _ in range(4):
        states = generator.normal(size=(11, STATES)).astype(np.float32)
        actions = generator.uniform(-1, 1, (10, ACTIONS)).astype(np.float32)
        reward = np.ones(10, np.float32)
        replay.add(Transitions(states[:-1], actions, states[1:], reward, reward > 2))
        replay.save(folder)


def read_replay(folder: Path) -> None:
    from depo.data.replay import Replay, read_newest

    replay = Replay(30, STATES, ACTIONS)
    newest = read_newest(folder, 25, STATES, ACTIONS)
    replay.load(folder, 40)
    drawn = replay.draw(np.random.default_rng(0), (100,), 30)
    for rows in filter(None, (newest, drawn)):
        assert all(np.isfinite(column).all() for column in rows)
    assert replay.total == 40


def make_minari(folder: Path) -> None:
    from depo.data.minari_datasets import to_minari

    os.environ["MINARI_DATASETS_PATH"] = str(folder)
    to_minari(demonstrations(), "mine-v0")
    del os.environ["MINARI_DATASETS_PATH"]


def read_minari(folder: Path) -> None:
    """Parsed here, in a worker with limits as strict as the child's."""
    from depo.data import minari_datasets

    minari_datasets.in_child = child()  # type: ignore[assignment]
    check_demonstrations(minari_datasets.from_minari(folder / "mine-v0", keep_actions=True))


def logged() -> Any:
    import polars as pl

    steps = np.arange(60)
    return pl.DataFrame(
        {
            "time [ms]": steps * 10,
            "hip [deg]": (steps * 7.0) % 360,
            "pair": [[0.1 * t, -0.2 * t] for t in steps],
            "trial": ["a"] * 30 + ["b"] * 30,
        }
    )


def make_log(folder: Path) -> None:
    rows = logged().drop("pair")
    rows.write_csv(folder / "a.csv", separator=";", decimal_comma=True)
    (folder / "b.csv.gz").write_bytes(gzip.compress(rows.write_csv().encode(), mtime=0))


def read_log(folder: Path) -> None:
    for file in ("a.csv", "b.csv.gz"):
        import_recording(folder / file, episode="trial")


def import_recording(path: Path, **settings: Any) -> None:
    from depo.data.importing import foreign
    from depo.data.importing.pipeline import ImportSettings, import_files

    foreign.in_child = child()  # type: ignore[assignment]
    own = ImportSettings(shortest=2, hz=50.0, recorded_hz=100.0, **settings)
    imported = import_files([path], path.parent / "out" / "imported.npz", own)
    check_demonstrations(imported.demonstrations())
    (report,) = imported.reports
    assert report.episodes == imported.demonstrations().episodes
    report.to_dict()


def make_logged_parquet(folder: Path) -> None:
    logged().write_parquet(folder / "a.parquet")


def read_logged_parquet(folder: Path) -> None:
    import_recording(folder / "a.parquet", columns=("hip", "pair"))


def make_hdf5(folder: Path) -> None:
    import h5py

    with h5py.File(folder / "a.hdf5", "w") as file:
        for i in range(2):
            file[f"data/demo_{i}/obs/joint"] = np.linspace(0, 1, 40).reshape(20, 2)
            file[f"data/demo_{i}/obs/height"] = np.arange(20.0)


def read_hdf5(folder: Path) -> None:
    import_recording(folder / "a.hdf5")


def make_trajectory(folder: Path) -> None:
    half = np.arange(40) * 0.01
    turning = np.stack([np.cos(half), 0 * half, 0 * half, np.sin(half), half], axis=1)
    np.savez(
        folder / "a.npz",
        qpos=turning,
        qvel=np.zeros((40, 4)),
        split_points=np.array([0, 15, 40]),
        joint_names=np.array(["ball", "knee"]),
        jnt_type=np.array([1, 3]),
        frequency=np.array(100.0),
    )


def read_trajectory(folder: Path) -> None:
    import_recording(folder / "a.npz")


def make_lerobot(folder: Path) -> None:
    import polars as pl

    steps = np.arange(30)
    (folder / "meta").mkdir()
    (folder / "meta" / "info.json").write_text(
        '{"codebase_version": "v3.0", "fps": 100, "features": '
        '{"observation.state": {"dtype": "float32", "shape": [2], "names": ["pan", "lift"]}}}'
    )
    (folder / "data").mkdir()
    rows = {
        "observation.state": [[0.1 * t, 1.0] for t in steps],
        "timestamp": steps / 100,
        "episode_index": steps // 10,
    }
    pl.DataFrame(rows).write_parquet(folder / "data" / "file-000.parquet")


def read_lerobot(folder: Path) -> None:
    import_recording(folder)


def make_results(folder: Path) -> None:
    rows = "method,env_steps,seed,metric,value\nbco,384,0,success,0.5\nbco,384,0,skill_loss,0.1\n"
    (folder / "results.csv").write_text(rows)
    claim = '{"claim": "a", "expected": "bco/success/min >= 1", "measured": 0.5, "holds": false}'
    verdict = f'{{"claims": [{claim}], "settings_digest": {{}}, "runtime_seconds": {{"bco": 1.5}}}}'
    (folder / "verdict.json").write_text(verdict)


def read_results(folder: Path) -> None:
    from depo.analysis.report.page import page
    from depo.analysis.report.result_sections import results_of
    from depo.experiments.derived import kept_results
    from tests.support.runs import cloning

    kept, others = kept_results(folder, {"bco": cloning()})
    assert not set(kept) & others
    for run in kept.values():
        run.final_scores()
        assert 0 <= run.seconds() < float("inf")
    page([], judged=results_of([folder]))


KINDS = {
    kind.name: kind
    for kind in (
        Kind("demonstrations", make_demonstrations, read_demonstrations),
        Kind("scene", make_scene, read_scene),
        Kind("traffic CSV", make_csv, read_csv),
        Kind("traffic text", make_text, read_text),
        Kind("traffic Parquet", make_parquet, read_parquet, in_child=True),
        Kind("layout", make_layout, read_layout, only=("*.toml",)),
        Kind("config", make_config, read_config),
        Kind("weights", make_weights, read_weights),
        Kind("planner", only("planner", "finite-planner"), read_planners),
        Kind("skill", only("skill", "finite-skill"), read_skills),
        Kind("policy", only("policy", "finite-policy"), read_policies),
        Kind("run", make_run, read_run),
        Kind("run of 0.1", old_run, read_run, only=("*.json", "*.csv", "*.npz")),
        Kind("opened run", make_opened, read_opened, only=("settings.json", "demos.npz")),
        Kind("checkpoint", make_checkpoint, read_checkpoint, only=("checkpoints/*/*", "*.csv")),
        Kind("checkpoint of 0.1", old_run, read_checkpoint, only=("checkpoints/*/*",)),
        Kind("replay", make_replay, read_replay),
        Kind("Minari", make_minari, read_minari, in_child=True),
        Kind("log", make_log, read_log),
        Kind("logged Parquet", make_logged_parquet, read_logged_parquet, in_child=True),
        Kind("HDF5", make_hdf5, read_hdf5, in_child=True),
        Kind("trajectory", make_trajectory, read_trajectory),
        Kind("LeRobot", make_lerobot, read_lerobot, in_child=True),
        Kind("results", make_results, read_results),
    )
}
