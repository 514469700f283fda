"""How data are gathered and reused."""
