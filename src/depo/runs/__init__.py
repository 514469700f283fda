"""A job, its folder, its loop, its checkpoints and exact resume."""
