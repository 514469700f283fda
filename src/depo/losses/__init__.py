"""One loss, one file, its equation in the docstring."""
