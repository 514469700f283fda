"""Installing a pure Python package, offline and without a build tool."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path


def install(package: Path, target: Path) -> Path:
    """Put a package where ``target`` on PYTHONPATH finds it, entry points and all.

    The wheel is made here as a backend would make it, because none need be installed.
    """
    about = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = _wheel(package, about, target.parent)
    command = ["-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", str(target)]
    subprocess.run([sys.executable, *command, str(wheel)], check=True)
    return target


def _wheel(package: Path, about: dict, folder: Path) -> Path:
    name, version = about["project"]["name"].replace("-", "_"), about["project"]["version"]
    info = f"{name}-{version}.dist-info"
    points = "".join(
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in entries.items())
        for group, entries in about["project"]["entry-points"].items()
    )
    tags = "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    texts = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": tags,
        f"{info}/entry_points.txt": points,
    }
    for module in about["tool"]["setuptools"]["packages"]:
        for path in sorted((package / module).glob("*.py")):
            texts[f"{module}/{path.name}"] = path.read_text(encoding="utf-8")
    texts[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*texts, f"{info}/RECORD"])
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in texts.items():
            archive.writestr(path, text)
    return wheel
