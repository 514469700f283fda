"""Scores of a policy in an environment, and statistics over seeds."""
