"""Stop-and-go traffic on I-80's geometry, made with SUMO (the extra ``traffic``)."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from depo.core.errors import DepoError
from depo.driving.traffic.road import Road

UPSTREAM, DOWNSTREAM, BOTTLENECK = 300.0, 560.0, 420.0
"""Metres of road before x = 0, where it ends, and where the slow sign stands."""
SUBLANE = 0.95
"""Metres between two lateral places that SUMO tells apart: four to a lane."""
RAMP_END = 145.0
"""Where the acceleration lane ends (m): still inside the ramp's taper."""


@dataclass(frozen=True)
class SimulationSettings:
    """What ``depo demos make-traffic`` asks of SUMO."""

    minutes: float = 12.0
    """How long the recording is."""
    warm_up: float = 4.0
    """Minutes of traffic before the recording begins, in which the jam forms."""
    main_flow: int = 10_500
    """Vehicles per hour that want to enter on the six lanes."""
    ramp_flow: int = 240
    """Vehicles per hour that want to enter on the ramp."""
    slow: float = 6.0
    """About how slow the sign downstream gets (m/s), drawn anew for each wave."""
    fast: float = 25.0
    """About how fast it gets (m/s)."""
    period: float = 60.0
    """Mean seconds between two waves."""
    seed: int = 1
    """Of SUMO and of everything drawn here."""

    def __post_init__(self) -> None:
        for name in ("minutes", "main_flow", "slow", "period"):
            if getattr(self, name) <= 0:
                raise DepoError(f"{name.replace('_', '-')} {getattr(self, name)} is not positive")
        if self.warm_up < 0 or self.ramp_flow < 0:
            raise DepoError("warm-up and ramp-flow must not be negative")
        if self.fast <= self.slow:
            raise DepoError(f"fast {self.fast} m/s is not above slow {self.slow} m/s")


VEHICLES: dict[str, tuple[float, float, float, str, float, float]] = {
    "motorcycle": (0.01, 2.2, 0.9, "motorcycle", 3.0, 1.0),
    "small": (0.22, 4.1, 1.75, "passenger", 2.0, 1.1),
    "car": (0.42, 4.7, 1.85, "passenger", 1.9, 1.2),
    "pickup": (0.22, 5.5, 2.0, "passenger", 1.8, 1.3),
    "van": (0.08, 6.4, 2.1, "delivery", 1.5, 1.4),
    "lorry": (0.03, 9.5, 2.4, "truck", 1.1, 1.6),
    "articulated": (0.02, 17.0, 2.5, "trailer", 0.8, 1.8),
}
"""Share, length and width (m), SUMO's class, acceleration (m/s²) and time headway (s)."""


def simulate(settings: SimulationSettings, folder: Path) -> Path:
    """Run SUMO in ``folder``; the file of positions that it writes."""
    programs = _programs()
    _write_network(folder)
    inputs = ["-n", "nodes.xml", "-e", "edges.xml", "-x", "links.xml", "-o", "net.xml"]
    _run(programs / "netconvert", [*inputs, "--offset.disable-normalization"], folder)
    _write_traffic(folder, settings)
    begin = 60 * settings.warm_up
    positions = folder / "positions.csv"
    options = {
        "--net-file": "net.xml",
        "--route-files": "traffic.xml",
        "--additional-files": "signs.xml",
        "--fcd-output": positions.name,
        "--fcd-output.attributes": "id,type,x,y,lane",
        "--device.fcd.begin": begin,
        "--end": begin + 60 * settings.minutes,
        "--step-length": 0.1,
        "--lateral-resolution": SUBLANE,
        "--precision": 3,
        "--time-to-teleport": -1,
        "--collision.action": "warn",
        "--seed": settings.seed,
    }
    words = [word for option in options.items() for word in option]
    _run(programs / "sumo", [*words, "--no-step-log", "--duration-log.statistics"], folder)
    return positions


def _programs() -> Path:
    try:
        import sumo
    except ImportError:
        raise DepoError(
            "SUMO is not installed: pip install 'depo[traffic]' (the embedded recording needs none)"
        ) from None
    return Path(sumo.SUMO_HOME) / "bin"


def _run(program: Path, words: list[object], folder: Path) -> None:
    command = [str(program), *(str(word) for word in words)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    (folder / f"{program.name}.log").write_text(done.stdout + done.stderr, "utf-8")
    if done.returncode:
        last = (done.stderr.strip() or "no message").splitlines()[-1]
        raise DepoError(f"{program.name} failed: {last}")


def _write_network(folder: Path) -> None:
    """Six lanes along y = 0 and below; SUMO's y points left, so ours is its negative.

    The ramp comes in at the slope of its taper, runs beside the lanes from where it joins them,
    and ends at RAMP_END.
    """
    road = Road.i80()
    assert road.ramp is not None
    joins, centre = road.ramp.joins, float(road.lane_centre(road.lanes))
    far = centre + road.ramp.slope * (joins + 250.0)
    width = road.lane_width
    (folder / "nodes.xml").write_text(f"""<nodes>
  <node id="start" x="{-UPSTREAM}" y="0"/>
  <node id="ramp" x="-250" y="{-far + width / 2}"/>
  <node id="join" x="{joins}" y="0" radius="0" keepClear="false"/>
  <node id="taper" x="{RAMP_END}" y="0" radius="0" keepClear="false"/>
  <node id="sign" x="{BOTTLENECK}" y="0" radius="0" keepClear="false"/>
  <node id="end" x="{DOWNSTREAM}" y="0"/>
</nodes>""")
    lanes, fast = f'spreadType="right" width="{width}"', 'speed="24"'
    ramp_shape = f"-250,{-far + width / 2} {joins},{-centre + width / 2}"
    (folder / "edges.xml").write_text(f"""<edges>
  <edge id="before" from="start" to="join" numLanes="6" {fast} {lanes}/>
  <edge id="ramp" from="ramp" to="join" numLanes="1" speed="16" {lanes} shape="{ramp_shape}"/>
  <edge id="merge" from="join" to="taper" numLanes="7" {fast} {lanes}/>
  <edge id="after" from="taper" to="sign" numLanes="6" {fast} {lanes}/>
  <edge id="beyond" from="sign" to="end" numLanes="6" {fast} {lanes}/>
</edges>""")
    through = [("before", "merge", i, i + 1) for i in range(6)]
    through += [("ramp", "merge", 0, 0)]
    through += [("merge", "after", i + 1, i) for i in range(6)]
    through += [("after", "beyond", i, i) for i in range(6)]
    links = "".join(
        f'<connection from="{a}" to="{b}" fromLane="{i}" toLane="{j}"/>\n' for a, b, i, j in through
    )
    (folder / "links.xml").write_text(f"<connections>\n{links}</connections>")


def _write_traffic(folder: Path, settings: SimulationSettings) -> None:
    """Vehicle types with a spread of drivers, their flows, and the sign that makes the waves."""
    rng = np.random.default_rng(settings.seed)
    types, seconds = [], 60 * (settings.warm_up + settings.minutes)
    for name, (share, length, width, kind, acceleration, headway) in VEHICLES.items():
        for i in range(5):
            types.append(
                f'<vType id="{name}.{i}" probability="{share / 5}" vClass="{kind}" '
                f'length="{length * rng.uniform(0.93, 1.07):.2f}" '
                f'width="{width * rng.uniform(0.96, 1.04):.2f}" '
                f'carFollowModel="EIDM" tau="{headway * rng.uniform(0.7, 1.3):.2f}" '
                f'accel="{acceleration * rng.uniform(0.8, 1.2):.2f}" decel="3.0" '
                f'minGap="{rng.uniform(1.5, 2.5):.2f}" speedFactor="normc(1,0.1,0.7,1.3)" '
                f'maxSpeed="27" laneChangeModel="SL2015" latAlignment="center" '
                f'maxSpeedLat="{rng.uniform(0.8, 1.3):.2f}" '
                f'minGapLat="{1.2 if kind == "motorcycle" else 0.4}" '
                f'lcKeepRight="0" lcSpeedGain="{rng.uniform(1, 4):.2f}" lcSublane="0.5" '
                f'lcAssertive="{rng.uniform(1.5, 3):.2f}" lcCooperative="0.2" lcAccelLat="0.8"/>'
            )
    flow = 'begin="0" end="{end}" type="traffic" departPos="base" departSpeed="avg"'
    flow = flow.format(end=seconds)
    (folder / "traffic.xml").write_text(
        "<routes>\n<vTypeDistribution id='traffic'>\n"
        + "\n".join(types)
        + "\n</vTypeDistribution>\n"
        + f'<flow id="main" from="before" to="beyond" vehsPerHour="{settings.main_flow}" '
        + f'{flow} departLane="best"/>\n'
        + f'<flow id="ramp" from="ramp" to="beyond" vehsPerHour="{settings.ramp_flow}" '
        + f'{flow} departLane="0"/>\n'
        + "</routes>"
    )
    steps, now = [(0.0, settings.slow)], 60.0
    while now < seconds:
        wave = settings.period * rng.uniform(0.6, 1.4)
        slow = settings.slow * rng.uniform(0.3, 1.5)
        steps.append((now, settings.fast * rng.uniform(0.7, 1.2)))
        steps.append((now + wave * rng.uniform(0.5, 0.7), slow))
        now += wave
    shown = "".join(f'<step time="{t:.0f}" speed="{v:.2f}"/>' for t, v in steps)
    lanes = " ".join(f"beyond_{i}" for i in range(6))
    (folder / "signs.xml").write_text(
        f'<additional><variableSpeedSign id="wave" lanes="{lanes}">{shown}'
        "</variableSpeedSign></additional>"
    )
