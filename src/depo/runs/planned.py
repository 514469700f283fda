"""Which features of a state a planner plans."""

from __future__ import annotations

from collections.abc import Sequence

from depo.environments.host import HostEnvironment
from depo.environments.poses import Poses
from depo.errors import unknown
from depo.runs.planners import is_nameless
from depo.settings.off_policy import OffPolicySettings, SkillSettings, SkillTransfer

MOTORS = "motors"
"""The word for the velocities of all joints that a motor drives."""


def planned_features(
    settings: OffPolicySettings, environment: HostEnvironment, names: Sequence[str], states: int
) -> tuple[int, ...]:
    """The numbers of the features that settings say are planned, by name, number or MOTORS.

    >>> from depo.settings.off_policy import DePO
    >>> names = ("x", "y", "vx", "vy")
    >>> planned_features(DePO(plans="vx, 3"), HostEnvironment("Mine-v0"), names, 4)
    (2, 3)
    """
    wanted = settings.plans if isinstance(settings, SkillSettings) else ""
    if not wanted or isinstance(settings, SkillTransfer):  # a planner that is given knows its own
        return tuple(range(states))
    joints = Poses.names(environment, states) if is_nameless(names) else None
    numbers = [str(i) for i in range(states)]
    driven = Poses.motors(environment, states)
    known = {MOTORS: driven} if driven else {}
    known |= {name: (i,) for said in (joints or (), names, numbers) for i, name in enumerate(said)}
    chosen = [word.strip() for word in wanted.split(",")]
    for word in chosen:
        if word not in known:
            offered = [*(joints or names or numbers), *([MOTORS] if driven else [])]
            raise unknown("feature to plan", word, offered)
    return tuple(sorted({number for word in chosen for number in known[word]}))
