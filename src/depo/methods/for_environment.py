"""What an environment decides of a method: which learner it needs, and a skill that is known."""

from __future__ import annotations

import dataclasses

from depo.core.errors import DepoError
from depo.environments.family import EnvironmentSettings, family_of
from depo.methods.registry import OFF_POLICY, ON_POLICY, LearnerName, find_method
from depo.models.skill_source import is_formula

LEARNED = "learned"
"""The skill that is asked for where a formula is known and not wanted."""


def known_skill(method: str, environment: EnvironmentSettings, skill: str) -> str:
    """The skill asked for; where it is known as a formula, that one unless 'learned'.

    >>> from depo.environments.by_name import named_environment
    >>> known_skill("depo", named_environment("driving"), "")
    'depo.driving.skill:normal'
    """
    spec = find_method(method)
    if skill and not spec.has_skill:
        raise DepoError(f"skill has no effect here: {method} has no skill of its own")
    if spec.needs_controllers and not is_formula(skill):
        return _controllers(method, environment, skill)
    if skill == LEARNED:
        return ""
    if skill or spec.takes_planner or not spec.has_skill:
        return skill
    return family_of(environment).formula(environment)


def _controllers(method: str, environment: EnvironmentSettings, skill: str) -> str:
    """Those of the family, for a method that cannot do without."""
    own = "" if skill else family_of(environment).controllers(environment)
    if not own:
        raise DepoError(
            f"{method} has its decisions executed by controllers made by hand, not by "
            f"'{skill or 'a skill that is learned'}': give --skill module:function for "
            f"{environment.label}"
        )
    return own


def learner_for(environment: EnvironmentSettings) -> LearnerName:
    """The learner an environment needs, told by its spaces."""
    plain = dataclasses.replace(environment, dynamics="")  # which finite states refuse
    return ON_POLICY if family_of(plain).is_finite(plain) else OFF_POLICY
