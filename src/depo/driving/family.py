"""Driving as a family: recorded traffic, vehicles whose skill is a formula."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium as gym

from depo.driving.settings import FORMULAS, HORIZON, ID, DrivingSettings, formula_of
from depo.environments.family import EnvironmentFamily, EnvironmentSettings, register_family
from depo.environments.gymnasium_environment import GymnasiumEnvironment

if TYPE_CHECKING:
    from depo.data.demonstrations import Demonstrations
    from depo.environments.jax_environment import JaxEnvironment
    from depo.evaluation.evaluator import Evaluator, Scoring


class DrivingFamily(EnvironmentFamily):
    """One vehicle in recorded traffic; variants are vehicles."""

    name = "driving"
    names = ("driving", ID)
    settings = DrivingSettings
    instead_of_dynamics = "driving takes another vehicle, as --env-args vehicle=inverse"
    plays_episodes = False
    formula_module = FORMULAS

    def with_arguments(
        self, environment: EnvironmentSettings, arguments: Mapping[str, Any]
    ) -> EnvironmentSettings:
        """A run is opened from anywhere, so a recording's file is kept by its full path."""
        given = dict(arguments)
        if Path(str(given.get("recording", ""))).is_file():
            given["recording"] = str(Path(given["recording"]).resolve())
        return super().with_arguments(environment, given)

    def home(self, label: str, states: int | None = None) -> EnvironmentSettings | None:
        """The environment as it is without settings, if the label is its own."""
        del states
        usual = EnvironmentSettings(self.name)
        return usual if label == self.label(usual) else None

    def files(self, environment: EnvironmentSettings) -> tuple[str, ...]:
        """The recording, unless it is the one that is meant where none is named."""
        own: str = environment.settings.recording
        return (own,) if own else ()

    def open_gymnasium(self, environment: EnvironmentSettings) -> GymnasiumEnvironment:
        """By its id; what is as usual goes without saying."""
        own = environment.settings
        fields = dataclasses.fields(own)
        said = {f.name: getattr(own, f.name) for f in fields if getattr(own, f.name) != f.default}
        return GymnasiumEnvironment(ID, said)

    def open_jax(self, environment: EnvironmentSettings) -> JaxEnvironment:
        """The simulator, one ego at a time."""
        from depo.driving.jax_environment import OneEgo
        from depo.driving.opening import open_environment

        return OneEgo(open_environment(environment.settings))

    def is_finite(self, environment: EnvironmentSettings) -> bool:
        """States are vectors."""
        del environment
        return False

    def demonstrations(self, environment: EnvironmentSettings) -> Demonstrations:
        """The recorded drivers of the train part."""
        from depo.driving.opening import driving_demonstrations

        return driving_demonstrations(environment.settings)

    def formula(self, environment: EnvironmentSettings) -> str:
        """The exact inverse of the vehicle's kinematics."""
        return formula_of(environment.settings.vehicle)

    def controllers(self, environment: EnvironmentSettings) -> str:
        """The vehicle's speed and heading controllers."""
        return formula_of(f"pid_{environment.settings.vehicle}")

    def time_step(self, environment: EnvironmentSettings) -> float:
        """The recording's."""
        from depo.driving.opening import open_recording

        return open_recording(environment.settings.recording).time_step

    def variant(self, environment: EnvironmentSettings, name: str) -> EnvironmentSettings:
        """The same traffic with another vehicle."""
        settings = replace(environment.settings, vehicle=name)
        return replace(environment, settings=settings)

    def evaluator(self, environment: EnvironmentSettings, scoring: Scoring) -> Evaluator:
        """Every validation and test vehicle once."""
        from depo.driving.scores import DrivingEvaluator

        del scoring
        return DrivingEvaluator(environment.settings)

    def random_scores(self, environment: EnvironmentSettings, episodes: int) -> dict[str, float]:
        """None: scores are of every vehicle of a part once, and nobody drives those at random."""
        del environment, episodes
        return {}


def register_ids() -> None:
    """Make ``gymnasium.make("depo/Driving-v0")`` work."""
    if ID not in gym.registry:
        here = "depo.driving.gymnasium_environments"
        gym.register(
            ID,
            entry_point=f"{here}:DrivingEnv",
            vector_entry_point=f"{here}:DrivingVectorEnv",
            max_episode_steps=HORIZON,
        )


register_family(DrivingFamily())
register_ids()
