"""``depo train METHOD``."""

from __future__ import annotations

from depo.cli.flags import parse_job
from depo.cli.working import work_on
from depo.errors import DepoError, unknown
from depo.settings import METHODS

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
    if not argv or argv[0] in ("-h", "--help"):
        lines = [f"  {name:16} {_summary(kind)}" for name, kind in METHODS.items()]
        print(HELP.format(methods="\n".join(lines)))
        return 0
    method, *flags = argv
    if method.startswith("-"):
        raise DepoError(f"give a method before the flags: {', '.join(METHODS)}")
    if method not in METHODS:
        raise unknown("method", method, METHODS)
    job, common = parse_job(method, flags, f"depo train {method}", _summary(METHODS[method]))
    return work_on(job, common.out, as_json=common.json)


def _summary(kind: type) -> str:
    return (kind.__doc__ or "").strip().splitlines()[0]
