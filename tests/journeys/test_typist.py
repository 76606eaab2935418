"""A sloppy typist at a terminal: wrong options, upper case, half a command; and a program that talks to predict."""

import subprocess

import pytest

from cli.conftest import COMMAND, ENVIRONMENT
from isotone.cli.demo import next_commands
from isotone.text.example import Example


def test_predict_at_a_terminal_answers_line_by_line(terminal, g2p, tmp_path):
    screen = terminal("predict", g2p / "model", "--skipped", tmp_path / "left-out.txt")
    screen.until("> ")
    screen.type("karo\n")
    assert "k ɒ r o\t" in screen.until("> ")  # with its probability, and then the next prompt
    screen.type("KARO\n")
    assert "k ɒ r o\t" in screen.until("> ")
    screen.type("\t\tx\n")
    screen.type("mar\n")
    assert "empty word" in screen.until("m ɒ r\t")  # a line that does not fit is named, and the next one read
    assert screen.end() == 0
    assert "Traceback" not in screen.shown
    assert "empty word" in (tmp_path / "left-out.txt").read_text(encoding="utf-8")


def test_predict_as_a_coprocess(g2p):
    command = [*COMMAND, "predict", g2p / "model", "--line-buffered"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes, env=ENVIRONMENT) as process:
        for word in ("karo", "mar"):
            process.stdin.write(f"{word}\n".encode())
            process.stdin.flush()
            assert process.stdout.readline().decode().startswith(f"{word}\t")
        process.stdin.close()
        assert (process.stdout.read(), process.stderr.read()) == (b"", b"")
    assert process.returncode == 0


def test_progress_of_predict_into_a_file(terminal, g2p, tmp_path):
    screen = terminal("predict", g2p / "model", g2p / "test.tsv", "-o", tmp_path / "out.tsv")
    screen.until("words/s")
    assert screen.process.wait(60) == 0
    assert len((tmp_path / "out.tsv").read_text(encoding="utf-8").splitlines()) == 100


def test_short_options_and_exit_codes(isotone):
    assert isotone("-V").out == isotone("--version").out != ""
    for command in ([], ["predict"], ["train"], ["dictionary"]):
        assert isotone(*command, "-h").code == 0
    assert "Exit codes: 0 done, 2 your mistake" in isotone("-h").out
    assert "--install-completion" in isotone("-h").out


def test_completion():
    asked = {"_ISOTONE_COMPLETE": "complete_bash", "COMP_WORDS": "isotone predict --unk", "COMP_CWORD": "2"}
    done = subprocess.run(COMMAND, capture_output=True, text=True, env={**ENVIRONMENT, **asked})
    assert done.stdout.split() == ["--unknown"], done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["predict", "MODEL", "--alphabet", "k Ω"], "--alphabet: never seen in training: 'Ω'"),
        (["train", "--source-symbols", "space", "--out", "x"], "did you mean spaces?"),
        (["dictionary", "MODEL", "no-such-file"], "no-such-file: no such file"),
        (["predikt", "MODEL"], "predict"),
        (["predict", "MODEL", "--mass", "2"], "mass must be above 0 and at most 1"),
        (["train", "--task", "g2p", "--copy", "--train", "TRAIN", "--dev", "5%", "--out", "x"], "g2p copies nothing"),
    ],
)
def test_wrong_commands_give_one_clear_line(isotone, g2p, arguments, message):
    known = {"MODEL": g2p / "model", "TRAIN": g2p / "train.tsv"}
    assert message in isotone(*[known.get(word, word) for word in arguments]).refused()


def test_swapped_columns(isotone, g2p, tmp_path):
    lines = (g2p / "train.tsv").read_text(encoding="utf-8").splitlines()
    swapped = ["\t".join(reversed(line.split("\t"))) for line in lines]
    (tmp_path / "t.tsv").write_text("\n".join(swapped), encoding="utf-8")
    train = ["train", "--task", "g2p", "--train", tmp_path / "t.tsv", "--dev", "5%"]
    assert "looks like g2p with its columns swapped" in isotone(*train, "--out", tmp_path / "m").refused()
    shown = isotone(*train, "--format", "g2p", "--print-config")
    assert "the columns look swapped" in shown.err


def test_capitals_for_a_model_without_them(isotone, g2p, tmp_path):
    done = isotone("predict", g2p / "model", "--fold-case", stdin="KARO\n")
    assert done.lines[0].startswith("KARO\tk") and done.err == ""


def test_what_the_demo_prints_runs(g2p, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the commands are those for the folder that the user is in
    first, *_ = next_commands(g2p, Example("ka'ro", "k ɒ r o"))
    done = subprocess.run(["bash", "-c", first], capture_output=True, env=ENVIRONMENT)
    assert done.returncode == 0 and len(done.stdout.splitlines()) == 5, (first, done.stderr)
