"""A policy in plain NumPy: planner, skill, and the environment's own units.

Nothing but NumPy is imported: this file is what ``policy.act`` runs for one observation, and what
``depo export`` copies into a folder as ``policy.py``. States may be one or many, the features on
the last axis. ``about`` says what the networks are, ``arrays`` are their numbers by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

Array = Any
"""Of NumPy; of JAX where this file was exported for it."""
LEAK = 0.01
"""Slope below zero of a leaky rectifier."""


class Network:
    """Dense layers with rectifiers between them."""

    def __init__(self, arrays: Mapping[str, Array], part: str, leak: float = 0.0):
        layers = range(sum(name.startswith(f"{part}/network/weights/") for name in arrays))
        self.weights = [arrays[f"{part}/network/weights/{i}"] for i in layers]
        self.biases = [arrays[f"{part}/network/biases/{i}"] for i in layers]
        self.leak = leak

    def __call__(self, x: Array) -> Array:
        """Outputs for inputs."""
        return self.after_first_layer(np.dot(x, self.weights[0]))

    def after_first_layer(self, x: Array) -> Array:
        """The same from the first layer's products: of a one-hot vector, a row of its weights."""
        x = x + self.biases[0]
        for weight, bias in zip(self.weights[1:], self.biases[1:], strict=True):
            x = np.dot(np.maximum(x, self.leak * x), weight) + bias
        return x


class Normaliser:
    """Standardised features: z = (s − mean)/scale, within ±clip unless that is 0."""

    def __init__(self, arrays: Mapping[str, Array], part: str, clip: float):
        self.mean = arrays[f"{part}/normaliser/mean"]
        self.scale = arrays[f"{part}/normaliser/scale"]
        self.step = arrays.get(f"{part}/normaliser/step")
        self.clip = clip

    def __call__(self, state: Array) -> Array:
        """Standardised states; of a longer vector the first features."""
        return self.bounded((state[..., : len(self.mean)] - self.mean) / self.scale)

    def bounded(self, z: Array) -> Array:
        """Within ±clip."""
        return np.minimum(np.maximum(z, -self.clip), self.clip) if self.clip else z


class Target:
    """The features that are planned, and where they go."""

    def __init__(self, own: Normaliser, predicts: list[int]):
        self.normaliser = own
        self.all = predicts == [*range(len(own.mean))]
        self.index = np.array(predicts)
        self.mean, self.scale = own.mean[self.index], own.scale[self.index]
        self.step = 1.0 if own.step is None else own.step[self.index]

    def select(self, features: Array) -> Array:
        """Those features of a vector."""
        return features if self.all else features[..., self.index]


class VectorPlanner:
    """ŝ' of a state: the network gives the standardised difference, or with ``absolute`` ŝ'."""

    def __init__(self, about: Mapping[str, Any], arrays: Mapping[str, Array]):
        self.network = Network(arrays, "planner")
        self.normaliser = Normaliser(arrays, "planner", about["clip"])
        self.target = Target(self.normaliser, about["predicts"])
        self.absolute = about["absolute"]

    def __call__(self, state: Array) -> Array:
        """The likeliest next state, in the environment's units."""
        seen, to = self.normaliser(state), self.target
        own = to.select(seen)
        difference = self.network(seen)[..., : len(to.mean)]
        if self.absolute:
            difference = difference - own
        return (own + difference * to.step) * to.scale + to.mean


class VectorSkill:
    """The action from a state to a target: in [−1,1]ⁿ, or the logits of choices."""

    def __init__(self, about: Mapping[str, Any], arrays: Mapping[str, Array]):
        self.network = Network(arrays, "skill")
        self.normaliser = Normaliser(arrays, "skill", about["clip"])
        self.target = Target(self.normaliser, about["predicts"])
        self.differences = about["pair_input"] == "difference"
        self.modes, self.actions = about.get("modes", 1), about.get("actions")

    def __call__(self, state: Array, target: Array) -> Array:
        """The likeliest action."""
        seen, to = self.normaliser(state), self.target
        reached = self.normaliser.bounded((target - to.mean) / to.scale)
        if self.differences:
            reached = (reached - to.select(seen)) / to.step
        outputs = self.network(np.concatenate([seen, reached], axis=-1))
        return outputs if self.actions is None else np.tanh(self.likeliest(outputs))

    def likeliest(self, outputs: Array) -> Array:
        """Of several heads the one with the largest gate; deviations after the mean are left."""
        if self.modes == 1:
            return outputs[..., : self.actions]
        gate = outputs[..., self.modes * self.actions :]
        heads = outputs[..., : self.modes * self.actions].reshape((*gate.shape, self.actions))
        return np.take_along_axis(heads, np.argmax(gate, -1)[..., None, None], -2)[..., 0, :]


class VectorActor:
    """The action of a state, without a plan."""

    def __init__(self, about: Mapping[str, Any], arrays: Mapping[str, Array]):
        self.network = Network(arrays, "actor")
        self.normaliser = Normaliser(arrays, "actor", about["clip"])
        self.actions = about.get("actions")

    def __call__(self, state: Array) -> Array:
        """The likeliest action: in [−1,1]ⁿ, or the logits of choices."""
        outputs = self.network(self.normaliser(state))
        return outputs if self.actions is None else np.tanh(outputs[..., : self.actions])


class FiniteNetwork:
    """Planner, skill or actor on numbered states: the likeliest of finitely many outputs."""

    def __init__(self, about: Mapping[str, Any], arrays: Mapping[str, Array], part: str):
        self.network = Network(arrays, part, LEAK if part == "actor" else 0.0)
        self.states = about["states"]

    def __call__(self, state: Array, target: Array | None = None) -> Array:
        """A number from 0 on."""
        first = self.network.weights[0]
        hidden = first[state] if target is None else first[state] + first[self.states + target]
        return np.argmax(self.network.after_first_layer(hidden), axis=-1)

    def probabilities(self, state: Array) -> Array:
        """Of every output."""
        return softmax(self.network.after_first_layer(self.network.weights[0][state]))

    def towards_all(self, state: Array) -> Array:
        """Of every action, for every target."""
        own, targets = self.network.weights[0][state], self.network.weights[0][self.states :]
        return softmax(self.network.after_first_layer(own[..., None, :] + targets))


def softmax(logits: Array) -> Array:
    """Probabilities of logits on the last axis."""
    shares = np.exp(logits - np.max(logits, axis=-1, keepdims=True))
    return shares / np.sum(shares, axis=-1, keepdims=True)


class Actions:
    """Actions in the environment's own units, from what networks give."""

    def __init__(self, about: Mapping[str, Any], finite: bool):
        self.dtype, self.shape = np.dtype(about["dtype"]), tuple(about["shape"])
        self.low, self.high = about["low"], about["high"]
        self.numbered, self.choices = finite, about["choices"]
        self.ends = [sum(self.choices[: i + 1]) for i in range(len(self.choices) - 1)]
        if self.low is not None:
            self.low, self.high = np.array(self.low), np.array(self.high)
            self.half = (self.high - self.low) / 2.0

    def __call__(self, action: Array) -> Array:
        """Numbered actions, one of each choice, or numbers between bounds."""
        if self.numbered:
            return action.astype(self.dtype)
        if self.choices:
            return self.chosen(action)
        inside = np.minimum(np.maximum(self.low + (action + 1.0) * self.half, self.low), self.high)
        return inside.astype(self.dtype).reshape((*action.shape[:-1], *self.shape))

    def chosen(self, logits: Array) -> Array:
        """The likeliest of every choice, as the environment counts them."""
        parts = np.split(logits, self.ends, axis=-1)
        numbers = np.stack([np.argmax(part, axis=-1) for part in parts], axis=-1)
        if self.low is not None:
            numbers = numbers + self.low.astype(int)
        return numbers.reshape((*logits.shape[:-1], *self.shape)).astype(self.dtype)


def plain_planner(about: Mapping[str, Any], arrays: Mapping[str, Array]) -> Any:
    """A function from states to the likeliest next states."""
    own = about["parts"]["planner"]
    return FiniteNetwork(own, arrays, "planner") if "states" in own else VectorPlanner(own, arrays)


def plain_skill(about: Mapping[str, Any], arrays: Mapping[str, Array]) -> Any:
    """A function from states and targets to actions, as networks give them."""
    own = about["parts"]["skill"]
    return FiniteNetwork(own, arrays, "skill") if "states" in own else VectorSkill(own, arrays)


def plain_actor(about: Mapping[str, Any], arrays: Mapping[str, Array]) -> Any:
    """A function from states to actions, as networks give them."""
    own = about["parts"]["actor"]
    return FiniteNetwork(own, arrays, "actor") if "states" in own else VectorActor(own, arrays)


class PlainPolicy:
    """Planner and skill, or an actor: deterministic."""

    def __init__(self, about: Mapping[str, Any], arrays: Mapping[str, Array]):
        self.plans = "planner" in about["parts"]
        self.to_own_units = Actions(about["actions"], about["observations"]["count"] is not None)
        if self.plans:
            self.planner, self.skill = plain_planner(about, arrays), plain_skill(about, arrays)
        else:
            self.actor = plain_actor(about, arrays)

    def plan(self, state: Array) -> Array:
        """Where the planner wants to be next."""
        return self.planner(state)

    def act_towards(self, state: Array, target: Array) -> Array:
        """The skill's action from a state to a target, in the environment's units."""
        return self.to_own_units(self.skill(state, target))

    def act(self, state: Array) -> Array:
        """The policy's action, in the environment's units; on numbered states the likeliest of all
        plans together."""
        if not self.plans:
            return self.to_own_units(self.actor(state))
        if self.to_own_units.numbered:
            plans, actions = self.planner.probabilities(state), self.skill.towards_all(state)
            each = np.sum(plans[..., None] * actions, axis=-2)
            return self.to_own_units(np.argmax(each, axis=-1))
        return self.act_towards(state, self.planner(state))
