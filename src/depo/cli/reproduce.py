"""``depo reproduce NAME``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from depo.cli.flags import parse
from depo.cli.many import check_many, hand_to_slurm, watching
from depo.cli.output import print_json, print_rows, print_table, print_wide_table, stderr, stdout
from depo.core.errors import DepoError, unknown
from depo.core.runtime import cores

if TYPE_CHECKING:
    from depo.experiments.experiment import ScaleSettings

HELP = """depo reproduce NAME: a figure of the paper, or a control beside it, with a verdict

{experiments}

Writes the figure (PNG and PDF), results.csv, table.md and verdict.json. Finished runs are never
repeated and stopped ones go on, so the command can be given again at any time.

  depo reproduce fig2                          5 seeds, about a minute
  depo reproduce fig4 --scale bench --seeds 10
  depo reproduce fig3 --scale bench --only hopper-depo hopper-gaifo
  depo reproduce fig3 --scale bench --only hopper-bco --keep    beside results that are there
  depo reproduce fig3 --scale bench --dry-run                   which runs, how long, where
"""


@dataclass(frozen=True)
class Reproduce:
    """Reproduce an experiment and judge its claims."""

    scale: Literal["smoke", "laptop", "bench", "paper"] = "laptop"
    """smoke: seconds. laptop: minutes. bench: what we publish. paper: as published."""
    seeds: int = 0
    """How many seeds; 0: the scale's own."""
    out: str = ""
    """Where to write; empty: results/NAME-SCALE, with the name of a --recording behind. Runs are
    shared by experiments beside it."""
    workers: int = 0
    """Runs at the same time, one core each; 0: as many as there are cores, here or there."""
    only: tuple[str, ...] = ()
    """Only these runs of the plan (fig3: TASK-METHOD, as hopper-depo; ablation: TASK-CHANGE, as
    hopper-noise-1); claims about others stay open."""
    keep: bool = False
    """Keep the results that --out has already and do only what they lack, or what --only names: for
    runs made on another machine, or removed since."""
    demos_dir: str = ""
    """MuJoCo: a folder with TASK.npz files to imitate instead of the shipped ones."""
    reference: str = ""
    """fig3: a CSV of other people's curves (method, environment, seed, env_steps, return)."""
    recording: str = ""
    """Driving: a file of 'depo demos from-traffic' instead of the recording that ships; claims,
    which are about that one, stay open."""
    engine: Literal["local", "ray", "slurm"] = "local"
    """Processes of this machine, the machines of a Ray cluster (needs the 'ray' extra), or a SLURM
    array, whose script is written; once it is done, the same command without it draws."""
    dry_run: bool = False
    """Only say which runs would be done, for how long and where; nothing is written."""
    json: bool = False
    """Print the verdict as JSON."""


def run(argv: list[str]) -> int:
    """Reproduce an experiment."""
    from depo.experiments.registry import EXPERIMENTS

    if not argv or argv[0] in ("-h", "--help"):
        lines = [f"  {e.name:11} {e.summary}" for e in EXPERIMENTS.values()]
        print(HELP.format(experiments="\n".join(lines)))
        return 0
    name, *rest = argv
    if name not in EXPERIMENTS:
        raise unknown("experiment", name, EXPERIMENTS)
    return _reproduce(name, parse(Reproduce, rest, f"depo reproduce {name}"))


def _reproduce(name: str, flags: Reproduce) -> int:
    from depo.experiments.driving import EXPERIMENTS as DRIVING
    from depo.experiments.experiment import SCALES

    check_many(flags.engine, flags.workers)
    if flags.seeds < 0:
        raise DepoError(f"--seeds {flags.seeds} is negative")
    scale = SCALES[flags.scale]
    if flags.recording and name not in DRIVING:
        raise DepoError(f"{name} needs no --recording: it is for {', '.join(DRIVING)}")
    scale = replace(
        scale,
        seeds=flags.seeds,
        demos_dir=flags.demos_dir,
        reference=flags.reference,
        recording=flags.recording,
    )
    out = Path(flags.out or _default_out(name, flags))
    if flags.dry_run:
        return _tell(name, flags, scale, out)
    return _execute(name, flags, scale, out)


def _tell(name: str, flags: Reproduce, scale: ScaleSettings, out: Path) -> int:
    """What would be done, a line for each run."""
    from depo.experiments.registry import EXPERIMENTS

    _, kept, sweep = EXPERIMENTS[name].prepare(
        scale=scale, out=out, runs_folder=out.parent / "runs", only=flags.only, keep=flags.keep
    )
    rows: list[dict[str, Any]] = [
        {
            "run": label,
            "method": planned.job.method,
            "environment": planned.job.environment.label,
            "seeds": len(planned.job.seeds),
            "env_steps": planned.job.total_steps,
            "planners_of": planned.after or None,
            "status": _status(sweep.path(label)),
            "folder": str(sweep.path(label)),
        }
        for label, planned in sweep.plan.items()
    ]
    if flags.json:
        print_json({"experiment": name, "out": str(out), "kept": sorted(kept), "runs": rows})
        return 0
    shown = [[value for key, value in row.items() if key != "folder"] for row in rows]
    head = ["run", "method", "environment", "seeds", "env steps", "planners of", "status"]
    print_rows(f"{name}, scale {flags.scale}: {len(rows)} runs", head, shown)
    left = sum(row["seeds"] * row["env_steps"] for row in rows if row["status"] != "finished")
    stdout.print(f"{left:,} environment steps in runs that are not finished", soft_wrap=True)
    stdout.print(f"runs: {out.parent / 'runs'}, results: {out}", soft_wrap=True)
    stdout.print("nothing was written")
    return 0


def _status(folder: Path) -> str:
    from depo.runs.run import Run
    from depo.runs.settings_file import SETTINGS

    return Run.open(folder).status() if (folder / SETTINGS).exists() else "new"


def _execute(name: str, flags: Reproduce, scale: ScaleSettings, out: Path) -> int:
    from depo.experiments.registry import EXPERIMENTS

    asked: dict[str, Any] = {"scale": scale, "out": out, "runs_folder": out.parent / "runs"}
    asked |= {"only": flags.only, "keep": flags.keep}
    if flags.engine == "slurm":
        sweep = EXPERIMENTS[name].prepare(**asked)[2]
        if sweep.left():
            return hand_to_slurm(sweep, flags.workers, as_json=flags.json, where=out)
    at_once = flags.workers or (len(cores()) if flags.engine == "local" else 0)
    try:
        with watching() as (watch, say):
            verdict = EXPERIMENTS[name].reproduce(
                **asked, workers=at_once, engine=flags.engine, watch=watch, say=say
            )
    except KeyboardInterrupt:
        stderr.print("stopped; give the same command again and it goes on from here")
        return 130
    if flags.json:
        print_json({"out": str(out), **verdict})
        return 0
    rows = [
        [c["claim"], c["expected"], c["measured"], _span(c["interval"]), _holds(c["holds"])]
        for c in verdict["claims"]
    ]
    verdict_table = f"{name}: verdict", ["claim", "expected", "measured", "95%", "holds"], rows
    if stdout.is_terminal or not print_wide_table(*verdict_table):
        print_table(*verdict_table)
    for path in verdict["figures"]:
        stdout.print(f"figure: {path}", soft_wrap=True)
    if flags.scale == "smoke":
        stderr.print("scale smoke trains too little for the claims to mean anything")
    return 0


def _holds(value: bool | None) -> bool | str:
    """What is not known yet is neither yes nor no."""
    return "open" if value is None else value


def _default_out(name: str, flags: Reproduce) -> str:
    """Another recording has a folder of its own."""
    return "-".join(filter(None, [f"results/{name}", flags.scale, Path(flags.recording).stem]))


def _span(interval: list[Any] | None) -> str:
    if interval is None:
        return "–"
    return " to ".join(x if isinstance(x, str) else f"{x:.4g}" for x in interval)
