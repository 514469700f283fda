"""Which features of a state a planner plans."""

from __future__ import annotations

from collections.abc import Sequence

from depo.core.errors import DepoError, unknown
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.environments.mujoco_states import MujocoStates
from depo.methods.off_policy.settings import Features
from depo.methods.settings_tree import MethodSettings
from depo.runs.planners import is_nameless

MOTORS = "motors"
"""The word for the velocities of all joints that a motor drives."""


def planned_features(
    settings: MethodSettings,
    environment: GymnasiumEnvironment,
    names: Sequence[str],
    states: int,
) -> tuple[int, ...]:
    """The numbers of the features that settings say are planned, by name, number or MOTORS; where
    they say nothing, all but an episode's goal.

    >>> from depo.methods.depo import OffPolicyDePO
    >>> settings = OffPolicyDePO(features=Features(plans="vx, 3"))
    >>> names = ("x", "y", "vx", "vy")
    >>> planned_features(settings, GymnasiumEnvironment("Mine-v0"), names, 4)
    (2, 3)
    """
    part: Features | None = getattr(settings, "features", None)
    wanted = "" if part is None else part.plans  # a planner that is given knows its own
    if not wanted:
        goal = environment.goal_features()
        if len(goal) == states:
            raise DepoError(
                f"environment '{environment.id}' shows nothing but the goal of an episode: there "
                "is nothing to plan; name more keys by --observe"
            )
        return tuple(i for i in range(states) if i not in goal)
    joints = MujocoStates.names(environment, states) if is_nameless(names) else None
    numbers = [str(i) for i in range(states)]
    driven = MujocoStates.motors(environment, states)
    known = {MOTORS: driven} if driven else {}
    known |= {name: (i,) for said in (joints or (), names, numbers) for i, name in enumerate(said)}
    chosen = [word.strip() for word in wanted.split(",")]
    for word in chosen:
        if word not in known:
            offered = [*(joints or names or numbers), *([MOTORS] if driven else [])]
            raise unknown("feature to plan", word, offered)
    return tuple(sorted({number for word in chosen for number in known[word]}))
