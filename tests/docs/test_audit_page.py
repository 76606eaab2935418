"""docs/audit.md: its Python runs, and it names every option of `isotone audit` and no other."""

import re
from pathlib import Path

import pytest

from cli.conftest import in_process
from docs.test_pages import BLOCK
from isotone.results import FINDING_COLUMNS

PAGE = (Path(__file__).parents[2] / "docs" / "audit.md").read_text(encoding="utf-8")


@pytest.mark.trains
def test_the_code_runs(tmp_path, monkeypatch, capsys):
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "page"}
    for block in BLOCK.finditer(PAGE):
        exec(compile("\n" * PAGE.count("\n", 0, block.start(1)) + block[1], "docs/audit.md", "exec"), names)
    assert "suspicious of 150 entries" in capsys.readouterr().out


def test_options_are_those_of_the_command():
    help = in_process("audit", "--help").out
    options = set(re.findall(r"--[a-z]+(?:-[a-z]+)*", help)) - {"--help"}
    assert options == set(re.findall(r"--[a-z]+(?:-[a-z]+)*", PAGE)) - {"--schemas"}


def test_columns_are_those_of_the_table():
    described = PAGE.split("## Columns of the table")[1].split("##")[0]
    assert set(FINDING_COLUMNS) == set(re.findall(r"`([a-z_]+)`", described))
