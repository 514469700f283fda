from __future__ import annotations

import math

import pytest

from depo.data.importing.units import parse_unit, split_header, time_unit


@pytest.mark.parametrize(
    ("text", "factor", "kind"),
    [
        ("deg", math.pi / 180, "angle"),
        ("°", math.pi / 180, "angle"),
        ("mm", 1e-3, "length"),
        ("ms", 1e-3, "time"),
        ("deg/s", math.pi / 180, "other"),
        ("mm/s²", 1e-3, "other"),
        ("mm/s^2", 1e-3, "other"),
        ("km/h", 1 / 3.6, "other"),
        ("kn", 1852 / 3600, "other"),
        ("kts", 1852 / 3600, "other"),
        ("kN", 1e3, "other"),
        ("rpm", math.pi / 30, "other"),
        ("m*s-1", None, None),
        ("counts", None, None),
        ("m/mm", None, None),
    ],
)
def test_units(text: str, factor: float | None, kind: str | None) -> None:
    unit = parse_unit(text)
    if factor is None:
        assert unit is None
    else:
        assert unit is not None
        assert (unit.factor, unit.kind) == (pytest.approx(factor), kind)


@pytest.mark.parametrize(
    ("header", "name", "unit"),
    [
        ("hip [deg]", "hip", "deg"),
        ("hip (mm/s)", "hip", "mm/s"),
        ("hip / mm", "hip", "mm"),
        ("hip, deg", "hip", "deg"),
        ("lift / d", "lift / d", None),
        ("P, D", "P, D", None),
        ("speed m / s", "speed m / s", None),
        ("sog_kn", "sog", "kn"),
        ("knee_deg", "knee", "deg"),
        ("joint[0]", "joint[0]", None),
        ("force [counts]", "force [counts]", None),
        ("speed_ms", "speed_ms", None),
        ("zoom_in", "zoom_in", None),
        ("gyro_x_dps", "gyro_x", "dps"),
        ("hip_deg_s", "hip", "deg/s"),
        ("hip_deg_per_s", "hip", "deg/s"),
        ("foot_mps2", "foot", "m/s^2"),
        ("v_m_s", "v", "m/s"),
        ("camps", "camps", None),
        ("v_s", "v_s", None),
        ("p [hPa]", "p", "hPa"),
    ],
)
def test_headers(header: str, name: str, unit: str | None) -> None:
    found = split_header(header)
    assert (found[0], found[1] and found[1].name) == (name, unit)


def test_a_time_says_its_unit_after_an_underscore_too() -> None:
    assert [
        time_unit(h) and time_unit(h).name
        for h in ("t_ms", "time [us]", "minutes", "elapsed_seconds", "time", "hip [deg]")
    ] == [
        "ms",
        "us",
        "minutes",
        "seconds",
        None,
        None,
    ]
