"""The scalars of metrics.csv in somebody's tracker as well; a tracker never stops or changes a run.

TensorBoard's event files are always there (:mod:`depo.runs.events`); Weights & Biases and Trackio
are packages of their own, in whatever mode they are set up (``WANDB_MODE=offline``).
"""

from __future__ import annotations

import importlib
import importlib.util
import logging
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

from depo.core.errors import DepoError, unknown
from depo.runs.callbacks import Callback, Evaluation

if TYPE_CHECKING:
    from depo.runs.run import Run

TrackerName = Literal["tensorboard", "wandb", "trackio"]
PROJECT = "depo"
QUIETLY: dict[str, dict[str, Any]] = {
    "wandb": {},
    "trackio": {"auto_log_gpu": False, "auto_log_cpu": False, "embed": False},
}
"""What else the two are begun with, whose functions have the same names."""


class Track(Callback):
    """Sends every row of metrics.csv to a tracker, as one run of its own with the job as config.

    ``depo.train("depo", callbacks=[depo.Track("wandb", project="mine")])``. With several seeds a
    metric is called ``seed-0/success``. Where the tracker fails it is given up with a warning.
    """

    def __init__(self, tracker: TrackerName, project: str = PROJECT):
        if tracker not in get_args(TrackerName):
            raise unknown("tracker", str(tracker), get_args(TrackerName))
        if tracker != "tensorboard" and importlib.util.find_spec(tracker) is None:
            raise DepoError(
                f"tracking by {tracker} needs the package '{tracker}', which is not installed: "
                "pip install 'depo[track]'"
            )
        self.tracker, self.project = tracker, project
        self._run: Any = None
        self._given_up = tracker == "tensorboard"  # whose files the run itself writes

    def __repr__(self) -> str:
        return f"Track({self.tracker!r})"

    def on_start(self, run: Run) -> None:
        """Begin, with what metrics.csv holds already."""
        self._carefully(lambda: self._begin(run))

    def on_evaluation(self, evaluation: Evaluation) -> None:
        """The new rows."""
        self._carefully(lambda: self._log(evaluation.rows))

    def on_end(self, run: Run) -> None:
        """Nothing more will come."""
        del run
        if self._run is not None:
            self._carefully(self._run.finish)

    def _begin(self, run: Run) -> None:
        package = importlib.import_module(self.tracker)
        name, config = run.path.name, {"path": str(run.path), **run.job.to_json()}
        own = QUIETLY[self.tracker]
        self._run = package.init(project=self.project, name=name, config=config, **own)
        self._log(run.metrics())

    def _log(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """One call for each number of steps: trackers take steps in order, once each."""
        by_steps: dict[int, list[Mapping[str, Any]]] = {}
        for row in rows:
            by_steps.setdefault(int(row["env_steps"]), []).append(row)
        for steps, together in by_steps.items():
            self._run.log(scalars(together), step=steps)

    def _carefully(self, call: Callable[[], object]) -> None:
        if self._given_up:
            return
        try:
            call()
        except Exception as error:  # whatever it is, the training goes on
            self._given_up = True
            logging.getLogger("depo").warning(
                "%s failed (%s: %s); the run goes on, metrics.csv has everything",
                self.tracker,
                type(error).__name__,
                error,
            )


def scalars(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The finite metrics of all seeds after as many steps, by name.

    >>> scalars([{"seed": 3, "env_steps": 64, "success": 0.5, "return": float("nan")}])
    {'success': 0.5}
    """
    return {
        name if len(rows) == 1 else f"seed-{int(row['seed'])}/{name}": float(value)
        for row in rows
        for name, value in row.items()
        if name not in ("seed", "env_steps") and math.isfinite(value)
    }
