"""Where tests sit: each beside what it tests in name, and none needs another."""

from __future__ import annotations

import ast
from pathlib import Path

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src" / "depo"
NO_BEHAVIOUR = {
    "models/scalar": "one number as a module",
}
TESTED_BY = {
    # what a command does is tested where it is done; that it is understood, by cli/test_main
    "cli/cotrain": "driving/test_family.py",
    "cli/demo": "cli/test_main.py",  # its help alone: all of it takes minutes
    "cli/evaluate": "cli/test_main.py",
    "cli/export": "cli/test_zoo.py",
    "cli/pull": "cli/test_zoo.py",
    "cli/push": "cli/test_zoo.py",
    "cli/imagine": "analysis/test_imagine.py",
    "cli/many": "experiments/test_slurm.py",
    "cli/run_table": "cli/test_runs.py",
    "cli/training_flags": "cli/test_training_form.py",
    "cli/watching": "cli/test_runs.py",
    "experiments/engines": "experiments/test_sweep.py",
    "experiments/stored_sweep": "cli/test_sweep.py",
    "cli/reachability": "analysis/test_reachability.py",
    "cli/reproduce": "experiments/test_ablation.py",
    "cli/resume": "runs/test_training.py",
    # figures are drawn by the tests of what they show
    "plotting/*": "analysis/test_imagine.py",
    # parts of one analysis
    "analysis/drives": "analysis/report/test_drives.py",
    "analysis/evaluate": "cli/test_main.py",
    "analysis/forward": "analysis/test_reachability.py",
    "analysis/imagination": "analysis/test_imagine.py",
    "analysis/imagined_drives": "cli/test_render.py",
    "analysis/imagined_walks": "analysis/test_imagine.py",
    "analysis/reach_on_grid": "analysis/test_reachability.py",
    "analysis/reach_on_vectors": "analysis/test_reachability.py",
    "analysis/reach_report": "analysis/test_reachability.py",
    "analysis/policies": "zoo/test_entries.py",
    "analysis/region": "analysis/test_reachability.py",
    # parts of one page
    "analysis/report/claims": "analysis/report/test_page.py",
    "analysis/report/charts": "analysis/report/test_page.py",
    "analysis/report/contents": "analysis/report/test_page.py",
    "analysis/report/markup": "analysis/report/test_page.py",
    "analysis/report/result_sections": "analysis/report/test_page.py",
    "analysis/report/sections": "analysis/report/test_page.py",
    "analysis/recordings/comparison": "analysis/recordings/test_check.py",
    "analysis/recordings/findings": "analysis/recordings/test_check.py",
    "analysis/recordings/motion": "analysis/recordings/test_check.py",
    "analysis/recordings/moves": "analysis/recordings/test_check.py",
    "analysis/recordings/named": "analysis/recordings/test_check.py",
    # an exported folder, and what is shared, is looked at as a whole
    "export/loop": "export/test_policy_export.py",
    "export/onnx_graph": "export/test_policy_export.py",
    "models/plain_model": "models/test_plain.py",
    "models/shapes": "models/test_card.py",
    "sharing/places": "sharing/test_transport.py",
    "environments/sizes": "environments/test_gymnasium_environment.py",
    "environments/vector_stepper": "environments/test_gymnasium_environment.py",
    # used by everything
    "core/annotations": "core/test_codec.py",
    "core/errors": "cli/test_main.py",
    "core/metric": "core/test_metrics.py",
    "core/score_metrics": "core/test_metric_names.py",
    "core/training_metrics": "core/test_metric_names.py",
    "data/checked_arrays": "data/test_demonstrations.py",
    "data/minari_format": "data/test_minari_datasets.py",
    "data/shipped": "data/test_demonstrations.py",
    # parts of reading recordings
    "data/importing/array_episodes": "data/importing/test_archives.py",
    "data/importing/formats": "data/importing/test_sources.py",
    "data/importing/hdf5_files": "data/importing/test_foreign.py",
    "data/importing/arrays": "data/importing/test_archives.py",
    "data/importing/clock": "data/importing/test_text.py",
    "data/importing/dialect": "data/importing/test_text.py",
    "data/importing/file_import": "data/importing/test_archives.py",
    "data/importing/hdf5": "data/importing/test_foreign.py",
    "data/importing/locomujoco": "data/importing/test_archives.py",
    "data/importing/memory": "data/importing/test_archives.py",
    "data/importing/parquet": "data/importing/test_foreign.py",
    "data/importing/plan": "data/importing/test_archives.py",
    "data/importing/report": "data/importing/test_archives.py",
    "data/importing/table": "data/importing/test_foreign.py",
    "data/importing/writing": "data/importing/test_archives.py",
    "data/transitions": "data/test_replay.py",
    # reading of traffic is one pipeline
    "driving/traffic/layout": "driving/traffic/test_reading.py",
    "driving/traffic/outcomes": "driving/traffic/test_overlaps.py",
    "driving/traffic/packing": "driving/traffic/test_recording.py",
    "driving/traffic/placing": "driving/traffic/test_reading.py",
    "driving/traffic/repair": "driving/traffic/test_reading.py",
    "driving/traffic/road": "driving/test_vehicles.py",
    "driving/traffic/scenes": "driving/traffic/test_preparation.py",
    "driving/traffic/simulation": "driving/traffic/test_generation.py",
    "driving/traffic/table": "driving/traffic/test_reading.py",
    "driving/traffic/text": "driving/traffic/test_reading.py",
    # what drives, and how it is scored, is tested by whole drives
    "driving/drivers": "driving/test_scores.py",
    "driving/imagination": "cli/test_render.py",
    "driving/opening": "driving/test_scores.py",
    "driving/rendering": "cli/test_render.py",
    "evaluation/densities": "driving/test_scores.py",
    "evaluation/rollouts": "runs/test_run.py",
    "experiments/grid": "experiments/test_experiment.py",
    "experiments/reference": "experiments/test_continuous.py",
    "experiments/reinforcement": "experiments/test_registry.py",
    "experiments/table1_rows": "experiments/test_table1.py",
    # environments and learners are tested by training in them, and with them
    "environments/by_name": "environments/test_family.py",
    "environments/grid/family": "environments/test_family.py",
    "environments/gymnasium_family": "environments/test_family.py",
    "environments/jax_environment": "driving/test_jax_environment.py",
    "environments/mujoco_states": "analysis/test_video.py",
    "environments/names": "environments/test_given.py",
    "environments/tabular": "environments/grid/test_table.py",
    "learners/factory": "learners/test_cotraining.py",
    "learners/gymnasium_on_policy": "runs/test_training.py",
    "learners/learner": "learners/test_off_policy.py",
    "learners/refit": "learners/test_off_policy.py",
    # methods for finite states learn one after the other in the same world
    "methods/bco/method": "learners/test_on_policy.py",
    "methods/bco/on_policy": "learners/test_on_policy.py",
    "methods/for_environment": "methods/pid_gail/test_off_policy.py",
    "methods/gaifo/on_policy": "learners/test_on_policy.py",
    "methods/method": "learners/test_on_policy.py",
    "methods/on_policy/method": "learners/test_on_policy.py",
    "methods/ppo/on_policy": "learners/test_on_policy.py",
    "methods/supervised/method": "learners/test_on_policy.py",
    "methods/supervised/on_policy": "learners/test_on_policy.py",
    "methods/transfer/frozen": "learners/test_on_policy.py",
    "methods/transfer/on_policy": "learners/test_on_policy.py",
    "methods/bco/off_policy": "learners/test_off_policy.py",
    "methods/gaifo/off_policy": "learners/test_off_policy.py",
    "methods/gaifo/adversarial": "methods/gail/test_off_policy.py",
    "methods/off_policy/joint": "learners/test_cotraining.py",
    "methods/off_policy/presets": "methods/test_presets.py",
    "methods/off_policy/settings/*": "runs/test_job.py",
    "methods/off_policy/steps/actor": "methods/bc/test_off_policy.py",
    "methods/off_policy/steps/critics": "learners/test_off_policy.py",
    "methods/off_policy/steps/discriminator": "methods/off_policy/steps/test_reward.py",
    "methods/off_policy/steps/gradient": "learners/test_off_policy.py",
    "methods/off_policy/steps/planner": "learners/test_off_policy.py",
    "methods/off_policy/steps/skill": "learners/test_off_policy.py",
    "methods/on_policy/presets": "methods/test_presets.py",
    "methods/on_policy/settings": "runs/test_job.py",
    "methods/setting_docs": "methods/test_settings_tree.py",
    "methods/tasks": "methods/test_presets.py",
    "runs/checkpoints": "runs/test_progress.py",
    "runs/problem": "runs/test_run.py",
    "runs/settings_file": "runs/test_run.py",
    "runs/trying": "runs/test_strange_methods.py",
    "losses/distal_skill": "methods/transfer/test_off_policy.py",
    "models/critic": "learners/test_off_policy.py",
    "models/discriminator": "losses/test_discriminator.py",
    "models/forward": "analysis/test_reachability.py",
    "models/mlp": "models/test_planner.py",
    "theory/finite_mdp": "theory/test_occupancy.py",
}
"""Modules without a test of their name, and the test that runs them; the shorter, the better."""
WHOLE = {"golden", "fixtures", "faults", "hostile"}
"""Folders of tests of the whole package, as are the files beside this one."""
OF_MANY = {
    "runs/test_watched.py": "trainings from Python show progress",
    "runs/test_strange_methods.py": "methods of other packages, and their mistakes",
    "runs/test_steps.py": "the steps that are asked for are taken, and no more",
    "experiments/test_ray.py": "sweeps on a cluster of three nodes",
    "analysis/report/test_in_a_browser.py": "the page with its scripts, in Chromium",
    "data/importing/test_layouts.py": "files as other projects lay them out",
    "environments/test_factories.py": "functions that make an environment, from training to export",
    "core/test_metric_names.py": "every metric that is written is in the catalogue",
    "methods/transfer/test_trunk.py": "new skills on the trunk of old ones, from job to first step",
    "methods/off_policy/test_arrivals.py": "an expert who arrives, from recordings to exact resume",
    "methods/off_policy/test_discrete.py": "every off-policy method with discrete actions",
    "methods/test_every_setting_matters.py": "a setting of any method changes something",
}


def imported(file: Path) -> set[str]:
    """The names of all modules that a file imports, wherever in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def test_no_test_imports_another() -> None:
    """What tests share is in ``tests/support``, so that a test can be read, moved and run alone."""
    for file in sorted(TESTS.rglob("*.py")):
        others = {name for name in imported(file) if ".test_" in f".{name}"}
        assert not others, f"{file.relative_to(TESTS)} imports {sorted(others)}: use tests.support"


def modules() -> list[Path]:
    """Modules of the package, as paths below ``src/depo``."""
    found = [file.relative_to(SOURCE) for file in sorted(SOURCE.rglob("*.py"))]
    return [path for path in found if path.stem[:2] != "__"]


def beside(module: Path) -> Path:
    """Where a module's tests sit: ``losses/value.py`` has ``losses/test_value.py``."""
    return module.parent / f"test_{module.name}"


def test_every_module_has_a_test_of_its_name_or_one_that_is_listed() -> None:
    for module in modules():
        name, own = module.with_suffix("").as_posix(), (TESTS / beside(module)).exists()
        elsewhere = TESTED_BY.get(name, "") or TESTED_BY.get(f"{module.parent.as_posix()}/*", "")
        assert own or elsewhere or name in NO_BEHAVIOUR, (
            f"{name}.py has no tests/{beside(module)}: write it, or say in TESTED_BY who tests it"
        )
        assert not (own and name in TESTED_BY), f"{name} has a test of its own now: not TESTED_BY"


def test_the_lists_name_what_is_there() -> None:
    known = {module.with_suffix("").as_posix() for module in modules()}
    listed = {name for name in (*TESTED_BY, *NO_BEHAVIOUR) if not name.endswith("/*")}
    assert not listed - known, f"no such module: {sorted(listed - known)}"
    missing = {test for test in TESTED_BY.values() if not (TESTS / test).exists()}
    assert not missing, f"no such test: {sorted(missing)}"


def test_every_test_has_the_name_of_a_module() -> None:
    names = {beside(module) for module in modules()}
    for file in sorted(TESTS.rglob("test_*.py")):
        path = file.relative_to(TESTS)
        if len(path.parts) == 1 or path.parts[0] in WHOLE:
            continue
        known = path in names or path.as_posix() in OF_MANY
        assert known, f"tests/{path} is named after no module: rename it, or list it in OF_MANY"
