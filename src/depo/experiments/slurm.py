"""A sweep as a SLURM array: one script, a task for each run. It needs nothing but ``sbatch``."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from depo.core.files import write_bytes
from depo.experiments.stored_sweep import save_sweep, tasks
from depo.experiments.sweep import Sweep

SCRIPT = "slurm.sh"
MINUTES = 2
"""Before the time limit, a task is told to save itself."""
TEXT = """\
#!/bin/bash
# {count} runs of depo: sbatch {script}
# What your cluster asks for (--partition, --account, --time, --mem) goes here as more #SBATCH
# lines, or on sbatch's command line. A task that is requeued, or submitted again, goes on exactly
# where its last checkpoint is; one that is finished ends at once.
#SBATCH --job-name={name}
#SBATCH --array=0-{last}{most}
#SBATCH --cpus-per-task=1
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output={log}
#SBATCH --signal=B:USR1@{seconds}

cd {here} || exit 1
task="" stopped="" requeue=""
stop() {{ stopped=yes; [ -z "$task" ] || kill -TERM "$task" 2>/dev/null; }}
trap 'stop' TERM INT
trap 'requeue=yes; stop' USR1  # the time limit is near
{python} -m depo sweep {folder} --task "$SLURM_ARRAY_TASK_ID"{trust} &
task=$!
[ -z "$stopped" ] || kill -TERM "$task"  # it came before there was a task
while true; do
  wait "$task"
  code=$?
  kill -0 "$task" 2>/dev/null || break  # a signal ends 'wait' before the task
done
if [ -n "$requeue" ] && [ "$code" -ne 0 ]; then
  scontrol requeue "${{SLURM_ARRAY_JOB_ID}}_${{SLURM_ARRAY_TASK_ID}}"
fi
exit "$code"
"""


def write_script(
    sweep: Sweep, workers: int = 0, *, trust: bool = False, where: Path | None = None
) -> Path:
    """Write the script, and what its tasks are to do, to the sweep's folder, or to another one
    (``where``); ``workers`` tasks at the same time, 0: as many as the cluster gives."""
    folder = save_sweep(sweep, where).parent.resolve()
    count, path = len(tasks(sweep)), folder / SCRIPT
    text = TEXT.format(
        count=len(sweep.plan),
        script=shlex.quote(str(path)),
        name=shlex.quote(f"depo-{folder.name}"),
        last=count - 1,
        most=f"%{workers}" if workers else "",
        log=shlex.quote(str(folder / "slurm-%a.log")),
        seconds=60 * MINUTES,
        here=shlex.quote(str(Path.cwd())),
        python=shlex.quote(sys.executable),
        folder=shlex.quote(str(folder)),
        trust=" --trust" if trust else "",
    )
    write_bytes(path, text.encode())
    path.chmod(0o755)
    return path
