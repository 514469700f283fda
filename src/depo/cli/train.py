"""``depo train METHOD``."""

from __future__ import annotations

from depo.cli.training import work_on
from depo.cli.training_form import parse_job
from depo.core.errors import DepoError, unknown
from depo.methods.registry import trainable

HELP = """depo train METHOD: learn to imitate

{methods}

Examples:
  depo train depo                                  the grid world, its shipped demonstrations
  depo train depo --seeds 5 --k 2 --out runs/two   five seeds at once, two actions a direction
  depo train gaifo --preset paper                  a baseline with the authors' settings
  depo train depo --env hopper                     MuJoCo, four of ten shipped recordings
  depo train depo --env my_module:Mine-v0 --demos mine.npz
  depo train sac --env walker2d --steps 500000     an expert, to be recorded by 'depo demos record'

'depo train METHOD --help' lists every setting of a method.
"""


def run(argv: list[str]) -> int:
    """Train."""
    known = trainable()
    if not argv or argv[0] in ("-h", "--help"):
        lines = [f"  {name:16} {spec.summary}" for name, spec in known.items()]
        print(HELP.format(methods="\n".join(lines)))
        return 0
    method, *flags = argv
    if method.startswith("-"):
        raise DepoError(f"give a method before the flags: {', '.join(known)}")
    if method not in known:
        raise unknown("method", method, known)
    asked = parse_job(method, flags, f"depo train {method}", known[method].summary)
    return work_on(asked)
