"""Whatever can be refused without torch is refused before torch is imported, which takes seconds."""

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "store" / "folders" / "single"

REFUSED = [
    (["predict", "/nonexistent"], "/nonexistent: no such model folder"),
    (["predict", "/nonexistent", "--threads", "2"], "/nonexistent: no such model folder"),
    (["predict", "/nonexistent,/other"], "/nonexistent: no such model folder"),
    (["evaluate", "/nonexistent", "x"], "/nonexistent: no such model folder"),
    (["score", "/nonexistent", "x"], "/nonexistent: no such model folder"),
    (["align", "/nonexistent", "x"], "/nonexistent: no such model folder"),
    (["info", "/nonexistent"], "/nonexistent: no such model folder"),
    (["score", str(FOLDER), "/nonexistent"], "/nonexistent: no such file"),
    (["predict", str(FOLDER), "/nonexistent"], "/nonexistent: no such file"),
    (["predict", str(FOLDER), "--decode", "magic"], "unknown decoder 'magic'"),
    (["predict", str(FOLDER), "--beam", "7"], "beam: does not apply to exact decoding"),
    (["predict", str(FOLDER), "--decode", "beam", "--budget", "7"], "budget: does not apply to beam decoding"),
    (["evaluate", str(FOLDER), "x", "--decode", "greedy", "--beam", "2"], "beam: does not apply to greedy decoding"),
    (["predict", str(FOLDER), "--weights", "a"], "--weights: expected numbers"),
    (["predict", str(FOLDER), "--weights", "1,2"], "1 models need as many weights, found 2"),
    (["predict", str(FOLDER), "--weights", "0"], "weights must be positive numbers"),
    (["predict", str(FOLDER), "--alphabet", "a", "--choices", "x"], "either --alphabet or --choices"),
]

PROGRAM = """import sys
from isotone.cli.main import run
try:
    run()
finally:
    sys.stdout.write("torch" if "torch" in sys.modules else "light")
"""


@pytest.mark.parametrize(("arguments", "message"), REFUSED, ids=lambda value: " ".join(value[:1] + value[2:])[:40])
def test_refused_without_torch(arguments, message):
    done = subprocess.run([sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "light"), done.stderr
    assert done.stderr.count("\n") == 1 and message in done.stderr


def test_load_checks_the_path_first():
    program = """import sys, isotone
try:
    isotone.load("/nonexistent")
except isotone.errors.ModelError as error:
    print(error, "torch" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", program.replace("import sys, isotone", "import sys, isotone.errors")],
        capture_output=True,
        text=True,
    )
    assert done.stdout == "/nonexistent: no such model folder False\n", done.stderr
