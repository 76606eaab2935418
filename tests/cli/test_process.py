"""What only a process of its own shows: pipes, signals, what --help loads."""

import os
import signal
import subprocess
import sys
import time

import pytest

from cli.conftest import COMMAND, ENVIRONMENT, training
from isotone.store.folder import load_member

# typer itself takes pydantic, if it is there, to read a command's options; --help and --version go without.
HEAVY = {"torch", "numpy", "pydantic", "scipy", "lightning_fabric", "huggingface_hub", "regex", "rapidfuzz"}


@pytest.mark.parametrize("arguments", [["--help"], ["train", "--help"], ["predict", "--help"], ["--version"], ["fly"]])
def test_help_loads_nothing_heavy(arguments):
    code = (
        "import atexit, os, sys\n"
        "from isotone.cli.main import run\n"
        "atexit.register(lambda: print(*{name.partition('.')[0] for name in sys.modules}, file=open(3, 'w')))\n"
        f"sys.argv = ['isotone', *{arguments!r}]\n"
        "run()\n"
    )
    read, write = os.pipe()
    os.set_inheritable(write, True)
    done = subprocess.run(
        [sys.executable, "-c", f"import os; os.dup2({write}, 3)\n{code}"], pass_fds=[write], capture_output=True
    )
    os.close(write)
    with os.fdopen(read) as file:
        loaded = set(file.read().split())
    assert done.returncode == (2 if arguments == ["fly"] else 0)
    assert "isotone" in loaded
    allowed = set() if arguments[0].startswith("--") else {"pydantic"}  # typer parses arguments with it
    if arguments[-1] == "--help" and len(arguments) > 1:
        allowed |= {"numpy", "regex", "rapidfuzz"}  # a command's help lists what the tables hold
    assert not loaded & (HEAVY - allowed)


def test_predicting_does_not_wait_for_what_it_does_not_use():
    code = "import isotone.api, sys; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {"lightning_fabric", "scipy", "typer", "tensorboard", "matplotlib"}


def test_help_is_on_stdout_and_names_every_command(shell):
    done = shell("--help")
    assert (done.code, done.err) == (0, "")
    for command in ("train", "predict", "evaluate", "score", "align", "info", "demo"):
        assert f" {command} " in done.out
    assert shell().out == done.out  # nothing to do: say what there is
    assert shell("--version").out.startswith("isotone ")


def test_head_ends_predict_quietly(model, tmp_path):
    """More output than a pipe holds, so that predict is still writing when its reader leaves."""
    (tmp_path / "words").write_text("abcd\tN;PL\n" * 9000)
    predict = [*COMMAND, "predict", str(model), str(tmp_path / "words"), "--max-length", "8"]
    process = subprocess.Popen(predict, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT)
    head = subprocess.run(["head", "-1"], stdin=process.stdout, capture_output=True, check=True)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0
    assert head.stdout.startswith(b"abcd\tN;PL\t")


def test_a_reader_that_never_reads(model):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*COMMAND, "info", str(model), "--json"], stdout=write, stderr=subprocess.PIPE, env=ENVIRONMENT
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


def test_head_does_not_take_the_page_away(model, tmp_path):
    (tmp_path / "pairs").write_text("abcd\tabcds\tN;PL\n" * 300)
    align = [*COMMAND, "align", model, tmp_path / "pairs", "--posterior", "--html", tmp_path / "page.html"]
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(align, stdout=write, stderr=subprocess.PIPE, env=ENVIRONMENT)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (tmp_path / "page.html").read_text(encoding="utf-8").count("<svg") == 300


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full on this system")  # noqa: PTH110
def test_stdout_on_a_full_disk(model):
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run([*COMMAND, "info", str(model)], stdout=full, stderr=subprocess.PIPE, env=ENVIRONMENT)
    assert (done.returncode, done.stderr) == (2, b"isotone: No space left on device\n")


def _listen_to_ctrl_c():
    """Tests started in the background of a shell inherit that SIGINT is ignored, and so would the child."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_leaves_a_model_and_resume_goes_on_bit_for_bit(isotone, data, tmp_path):
    more = ["--epochs", 4]  # long enough to be interrupted on a fast machine
    out, whole = tmp_path / "parts", tmp_path / "whole"
    arguments = [*COMMAND, *map(str, training(data, out, *more))]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(arguments, **pipes, env=ENVIRONMENT, preexec_fn=_listen_to_ctrl_c) as process:
        for line in process.stderr:
            if line.startswith(b"epoch   1"):
                time.sleep(0.05)  # into the next epoch
                process.send_signal(signal.SIGINT)
                break
        rest = process.stderr.read().decode()
        assert process.stdout.read() == b""
    assert process.returncode == 1 and "Traceback" not in rest
    assert f"interrupted; {out} holds the best model so far (epoch " in rest and "--resume goes on from here" in rest
    assert isotone("predict", out, data / "dev.tsv").code == 0
    resumed = isotone(*training(data, out, *more, "--resume"))
    assert resumed.code == 0 and "epoch   1" not in resumed.err and "epoch   4" in resumed.err
    assert isotone(*training(data, whole, *more)).code == 0
    first, second = (load_member(folder).network.state_dict() for folder in (out, whole))
    assert all(first[name].equal(second[name]) for name in second)
    assert not (out / "state").exists()
