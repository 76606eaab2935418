"""The Python on docs/runtime.md runs."""

import re
from pathlib import Path

import tiny
from isotone.store.folder import save_member

PAGE = Path(__file__).parents[2] / "docs" / "runtime.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)


def test_the_code_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_member(tmp_path / "model", tiny.bundle())
    names = {}
    for block in BLOCK.finditer(PAGE.read_text(encoding="utf-8")):
        exec(block[1], names)
    assert names["fast"]("abc").target == names["model"]("abc").target
