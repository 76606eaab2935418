"""The walk of a line from the file to its JSON: which functions it meets, and that it never goes back up."""

import re
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from architecture.house import CONTRIBUTING
from isotone.cli.main import app

FOLDER = Path(__file__).parents[1] / "store" / "folders" / "single"
SOURCE = str(Path(__file__).parents[2] / "src" / "isotone") + "/"
STAGES = {
    "tagged.<locals>.parse": "read",
    "Codec.encode": "encoded",
    "collate": "put into a batch",
    "LSTMEncoder.forward": "read by the network",
    "Codec.target_text": "spelled",
    "Prediction.to_json": "made JSON",
    "json_line": "written",
}
"""Where the line is looked at: whatever is on the stack by then belongs to the walk."""
UPSTAIRS = {"cli", "api"}
MOST = 18
"""Functions, all told, from the command to the line of JSON. A layer that only forwards calls would be one more."""


def stacks_of(arguments: list[str]) -> list[list[tuple[str, str]]]:
    """(room, function) from the outermost on, each time one of the stages is called."""
    found: list[list[tuple[str, str]]] = []

    def record(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or code.co_qualname not in STAGES or not code.co_filename.startswith(SOURCE):
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


@pytest.fixture
def stacks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> list[list[tuple[str, str]]]:
    (tmp_path / "words.tsv").write_text("abba\tx\tN;SG\n")
    options = ["--json", "--decode", "exact", "--threads", "1", "--format", "conll2017"]
    found = stacks_of(["predict", str(FOLDER), str(tmp_path / "words.tsv"), *options])
    assert '"source": "abba"' in capsys.readouterr().out
    return found


def test_a_line_walks_down_and_comes_back_once(stacks: list[list[tuple[str, str]]]) -> None:
    for stack in stacks:
        rooms = [room for room, _ in stack]
        left = next((place for place, room in enumerate(rooms) if room not in UPSTAIRS), len(rooms))
        assert not UPSTAIRS & set(rooms[left:]), f"back upstairs: {stack}"
    walk = list(dict.fromkeys(step for stack in stacks for step in stack))
    assert {name for _, name in walk} >= set(STAGES)
    assert len(walk) <= MOST, walk


def test_contributing_describes_the_walk_as_it_is(stacks: list[list[tuple[str, str]]]) -> None:
    walk = dict.fromkeys((room, name.replace("<locals>.", "")) for stack in stacks for room, name in stack)
    _, _, rest = CONTRIBUTING.read_text(encoding="utf-8").partition("<!-- the walk -->\n")
    listed = re.findall(r"^(\d+)\. `(\w+)` `([\w.]+)`", rest.partition("<!-- end of the walk -->")[0], re.MULTILINE)
    assert [(int(number), room, name) for number, room, name in listed] == [
        (number, *step) for number, step in enumerate(walk, 1)
    ]
