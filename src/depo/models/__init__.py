"""Planner, skill, policy, critic, discriminator: immutable pytrees."""
