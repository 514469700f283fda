"""The driving simulator, its family, and recordings of traffic."""
