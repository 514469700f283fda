"""The grid world as a family: finite states, known exactly."""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from math import isqrt
from typing import TYPE_CHECKING

import gymnasium as gym
import numpy as np

from depo.core.errors import DepoError
from depo.data.shipped import load_demonstrations
from depo.environments.family import (
    GRID,
    EnvironmentFamily,
    EnvironmentSettings,
    register_family,
)
from depo.environments.grid.gridworld import ID, GridWorld, GridWorldSettings
from depo.environments.gymnasium_environment import GymnasiumEnvironment

if TYPE_CHECKING:
    from depo.data.demonstrations import Demonstrations
    from depo.environments.tabular import TabularEnvironment
    from depo.evaluation.evaluator import Evaluator, Scoring

SHORT = "gridworld"


class GridFamily(EnvironmentFamily):
    """Grid worlds; variants are values of k, the actions for each direction."""

    name = GRID
    names = (SHORT, "GridWorld-v0", ID)
    settings = GridWorldSettings
    settings_are_flags = True
    instead_of_dynamics = "the grid world takes --k"
    expert = "built-in expert"
    needs_demonstrations = True

    def label(self, environment: EnvironmentSettings) -> str:
        """Size, walls, detour and k."""
        s = environment.settings
        walls = "-walls" if s.walls else ""
        detour = "-detour" if s.via else ""
        return f"{SHORT}-{s.size}x{s.size}{walls}{detour}-k{s.k}"

    def home(self, label: str, states: int | None = None) -> EnvironmentSettings | None:
        """A grid of as many cells as the planner has states, without walls."""
        if not label.startswith(SHORT) or states is None:
            return None
        size = isqrt(states)
        if size**2 != states:
            raise DepoError(f"this planner has {states} states, which make no square grid")
        return EnvironmentSettings(self.name, GridWorldSettings(size=size))

    def open_gymnasium(self, environment: EnvironmentSettings) -> GymnasiumEnvironment:
        """By its id, with all settings as arguments."""
        return GymnasiumEnvironment(ID, dataclasses.asdict(environment.settings))

    def open_table(self, environment: EnvironmentSettings) -> TabularEnvironment:
        """Tables of what every action does."""
        from depo.environments.grid.table import tabular_gridworld

        return tabular_gridworld(GridWorld(environment.settings))

    def is_finite(self, environment: EnvironmentSettings) -> bool:
        """Cells are."""
        del environment
        return True

    def demonstrations(self, environment: EnvironmentSettings) -> Demonstrations:
        """The built-in expert's; for the paper's map those that ship."""
        own: GridWorldSettings = environment.settings
        if own == GridWorldSettings(k=own.k):
            return load_demonstrations(SHORT)
        return GridWorld(own).demonstrations()

    def variant(self, environment: EnvironmentSettings, name: str) -> EnvironmentSettings:
        """The same map with another k."""
        if not name.isdecimal():
            raise DepoError(f"variant '{name}' is no k of the grid world, as 1,2,4")
        return replace(environment, settings=replace(environment.settings, k=int(name)))

    def evaluator(self, environment: EnvironmentSettings, scoring: Scoring) -> Evaluator:
        """Exact scores: nothing is played."""
        from depo.environments.grid.exact import ExactEvaluator

        assert scoring.demos is not None
        world = GridWorld(environment.settings)
        return ExactEvaluator(world, self.open_table(environment), scoring.demos, scoring.gamma)

    def report(self, environment: EnvironmentSettings, scoring: Scoring) -> Evaluator:
        """Played scores, and the exact ones beside."""
        from depo.evaluation.evaluator import Together
        from depo.evaluation.rollouts import FiniteRollouts

        played = FiniteRollouts(self.open_gymnasium(environment), scoring.seeds, scoring.episodes)
        return Together(played, self.evaluator(environment, scoring))

    def random_scores(self, environment: EnvironmentSettings, episodes: int) -> dict[str, float]:
        """Success is exact."""
        from depo.environments.grid.exact import ExactEvaluator

        world, table = GridWorld(environment.settings), self.open_table(environment)
        exact = ExactEvaluator(world, table, self.demonstrations(environment), gamma=0.99)
        uniform = np.full((world.states, world.actions), 1.0 / world.actions)
        success = float(exact.success_by_start(uniform).mean())
        return super().random_scores(environment, episodes) | {"success": success}

    def expert_scores(
        self, environment: EnvironmentSettings, demos: Demonstrations
    ) -> dict[str, float]:
        """Success is the share of demonstrations that end at the goal."""
        goal = GridWorld(environment.settings).goal
        arrived = [episode[-1] == goal for episode in demos]
        success = {"success": float(np.mean(arrived))}
        return super().expert_scores(environment, demos) | success


def register_ids() -> None:
    """Make ``gymnasium.make("depo/GridWorld-v0")`` work."""
    if ID not in gym.registry:
        here = "depo.environments.grid.gymnasium_environments"
        gym.register(
            ID,
            entry_point=f"{here}:GridWorldEnv",
            vector_entry_point=f"{here}:GridWorldVectorEnv",
        )


register_family(GridFamily())
register_ids()
