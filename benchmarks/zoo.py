"""Make an entry of the zoo from a finished run, in one command.

    python benchmarks/zoo.py runs/hopper hopper

Copies planner and policy of a seed to ``src/depo/zoo/models/NAME``, plays 20 episodes on seeds that
no training uses, and writes the card with scores, intervals, settings and how to train it again.
"""

from __future__ import annotations

import argparse
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from depo.analysis.policies import play
from depo.analysis.report.origins import command_of
from depo.core.codec import encode
from depo.core.errors import DepoError
from depo.core.files import new_folder, read_object, write_bytes, write_json
from depo.core.signature import PLACE, SIGNATURE
from depo.evaluation.statistics import interval
from depo.models.card import SETTINGS
from depo.models.policy_folder import load_policy
from depo.models.skill import AnalyticSkill
from depo.runs.job import Job
from depo.runs.made_with import versions
from depo.runs.run import Run
from depo.zoo.entries import ENTRY, FOLDER, FORMAT, LARGEST, README, Entry, Score

FIRST_SEED, EPISODES = 1_000_000, 20
"""Of episodes; far from those of trainings and their evaluations."""
EVALUATED = ("return", "return_worst_episode", "success")
FILES = ("weights.safetensors", SETTINGS, "card.md")


def main() -> None:
    """Write an entry and print its scores."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("name")
    parser.add_argument("--seed", type=int, help="of the run's seeds; the first if left out")
    parser.add_argument("--episodes", type=int, default=EPISODES)
    given = parser.parse_args()
    entry = make_entry(given.run, given.name, given.seed, given.episodes)
    size = sum(file.stat().st_size for file in entry.folder.rglob("*") if file.is_file())
    print(f"{entry.folder}: {size:,} bytes")
    for name, score in entry.scores.items():
        print(f"{name}: {score.mean:.4g} [{score.low:.4g}, {score.high:.4g}]")


def make_entry(
    path: Path, name: str, seed: int | None = None, episodes: int = EPISODES, into: Path = FOLDER
) -> Entry:
    """The entry of a run's seed, in place of one of that name."""
    run = Run.open(path)
    if run.status() != "finished":
        raise DepoError(f"{path} is {run.status()}: an entry is made of a finished run")
    if episodes < EPISODES:
        raise DepoError(f"episodes {episodes} are too few for a card: {EPISODES} or more")
    seed = run.job.seeds[0] if seed is None else seed
    with new_folder(into / f"{name}.new") as folder:
        for part in ("planner", "policy"):
            _copy(run.path / part / f"seed-{seed}", folder / part)
        entry = _measured(run.job, name, folder / "policy", seed, episodes)
        FORMAT.write(folder / ENTRY, encode(entry))
        write_bytes(folder / README, card(entry, folder / "policy").encode())
        size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
        if size > LARGEST:
            raise DepoError(f"{name} takes {size:,} bytes, an entry at most {LARGEST:,}")
    shutil.rmtree(into / name, ignore_errors=True)
    (into / f"{name}.new").rename(into / name)
    return entry


def _copy(source: Path, target: Path) -> None:
    """The files of a model's folder, without the signature of whoever trained it."""
    target.mkdir()
    for file in FILES:
        if (source / file).is_file():
            shutil.copyfile(source / file, target / file)
    settings = _unsigned(read_object(target / SETTINGS))
    settings["origin"]["home"] = _unsigned(settings["origin"]["home"])
    write_json(target / SETTINGS, settings)


def _unsigned(data: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name not in (SIGNATURE, PLACE)}


def _measured(job: Job, name: str, folder: Path, seed: int, episodes: int) -> Entry:
    policy, seeds = load_policy(folder), range(FIRST_SEED, FIRST_SEED + episodes)
    played = play(policy, job.first_environment, seeds)
    settings = job.to_json()
    for file in ("demos", "planner"):
        if settings.get(file):
            settings[file] = Path(settings[file]).name  # no path of the machine it was trained on
    return Entry(
        name=name,
        environment=job.first_environment.label,
        method=job.method,
        scores={"return": score(played.returns), "length": score(played.lengths)},
        episodes=episodes,
        seeds=tuple(seeds),
        env_steps=policy.origin.env_steps,
        seed=seed,
        trained_on=policy.origin.trained_on,
        command=command(job, seed),
        settings=settings,
        last_evaluation={n: x for n, x in policy.origin.scores.items() if n in EVALUATED},
        made_with=versions(),
    )


def score(values: np.ndarray) -> Score:
    """Mean and interval over episodes."""
    low, high = interval(values, "mean") or (np.nan, np.nan)
    return Score(float(np.mean(values)), low, high)


def command(job: Job, seed: int) -> str:
    """What trains such a model again, without paths of the machine it was trained on."""
    alone = replace(job, seeds=(seed,), demos=Path(job.demos).name if job.demos else "")
    return command_of(alone, Path())


def card(entry: Entry, policy: Path) -> str:
    """The card: metadata that model hubs read, then what people want to know."""
    model = load_policy(policy).model
    is_formula = isinstance(getattr(model, "skill", None), AnalyticSkill)
    name = entry.name
    exported = "" if is_formula else f"\ndepo export zoo:{name} --format onnx -o {name}-onnx"
    reward = entry.scores["return"]
    rows = "\n".join(
        f"| {name} | {s.mean:.6g} | {s.low:.6g} to {s.high:.6g} |"
        for name, s in entry.scores.items()
    )
    ended = ", ".join(f"{name} {x:.6g}" for name, x in entry.last_evaluation.items())
    tags = ["reinforcement-learning", "imitation-learning", "learning-from-observation"]
    return f"""---
license: mit
library_name: depo
pipeline_tag: reinforcement-learning
tags: {json.dumps([*tags, entry.environment])}
model-index:
- name: depo-{entry.name}
  results:
  - task:
      type: reinforcement-learning
      name: reinforcement-learning
    dataset:
      name: {entry.environment}
      type: {entry.environment}
    metrics:
    - type: mean_reward
      name: mean_reward
      value: {reward.mean:.6g}
      verified: false
---

# zoo:{entry.name}

A planner (where would the expert go next) and a policy (planner, then skill) for
{entry.environment}, learned by `{entry.method}` from recordings of states alone.

| score, {entry.episodes} episodes | mean | 95% interval of the mean |
| --- | --- | --- |
{rows}

Deterministic policy, environment reset with the seeds {entry.seeds[0]} to {entry.seeds[-1]};
intervals by bootstrap over episodes. One training, seed {entry.seed}; another seed may end
elsewhere. An interval without width says that these episodes were alike, not that none can fail.

- the run's own last evaluation, on other seeds: {ended}
- recordings: {entry.trained_on}
- training: {entry.env_steps:,} environment steps
- every setting: `entry.json` beside this card

Train it again:

```sh
{entry.command}
```

Use it:

```sh
depo evaluate zoo:{entry.name}{exported}
```

```python
import depo

policy = depo.load_policy("zoo:{entry.name}")
planner = depo.load_planner("zoo:{entry.name}")
```
"""


if __name__ == "__main__":
    main()
