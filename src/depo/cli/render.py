"""``depo render``."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from depo.cli.flags import parse
from depo.cli.output import print_json, stdout
from depo.core.errors import DepoError
from depo.driving.settings import DrivingSettings


@dataclass(frozen=True)
class Render:
    """Draw a drive from above: vehicles, the plan, the path reached. PNG, GIF or mp4.

    Plans are imagined 3 s ahead: the planner's own plans one after the other, without actions.
    """

    file: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FILE")]
    """What to write; its ending (.png, .gif, .mp4) tells a picture from a film."""
    driver: Literal["expert", "constant-velocity"] = "expert"
    """Who drives, if no run is given: as recorded, or on at constant velocity."""
    run: str = ""
    """A run's folder: its first seed's policy drives in the run's own scene, of which only --part
    can be chosen ('depo transfer RUN' gives its planner another vehicle)."""
    number: int = -1
    """The vehicle whose place is taken, as numbered in the recording; -1: the part's first."""
    seconds: float = 0.0
    """The moment drawn, or a film's length; 0: the middle of the drive, or all of it."""
    ahead: int = 30
    """Steps of the plan that are drawn; 0: none."""
    scene: tyro.conf.OmitArgPrefixes[DrivingSettings] = field(
        default_factory=lambda: DrivingSettings(part="test")
    )
    trust: bool = False
    """Import the modules that the run names, though somebody else made it."""
    json: bool = False
    """Print the result as JSON."""


def run(argv: list[str]) -> int:
    """Draw."""
    flags = parse(Render, argv, "depo render")
    from depo.core.runtime import prepare_jax
    from depo.driving.opening import open_environment
    from depo.plotting.drive import render

    prepare_jax()
    settings, driver, name = _who(flags)
    environment = open_environment(settings)
    vehicle = int(environment.choice[0]) if flags.number < 0 else flags.number
    path, ending = render(
        environment,
        driver,
        vehicle,
        Path(flags.file),
        name=name,
        seconds=flags.seconds,
        ahead=flags.ahead,
    )
    if flags.json:
        print_json({"file": str(path), "vehicle": vehicle, "ended": ending})
    else:
        stdout.print(f"{path}: vehicle {vehicle}, {ending.replace('_', ' ')}", soft_wrap=True)
    return 0


def _who(flags: Render) -> tuple[DrivingSettings, Any, str]:
    """The scene, the driver and its name."""
    from depo.driving.drivers import ConstantVelocity, ExpertReplay, PolicyDriver

    if not flags.run:
        driver = ExpertReplay() if flags.driver == "expert" else ConstantVelocity()
        return flags.scene, driver, flags.driver.replace("-", " ")
    from depo.analysis.evaluate import load_policies
    from depo.runs.run import Run

    run = Run.open(flags.run, trust=flags.trust)
    own = run.job.first_environment.settings
    if not isinstance(own, DrivingSettings):
        raise DepoError(
            f"{flags.run} is on {run.job.environment.label}, not on driving: "
            "'depo evaluate RUN --video' films other environments"
        )
    for setting in fields(DrivingSettings):
        value = getattr(flags.scene, setting.name)
        if setting.name != "part" and value != setting.default:
            raise DepoError(
                f"--{setting.name} {value}: with --run the scene is the run's own; "
                f"leave it out, or carry the planner there first ('depo transfer {flags.run} …')"
            )
    settings = replace(own, part=flags.scene.part)
    return settings, PolicyDriver(load_policies(run)[0]), run.job.method
