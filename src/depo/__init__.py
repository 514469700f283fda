"""depo: transferable imitation from states alone.

Learn a **planner** h(s'|s), where would the expert go next, and a **skill** I(a|s,s'), which
action gets me there, from recordings of states; run them as one policy; keep the planner and
carry it to other action spaces. This page is the table of contents:

| to                                     | call                                               |
| -------------------------------------- | -------------------------------------------------- |
| read recordings                        | ``load_demonstrations``, ``Demonstrations``        |
| see whether recordings fit             | ``check_demonstrations``                           |
| make such of CSV, Parquet, HDF5, …     | ``import_recordings``                              |
| read recordings of traffic             | ``load_scene``, ``read_recordings``, ``Recording`` |
| train a method                         | ``train``                                          |
| one planner with several vehicles      | ``cotrain``                                        |
| carry a planner to other actions       | ``transfer``                                       |
| go on with a stopped run, open a run   | ``resume``, ``Run``                                |
| follow a run and stop it               | ``Callback``, ``Evaluation``, ``Call``,            |
|                                        | ``StopAtScore``, ``StopWhenNothingImproves``,      |
|                                        | ``Track``                                          |
| score a run                            | ``evaluate``                                       |
| act with what was learned              | ``load_policy``, ``Policy``                        |
| act where there is no depo             | ``export_policy``                                  |
| record what a run does                 | ``record``                                         |
| see what a planner imagines            | ``imagine``                                        |
| see whether plans are reached          | ``reachability``                                   |
| use what was learned elsewhere         | ``load_planner``, ``load_skill``, ``load_reward``  |
| build by hand                          | ``CategoricalPlanner``, ``GaussianPlanner``,       |
|                                        | ``CategoricalSkill``, ``VectorSkill``,             |
|                                        | ``DiscreteSkill``, ``AnalyticSkill``,              |
|                                        | ``DecoupledPolicy``, ``Normaliser``                |
| hand models over                       | ``pull``, ``push``                                 |
| save what was built                    | ``save_planner``, ``save_skill``, ``save_policy``, |
|                                        | ``save_reward``                                    |
| catch what a user can mend             | ``DepoError``                                      |

Importing depo registers its environments with Gymnasium (``depo/GridWorld-v0``); JAX is loaded
only when something that computes is first used.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if sys.platform == "win32":
    raise ImportError("depo runs on Linux and macOS: on Windows, install it inside WSL")

import depo.driving.family
import depo.environments.grid.family
import depo.environments.gymnasium_family  # noqa: F401  each registers its family, and its ids
from depo.driving.rendering import use_renderer

if TYPE_CHECKING:
    from depo.analysis.evaluate import evaluate
    from depo.analysis.imagine import imagine
    from depo.analysis.reachability import reachability
    from depo.analysis.record import record
    from depo.analysis.recordings.check import check_demonstrations
    from depo.api import cotrain, resume, train, transfer
    from depo.core.errors import DepoError
    from depo.data.demonstrations import Demonstrations
    from depo.data.shipped import load_demonstrations
    from depo.driving.traffic.reading import read_recordings
    from depo.driving.traffic.recording import Recording
    from depo.driving.traffic.scenes import load_scene
    from depo.environments.recordings import import_recordings
    from depo.export.policy_export import export_policy
    from depo.models.acting import Policy
    from depo.models.folder import (
        load_planner,
        load_reward,
        load_skill,
        save_planner,
        save_reward,
        save_skill,
    )
    from depo.models.normaliser import Normaliser
    from depo.models.planner import CategoricalPlanner, GaussianPlanner
    from depo.models.policy import DecoupledPolicy
    from depo.models.policy_folder import load_policy, save_policy
    from depo.models.skill import AnalyticSkill, CategoricalSkill, DiscreteSkill, VectorSkill
    from depo.runs.callbacks import (
        Call,
        Callback,
        Evaluation,
        StopAtScore,
        StopWhenNothingImproves,
    )
    from depo.runs.run import Run
    from depo.runs.tracking import Track
    from depo.sharing.transport import pull, push

_HOME = {
    "train": "depo.api",
    "cotrain": "depo.api",
    "transfer": "depo.api",
    "resume": "depo.api",
    "evaluate": "depo.analysis.evaluate",
    "imagine": "depo.analysis.imagine",
    "reachability": "depo.analysis.reachability",
    "record": "depo.analysis.record",
    "check_demonstrations": "depo.analysis.recordings.check",
    "load_demonstrations": "depo.data.shipped",
    "Demonstrations": "depo.data.demonstrations",
    "import_recordings": "depo.environments.recordings",
    "Run": "depo.runs.run",
    "Callback": "depo.runs.callbacks",
    "Call": "depo.runs.callbacks",
    "Evaluation": "depo.runs.callbacks",
    "StopAtScore": "depo.runs.callbacks",
    "StopWhenNothingImproves": "depo.runs.callbacks",
    "Track": "depo.runs.tracking",
    "export_policy": "depo.export.policy_export",
    "pull": "depo.sharing.transport",
    "push": "depo.sharing.transport",
    "load_planner": "depo.models.folder",
    "load_reward": "depo.models.folder",
    "load_skill": "depo.models.folder",
    "Policy": "depo.models.acting",
    "load_policy": "depo.models.policy_folder",
    "save_policy": "depo.models.policy_folder",
    "save_planner": "depo.models.folder",
    "save_reward": "depo.models.folder",
    "save_skill": "depo.models.folder",
    "CategoricalPlanner": "depo.models.planner",
    "GaussianPlanner": "depo.models.planner",
    "CategoricalSkill": "depo.models.skill",
    "VectorSkill": "depo.models.skill",
    "DiscreteSkill": "depo.models.skill",
    "AnalyticSkill": "depo.models.skill",
    "Normaliser": "depo.models.normaliser",
    "DecoupledPolicy": "depo.models.policy",
    "DepoError": "depo.core.errors",
    "Recording": "depo.driving.traffic.recording",
    "load_scene": "depo.driving.traffic.scenes",
    "read_recordings": "depo.driving.traffic.reading",
}

__all__ = [
    "AnalyticSkill",
    "Call",
    "Callback",
    "CategoricalPlanner",
    "CategoricalSkill",
    "DecoupledPolicy",
    "Demonstrations",
    "DepoError",
    "DiscreteSkill",
    "Evaluation",
    "GaussianPlanner",
    "Normaliser",
    "Policy",
    "Recording",
    "Run",
    "StopAtScore",
    "StopWhenNothingImproves",
    "Track",
    "VectorSkill",
    "check_demonstrations",
    "cotrain",
    "evaluate",
    "export_policy",
    "imagine",
    "import_recordings",
    "load_demonstrations",
    "load_planner",
    "load_policy",
    "load_reward",
    "load_scene",
    "load_skill",
    "pull",
    "push",
    "reachability",
    "read_recordings",
    "record",
    "resume",
    "save_planner",
    "save_policy",
    "save_reward",
    "save_skill",
    "train",
    "transfer",
]


def _draw_road(environment: Any, ego: Any, path: Any) -> Any:
    """Matplotlib is loaded when something is first drawn."""
    from depo.plotting.road import View, picture

    return picture(environment, View(ego, path))


use_renderer(_draw_road)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'depo' has no attribute '{name}'")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
