"""Presets on finite states."""

from __future__ import annotations

from typing import Any

_AUTHORS_SKILL = {"skill_rate": 1e-4, "skill_steps": 50, "skill_rounds": 8}
_ONE_STEP_SKILL = {"skill_rate": 3e-3, "skill_steps": 1, "skill_rounds": 1}

PRESETS: dict[str, dict[str, dict[str, Any]]] = {
    "fast": {
        "depo": {"calibration": 0.3, "entropy": 0.01, "planner_rate": 6e-4},
        "depo-agnostic": {"entropy": 0.01, "planner_rate": 6e-4},
        "depo-calibrated": {"entropy": 0.01, "planner_rate": 6e-4},
        "depo-supervised": {"skill_rate": 1e-3},
        "gaifo": {"batch_steps": 64, "critic_rate": 3e-3, "actor_rate": 1e-3},
        "bco": {"actor_rate": 1e-3, "epsilon": 0.3},
        "ppo": {"batch_steps": 64, "critic_rate": 3e-3, "actor_rate": 1e-3},
        "transfer": {
            "skill_rate": 1e-3,
            "skill_rounds": 10,
            "skill_patience": 10,
            "epsilon": 0.5,
        },
    },
    "paper": {
        "depo": {**_AUTHORS_SKILL, "gradient": "straight-through"},
        "depo-agnostic": {**_AUTHORS_SKILL, "gradient": "straight-through"},
        "depo-calibrated": _AUTHORS_SKILL,
        "depo-supervised": {**_AUTHORS_SKILL, "skill_rate": 3e-3, "planner_steps": 1},
        "gaifo": {"batch_steps": 64},
        "bco": {**_ONE_STEP_SKILL, "actor_steps": 1},
        "ppo": {},
        "transfer": {**_AUTHORS_SKILL, "epsilon": 0.01},
    },
}
