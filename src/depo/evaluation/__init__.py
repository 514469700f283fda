"""Scores, rollouts and reports of what was learned."""
