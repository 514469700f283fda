"""How long a call takes, once compiled."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import jax


def best_time(call: Callable[[], Any], repeats: int = 5) -> float:
    jax.block_until_ready(call())
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        jax.block_until_ready(call())
        times.append(time.perf_counter() - began)
    return min(times)
