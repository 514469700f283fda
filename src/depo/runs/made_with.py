"""What a run is made with: versions, packages that add to depo, and the machine."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from depo.core.errors import DepoError, readable
from depo.core.plugins import provider
from depo.core.runtime import cores
from depo.environments.family import family_of
from depo.runs.commit import source_commit
from depo.runs.job import Job

COMMIT, NONE = "commit", "none"


class NotInstalledError(DepoError):
    """A run is whole, and of a package that is not here."""


def versions() -> dict[str, Any]:
    """What identity of a resumed run depends on."""
    packages = ("depo", "jax", "jaxlib", "equinox", "optax", "numpy", "gymnasium", "mujoco")
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "threads": len(cores()),
        **{name: _version(name) for name in packages},
    }


def plugins_of(job: Job) -> dict[str, str]:
    """The packages that its method and its environments are from, where that is not depo."""
    own = (job.implementation.settings, type(family_of(job.environment)))
    return dict(found for kind in own if (found := provider(kind.__module__)) is not None)


def not_installed(made_with: Mapping[str, object]) -> str:
    """The packages that a run was made with beside depo and that are not here.

    >>> not_installed({"depo": "0.2.0", "depo-mine": "1.3"})
    'depo-mine 1.3'
    """
    others = {name: x for name, x in made_with.items() if name not in {*versions(), COMMIT}}
    missing = [f"{name} {x}" for name, x in others.items() if _version(name) == NONE]
    return readable(", ".join(missing))


def commit() -> dict[str, str]:
    """Told to people and not compared: most commits change no number."""
    return {COMMIT: found} if (found := source_commit()) else {}


def _version(package: str) -> str:
    try:
        return version(package)
    except (PackageNotFoundError, ValueError):  # the latter of a name that no package has
        return NONE
