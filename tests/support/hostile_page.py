"""A report of a run whose every name tries to become part of the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from depo.analysis.report.page import write_report
from depo.runs.run import Run
from tests.support.kept_runs import POINT, kept_run

SCRIPT = "</script></title></code></style><script>window.hacked=1</script><!--"
ATTRIBUTE = "\"'><img src=x onerror=window.hacked=1>"


def hostile_report(folder: Path) -> Path:
    """Names of the run, its task, a setting, a version, a picture, a feature and a curve file."""

    def change(settings: dict[str, Any]) -> None:
        settings["job"]["environment"]["id"] = f"{ATTRIBUTE}{SCRIPT}-v0".replace("/", "\u2215")
        settings["job"]["demos"] = SCRIPT
        settings["job"]["settings"]["plans"] = SCRIPT
        settings["job"]["planner"] = ATTRIBUTE
        settings["made_with"][ATTRIBUTE] = SCRIPT

    run = kept_run(POINT, folder / ATTRIBUTE.replace("/", ""), change)
    (run / "figures").mkdir()
    picture = run / "figures" / f"{ATTRIBUTE}.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n")
    header = (run / "metrics.csv").read_text()
    (run / "metrics.csv").write_text(header.replace("critic_loss", "<b>critic_loss"))
    file = folder / f"{ATTRIBUTE}.csv"
    file.write_text("step,return\n10,1\n80,2\n")
    curves = [str(file), f"{SCRIPT}={file}"]
    return write_report([Run.open(run)], folder / "page.html", curves=curves)
