"""Recordings of traffic: where vehicles were, and no actions."""

from depo.driving.traffic.recording import Ramp, Recording, Road, Track

__all__ = ["Ramp", "Recording", "Road", "Track"]
