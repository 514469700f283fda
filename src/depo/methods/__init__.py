"""A few losses put together: each method beside its settings and presets."""
