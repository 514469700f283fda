"""The paper's figures and the controls beside them, with claims and verdicts."""
