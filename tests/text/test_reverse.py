"""Formats read the other way round, and files that are almost in a format."""

import pytest

from isotone.errors import ConfigError, DataError
from isotone.text.example import Example
from isotone.text.readers import DataFormat, guess_format, read


def test_phones_become_sources(tmp_path):
    path = tmp_path / "t"
    path.write_text("knight\tN AY T\n", encoding="utf-8")
    format = DataFormat(name="g2p", reverse=True).format()
    assert list(read(path, format)) == [Example("N AY T", "knight")]
    assert format.texts.source.segmentation == "separator" and format.texts.target.segmentation == "codepoints"
    assert list(read(path, format, targets=False)) == [Example("N AY T")]
    path.write_text("N AY T\n", encoding="utf-8")
    assert list(read(path, format, targets=False)) == [Example("N AY T")]
    with pytest.raises(ConfigError, match="has tags"):
        DataFormat(name="conll2017", reverse=True).format()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a list\nab\ta b\nba\tb a\nabc\ta b c\n", r"looks like g2p, except line 1 \(found 1 column\)"),
        ("ab\ta b\n\nba\tb a\tx\nabc\ta b c\n", r"looks like g2p, except line 3 \(found 3 columns\)"),
        ("a b\tab\nb a\tba\n", "looks like g2p with its columns swapped"),
        ("ab\tcd\n", "cannot tell the format"),
    ],
)
def test_near_misses(text, message, tmp_path):
    (tmp_path / "t").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        guess_format(tmp_path / "t", "g2p")


def test_words_are_stripped_and_skipped_lines_are_told(tmp_path):
    (tmp_path / "t").write_text(" ab \ta b\nbad\nworse\n", encoding="utf-8")
    told = []
    assert list(read(tmp_path / "t", "g2p", skip_bad=True, on_skip=told.append)) == [Example("ab", "a b")]
    assert len(told) == 2
