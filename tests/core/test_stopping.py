"""Work leaves half-way only where somebody said that it may."""

from __future__ import annotations

import threading

import pytest

from depo.core.stopping import Stopped, may_stop, stopping_when


def test_a_request_counts_within_the_block_and_in_its_thread_only() -> None:
    left = []

    def elsewhere() -> None:
        may_stop()
        left.append("went on")

    with stopping_when(lambda: True):
        other = threading.Thread(target=elsewhere)
        other.start()
        other.join()
        with pytest.raises(Stopped):
            may_stop()
    may_stop()
    assert left == ["went on"]
