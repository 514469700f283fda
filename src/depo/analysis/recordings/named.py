"""What features are called, by the recording and by the environment."""

from __future__ import annotations

from collections.abc import Sequence

from depo.analysis.recordings.findings import Finding
from depo.data.demonstrations import Demonstrations
from depo.environments.gymnasium_environment import GymnasiumEnvironment
from depo.environments.mujoco_states import MujocoStates
from depo.runs.planners import is_nameless


def environment_names(environment: GymnasiumEnvironment, states: int) -> tuple[str, ...]:
    """By its metadata, or by the joints of MuJoCo's model; none where nobody says."""
    said = environment.feature_names()
    return said or MujocoStates.names(environment, states) or ()


def shown_names(demos: Demonstrations, known: Sequence[str]) -> tuple[str, ...]:
    """What to call features in a sentence: as the recording does, else as the environment."""
    return (
        demos.feature_names
        if not is_nameless(demos.feature_names)
        else tuple(known) or (demos.feature_names)
    )


def find_names(own: Sequence[str], known: Sequence[str]) -> list[Finding]:
    """The environment's names in another order.

    >>> find_names(["v", "x"], ["x", "v"])[0].features
    (0, 1)
    >>> find_names(["x", "v"], ["position", "velocity"])
    []
    """
    mine, theirs = ([name.strip().lower() for name in names] for names in (own, known))
    if mine == theirs or sorted(mine) != sorted(theirs):
        return []
    moved = [i for i, (one, other) in enumerate(zip(mine, theirs, strict=True)) if one != other]
    first = moved[0]
    return [
        Finding(
            "names",
            f"feature {first} is '{own[first]}' in the recording and '{known[first]}' in the "
            f"environment, which has the same names in another order ({len(moved)} of {len(own)} "
            "differ): put the columns in the environment's order",
            tuple(moved),
        )
    ]
