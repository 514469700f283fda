"""Planner, skill, policy, critic, discriminator: immutable pytrees, and their folders."""
