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
    "dictionary /nonexistent words.txt",
    "correspondences /nonexistent pairs.tsv",
    "errors /nonexistent test.tsv",
    "export /nonexistent out",
)
LIGHT = ("info --help", "export --help", "nonsense", "train --nonsense", "predict --nonsense")
"""Commands that need not even wait for pydantic."""
CODE = """
import sys
from isotone.cli.main import run
sys.argv = ["isotone", *sys.argv[1:]]
try:
    run()
except SystemExit as ended:
    import json
    loaded = sorted(sys.modules)
    from pydantic import BaseModel
    def below(kind):
        return [kind, *(one for child in kind.__subclasses__() for one in below(child))]
    ours = [one for one in below(BaseModel) if one.__module__.startswith("isotone.")]
    built = [one.__qualname__ for one in ours if one.__pydantic_complete__]
    sys.stderr.write("\\n" + json.dumps([ended.code, loaded, built]))
"""


def loaded_by(*arguments: str, cwd: Path) -> tuple[int, set[str], list[str]]:
    """The exit code of a command, the modules in memory at its end, and the records that pydantic has built checks for:
    a millisecond or more for each, so none may be built when its module is imported."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    command = [sys.executable, "-c", CODE, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=cwd)
    code, modules, built = json.loads(done.stderr.splitlines()[-1])
    return code or 0, set(modules), built


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_imports_nothing_heavy(command: str, tmp_path: Path) -> None:
    code, modules, built = loaded_by(*command.split(), "--help", cwd=tmp_path)
    assert code == 0 and not modules & HEAVY and not built


@pytest.mark.parametrize("arguments", REFUSALS)
def test_refusals_import_nothing_heavy(arguments: str, tmp_path: Path) -> None:
    code, modules, built = loaded_by(*arguments.split(), cwd=tmp_path)
    assert code == 2 and not modules & (HEAVY | RICH) and not built
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", LIGHT)
def test_what_does_not_wait_for_pydantic(arguments: str, tmp_path: Path) -> None:
    _, modules, _ = loaded_by(*arguments.split(), cwd=tmp_path)
    assert not modules & {"pydantic", "isotone.results", "isotone.training"}
