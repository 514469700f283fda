"""The worker of ``updates.py`` that runs the same updates in eager PyTorch, and SB3's.

Written from the losses of the ``fast`` preset; needs PyTorch and Stable-Baselines3, not this
package. Adam is PyTorch's fused one, nothing is computed for metrics alone, and the number of
threads is the one that turns out faster.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
import stable_baselines3
import torch
from stable_baselines3.common.logger import Logger
from torch import Tensor, nn
from torch.nn.functional import softplus
from updates import serve

STATES, ACTIONS = 11, 3
ROWS, PAIRS = 250_000, 4_000
LOG_STD_BOUNDS = (-20.0, 2.0)


class Batch(NamedTuple):
    """Transitions."""

    state: Tensor
    action: Tensor
    next_state: Tensor
    reward: Tensor
    terminated: Tensor

    def drawn(self, newest: int, size: int) -> Batch:
        """A minibatch from the newest rows."""
        index = torch.randint(len(self.reward) - newest, len(self.reward), (size,))
        return Batch(*(column[index] for column in self))


def random_rows() -> Batch:
    state, reached = torch.randn(ROWS, STATES), torch.randn(ROWS, STATES)
    action = torch.tanh(torch.randn(ROWS, ACTIONS))
    return Batch(state, action, reached, torch.randn(ROWS), torch.randn(ROWS) > 2.5)


def mlp(
    inputs: int, hidden: Sequence[int], outputs: int, activation: type, norm: bool = False
) -> nn.Sequential:
    layers: list[nn.Module] = []
    for before, after in pairwise([inputs, *hidden]):
        layers.append(nn.Linear(before, after))
        if norm:
            layers.append(nn.LayerNorm(after, elementwise_affine=False))
        layers.append(activation())
    return nn.Sequential(*layers, nn.Linear([inputs, *hidden][-1], outputs))


def adam(module: nn.Module, rate: float) -> torch.optim.Adam:
    return torch.optim.Adam(module.parameters(), lr=rate, fused=True)


def descend(optimiser: torch.optim.Adam, loss: Tensor) -> None:
    """A step of the optimiser's own parameters; what else the loss depends on gets no gradient."""
    optimiser.zero_grad()
    loss.backward(inputs=optimiser.param_groups[0]["params"])
    optimiser.step()


def follow(slow: nn.Module, fast: nn.Module, rate: float) -> None:
    with torch.no_grad():
        for old, new in zip(slow.parameters(), fast.parameters(), strict=True):
            old.lerp_(new, rate)


def log_normal(x: Tensor, mean: Tensor, log_std: Tensor) -> Tensor:
    z = (x - mean) * torch.exp(-log_std)
    return (-0.5 * z**2 - log_std - 0.5 * np.log(2 * np.pi)).sum(-1)


class TwinCritic(nn.Module):
    """Two Q(s,a)."""

    def __init__(self, hidden: int, norm: bool):
        super().__init__()
        self.networks = nn.ModuleList(
            mlp(STATES + ACTIONS, (hidden,) * 2, 1, nn.ReLU, norm) for _ in range(2)
        )

    def forward(self, state: Tensor, action: Tensor) -> Tensor:
        """Both values."""
        seen = torch.cat([state, action], -1)
        return torch.stack([network(seen)[..., 0] for network in self.networks])

    def least(self, state: Tensor, action: Tensor) -> Tensor:
        """min(Q₁,Q₂)."""
        return self(state, action).amin(0)


class Critics:
    """Twin critics, their targets and their step."""

    def __init__(self, s: dict[str, Any]):
        self.s = s
        self.model, self.target = (TwinCritic(s["hidden"], s["critic_norm"]) for _ in range(2))
        self.target.load_state_dict(self.model.state_dict())
        self.adam = adam(self.model, s["critic_rate"])

    def improve(self, state: Tensor, action: Tensor, goal: Tensor) -> Tensor:
        """One step; min Q as it was before."""
        values = self.model(state, action)
        descend(self.adam, 0.5 * ((values - goal) ** 2).mean(1).sum())
        follow(self.target, self.model, self.s["follow"])
        return values.detach().amin(0)


class SAC:
    """Soft actor-critic."""

    def __init__(self, s: dict[str, Any]):
        self.s, self.rows, self.critics = s, random_rows(), Critics(s)
        self.actor, self.average = (
            mlp(STATES, (s["hidden"],) * 2, 2 * ACTIONS, nn.ReLU) for _ in range(2)
        )
        self.adam = adam(self.actor, s["actor_rate"])
        self.log_alpha = torch.tensor(float(np.log(s["temperature"])), requires_grad=True)
        self.temperature_adam = torch.optim.Adam([self.log_alpha], lr=s["actor_rate"], fused=True)

    def act(self, state: Tensor) -> tuple[Tensor, Tensor]:
        """An action and its log density."""
        mean, log_std = self.actor(state).chunk(2, -1)
        log_std = log_std.clamp(*LOG_STD_BOUNDS)
        x = mean + log_std.exp() * torch.randn_like(mean)
        slope = 2.0 * (np.log(2.0) - x - softplus(-2.0 * x))
        return torch.tanh(x), log_normal(x, mean, log_std) - slope.sum(-1)

    def update(self) -> None:
        """Critics, actor, temperature."""
        s = self.s
        batch = self.rows.drawn(min(ROWS, s["replay"]), s["minibatch"])
        alpha = self.log_alpha.exp().detach()
        with torch.no_grad():
            action, log_prob = self.act(batch.next_state)
            value = self.critics.target.least(batch.next_state, action) - alpha * log_prob
            goal = s["reward_scale"] * batch.reward + s["gamma"] * ~batch.terminated * value
        self.critics.improve(batch.state, batch.action, goal)
        action, log_prob = self.act(batch.state)
        value = self.critics.model.least(batch.state, action)
        descend(self.adam, (alpha * log_prob - value).mean())
        entropy = -log_prob.detach().mean()
        descend(self.temperature_adam, self.log_alpha * (entropy + ACTIONS))
        follow(self.average, self.actor, s["average"])


class DePO:
    """Decoupled policy optimisation."""

    def __init__(self, s: dict[str, Any]):
        self.s, self.rows, self.critics = s, random_rows(), Critics(s)
        self.expert = (torch.randn(PAIRS, STATES), torch.randn(PAIRS, STATES))
        self.mean, self.scale = self.expert[0].mean(0), self.expert[0].std(0)
        self.policy, self.average = (
            nn.ModuleDict(
                {
                    "planner": mlp(STATES, (s["hidden"],) * 2, 2 * STATES, nn.ReLU),
                    "skill": mlp(
                        2 * STATES, (s["skill_hidden"],) * s["skill_depth"], ACTIONS, nn.ReLU
                    ),
                }
            )
            for _ in range(2)
        )
        self.discriminator = mlp(2 * STATES, (s["discriminator_hidden"],) * 2, 1, nn.Tanh)
        self.planner_adam = adam(self.policy["planner"], s["planner_rate"])
        self.skill_adam = adam(self.policy["skill"], s["skill_rate"])
        self.discriminator_adam = adam(self.discriminator, s["discriminator_rate"])

    def normaliser(self, state: Tensor) -> Tensor:
        """In the demonstrations' units."""
        clip = self.s["clip_states"]
        return ((state - self.mean) / self.scale).clamp(-clip, clip)

    def draw_pairs(self) -> tuple[Tensor, Tensor]:
        """Expert transitions, standardised."""
        index = torch.randint(PAIRS, (self.s["minibatch"],))
        return self.normaliser(self.expert[0][index]), self.normaliser(self.expert[1][index])

    def plan(self, z: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and log deviation of the planned difference."""
        mean, log_std = self.policy["planner"](z).chunk(2, -1)
        return mean, log_std.clamp(-self.s["log_std_floor"], 1.0)

    def act(self, z: Tensor, difference: Tensor) -> Tensor:
        """A random action of the skill towards a planned difference."""
        before = self.policy["skill"](torch.cat([z, difference], -1))
        return torch.tanh(before + self.s["noise"] * torch.randn_like(before))

    def update(self) -> None:
        """Discriminator, critics, planner, skill."""
        s, size = self.s, self.s["minibatch"]
        batch = self.rows.drawn(min(ROWS, s["replay"]), size)
        z, z_next = self.normaliser(batch.state), self.normaliser(batch.next_state)
        pair = torch.cat([z, z_next - z], -1)
        self.improve_discriminator(pair)
        with torch.no_grad():
            clip = s["logit_clip"]
            logit = self.discriminator(pair)[..., 0].clamp(-clip, clip)
            reward = s["reward_scale"] * (logit + s["reward_shift"])
            mean, log_std = self.plan(z_next)
            action = self.act(z_next, mean + log_std.exp() * torch.randn_like(mean))
            value = self.critics.target.least(z_next, action)
            end = s["reward_scale"] * (s["reward_shift"] - s["absorbing_logit"]) / (1 - s["gamma"])
            goal = reward + s["gamma"] * torch.where(batch.terminated, end, value)
        value = self.critics.improve(z, batch.action, goal)
        self.improve_planner(z, z_next, value)
        wide = self.rows.drawn(min(ROWS, s["skill_replay"]), size)
        self.improve_skill(wide)
        follow(self.average, self.policy, s["average"])

    def improve_discriminator(self, agent: Tensor) -> None:
        """Cross-entropy and gradient penalty."""
        seen, reached = self.draw_pairs()
        expert = torch.cat([seen, reached - seen], -1)
        entropy = softplus(-self.discriminator(expert)).mean()
        entropy = 0.5 * (entropy + softplus(self.discriminator(agent)).mean())
        share = torch.rand(len(agent), 1)
        between = (share * expert + (1 - share) * agent).requires_grad_()
        logit = self.discriminator(between).sum()
        (slope,) = torch.autograd.grad(logit, between, create_graph=True)
        penalty = (((slope**2).sum(-1) + 1e-12).sqrt() - 1.0) ** 2
        loss = entropy + self.s["gradient_penalty"] * penalty.mean()
        descend(self.discriminator_adam, loss)

    def improve_planner(self, z: Tensor, z_next: Tensor, value: Tensor) -> None:
        """DePG + c·CDePG + λ_h·L_h."""
        seen, reached = self.draw_pairs()
        mean, log_std = self.plan(torch.cat([z, seen]))
        (own, theirs), (own_log_std, their_log_std) = mean.chunk(2), log_std.chunk(2)
        action = self.act(z, own + own_log_std.exp() * torch.randn_like(own))
        gradient = -self.critics.model.least(z, action).mean()
        weight = (value - value.min()) / (value.max() - value.min()).clamp(min=1e-6)
        calibrated = -(weight * log_normal(z_next - z, own, own_log_std)).mean()
        supervised = -log_normal(reached - seen, theirs, their_log_std).mean()
        loss = gradient + self.s["calibration"] * calibrated + self.s["supervision"] * supervised
        descend(self.planner_adam, loss)

    def improve_skill(self, batch: Batch) -> None:
        """Squared error of the action."""
        z, z_next = self.normaliser(batch.state), self.normaliser(batch.next_state)
        meant = torch.tanh(self.policy["skill"](torch.cat([z, z_next - z], -1)))
        descend(self.skill_adam, ((meant - batch.action) ** 2).sum(-1).mean())


class HopperShaped(gym.Env):
    """Hopper's spaces; nobody steps it."""

    observation_space = gym.spaces.Box(-np.inf, np.inf, (STATES,), np.float32)
    action_space = gym.spaces.Box(-1.0, 1.0, (ACTIONS,), np.float32)


class StableBaselines:
    """Stable-Baselines3's SAC with a full replay."""

    def __init__(self, s: dict[str, Any]):
        self.minibatch = s["minibatch"]
        self.model = stable_baselines3.SAC(
            "MlpPolicy",
            HopperShaped(),
            learning_rate=s["actor_rate"],
            buffer_size=ROWS,
            batch_size=self.minibatch,
            policy_kwargs={"net_arch": [s["hidden"]] * 2},
            device="cpu",
        )
        self.model.set_logger(Logger(None, []))
        replay, rows = self.model.replay_buffer, random_rows()
        assert replay is not None
        replay.observations[:, 0], replay.next_observations[:, 0] = rows.state, rows.next_state
        replay.actions[:, 0], replay.rewards[:, 0] = rows.action, rows.reward
        replay.dones[:, 0], replay.full = rows.terminated, True

    def update_many(self, count: int) -> None:
        """As many gradient steps."""
        self.model.train(gradient_steps=count, batch_size=self.minibatch)


class Timed(NamedTuple):
    """An agent, the updates in a sample, and the threads that serve it best."""

    agent: SAC | DePO | StableBaselines
    updates: int
    threads: int

    def run(self) -> dict[str, float]:
        """As many updates as a burst has; drawing is part of them."""
        torch.set_num_threads(self.threads)
        wall, cpu = time.perf_counter(), time.process_time()
        if isinstance(self.agent, StableBaselines):
            self.agent.update_many(self.updates)
        else:
            for _ in range(self.updates):
                self.agent.update()
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        return {"wall": wall, "cpu": cpu, "draw_wall": 0.0, "draw_cpu": 0.0}


timed: dict[str, Timed] = {}


def prepare(label: str, name: str, settings: dict[str, Any], updates: int) -> int:
    """The number of threads that was fastest: on a busy machine more can be much slower."""
    kinds = {"sac": SAC, "depo": DePO, "stable-baselines3": StableBaselines}
    agent, cores = kinds[name](settings), len(os.sched_getaffinity(0))
    choices = [Timed(agent, updates, threads) for threads in sorted({1, cores})]
    trials = [min(choice.run()["wall"] for _ in range(3)) for choice in choices]
    timed[label] = choices[int(np.argmin(trials))]
    return timed[label].threads


def main() -> None:
    serve({"prepare": prepare, "run": lambda label: timed[label].run()})


if __name__ == "__main__":
    main()
