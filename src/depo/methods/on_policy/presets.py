"""What presets of several on-policy methods share."""

from __future__ import annotations

AUTHORS_SKILL = {"skill_rate": 1e-4, "skill_steps": 50, "skill_rounds": 8}
FAST_PLANNER = {"entropy": 0.01, "planner_rate": 6e-4}
RECIPE_SKILL = {"skill_rate": 1e-3, "skill_wanted": 1.0}
"""Of plans that nobody has reached yet it knows what it does not know."""
DEFAULT_STEPS = 12_800
