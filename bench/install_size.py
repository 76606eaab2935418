"""Install sizes: what `pip install isotone` and `pip install isotone[train]` take on disk, in empty environments."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from bench.report import Result

ROOT = Path(__file__).parents[1]
INSTALLS = {"isotone": ("", ()), "isotone with train": ("[train]", ("-c", "constraints.txt"))}
"""Extras, and how pip is to choose; torch comes as the registry at hand has it (CPU builds are much smaller)."""


def run(quick: bool) -> Result:
    """A row for each install, and its largest packages; needs a package registry."""
    rows = []
    for name, (extras, options) in list(INSTALLS.items())[: 1 if quick else None]:
        with tempfile.TemporaryDirectory(prefix="isotone-install-") as place:
            packages = _install(Path(place), extras, options)
        if packages is None:
            return Result(
                title="Install sizes", columns=(), rows=(), status="unavailable", notes=("pip reaches no registry",)
            )
        largest = sorted(packages.items(), key=lambda item: -item[1])[:5]
        named = ", ".join(f"{package} {size / 1e6:.0f}" for package, size in largest)
        rows.append((f"pip install {name}", sum(packages.values()) / 1e6, len(packages), named))
    return Result(
        title="Install sizes",
        columns=("command", "MB", "entries in site-packages", "largest, MB"),
        rows=tuple(rows),
        headline={str(row[0]): float(row[1]) for row in rows},
        notes=("files of site-packages without pip and without byte code, in MB of 10⁶ bytes",),
    )


def _install(place: Path, extras: str, options: tuple[str, ...]) -> dict[str, int] | None:
    """Bytes by entry of site-packages; None where pip finds no registry."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place / "venv"], check=True)
    python = next(path for path in (place / "venv").glob("*/python*") if path.name in {"python", "python.exe"})
    command = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-compile", *options]
    if subprocess.run([*map(str, command), f"{ROOT}{extras}"], cwd=ROOT).returncode:
        return None
    (packages,) = (place / "venv").glob("**/site-packages")
    return {entry.name: _size(entry) for entry in packages.iterdir() if not entry.name.endswith(".dist-info")}


def _size(path: Path) -> int:
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files)
