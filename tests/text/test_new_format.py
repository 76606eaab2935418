"""A format that is added from outside is read, listed and guessed like those in the table."""

from pathlib import Path

import pytest

from isotone.errors import ConfigError, DataError
from isotone.text import FORMATS, DataFormat, Example, Format, guess_format, read
from isotone.text.readers.lines import MisfitError, by_line


def _arrow(line: str, targets: bool) -> Example:
    source, arrow, target = line.partition(" => ")
    if targets and not arrow:
        raise MisfitError("expected SOURCE => TARGET, found no =>")
    return Example(source, target if targets else None)


ARROWS = Format(
    name="arrows",
    summary="source => target",
    expected="SOURCE => TARGET",
    parser=by_line(_arrow),
    tasks=("transduction",),
    recognises=lambda sample: all(" => " in line for line in sample.lines),
)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(FORMATS, ARROWS.name, ARROWS)
    path = tmp_path / "data"
    path.write_text("a b => c\nd => e\n")
    return path


def test_it_is_read(data: Path) -> None:
    expected = [Example("a b", "c"), Example("d", "e")]
    assert list(read(data, "arrows")) == list(read(data, ARROWS)) == expected
    assert list(read(data, DataFormat(name="arrows").format())) == expected
    assert [e.target for e in read(data, "arrows", targets=False)] == [None, None]


def test_its_mistakes_name_file_and_line(data: Path) -> None:
    data.write_text("a => b\nc\n")
    with pytest.raises(DataError, match=r"data:2: expected SOURCE => TARGET, found no =>$"):
        list(read(data, "arrows"))


@pytest.mark.parametrize("task", [None, "g2p", "transduction"])
def test_it_is_guessed(task: str | None, data: Path) -> None:
    assert guess_format(data, task) == "arrows"


def test_it_is_listed(data: Path) -> None:
    with pytest.raises(ConfigError, match=r"^unknown format 'csv', expected one of conll2017, .*, arrows$"):
        DataFormat(name="csv").format()
    data.write_text("nothing known\n")
    with pytest.raises(DataError, match=r"name it with --format \(conll2017, .*, arrows\)$"):
        guess_format(data)


def test_two_that_fit_are_named(data: Path) -> None:
    data.write_text("a => \tbc\n")
    with pytest.raises(DataError, match=r"data: this file could be pairs or arrows; name it with --format"):
        guess_format(data, "transliteration")


def test_every_record_is_complete() -> None:
    for name, format in FORMATS.items():
        assert format.name == name
        assert format.summary and format.expected and format.tasks
        assert len(format.summary) < 80 and not format.summary.endswith(".")
