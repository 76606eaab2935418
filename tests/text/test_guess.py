"""Formats are guessed only where there is no doubt."""

import gzip
from pathlib import Path

import pytest

from isotone.errors import DataError
from isotone.text import FORMATS, guess_format

CERTAIN = [
    (None, '<?xml version="1.0"?>\n<!-- names -->\n<TransliterationCorpus>\n', "news"),
    ("g2p", "a\t1.0\tɐ\na\t0.5\t0.1\t1.0\t1.0\ta b\n", "mfa"),
    ("g2p", ";;; # CMUdict\nREAD  R EH1 D\n", "cmudict"),
    (None, "READ  R EH1 D\nREAD(2)  R IY1 D # verb\n", "cmudict"),
    ("g2p", "'bout B AW1 T\na AH0\n", "cmudict"),
    ("inflection", "Haus\tHäusern\tN;DAT;PL\nħu\tħu\tN\n", "conll2017"),
    ("inflection", "NATO\tNATO\tN;SG\n", "conll2017"),
    ("inflection", "haus\thaus\tN\n", "conll2017"),
    (None, "Haus\tN;DAT;PL\tHäusern\n", "sigmorphon2023"),
    ("inflection", "Haus\tpos=N,case=DAT\tHäusern\ngeht\tpos=V\tgehen\n", "sigmorphon2016"),
    ("g2p", "ac\ta k\na\ta\nbac\tb a k\n", "g2p"),
    ("transliteration", "آب\tabbe\nNew York\tНью Йорк\n", "pairs"),
    ("transliteration", "reeve\tר י ב\na\tא\n", "pairs-spaced"),
]
UNCERTAIN = [
    ("inflection", "Haus\tHäusern\n"),
    (None, "ac\ta k\n"),
    ("g2p", "ac\tak\n"),
    ("g2p", "one column\n"),
    ("inflection", "NATO\tNATO\tN\n"),
    ("transliteration", "reeve\tר י ב\t2\n"),
    ("transliteration", "New York\tНью Йорк\n"),
    ("transliteration", "a\tb\na\tb\tc\n"),
    (None, "aardvark\ta-rdvark\t1<<<>2<<\t0\n"),
]


@pytest.mark.parametrize(("task", "text", "expected"), CERTAIN)
def test_where_it_is_certain(task: str | None, text: str, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "data"
    for content in (
        text.encode(),
        text.replace("\n", "\r\n").encode("utf-8-sig"),
        gzip.compress(text.encode()),
    ):
        path.write_bytes(content)
        assert guess_format(path, task) == expected


@pytest.mark.parametrize(("task", "text"), UNCERTAIN)
def test_where_it_is_not(task: str | None, text: str, tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_text(text)
    with pytest.raises(DataError) as caught:
        guess_format(path, task)
    name_it = f"name it with --format ({', '.join(FORMATS)})"
    near = text == "a\tb\na\tb\tc\n" and task == "transliteration"
    what = (
        "looks like pairs, except line 2 (found 3 columns): --format pairs --skip-bad leaves such lines out"
        if near
        else "cannot tell the format of this file"
    )
    assert str(caught.value) == f"{path}: {what}; {name_it}"


def test_standard_input_is_never_guessed() -> None:
    with pytest.raises(DataError, match=r"^<stdin>: the format of standard input is not guessed; name it with"):
        guess_format("-", "g2p")


def test_nothing_to_guess_from(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    with pytest.raises(DataError, match="empty: no examples found"):
        guess_format(tmp_path / "empty", "g2p")
    with pytest.raises(DataError, match="no such file"):
        guess_format(tmp_path / "absent", "g2p")
