"""What a folder holds is read without torch, by `isotone info` too."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import tiny
from isotone.store.describe import read_folder
from isotone.store.folder import save_member, save_members
from isotone.store.layout import holds_model
from isotone.store.metrics import Metrics

OLD = Path(__file__).parent / "folders"
SOURCE = Path(__file__).parents[2] / "src"
METRICS = Metrics(task="inflection", dev={"acc": 50.0}, pairs=10, finished=True)
RUN = {"seed": 3, "recipe": {"name": "fast"}}
INFO = """
import sys
from isotone.cli.main import run
sys.argv = ["isotone", "info", *sys.argv[1:]]
try:
    run()
except SystemExit as ended:
    print("torch" in sys.modules, ended.code)
"""


def info(*arguments):
    done = subprocess.run(
        [sys.executable, "-c", INFO, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    *lines, last = done.stdout.splitlines()
    return lines, last, done.stderr


@pytest.fixture
def folders(tmp_path):
    save_member(tmp_path / "single", tiny.bundle("1-mono"), metrics=METRICS, run=RUN)
    save_members(tmp_path / "mixture", [(tiny.bundle(), 1), (tiny.bundle(), 3)], metrics=METRICS, run=RUN)
    return tmp_path


@pytest.mark.parametrize("name", ["single", "mixture"])
def test_info_without_torch(folders, name):
    (line,), last, err = info(folders / name, "--json")
    assert (last, err) == ("False 0", "")
    facts = json.loads(line)
    assert facts["run"] == RUN and facts["training"] == METRICS.to_json()
    assert facts["parameters"] == read_folder(folders / name).parameters
    assert facts["task"] == "inflection" and facts["tags"] == 2
    assert facts.get("members") == ({"member-0": 0.25, "member-1": 0.75} if name == "mixture" else None)
    assert (facts["model"], facts["direction"]) == ("1-mono" if name == "single" else "0-mono", "forwards")
    lines, last, _ = info(OLD / name)
    assert last == "False 0" and "task\tinflection" in lines and not any(line.startswith("run\t") for line in lines)


def test_info_about_nothing_without_torch(tmp_path):
    assert info(tmp_path / "no") == ([], "False 2", f"isotone: {tmp_path}/no: no such model folder\n")
    _, last, err = info(tmp_path)
    assert (last, err) == ("False 2", f"isotone: {tmp_path}/model.safetensors: missing from the model folder\n")


def test_info_warns_about_an_edited_copy(folders):
    path = folders / "single" / "config.json"
    path.write_text(path.read_text().replace("inflection", "g2p"))
    lines, _, err = info(folders / "single")
    assert "task\tinflection" in lines and f"{path} differs from the copy inside model.safetensors" in err


def test_which_folders_hold_models(folders):
    assert holds_model(folders / "single") and holds_model(folders / "mixture") and holds_model(OLD / "single")
    assert not holds_model(folders) and not holds_model(folders / "no")
