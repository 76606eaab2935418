"""`pip install isotone` without any extra: the wheel in an empty environment without torch, and what works there.

Needs a package registry; skipped where none can be reached, unless ISOTONE_REGISTRY=1 says that there is one, as
`.ci/run` does.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import isotone

ROOT = Path(__file__).parents[2]
FOLDERS = ROOT / "tests" / "store" / "folders"
MODEL = FOLDERS / "single"
KNOWN = json.loads((FOLDERS / "expected.json").read_text(encoding="utf-8"))["single"]
PAIRS = "".join(f"{row['source']}\t{row['target']}\t{';'.join(row['tags'])}\n" for row in KNOWN)
UNREACHABLE = ("No matching distribution", "Failed to establish a new connection", "Temporary failure", "timed out")
ABSENT = ("torch", "lightning_fabric", "safetensors", "scipy", "onnx", "ray", "fastapi")
IN_PYTHON = """
import isotone, isotone.errors
try:
    isotone.train(train=[("a", "b")], dev=0.5)
except isotone.errors.IsotoneError as error:
    print(error)
"""


def pip(*arguments: object) -> None:
    """pip of this environment; the test is skipped where it finds no registry."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    unreachable = done.returncode and any(sign in done.stdout + done.stderr for sign in UNREACHABLE)
    if unreachable and os.environ.get("ISOTONE_REGISTRY") != "1":
        pytest.skip("pip reaches no package registry")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def light(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts of an environment that holds the wheel and its dependencies, and nothing else."""
    place = tmp_path_factory.mktemp("light")
    pip("wheel", "--quiet", "--no-deps", "--wheel-dir", place, ROOT)
    (wheel,) = place.glob("isotone-*.whl")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place / "venv"], check=True)
    scripts = place / "venv" / ("Scripts" if os.name == "nt" else "bin")
    pip("--python", scripts / "python", "install", "--quiet", "--no-compile", wheel)
    return scripts


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model, exported where torch is."""
    folder = tmp_path_factory.mktemp("models") / "exported"
    isotone.load(MODEL).export(folder)
    return folder


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "pairs.tsv"
    path.write_text(PAIRS, encoding="utf-8")
    return path


def run(light: Path, *arguments: object, code: int = 0) -> str:
    """stdout of `isotone …` there, or for exit 2 its one line on stderr."""
    environment = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    command = [light / "isotone", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=environment, timeout=120)
    assert done.returncode == code, done.stderr
    if code:
        assert done.stdout == "" and done.stderr.count("\n") == 1, done
        return done.stderr.removeprefix("isotone: ").strip()
    return done.stdout


def check_that_no_extra_is_there(light: Path) -> None:
    code = f"from importlib.util import find_spec; print(*[name for name in {ABSENT} if find_spec(name)])"
    done = subprocess.run([light / "python", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def check_help_and_descriptions(light: Path, exported: Path) -> None:
    assert "predict" in run(light, "--help") and "--recipe" in run(light, "train", "--help")
    for folder in (MODEL, exported):
        facts = json.loads(run(light, "info", folder, "--json"))
        assert facts["task"] == "inflection" and facts["model"] == "1-mono"


def check_that_what_needs_torch_says_so(light: Path, pairs: Path, tmp_path: Path) -> None:
    sweep = tmp_path / "sweep.toml"
    sweep.touch()
    train = ("train", "--train", pairs, "--dev", pairs, "--format", "conll2017")
    for command in ((*train, "--out", tmp_path / "model"), ("demo",), ("sweep", sweep)):
        assert run(light, *command, code=2) == 'training needs PyTorch: pip install "isotone[train]"'
    refused = run(light, "predict", MODEL, pairs, code=2)
    assert refused.startswith(f'{MODEL}: this model needs PyTorch: pip install "isotone[train]"')
    assert "isotone export" in refused
    done = subprocess.run([light / "python", "-c", IN_PYTHON], capture_output=True, text=True, check=True)
    assert done.stdout == 'training needs PyTorch: pip install "isotone[train]"\n'


def check_answers(light: Path, exported: Path, pairs: Path) -> None:
    here = isotone.load(MODEL)
    data = ("--format", "conll2017", "--json")

    def lines(command: str) -> list[dict]:
        return [json.loads(line) for line in run(light, command, exported, pairs, *data).splitlines()]

    assert [line["predictions"][0]["target"] for line in lines("predict")] == [row["best"] for row in KNOWN]
    sources, targets, tags = ([row[name] for row in KNOWN] for name in ("source", "target", "tags"))
    scores = here.score(sources, targets, tags=tags)
    assert [line["logprob"] for line in lines("score")] == pytest.approx(scores, abs=1e-4)
    paths = [list(alignment.path) for alignment in here.align(sources, targets, tags=tags)]
    assert [line["path"] for line in lines("align")] == paths
    (report,) = lines("evaluate")
    assert report["metrics"] == pytest.approx(here.evaluate(pairs, format="conll2017", bootstrap=0).metrics, abs=1e-4)


def test_light_install(light: Path, exported: Path, pairs: Path, tmp_path: Path) -> None:
    """One test, so that parallel workers do not install twice."""
    check_that_no_extra_is_there(light)
    check_help_and_descriptions(light, exported)
    check_that_what_needs_torch_says_so(light, pairs, tmp_path)
    check_answers(light, exported, pairs)
