"""Experiments: the paper's figures and the controls beside them, each with a verdict."""
