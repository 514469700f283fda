"""The Python files of an exported folder: how it loads, and a loop that acts in the environment."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from depo.models import plain

ExportFormat = Literal["onnx", "numpy", "jax"]

LOAD_NUMPY = '''

def stored(part: str, folder: Path) -> dict[str, Array]:
    """The arrays of planner, skill or actor."""
    with np.load(folder / f"{part}.npz", allow_pickle=False) as file:
        return dict(file)


def load(folder: Path = HERE) -> PlainPolicy:
    """The whole policy: load().act(state)."""
    about = json.loads((folder / "manifest.json").read_text("utf-8"))
    arrays = [stored(part, folder) for part in about["parts"]]
    return PlainPolicy(about, {name: x for own in arrays for name, x in own.items()})
'''
LOAD_JAX = '''

def stored(part: str, folder: Path) -> dict[str, Array]:
    """The arrays of planner, skill or actor."""
    with numpy.load(folder / f"{part}.npz", allow_pickle=False) as file:
        return {name: np.asarray(x) for name, x in file.items()}


def load(folder: Path = HERE) -> PlainPolicy:
    """The whole policy: load().act(state), which can be compiled, batched and differentiated."""
    about = json.loads((folder / "manifest.json").read_text("utf-8"))
    about["actions"]["dtype"] = about["actions"]["dtype"].replace("64", "32")  # JAX's widest
    arrays = [stored(part, folder) for part in about["parts"]]
    return PlainPolicy(about, {name: x for own in arrays for name, x in own.items()})
'''
LOAD_ALONE = '''

def load_planner(folder: Path = HERE) -> Any:
    """The planner alone, state -> next state: for somebody else's skill."""
    about = json.loads((folder / "manifest.json").read_text("utf-8"))
    return plain_planner(about, stored("planner", folder))


def load_skill(folder: Path = HERE) -> Any:
    """The skill alone, (state, next state) -> action in the environment's units."""
    about = json.loads((folder / "manifest.json").read_text("utf-8"))
    skill = plain_skill(about, stored("skill", folder))
    own_units = Actions(about["actions"], about["observations"]["count"] is not None)
    return lambda state, target: own_units(skill(state, target))
'''


def policy_text(form: ExportFormat, about: Mapping[str, Any]) -> str:
    """``policy.py`` for NumPy or JAX: the plain policy, and how it is loaded from its folder."""
    rest = Path(plain.__file__).read_text("utf-8").split('"""\n', 1)[1]  # without its own docstring
    first = '"""The policy of manifest.json: load().act(state), .plan(state), .act_towards(…)."""\n'
    imports = "import json\nfrom collections.abc import Mapping\nfrom pathlib import Path\n"
    rest = rest.replace("from collections.abc import Mapping\n", imports)
    rest = rest.replace("\nArray = Any\n", "\nHERE = Path(__file__).parent\nArray = Any\n")
    if form == "jax":
        rest = rest.replace("import numpy as np\n", "import jax.numpy as np\nimport numpy\n")
    load = LOAD_NUMPY if form == "numpy" else LOAD_JAX
    return first + rest + load + (LOAD_ALONE if "planner" in about["parts"] else "")


def run_text(form: ExportFormat, about: Mapping[str, Any]) -> str:
    """``run.py``: episodes in the environment the policy was trained in."""
    finite = about["observations"]["count"] is not None
    if form == "onnx":
        imports = "import onnxruntime\n"
        load = 'policy = onnxruntime.InferenceSession(Path(__file__).with_name("policy.onnx"))'
        act = 'policy.run(["action"], {"state": state[None]})[0][0]'
    elif form == "jax":
        imports, load = "import jax\nfrom policy import load\n", "act = jax.jit(load().act)"
        act = "np.asarray(act(state), env.action_space.dtype)"
    else:
        imports, load, act = "from policy import load\n", "policy = load()", "policy.act(state)"
    state = "np.asarray(observation)" if finite else "np.ravel(observation).astype(np.float32)"
    before = ""
    if about["remembers"]:
        state = f"np.concatenate([now := {state}, before])"
        before = "        before = now\n"
        begin = "    before = np.ravel(observation).astype(np.float32)\n"
    else:
        begin = ""
    path = "from pathlib import Path\n" if form == "onnx" else ""
    label = about["environment"]["label"]  # whose author may be anybody: never code
    return f"""{f"Acts in {label}: python run.py [EPISODES]"!a}

import sys
{path}
import gymnasium as gym
import numpy as np
{imports}{_imports(about["environment"])}
{load}
env = {_made(about["environment"])}
for episode in range(int(sys.argv[1]) if len(sys.argv) > 1 else 1):
    observation, _ = env.reset(seed=episode)
{begin}    total = 0.0
    for _ in range({about["environment"]["most_steps"]}):
        state = {state}
        action = {act}
{before}        observation, reward, terminated, truncated, _ = env.step(action)
        total += float(reward)
        if terminated or truncated:
            break
    print(f"episode {{episode}}: return {{total:.2f}}")
"""


def _imports(environment: Mapping[str, Any]) -> str:
    if environment["id"] and environment["id"].startswith("depo/"):
        return "import depo  # registers the environment; the policy does not need it\n"
    return ""


def _made(environment: Mapping[str, Any]) -> str:
    if environment["id"] is None:
        return f"sys.exit({environment['why']!r})"
    arguments = environment["arguments"]
    return f"gym.make({environment['id']!r}{f', **{arguments!r}' if arguments else ''})"
