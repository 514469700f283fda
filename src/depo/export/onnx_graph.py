"""Planner, skill and policy as ONNX graphs, made of the networks' own arrays.

Every graph takes any number of states, ``state`` (n, features) or (n,) where they are numbered.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from onnx import ModelProto, TensorProto, checker, helper, numpy_helper

from depo.models.plain import LEAK

OPSET, IR = 17, 8
"""Old enough for runtimes of 2022."""
TYPES = {
    "int8": TensorProto.INT8,
    "int32": TensorProto.INT32,
    "int64": TensorProto.INT64,
    "float32": TensorProto.FLOAT,
    "float64": TensorProto.DOUBLE,
}
STATE, TARGET, ACTION = "state", "next_state", "action"


class Graph:
    """Operators one after another; values are names."""

    def __init__(self) -> None:
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Another operator; the name of what it gives."""
        name = f"{operator.lower()}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, [*inputs], [name], **attributes))
        return name

    def constant(self, value: Any, dtype: Any = np.float32) -> str:
        """An array that is part of the graph."""
        name = f"constant_{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def model(self, inputs: list[Any], outputs: Mapping[str, tuple[str, Any]]) -> ModelProto:
        """A checked model, whose outputs are given new names."""
        for name, (value, _) in outputs.items():
            self._nodes.append(helper.make_node("Identity", [value], [name]))
        declared = [about for _, about in outputs.values()]
        graph = helper.make_graph(self._nodes, "depo", inputs, declared, self._constants)
        opsets = [helper.make_opsetid("", OPSET)]
        made = helper.make_model(graph, opset_imports=opsets, ir_version=IR, producer_name="depo")
        checker.check_model(made, full_check=True)
        return made


class PolicyGraph:
    """The parts of a policy, drawn into one graph."""

    def __init__(self, about: Mapping[str, Any], arrays: Mapping[str, np.ndarray]):
        self.about, self.arrays, self.graph = about, arrays, Graph()
        self.finite = about["observations"]["count"] is not None

    def network(self, part: str, x: str, *, from_first_layer: bool = False) -> str:
        """Dense layers with rectifiers between them."""
        add, arrays = self.graph.add, self.arrays
        count = sum(name.startswith(f"{part}/network/weights/") for name in arrays)
        for i in range(count):
            if i:
                leaky = self.finite and part == "actor"
                x = add("LeakyRelu", x, alpha=LEAK) if leaky else add("Relu", x)
            if i or not from_first_layer:
                x = add("MatMul", x, self.graph.constant(arrays[f"{part}/network/weights/{i}"]))
            x = add("Add", x, self.graph.constant(arrays[f"{part}/network/biases/{i}"]))
        return x

    def finite_output(self, part: str, state: str, target: str = "") -> str:
        """The likeliest output for numbered states: rows of the first weights, then the rest."""
        graph, states = self.graph, self.about["parts"][part]["states"]
        first = graph.constant(self.arrays[f"{part}/network/weights/0"])
        x = graph.add("Gather", first, state, axis=0)
        if target:
            row = graph.add("Add", target, graph.constant(states, np.int64))
            x = graph.add("Add", x, graph.add("Gather", first, row, axis=0))
        logits = self.network(part, x, from_first_layer=True)
        return graph.add("ArgMax", logits, axis=-1, keepdims=0)

    def likeliest_action(self, state: str) -> str:
        """On numbered states: s → argmax_a Σ_s' h(s'|s) I(a|s,s')."""
        graph, states = self.graph, self.about["parts"]["skill"]["states"]
        planner, skill = (
            graph.add("Gather", graph.constant(self.arrays[f"{part}/network/weights/0"]), state)
            for part in ("planner", "skill")
        )
        middle = graph.constant([1], np.int64)
        targets = graph.constant(self.arrays["skill/network/weights/0"][states:])
        pairs = graph.add("Add", graph.add("Unsqueeze", skill, middle), targets)
        plans = graph.add("Softmax", self.network("planner", planner, from_first_layer=True))
        actions = graph.add("Softmax", self.network("skill", pairs, from_first_layer=True))
        each = graph.add("MatMul", graph.add("Unsqueeze", plans, middle), actions)
        likeliest = graph.add("ArgMax", graph.add("Squeeze", each, middle), axis=-1, keepdims=0)
        return self.own_units(likeliest)

    def columns(self, x: str, which: Any) -> str:
        """Some of the features."""
        return self.graph.add("Gather", x, self.graph.constant(which, np.int64), axis=-1)

    def standardised(self, part: str, x: str, which: Any = None) -> str:
        """(x − mean)/scale within ±clip, of a vector's first features, or of a target's."""
        graph, clip = self.graph, self.about["parts"][part]["clip"]
        mean, scale = (self.arrays[f"{part}/normaliser/{name}"] for name in ("mean", "scale"))
        if which is None:
            x = self.columns(x, range(len(mean)))
        else:
            mean, scale = mean[which], scale[which]
        centred = graph.add("Sub", x, graph.constant(mean))
        z = graph.add("Div", centred, graph.constant(scale))
        return graph.add("Clip", z, graph.constant(-clip), graph.constant(clip)) if clip else z

    def steps(self, part: str, which: list[int]) -> str:
        """The typical step of each planned feature; 1 where it is not known."""
        step = self.arrays.get(f"{part}/normaliser/step")
        return self.graph.constant(np.ones(len(which)) if step is None else step[which])

    def plan(self, state: str) -> str:
        """Planner: s → ŝ', in the environment's units."""
        if self.finite:
            return self.finite_output("planner", state)
        graph, about = self.graph, self.about["parts"]["planner"]
        which = about["predicts"]
        seen = self.standardised("planner", state)
        own = self.columns(seen, which)
        difference = self.columns(self.network("planner", seen), range(len(which)))
        if about["absolute"]:
            difference = graph.add("Sub", difference, own)
        z = graph.add("Add", own, graph.add("Mul", difference, self.steps("planner", which)))
        mean, scale = (self.arrays[f"planner/normaliser/{name}"] for name in ("mean", "scale"))
        scaled = graph.add("Mul", z, graph.constant(scale[which]))
        return graph.add("Add", scaled, graph.constant(mean[which]))

    def skill(self, state: str, target: str) -> str:
        """Skill: s, s' → a, in the environment's units."""
        if self.finite:
            return self.own_units(self.finite_output("skill", state, target))
        graph, about = self.graph, self.about["parts"]["skill"]
        which = about["predicts"]
        seen = self.standardised("skill", state)
        reached = self.standardised("skill", target, which)
        if about["pair_input"] == "difference":
            difference = graph.add("Sub", reached, self.columns(seen, which))
            reached = graph.add("Div", difference, self.steps("skill", which))
        outputs = self.network("skill", graph.add("Concat", seen, reached, axis=-1))
        return self.own_units(self.bounded(about, outputs))

    def actor(self, state: str) -> str:
        """Actor: s → a, in the environment's units."""
        if self.finite:
            return self.own_units(self.finite_output("actor", state))
        outputs = self.network("actor", self.standardised("actor", state))
        return self.own_units(self.bounded(self.about["parts"]["actor"], outputs))

    def bounded(self, about: Mapping[str, Any], outputs: str) -> str:
        """tanh of the mean, of several heads of the likeliest one; logits are left."""
        if "actions" not in about:
            return outputs
        graph, actions, modes = self.graph, about["actions"], about.get("modes", 1)
        if modes == 1:
            return graph.add("Tanh", self.columns(outputs, range(actions)))
        both = modes * actions
        gate = self.columns(outputs, range(both, both + modes))
        chosen = graph.add("ArgMax", gate, axis=-1, keepdims=1)
        shape = graph.constant([-1, modes, actions], np.int64)
        heads = graph.add("Reshape", self.columns(outputs, range(both)), shape)
        return graph.add("Tanh", graph.add("GatherND", heads, chosen, batch_dims=1))

    def own_units(self, action: str) -> str:
        """Actions as the environment takes them."""
        graph, about = self.graph, self.about["actions"]
        if not self.finite and about["choices"]:
            action = self.chosen(action)
        elif not self.finite:
            low, high = (np.array(about[name]) for name in ("low", "high"))
            lowest, highest = (graph.constant(bound, np.float64) for bound in (low, high))
            own = graph.add("Cast", action, to=TensorProto.DOUBLE)
            above = graph.add("Add", own, graph.constant(1.0, np.float64))
            scaled = graph.add("Mul", above, graph.constant((high - low) / 2.0, np.float64))
            own = graph.add("Add", scaled, lowest)
            action = graph.add("Min", graph.add("Max", own, lowest), highest)
        shape = graph.constant([-1, *about["shape"]], np.int64)
        typed = graph.add("Cast", action, to=TYPES[about["dtype"]])
        return graph.add("Reshape", typed, shape)

    def chosen(self, logits: str) -> str:
        """The likeliest of every choice, as the environment counts them."""
        graph, about, begin, numbers = self.graph, self.about["actions"], 0, []
        for count in about["choices"]:
            part = self.columns(logits, range(begin, begin + count))
            numbers.append(graph.add("ArgMax", part, axis=-1, keepdims=1))
            begin += count
        both = graph.add("Concat", *numbers, axis=-1)
        if about["low"] is None:
            return both
        return graph.add("Add", both, graph.constant(about["low"], np.int64))


def models(about: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> dict[str, ModelProto]:
    """``policy``, and of a policy that plans ``planner`` and ``skill`` on their own."""
    state, target, action = _states(about), _targets(about), _actions(about)
    policy = PolicyGraph(about, arrays)
    if "actor" in about["parts"]:
        own = policy.actor(STATE)
        return {"policy": policy.graph.model([state], {ACTION: (own, action)})}
    plan = policy.plan(STATE)
    own = policy.likeliest_action(STATE) if policy.finite else policy.skill(STATE, plan)
    outputs = {ACTION: (own, action), TARGET: (plan, target)}
    planner, skill = PolicyGraph(about, arrays), PolicyGraph(about, arrays)
    return {
        "policy": policy.graph.model([state], outputs),
        "planner": planner.graph.model([state], {TARGET: (planner.plan(STATE), target)}),
        "skill": skill.graph.model([state, target], {ACTION: (skill.skill(STATE, TARGET), action)}),
    }


def _states(about: Mapping[str, Any]) -> Any:
    if about["observations"]["count"] is not None:
        return helper.make_tensor_value_info(STATE, TensorProto.INT64, ["n"])
    size = math.prod(about["observations"]["shape"]) * (2 if about["remembers"] else 1)
    return helper.make_tensor_value_info(STATE, TensorProto.FLOAT, ["n", size])


def _targets(about: Mapping[str, Any]) -> Any:
    if about["observations"]["count"] is not None:
        return helper.make_tensor_value_info(TARGET, TensorProto.INT64, ["n"])
    planned = about["parts"].get("planner", {}).get("predicts", [])
    return helper.make_tensor_value_info(TARGET, TensorProto.FLOAT, ["n", len(planned)])


def _actions(about: Mapping[str, Any]) -> Any:
    own = about["actions"]
    return helper.make_tensor_value_info(ACTION, TYPES[own["dtype"]], ["n", *own["shape"]])
