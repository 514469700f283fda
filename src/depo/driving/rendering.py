"""Who draws the road for ``render()``: drawing is above driving, so it is handed in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from depo.core.errors import DepoError

if TYPE_CHECKING:
    import numpy as np

    from depo.driving.environment import DrivingEnvironment, Ego

    Renderer = Callable[[DrivingEnvironment, Ego, np.ndarray], np.ndarray]
    """From an environment, the ego in it and its path (n, 2): a picture."""

_renderers: list[Renderer] = []


def use_renderer(renderer: Renderer) -> None:
    """Have pictures drawn by this one; importing depo gives one that loads Matplotlib when used."""
    _renderers[:] = [renderer]


def draw(environment: DrivingEnvironment, ego: Ego, path: np.ndarray) -> np.ndarray:
    """The road from above, around the ego and its path."""
    if not _renderers:
        raise DepoError("nobody draws the road: depo.driving.rendering.use_renderer(…) says who")
    return _renderers[0](environment, ego, path)
