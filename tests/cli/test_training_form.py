"""From flags and files to a job."""

from __future__ import annotations

from pathlib import Path

import pytest

from depo.cli.training_form import parse_job
from depo.core.errors import DepoError
from depo.methods.settings_tree import flat_values
from tests.support import reach


def job_of(method: str, *flags: str, **more: object):
    return parse_job(method, list(flags), "depo", "", **more).job  # type: ignore[arg-type]


def written(folder: Path, text: str) -> str:
    (folder / "mine.toml").write_text(text)
    return str(folder / "mine.toml")


def test_an_explicit_flag_beats_the_preset() -> None:
    flags = ["--preset", "paper", "--calibration", "0.7", "--k", "2", "--walls", "1,1", "2,2:2,3"]
    job = job_of("depo", *flags)
    assert job.settings.calibration.weight == 0.7
    assert job.settings.gradient == "straight-through"
    assert job.environment.settings.k == 2
    assert job.environment.settings.walls == ("1,1", "2,2:2,3")
    plain = job_of("depo", "--preset=paper")
    assert plain.settings.calibration.weight == 1.0
    assert plain.preset == "paper"


def test_of_a_repeated_flag_the_last_counts() -> None:
    flags = ["--env", "gridworld", "--env", "FrozenLake-v1", "--preset=fast", "--preset", "paper"]
    job = job_of("depo", *flags)
    assert job.environment.family == "gymnasium"
    assert (job.preset, job.settings.calibration.weight) == ("paper", 1.0)


def test_seeds_are_counted_from_the_first() -> None:
    assert job_of("bco", "--seed", "3", "--seeds", "2").seeds == (3, 4)


def test_arguments_of_an_environment_are_json() -> None:
    flags = ["--env", "FrozenLake-v1", "--env-args", "map_name=8x8", "is_slippery=false"]
    job = job_of("bco", *flags)
    assert dict(job.environment.settings.arguments) == {"map_name": "8x8", "is_slippery": False}


def test_what_is_observed_decides_what_flags_there_are() -> None:
    """A picture has no learner, what a function makes of it has one."""
    flags = ["--env", f"{reach.__name__}:Pictures", "--steps", "6000"]
    job = job_of("sac", *flags, "--observe", f"{reach.__name__}:brightness")
    assert job.learner == "off-policy"
    assert job.wants == (f"{reach.__name__}:Pictures", f"{reach.__name__}:brightness")
    with pytest.raises(DepoError, match="shows pictures"):
        job_of("sac", *flags)
    with pytest.raises(DepoError, match="observe"):
        job_of("bco", "--observe", "x")


def test_a_file_that_names_what_observes_imports_nothing(tmp_path: Path) -> None:
    file = written(tmp_path, 'observe = "evil:eye"\n')
    with pytest.raises(DepoError, match=r"names the module 'evil' .* --observe evil:eye yourself"):
        job_of("sac", "--env", "Pendulum-v1", "--config", file)


def test_flags_may_have_underscores_and_switches_either_way() -> None:
    job = job_of("depo", "--env", "hopper", "--skill_rate=0.5", "--skill-memory", "--standardise")
    assert job.settings.skill.rate == 0.5
    assert job.settings.skill.memory
    assert job_of("depo", "--env", "hopper", "--no-skill-memory").settings.skill.memory is False


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        ("depo --env hopper --epsilon-every 5", "epsilon is 0"),
        ("depo --env hopper --refit-every 5", "skill_schedule is not 'refit'"),
        ("depo --env driving --skill-rate 1e-3", "the skill is a formula"),
        ("depo --env hopper --k 2", "it is for --env gridworld"),
        ("depo --unfreeze-after 100", "others have: transfer"),
        ("depo --variants 1,2", "it is for 'depo cotrain'"),
        ("sac --env hopper --skill-rate 1e-3", "sac with the off-policy learner has no such"),
        ("sac --env hopper --skill some-folder", "sac has no skill of its own"),
        ("bco --env hopper --noise 0.1", "its skill only labels"),
        ("depo --skil-rate 1", "did you mean '(--skill-rate|skill_rate)'"),
    ],
)
def test_what_has_no_effect_is_refused_with_the_reason(
    flags: str, reason: str, tmp_path: Path
) -> None:
    method, *words = flags.split()
    with pytest.raises(DepoError, match=reason):
        job_of(method, *words)
    *others, flag, value = words  # the same in a file
    name = flag.removeprefix("--").replace("-", "_")
    text = value if value.replace(".", "").replace("e-", "").isdecimal() else f'"{value}"'
    file = written(tmp_path, f"{name} = {text}")
    with pytest.raises(DepoError, match=reason):
        job_of(method, *others, "--config", file)


def test_what_variants_replace_is_refused() -> None:
    with pytest.raises(DepoError, match="k has no effect here: every variant has its own"):
        job_of("depo", "--variants", "1,2", "--k", "4", cotrains=True)
    driving = ["--env", "driving", "--variants", "normal,inverse", "--env-args"]
    with pytest.raises(DepoError, match="env_args has no effect here"):
        job_of("depo", *driving, "vehicle=truck", cotrains=True)
    job = job_of("depo", *driving, "vehicle=truck", "neighbours=gaps", cotrains=True)
    assert job.environment.settings.neighbours == "gaps"


def test_a_file_lies_between_preset_and_flags(tmp_path: Path) -> None:
    text = """
        seeds = 3
        [what]
        preset = "paper"
        env = "half-cheetah"
        [skill]
        skill_rate = 1
        skill_memory = true
        [exploration]
        noise = 0.5
    """
    file = written(tmp_path, text)
    job = job_of("depo", "--config", file, "--noise", "0.25")
    assert job.environment.id == "HalfCheetah-v5"
    assert job.seeds == (0, 1, 2)
    assert job.settings.discriminator.gradient_penalty == 0.5  # the preset's, for this task
    assert (job.settings.skill.rate, job.settings.skill.memory) == (1.0, True)
    assert isinstance(job.settings.skill.rate, float)
    assert flat_values(job.settings)["noise"] == 0.25
    assert not job_of("depo", f"--config={file}", "--no-skill-memory").settings.skill.memory
    assert job_of("depo", "--config", file, "--env", "hopper").environment.id == "Hopper-v5"


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("skil_rate = 1.0", "did you mean 'skill_rate'"),
        ("skill_rate = 'much'", "mine.toml: .*skill_rate 'much' is not a finite number"),
        ("seeds = true", "mine.toml: seeds True is not a whole number"),
        ("env = 3", "mine.toml: env 3 is not a text"),
        ("preset = 'fats'", "did you mean 'fast'"),
        ("hidden = 0", "hidden 0 is not positive"),
        ("config = 'other.toml'", "names a file in a file"),
        ("hidden = 8\n[planner]\nhidden = 9", "'hidden' is there twice"),
        ("k = 2\nwalls = '1,1'", "mine.toml: walls '1,1' is not"),
    ],
)
def test_a_file_is_checked_as_flags_are(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(DepoError, match=message):
        job_of("depo", "--config", written(tmp_path, text))


def test_a_part_that_is_switched_on_brings_its_settings(tmp_path: Path) -> None:
    flags = ["--env", "hopper", "--demos", "hopper", "--steps", "30000"]
    by_flags = [*flags, "--unfreeze-after", "20000", "--planner-rate", "0.5"]
    job = job_of("transfer", *by_flags, planner="somewhere")
    assert job.settings.fine_tuning.unfreeze_after == 20_000
    file = written(tmp_path, "unfreeze_after = 20_000\nplanner_rate = 0.5")
    assert job_of("transfer", *flags, "--config", file, planner="somewhere") == job
    file = written(tmp_path, "planner_rate = 0.5")
    given = [*flags, "--config", file, "--unfreeze-after", "20000"]
    assert job_of("transfer", *given, planner="somewhere") == job
