"""Training killed with SIGKILL at random moments and resumed each time: the bits of a run that was never killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.report import Result

KILLS = 25
ROOT = Path(__file__).parents[1]


def run(quick: bool) -> Result:
    """New runs, runs with --overwrite over a good model, and runs of three seeds, in turn."""
    program = ROOT / "tests" / "faults" / "kill_while_training.py"
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")])
    with TemporaryDirectory(prefix="isotone-crashes-") as folder:
        command = [sys.executable, str(program), folder, str(3 if quick else KILLS)]
        environment = {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    found = json.loads(done.stdout)
    return Result(
        title="Training killed at random moments",
        columns=("kills", "runs", "ended differently, or a folder without a whole model"),
        rows=((found["kills"], found["runs"], len(found["strange"])),),
        headline={"kills": found["kills"], "failures": float(len(found["strange"]))},
        notes=(
            "after each kill the folder is loaded; at the end weights, metrics, run and log (but for its seconds) are "
            "compared byte by byte with an uninterrupted run",
            *found["strange"],
        ),
    )
