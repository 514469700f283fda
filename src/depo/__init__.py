"""depo: transferable imitation from states alone.

Learn a **planner** h(s'|s), where would the expert go next, and a **skill** I(a|s,s'), which
action gets me there, from recordings of states; run them as one policy; keep the planner and
carry it to other action spaces. This page is the table of contents:

| to                                     | call                                               |
| -------------------------------------- | -------------------------------------------------- |
| read recordings                        | ``load_demonstrations``, ``Demonstrations``        |
| read recordings of traffic             | ``load_scene``, ``read_recordings``, ``Recording`` |
| train a method                         | ``train``                                          |
| one planner with several vehicles      | ``cotrain``                                        |
| carry a planner to other actions       | ``transfer``                                       |
| go on with a stopped run, open a run   | ``resume``, ``Run``                                |
| score a run                            | ``evaluate``                                       |
| see what a planner imagines            | ``imagine``                                        |
| see whether plans are reached          | ``reachability``                                   |
| use what was learned elsewhere         | ``load_planner``, ``load_skill``                   |
| build by hand                          | ``CategoricalPlanner``, ``GaussianPlanner``,       |
|                                        | ``CategoricalSkill``, ``VectorSkill``,             |
|                                        | ``AnalyticSkill``, ``DecoupledPolicy``             |
| save what was built                    | ``save_planner``, ``save_skill``                   |
| catch what a user can mend             | ``DepoError``                                      |

Importing depo registers its environments with Gymnasium (``depo/GridWorld-v0``); JAX is loaded
only when something that computes is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from depo.environments.gymnasium_faces import register

if TYPE_CHECKING:
    from depo.api import cotrain, resume, train, transfer
    from depo.demos.demonstrations import Demonstrations
    from depo.demos.shipped import load_demonstrations
    from depo.errors import DepoError
    from depo.evaluation.imagine import imagine
    from depo.evaluation.of_run import evaluate
    from depo.evaluation.reachability import reachability
    from depo.evaluation.record import record
    from depo.models.folder import load_planner, load_skill, save_planner, save_skill
    from depo.models.planner import CategoricalPlanner, GaussianPlanner
    from depo.models.policy import DecoupledPolicy
    from depo.models.skill import AnalyticSkill, CategoricalSkill, VectorSkill
    from depo.models.standard import Standard
    from depo.runs.run import Run
    from depo.traffic.reading import read_recordings
    from depo.traffic.recording import Recording
    from depo.traffic.scenes import load_scene

_HOME = {
    "train": "depo.api",
    "cotrain": "depo.api",
    "transfer": "depo.api",
    "resume": "depo.api",
    "evaluate": "depo.evaluation.of_run",
    "imagine": "depo.evaluation.imagine",
    "reachability": "depo.evaluation.reachability",
    "record": "depo.evaluation.record",
    "load_demonstrations": "depo.demos.shipped",
    "Demonstrations": "depo.demos.demonstrations",
    "Run": "depo.runs.run",
    "load_planner": "depo.models.folder",
    "load_skill": "depo.models.folder",
    "save_planner": "depo.models.folder",
    "save_skill": "depo.models.folder",
    "CategoricalPlanner": "depo.models.planner",
    "GaussianPlanner": "depo.models.planner",
    "CategoricalSkill": "depo.models.skill",
    "VectorSkill": "depo.models.skill",
    "AnalyticSkill": "depo.models.skill",
    "Standard": "depo.models.standard",
    "DecoupledPolicy": "depo.models.policy",
    "DepoError": "depo.errors",
    "Recording": "depo.traffic.recording",
    "load_scene": "depo.traffic.scenes",
    "read_recordings": "depo.traffic.reading",
}

__all__ = [
    "AnalyticSkill",
    "CategoricalPlanner",
    "CategoricalSkill",
    "DecoupledPolicy",
    "Demonstrations",
    "DepoError",
    "GaussianPlanner",
    "Recording",
    "Run",
    "Standard",
    "VectorSkill",
    "cotrain",
    "evaluate",
    "imagine",
    "load_demonstrations",
    "load_planner",
    "load_scene",
    "load_skill",
    "reachability",
    "read_recordings",
    "record",
    "resume",
    "save_planner",
    "save_skill",
    "train",
    "transfer",
]

register()


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'depo' has no attribute '{name}'")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
