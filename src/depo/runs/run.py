"""A run: a folder with settings, metrics, checkpoints and what was learned.

    RUN/settings.json       what was asked, with library versions
    RUN/demos.npz           the demonstrations, so that the folder is enough to resume
    RUN/metrics.csv         deterministic numbers, one row for each seed and evaluation
    RUN/timing.csv          seconds, which are not
    RUN/checkpoints/000025  complete states; the last two are kept
    RUN/replay/seed-0       the transitions off-policy learning reuses, in append-only chunks
    RUN/planner/seed-0      and RUN/skill/seed-0: what one keeps, the last or the one chosen
    RUN/reward/seed-0       the reward that airl learned, or that airl-transfer was given
    RUN/source/seed-0       the planner before it was fine-tuned, in a transfer that does
    RUN/events              TensorBoard's view of metrics.csv
    RUN/policy/seed-0       what acts, planner and skill in one; every method has it
    RUN/stopped.json        why a run that is not finished was stopped, if somebody said so
    RUN/figures             pictures

The folder appears in one rename with checkpoint 0 inside, so a run that exists can be resumed.
"""

from __future__ import annotations

import contextlib
import math
import shutil
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from depo.core.codec import Natural, decode, encode
from depo.core.errors import DepoError, printable, shortened
from depo.core.files import as_path, file_digest, json_digest, new_folder, own_copy, read_object
from depo.core.folders import check_folder, open_plain
from depo.core.formats import Format
from depo.core.imports import allow, distrust, refuse
from depo.data.demonstrations import Demonstrations
from depo.environments.names import is_given
from depo.runs.checkpoints import (
    CHECKPOINTS,
    KEPT_CHECKPOINTS,
    STATE,
    Progress,
    complete,
    load_state,
    read_progress,
    write_checkpoint,
)
from depo.runs.free_folder import refuse_taken
from depo.runs.job import Job
from depo.runs.lock import is_locked, locked
from depo.runs.made_with import commit, plugins_of, versions
from depo.runs.settings_file import FORMAT, SETTINGS, read_job, read_settings, write_settings
from depo.runs.tables import append_csv, is_as_left, longest_table, read_metrics, read_numbers

if TYPE_CHECKING:
    from depo.environments.given import EnvironmentLike
    from depo.models.acting import Policy
    from depo.models.policy_folder import Formula

METRICS, TIMING, DEMOS = "metrics.csv", "timing.csv", "demos.npz"
REPLAY, STOPPED, POLICY = "replay", "stopped.json", "policy"
FIGURES = "figures"
STOP_FORMAT = Format("note on a stop", unmarked=True)


@dataclass(frozen=True)
class Stop:
    """Why a run was stopped before its end, and where."""

    reason: str
    env_steps: Natural


@dataclass(frozen=True)
class Run:
    """A run's folder."""

    path: Path
    job: Job
    wants: tuple[str, ...] = field(default=(), compare=False, repr=False, kw_only=True)
    """What it cannot do without being trusted: modules that somebody else's folder names."""

    @classmethod
    def open(
        cls, path: str | Path, *, env: EnvironmentLike | None = None, trust: bool = False
    ) -> Run:
        """An existing run. ``env`` is its environment, if that was given as an object and this is
        another process: from then on everything finds it.

        A run that somebody else made opens, too; what needs a module that it names is refused,
        unless you ``trust`` it.
        """
        path = as_path(path, "run")
        if not (path / SETTINGS).exists():
            holds = next(path.glob(f"*/{SETTINGS}"), None)
            remedy = f"it holds runs, as {holds.parent}: give those" if holds else "see 'depo runs'"
            raise DepoError(f"{path} is not a run (no {SETTINGS} in it): {remedy}")
        check_folder(path)
        stored, job = read_job(path)
        run = cls(path, job, wants=job.wants)
        if run.wants:
            distrust(run.wants, str(path))
            if not trust and FORMAT.allow_own(stored, run.wants):
                run = replace(run, wants=())
            run = run.trusted(trust)
        return run.with_environment(env)

    def trusted(self, trust: bool = True, names: Collection[str] = ()) -> Run:
        """The run, of which the user allows all imports, or those of some names."""
        given = {name for name in self.wants if trust or name in names}
        allow(given)
        return replace(self, wants=tuple(name for name in self.wants if name not in given))

    def check_imports(self, names: Collection[str] | None = None) -> None:
        """Refuse to go on where that would import what only somebody else's folder names."""
        wanted = [name for name in self.wants if names is None or name in names]
        if wanted:
            raise refuse(str(self.path), wanted)

    def with_environment(self, env: EnvironmentLike | None) -> Run:
        """The run, whose environment is this object in this process; None: it needs none."""
        if env is None:
            return self
        from depo.environments.given import give_again

        id_ = self.job.environment.id
        if not is_given(id_):
            raise DepoError(f"{self.path} opens its environment {id_} by itself: leave env out")
        give_again(id_, env)
        return self

    @staticmethod
    @contextlib.contextmanager
    def create(path: Path, job: Job, demos: Demonstrations | None) -> Iterator[Run]:
        """A new run, complete in one rename when the block has saved checkpoint 0 in it."""
        refuse_taken(path)
        with new_folder(path) as folder:
            write_settings(folder, job, versions() | commit() | plugins_of(job))
            if demos is not None:
                demos.save(folder / DEMOS)
            yield Run(folder, job)

    def differences(self) -> list[str]:
        """What is not as when the run began: without any, a resumed run ends identically."""
        before, now = self.made_with(), versions() | plugins_of(self.job)
        return [f"{n} {before.get(n)} → {now[n]}" for n in now if before.get(n) != now[n]]

    def made_with(self) -> dict[str, str | int]:
        """Versions and machine that it began with, and the commit where depo is a checkout."""
        return dict(read_settings(self.path, read_object(self.path / SETTINGS)).made_with)

    def demonstrations(self) -> Demonstrations | None:
        """The run's own copy."""
        path = self.path / DEMOS
        return Demonstrations.load(path) if path.exists() else None

    def locked(self) -> contextlib.AbstractContextManager[None]:
        """Only one process may work on a run."""
        return locked(self.path)

    def is_running(self) -> bool:
        """Whether a process works on it now."""
        return is_locked(self.path)

    def checkpoints(self) -> list[Path]:
        """Complete checkpoints, oldest first."""
        return complete(self.path / CHECKPOINTS)

    def latest(self) -> tuple[Path, Progress]:
        """The newest checkpoint's state file and how far it is."""
        found = self.checkpoints()
        if not found:
            raise DepoError(f"{self.path} has no checkpoint: it is damaged, train again")
        return found[-1] / STATE, read_progress(found[-1], self.job.blocks)

    def save_checkpoint(self, block: int, save: Any) -> None:
        """Add a checkpoint; ``save(path)`` writes the state."""
        metrics = self.path / METRICS
        written = metrics.stat().st_size if metrics.exists() else 0
        known = file_digest(metrics, written) if written else ""
        progress = Progress(block, written, self.job_digest(), metrics=known)
        write_checkpoint(self.path / CHECKPOINTS, progress, save)
        for old in self._superseded():
            shutil.rmtree(old, ignore_errors=True)

    def _superseded(self) -> list[Path]:
        """All but the last ones that come at intervals, and the newest if that is on request."""
        found = self.checkpoints()
        regular = [p for p in found if self.last_synchronised(int(p.name)) == int(p.name)]
        return [p for p in found if p not in (*regular[-KEPT_CHECKPOINTS:], found[-1])]

    def last_synchronised(self, block: int) -> int:
        """The last checkpoint up to here at which environments were reset: they come at intervals,
        and the last at the end; one that a signal asked for lies between."""
        every = self.job.settings.saving.checkpoint_every
        return block if block >= self.job.blocks else block - block % every

    def forget_newest_checkpoint(self) -> None:
        """Go on from the one before."""
        shutil.rmtree(self.checkpoints()[-1])

    def steps_done(self) -> int:
        """Environment steps up to the newest checkpoint."""
        return self.job.steps_at(self.latest()[1].block)

    def mark_stopped(self, reason: str) -> None:
        """Keep why the run was stopped at its newest checkpoint."""
        stop = Stop(reason, self.steps_done())
        STOP_FORMAT.write(self.path / STOPPED, encode(stop))

    def forget_stop(self) -> None:
        """It goes on."""
        (self.path / STOPPED).unlink(missing_ok=True)

    def stop_reason(self) -> str:
        """Why it was stopped; empty: nobody said."""
        path = self.path / STOPPED
        if not path.exists():
            return ""
        return shortened(decode(Stop, STOP_FORMAT.read(path), str(path)).reason)

    def job_digest(self) -> str:
        """Of the job, as settings.json has it."""
        return json_digest(read_object(self.path / SETTINGS).get("job"))

    def load(self, skeleton: Any) -> Any:
        """What the newest checkpoint holds."""
        return load_state(*self.latest(), skeleton)

    def check(self, progress: Progress) -> None:
        """Refuse to go on where files are not as the checkpoint left them; touches nothing."""
        if progress.settings not in ("", self.job_digest()):
            raise DepoError(
                f"{self.path / SETTINGS} was changed since the last checkpoint: put it back, or "
                "train anew with what you want changed"
            )
        metrics, size = self.path / METRICS, progress.metrics_bytes
        if not is_as_left(metrics, size, progress.metrics):
            raise DepoError(
                f"{metrics} is not as the last checkpoint left it (missing, cut short or edited): "
                "put it back"
            )

    def cut_back(self, progress: Progress) -> None:
        """Forget metrics written after the checkpoint, and what a kill left half-written."""
        metrics = self.path / METRICS
        for table in (metrics, self.path / TIMING):
            own_copy(table, "CSV", longest_table())
        if metrics.exists() and metrics.stat().st_size > progress.metrics_bytes:
            with open_plain(metrics, "r+b") as file:
                file.truncate(progress.metrics_bytes)
        for leftover in list(self.path.rglob(".*.tmp")):
            if leftover.relative_to(self.path).parts[0] == FIGURES:
                continue  # which somebody may be drawing now
            if leftover.is_dir():
                shutil.rmtree(leftover, ignore_errors=True)
            else:
                leftover.unlink(missing_ok=True)

    def log(self, rows: list[dict[str, Any]]) -> None:
        """Append rows to metrics.csv."""
        append_csv(self.path / METRICS, rows)

    def log_time(self, env_steps: int, seconds: float) -> None:
        """Append to timing.csv."""
        append_csv(self.path / TIMING, [{"env_steps": env_steps, "seconds": f"{seconds:.3f}"}])

    def metrics(self) -> list[dict[str, float]]:
        """All rows of metrics.csv."""
        return read_metrics(self.path / METRICS, self.job.seeds, self.job.total_steps)

    def final_scores(self) -> list[dict[str, float]]:
        """The last row of every seed."""
        last = {int(row["seed"]): row for row in self.metrics()}
        return [last[seed] for seed in sorted(last)]

    def seconds(self) -> float:
        """Time spent learning, over all sittings."""
        path = self.path / TIMING
        spent = [row.get("seconds", math.nan) for row in read_numbers(path)]
        if not all(0 <= seconds < math.inf for seconds in spent):
            raise DepoError(f"{path} is damaged: it does not say seconds in every row")
        return sum(spent)

    def steps_so_far(self) -> int:
        """Environment steps of the latest evaluation, read without waiting for a checkpoint."""
        rows = read_numbers(self.path / TIMING)
        steps = rows[-1].get("env_steps", 0.0) if rows else 0.0
        return int(steps) if 0 <= steps < math.inf else 0

    def is_finished(self) -> bool:
        """Whether nothing is left to do; a run of no steps still has to be scored."""
        all_steps = self.latest()[1].block >= self.job.blocks
        return all_steps and (self.job.blocks > 0 or (self.path / METRICS).exists())

    def policy(
        self,
        seed: int | None = None,
        *,
        variant: str = "",
        skill: Formula | None = None,
        trust: bool = False,
    ) -> Policy:
        """What a seed (the first one) has learned, to act with; co-trained, with one variant (the
        first one). A run that has saved none gives that of its newest checkpoint.

        A formula that somebody else's run names is imported only if you name it, too (``skill``),
        or ``trust`` the run.
        """
        from depo.runs.policies import policy_of

        return policy_of(self.trusted(trust), seed, variant, skill, trust)

    def __repr__(self) -> str:
        from depo.runs.progress import score_text

        about = f"{self.job.method} on {self.job.environment.label}"
        try:
            told = [self.status(), self.stop_reason(), score_text(self.final_scores())]
        except (DepoError, OSError):
            told = ["damaged"]
        said = ", ".join(filter(None, [repr(str(self.path)), about, *told]))
        return f"Run({printable(said)})"

    def status(self) -> str:
        """finished, running, or stopped."""
        return "finished" if self.is_finished() else "running" if self.is_running() else "stopped"


def as_run(
    run: str | Path | Run, *, env: EnvironmentLike | None = None, trust: bool = False
) -> Run:
    """A run that is given as one, or as its folder."""
    if isinstance(run, Run):
        return run.trusted(trust).with_environment(env)
    return Run.open(run, env=env, trust=trust)


def find_runs(folder: Path) -> list[Path]:
    """The folders of all runs below a folder."""
    found = [path.parent for path in sorted(folder.rglob(SETTINGS))]
    return [
        path
        for path in found
        if (path / CHECKPOINTS).is_dir()
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]
