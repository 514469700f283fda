"""Families of environments: grid world, MuJoCo, any Gymnasium id; dynamics variants."""
