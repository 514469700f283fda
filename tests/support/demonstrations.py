"""Demonstrations drawn by hypothesis."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from depo.data import Demonstrations


@st.composite
def demonstrations(draw: st.DrawFn) -> Demonstrations:
    """Of finite states or of vectors; with actions and returns, or without."""
    lengths = draw(st.lists(st.integers(2, 6), min_size=1, max_size=4))
    total = sum(lengths)
    if draw(st.booleans()):
        observations = draw(hnp.arrays(np.int64, total, elements=st.integers(0, 1000)))
    else:
        floats = st.floats(-1e6, 1e6, width=32)
        observations = draw(hnp.arrays(np.float32, (total, 3), elements=floats))
    returns = draw(st.none() | hnp.arrays(np.float64, len(lengths), elements=st.floats(-9, 9)))
    actions = draw(
        st.none() | hnp.arrays(np.float32, (total, 2), elements=st.floats(-1, 1, width=32))
    )
    return Demonstrations(
        observations=observations,
        episode_lengths=np.array(lengths),
        actions=actions,
        episode_returns=returns,
        metadata={"source": "hypothesis"},
    )
