"""What the command line does not wait for: modules that no help text and no refusal may import.

Times differ from machine to machine, so they are measured by `python -m bench start-up`, not here.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from isotone.cli.main import COMMANDS

SOURCE = Path(__file__).parents[2] / "src"
HEAVY = {"torch", "numpy", "scipy", "onnxruntime", "onnx", "lightning_fabric", "safetensors", "huggingface_hub", "ray"}
HEAVY |= {"matplotlib", "fastapi", "uvicorn", "regex"}
RICH = {"rich.markdown", "pygments"}
"""For the drawing of help texts only."""

REFUSALS = (
    "nonsense",
    "train --nonsense",
    "train",
    "train --out model",
    "train --task nonsense --train /nonexistent --dev 5% --out model",
    "train --train /nonexistent --dev 5% --out model",
    "train --print-config --resume",
    "predict",
    "predict /nonexistent",
    "predict /nonexistent --decode nonsense",
    "predict /nonexistent --decode greedy --beam 3",
    "predict /nonexistent --alphabet a --choices b",
    "evaluate /nonexistent test.tsv",
    "score /nonexistent pairs.tsv",
    "align /nonexistent pairs.tsv",
    "info /nonexistent",
    "compare /nonexistent",
    "sweep /nonexistent",
    "demo nonsense",
)
CODE = """
import sys
from isotone.cli.main import run
sys.argv = ["isotone", *sys.argv[1:]]
try:
    run()
except SystemExit as ended:
    import json
    sys.stderr.write("\\n" + json.dumps([ended.code, sorted(sys.modules)]))
"""


def loaded_by(*arguments: str, cwd: Path) -> tuple[int, set[str]]:
    """The exit code of a command, and the modules in memory at its end."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    command = [sys.executable, "-c", CODE, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=cwd)
    code, modules = json.loads(done.stderr.splitlines()[-1])
    return code or 0, set(modules)


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_imports_nothing_heavy(command: str, tmp_path: Path) -> None:
    code, modules = loaded_by(*command.split(), "--help", cwd=tmp_path)
    assert code == 0 and not modules & HEAVY


@pytest.mark.parametrize("arguments", REFUSALS)
def test_refusals_import_nothing_heavy(arguments: str, tmp_path: Path) -> None:
    code, modules = loaded_by(*arguments.split(), cwd=tmp_path)
    assert code == 2 and not modules & (HEAVY | RICH)
    assert list(tmp_path.iterdir()) == []
