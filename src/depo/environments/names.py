"""Names of environments that were given as objects."""

from __future__ import annotations

import re

from depo.core.errors import DepoError

GIVEN = re.compile(r"given-[0-9a-f]{8}/(?P<name>[\w.]+)")


def is_given(id_: str) -> bool:
    """Whether an id is the name of an object that somebody gave."""
    return GIVEN.fullmatch(id_) is not None


def missing(id_: str) -> DepoError:
    """The sentence for an object that is not in this process."""
    match = GIVEN.fullmatch(id_)
    name = match["name"] if match else id_
    return DepoError(
        f"the environment {name} was given as an object and its run's folder cannot make it: give "
        "it again from Python, as depo.Run.open(RUN, env=my_environment) or depo.resume(RUN, env=…)"
    )
