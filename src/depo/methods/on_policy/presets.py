"""What presets of several on-policy methods share."""

from __future__ import annotations

AUTHORS_SKILL = {"skill_rate": 1e-4, "skill_steps": 50, "skill_rounds": 8}
FAST_PLANNER = {"entropy": 0.01, "planner_rate": 6e-4}
DEFAULT_STEPS = 12_800
