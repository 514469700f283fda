"""How data are gathered and reused: on-policy, off-policy, co-training."""
