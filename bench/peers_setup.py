"""Peers live in venvs of their own under bench/peers/, made on first use and never part of ours."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

PEERS = Path(__file__).parent / "peers"
CONSTRAINTS = Path(__file__).parents[1] / "constraints.txt"
MINUTES = 15


class UnavailableError(Exception):
    """The peer cannot be installed here; the message says why."""


def peer(name: str, requirement: str, *, without: Sequence[str] = ()) -> Path:
    """The `bin` folder of the peer's venv, with the requirement installed; `without` is taken out again."""
    folder = PEERS / name / ".venv"
    ready, binaries = folder / f".{requirement}", folder / "bin"
    if ready.is_file():
        return binaries
    print(f"installing {requirement} into {folder} (once; minutes)", flush=True)
    _call([sys.executable, "-m", "venv", str(folder)])
    _call([str(binaries / "python"), "-m", "pip", "install", "--quiet", "-c", str(CONSTRAINTS), requirement])
    if without:
        _call([str(binaries / "python"), "-m", "pip", "uninstall", "--quiet", "--yes", *without])
    ready.touch()
    return binaries


def _call(command: list[str]) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=60 * MINUTES)
    except (OSError, subprocess.SubprocessError) as error:
        lines = [line for line in str(getattr(error, "stderr", "") or error).splitlines() if "WARNING" not in line]
        raise UnavailableError(" ".join(lines[-3:])) from error
