"""One number as a model: a running mean, a temperature."""

from __future__ import annotations

import equinox as eqx
from jaxtyping import Array, Float


class Scalar(eqx.Module):
    """One number that is learned or followed."""

    value: Float[Array, ""]
