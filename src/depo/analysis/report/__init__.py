"""One page of runs that opens anywhere: what was learned from what, how well, how to repeat it."""
