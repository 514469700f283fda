"""The multilayer perceptron every network here is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "relu": jax.nn.relu,
    "leaky-relu": jax.nn.leaky_relu,
    "tanh": jnp.tanh,
}


class MLP(eqx.Module):
    """Dense layers over the last axis; leading axes are batch."""

    weights: list[Float[Array, ...]]
    biases: list[Float[Array, ...]]
    activation: str = eqx.field(static=True)
    normalise: bool = eqx.field(static=True)

    def __init__(
        self,
        key: Key[Array, ""],
        inputs: int,
        hidden: Sequence[int],
        outputs: int,
        activation: str = "relu",
        normalise: bool = False,
    ):
        widths = [inputs, *hidden, outputs]
        shapes = list(pairwise(widths))
        # One draw for all layers: each random call is a second of compile time.
        draw = jax.random.uniform(key, (sum((i + 1) * o for i, o in shapes),), minval=-1.0)
        self.weights, self.biases = [], []
        for before, after in shapes:
            layer, draw = draw[: (before + 1) * after], draw[(before + 1) * after :]
            layer = layer.reshape(before + 1, after) / before**0.5
            self.weights.append(layer[:-1])
            self.biases.append(layer[-1])
        self.activation, self.normalise = activation, normalise

    def __call__(self, x: Float[Array, "*batch inputs"]) -> Float[Array, "*batch outputs"]:
        """Outputs for a batch of inputs."""
        return self.after_first_layer(x @ self.weights[0])

    def after_first_layer(self, x: Float[Array, "*batch hidden"]) -> Float[Array, "*batch outputs"]:
        """Outputs from the first layer's products, which a caller may have got more cheaply."""
        x = x + self.biases[0]
        for weight, bias in zip(self.weights[1:], self.biases[1:], strict=True):
            if self.normalise:
                x = layer_norm(x)
            x = ACTIVATIONS[self.activation](x) @ weight + bias
        return x


def layer_norm(x: Float[Array, "*batch width"]) -> Float[Array, "*batch width"]:
    """Zero mean and unit variance across a layer, with no learned scale."""
    centred = x - jnp.mean(x, axis=-1, keepdims=True)
    return centred * jax.lax.rsqrt(jnp.mean(centred**2, axis=-1, keepdims=True) + 1e-5)
