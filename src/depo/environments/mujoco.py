"""The MuJoCo tasks of the paper by short names; Ant and Humanoid with the slim observations."""

from __future__ import annotations

import logging
import os
from typing import Any

from depo.core.errors import DepoError

_SLIM_HUMANOID = {
    f"include_{what}_in_observation": False
    for what in ("cinert", "cvel", "qfrc_actuator", "cfrc_ext")
}

TASKS: dict[str, tuple[str, dict[str, Any]]] = {
    "inverted-pendulum": ("InvertedPendulum-v5", {}),
    "hopper": ("Hopper-v5", {}),
    "walker2d": ("Walker2d-v5", {}),
    "half-cheetah": ("HalfCheetah-v5", {}),
    "ant": ("Ant-v5", {"include_cfrc_ext_in_observation": False}),
    "humanoid": ("Humanoid-v5", _SLIM_HUMANOID),
}
"""Short name: Gymnasium id and constructor arguments."""

NAME_OF = {id_: name for name, (id_, _) in TASKS.items()}
"""Gymnasium id: short name, which is also the name of the shipped demonstrations."""


def task_of(label: str) -> str:
    """The short name of the task an environment's label begins with; none: ''.

    >>> task_of("hopper-v5-inverted"), task_of("mine-v0")
    ('hopper', '')
    """
    return next((name for id_, name in NAME_OF.items() if label.startswith(id_.lower())), "")


def hear_warnings() -> None:
    """MuJoCo's warnings go to the log 'depo' instead of a file MUJOCO_LOG.TXT in the user's folder.

    Those about the wording of Gymnasium's own model files are dropped.
    """
    try:
        import mujoco
    except ImportError:
        return
    except Exception as error:
        raise DepoError(
            f"MuJoCo cannot be loaded with MUJOCO_GL={os.environ.get('MUJOCO_GL', '')} "
            f"({type(error).__name__}: {error}): unset it, or install what it names (EGL: libegl1 "
            "libgl1-mesa-dri; OSMesa: libosmesa6)"
        ) from error

    def hear(message: str | bytes) -> None:
        text = message.decode() if isinstance(message, bytes) else message
        if "deprecated" not in text:
            logging.getLogger("depo").warning("MuJoCo: %s", text)

    mujoco.set_mju_user_warning(hear)
