"""The walk of a line from the file to its JSON: which functions it meets, and that it never goes back up."""

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from isotone.cli.main import app

FOLDER = Path(__file__).parents[1] / "store" / "folders" / "single"
SOURCE = str(Path(__file__).parents[2] / "src" / "isotone") + "/"
STAGES = (".parse", "Codec.encode", "collate", "Codec.target_text", "Prediction.to_json", "json_line")
"""The line is read, encoded, put into a batch, spelled, and written."""
UPSTAIRS = {"cli", "api"}
MOST = 22
"""Functions, all told, from the command to the line of JSON. A layer that only forwards calls would be one more."""


def stacks_of(arguments: list[str]) -> list[list[tuple[str, str]]]:
    """(room, function) from the outermost on, each time one of the stages is called."""
    found: list[list[tuple[str, str]]] = []

    def record(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or not frame.f_code.co_filename.startswith(SOURCE):
            return
        if not frame.f_code.co_qualname.endswith(STAGES):
            return
        stack: list[tuple[str, str]] = []
        above: FrameType | None = frame
        while above is not None:
            code = above.f_code
            if code.co_filename.startswith(SOURCE) and "<" not in code.co_name:
                stack.append((code.co_filename.removeprefix(SOURCE).split("/")[0], code.co_qualname))
            above = above.f_back
        start = next((place for place, (_, name) in enumerate(stack) if name == "command"), len(stack))
        if start < len(stack):
            found.append(stack[start::-1])

    sys.setprofile(record)
    try:
        app(arguments, standalone_mode=False)
    finally:
        sys.setprofile(None)
    return found


def test_a_line_walks_down_and_comes_back_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "words.tsv").write_text("abba\tx\tN;SG\n")
    options = ["--json", "--threads", "1", "--format", "conll2017"]
    stacks = stacks_of(["predict", str(FOLDER), str(tmp_path / "words.tsv"), *options])
    assert '"source": "abba"' in capsys.readouterr().out
    for stack in stacks:
        rooms = [room for room, _ in stack]
        left = next((place for place, room in enumerate(rooms) if room not in UPSTAIRS), len(rooms))
        assert not UPSTAIRS & set(rooms[left:]), f"back upstairs: {stack}"
    walk = list(dict.fromkeys(step for stack in stacks for step in stack))
    assert {stage for stage in STAGES if any(name.endswith(stage) for _, name in walk)} == set(STAGES)
    assert len(walk) <= MOST, walk
