"""A setting that is given and would do nothing is refused with the reason."""

from __future__ import annotations

import pytest

from depo.api import make_job
from depo.cli.training_form import parse_job
from depo.core.errors import DepoError
from depo.methods.ineffective import ineffective
from depo.methods.registry import methods
from depo.methods.settings_tree import Facts, every_name

FORMULA = "depo.driving.skill:normal"


@pytest.mark.parametrize(
    ("method", "arguments", "overrides", "reason"),
    [
        ("depo", {"env": "driving"}, {"skill_rate": 0.1}, "the skill is a formula"),
        ("depo", {"env": "hopper"}, {"refit_every": 5}, "skill_schedule is not 'refit'"),
        ("depo", {"env": "hopper"}, {"first_fit_passes": 5}, "skill_schedule is not 'refit'"),
        (
            "depo",
            {"env": "hopper"},
            {"absorbing_logit": 2.0, "termination": "zero"},
            "termination is not 'absorbing'",
        ),
        ("sac", {"env": "hopper"}, {"epsilon_decay": 0.5}, "epsilon is 0"),
        ("bco", {"env": "hopper"}, {"noise": 0.5}, "its skill only labels"),
        ("bco", {"env": "hopper"}, {"gamma": 0.5}, "learns from no return"),
        ("depo-agnostic", {}, {"demo_batch": 5}, "no demonstrated plan"),
        ("depo-rl", {"env": "hopper"}, {"demo_episodes": 2}, "give --demos too"),
        ("transfer", {"env": "hopper"}, {"gradient_penalty": 2.0}, "belongs to unfreeze_after"),
        ("transfer", {"env": "hopper"}, {"plans": "0"}, "brings its own"),
        ("transfer", {"env": "hopper"}, {"output_penalty": 0.1}, "is not fine-tuned"),
        (
            "transfer",
            {"env": "driving", "skill": FORMULA, "steps": 0},
            {"random_steps": 7},
            "learns nothing",
        ),
    ],
)
def test_it_is_refused_with_the_reason(
    method: str, arguments: dict, overrides: dict, reason: str
) -> None:
    with pytest.raises(DepoError, match="has no effect here") as refused:
        make_job(method, overrides=overrides, **arguments)
    assert reason in str(refused.value)


def test_flags_are_refused_alike_and_a_preset_is_not() -> None:
    flags = ["--env", "hopper", "--refit-every", "5"]
    with pytest.raises(DepoError, match="refit_every has no effect here"):
        parse_job("depo", flags, "depo", "")
    with pytest.raises(DepoError, match="critic_rate has no effect here: it belongs to"):
        parse_job("transfer", ["--env", "hopper", "--critic-rate", "1"], "depo", "")
    job = parse_job("depo", [*flags, "--preset", "paper"], "depo", "").job
    assert job.settings.skill.refits.every == 5
    tuned = ["--env", "hopper", "--demos", "hopper", "--unfreeze-after", "90", "--critic-rate", "1"]
    job = parse_job("transfer", tuned, "depo", "").job
    assert job.settings.fine_tuning.critic.rate == 1.0
    assert make_job("transfer", env="hopper", preset="paper").settings.fine_tuning is None


def test_rules_speak_of_settings_that_there_are() -> None:
    for spec in methods().values():
        for own in spec.implementations.values():
            settings = own.settings()
            rules = [rule for part in _parts(settings) for rule in part.rules]
            named = {name for rule in rules for name in rule.names}
            assert named <= every_name(own.settings) | {"absorbing_logit"}, spec.name
            assert set(ineffective(settings, Facts())) <= named


def _parts(part):
    yield part
    for value in vars(part).values():
        if hasattr(value, "rules"):
            yield from _parts(value)
