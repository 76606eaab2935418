"""Exported folders in processes where torch cannot be imported, or that were forked."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import isotone
from exporting import member
from isotone.api.export import export
from isotone.runtime.threads import set_threads, side_by_side, threads

SOURCE = Path(__file__).parents[2] / "src"
BLOCKED = """
import sys
for name in ("torch", "onnx", "safetensors", "lightning_fabric", "scipy"):
    sys.modules[name] = None
sys.argv = ["isotone", *sys.argv[1:]]
from isotone.cli.main import run
run()
"""


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    place = tmp_path_factory.mktemp("exported")
    first, second = member("0-mono", tags=()), member("1-mono", tags=())
    export(isotone.Transducer([first]), place / "single")
    export(isotone.Transducer([first, second]), place / "mixture", int8=True)
    (place / "pairs.tsv").write_text("abcd\txyz\na\tx\n")
    (place / "words.tsv").write_text("abcd\nbad\n")
    return place


def run(*arguments, text=""):
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    command = [sys.executable, "-c", BLOCKED, *map(str, arguments)]
    return subprocess.run(command, input=text, capture_output=True, text=True, env=environment, timeout=120)


@pytest.mark.parametrize("name", ["single", "mixture"])
def test_every_command_answers(folders, name):
    folder, pairs, words = folders / name, folders / "pairs.tsv", folders / "words.tsv"
    given = ("--format", "pairs")
    commands = {
        "predict": (folder, words, *given),
        "score": (folder, pairs, *given),
        "align": (folder, pairs, *given, "--posterior"),
        "evaluate": (folder, pairs, *given),
        "info": (folder,),
    }
    for command, arguments in commands.items():
        done = run(command, *arguments, "--json")
        assert done.returncode == 0, done.stderr
        assert all(map(json.loads, done.stdout.splitlines()))


def test_constraints_lexicon_and_several_models(folders):
    words, pairs = folders / "words.tsv", folders / "pairs.tsv"
    both = f"{folders / 'single'},{folders / 'mixture'}"
    done = run("predict", both, words, "--format", "pairs", "--n-best", "3", "--alphabet", "x y", "--lexicon", pairs)
    assert done.returncode == 0, done.stderr
    assert "z" not in done.stdout.split("\n", 1)[1]


def test_what_needs_torch_says_so(folders, tmp_path):
    from isotone.store.folder import save_member

    save_member(tmp_path / "trained", member("0-mono"))
    for done in (
        run("predict", tmp_path / "trained", folders / "words.tsv", "--format", "pairs"),
        run("export", tmp_path / "trained", tmp_path / "exported"),
    ):
        assert done.returncode == 2 and "isotone[train]" in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_model_loaded_before_a_fork_answers_in_the_child(folders):
    code = f"""
import sys
sys.modules["torch"] = None
import os, isotone
model = isotone.load({str(folders / "single")!r})
here = model(["abcd"] * 200)[0].target
child = os.fork()
if not child:
    os._exit(0 if model(["abcd"] * 200)[0].target == here else 3)
print(os.waitpid(child, 0)[1])
"""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "2"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, timeout=60)
    assert done.stdout.strip() == "0", done.stderr


@pytest.fixture
def knob(monkeypatch):
    monkeypatch.setattr("isotone.runtime.threads._CHOSEN", [])
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    return monkeypatch


def test_one_knob_for_threads(knob):
    assert threads() == (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count())
    knob.setenv("OMP_NUM_THREADS", "3")
    assert threads() == 3
    set_threads(2)
    assert threads() == 2


@pytest.mark.parametrize("count", [1, 2, 4])
def test_batches_side_by_side_keep_their_order(knob, count):
    set_threads(count)
    assert list(side_by_side(lambda item: item * item, range(30))) == [item * item for item in range(30)]


def test_sessions_have_one_thread(knob, folders):
    """Whatever the knob says: threads take batches, so that no session has a pool that a fork could lose."""
    set_threads(4)
    model = isotone.load(folders / "single")
    options = model.members[0].model._step._session.get_session_options()
    assert (options.intra_op_num_threads, options.inter_op_num_threads) == (1, 1)
