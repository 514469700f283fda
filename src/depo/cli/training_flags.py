"""The flags that training commands share; those of the method come from its settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class CommonFlags:
    """What every training command takes."""

    env: str = "gridworld"
    """'gridworld', 'driving', a MuJoCo task (hopper, walker2d, half-cheetah, inverted-pendulum,
    ant, humanoid), any Gymnasium id ('module:Id-v0' imports), or 'module:function', which makes an
    environment."""
    demos: str = ""
    """Demonstrations: an .npz file or a shipped name; empty: the environment's default."""
    steps: int = 12_800
    """Environment steps for each seed."""
    patience: int = 0
    """Stop once the main score has had no new best for this many evaluations ('depo resume' goes on
    from there); 0: take all steps."""
    seed: int = 0
    """The first seed."""
    seeds: int = 1
    """How many seeds, trained together: SEED, SEED+1, …"""
    preset: str = "fast"
    """Where the other defaults come from: what works best, or what the authors did."""
    skill: str = ""
    """A skill folder to begin with (--skill-rate 0 keeps it as it is); in a transfer with --steps 0
    also a formula, module:function; empty: a fresh skill."""
    reward_from: str = ""
    """The reward that airl-transfer learns by: a run of airl, or a folder as RUN/reward/seed-0."""
    out: str = ""
    """The run's folder; empty: the next free one below runs/."""
    strict: bool = False
    """Refuse demonstrations that do not seem to fit the environment, instead of warning."""
    track: Literal["tensorboard", "wandb", "trackio"] = "tensorboard"
    """Who else is told the scalars of metrics.csv; TensorBoard's files are in RUN/events anyway."""
    config: str = ""
    """A TOML file of values for these flags, as 'depo settings … --toml' writes one; a flag that is
    given beats it."""
    engine: Literal["local", "ray", "slurm"] = "local"
    """Who does it. With 'ray' (a cluster; needs the extra), 'slurm' (an array script is written) or
    --workers, every seed is a run of its own on one core, OUT/seed-0 and so on."""
    workers: int = 0
    """How many of these runs at the same time; 0: all seeds together in this process, on a cluster
    as many as it has cores."""
    dry_run: bool = False
    """Only say what would run, from what, for how long and where; nothing is written."""
    trust: bool = False
    """Import the modules that --config, or the run of a planner that somebody else made, names."""
    json: bool = False
    """Print the result as JSON."""


@dataclass(frozen=True)
class VariantFlags:
    """What co-training takes."""

    variants: str = ""
    """The variants that share a planner, comma-separated: vehicles (normal,inverse,transpose,
    truck), k of the grid world (1,2,4), elsewhere dynamics ('as-is,inverted'; with commas inside,
    separate by semicolons: 'as-is;mixed,gravity=0.8') or other environments with the same states
    ('mine:LightArm-v0,mine:HeavyArm-v0')."""
    schedule: Literal["round-robin", "joint"] = "round-robin"
    """Variants take turns with the planner, or it follows the sum of their losses, where the
    method has one for each."""

    def names(self) -> tuple[str, ...]:
        """The variants by name."""
        words = self.variants.split(";" if ";" in self.variants else ",")
        return tuple(word.strip() for word in words if word.strip())


COMMON_HEADINGS = {"demos": "data", "steps": "how long", "patience": "how long"} | dict.fromkeys(
    ("out", "track", "config", "engine", "workers", "dry_run", "trust", "json"), "saving"
)
"""Where common flags are shown, if not under 'what'."""


OF_A_CALL = ("config", "dry_run", "engine", "json", "out", "patience", "track", "trust", "workers")
"""Flags that are about this one call, and no setting of what it does."""
