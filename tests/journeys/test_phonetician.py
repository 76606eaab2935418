"""A phonetician with a list from a spreadsheet: stray blanks, stray signs, CRLF, a bad line, upper case, digits."""

import json
from itertools import pairwise

import pytest

from journeys import language
from journeys.conftest import QUICK


@pytest.fixture(scope="module")
def messy(tmp_path_factory):
    """400 words as such lists are."""
    folder = tmp_path_factory.mktemp("messy")
    pairs = language.words(400, seed=5)
    blanks = ["" if number % 7 else " " for number in range(len(pairs))]
    rows = [f"{blank}{word}{blank}\t{phones}\r\n" for blank, (word, phones) in zip(blanks, pairs, strict=True)]
    rows[3] = f'{pairs[3][0]}\t/m "m {pairs[3][1]}\r\n'
    rows.insert(50, "no pronunciation\r\n")
    rows.insert(60, "too\tm a n y\tcolumns\r\n")
    (folder / "list.tsv").write_text("".join(rows), encoding="utf-8", newline="")
    return folder


def test_a_messy_list(isotone, messy):
    train = ["train", "--train", messy / "list.tsv", "--dev", "0.05", "--out", messy / "model", "--task", "g2p", *QUICK]
    refused = isotone(*train).refused()
    assert "looks like g2p, except line 51 and 1 more (found 1 column): --format g2p --skip-bad leaves" in refused
    assert "list.tsv:51: expected 2 tab-separated columns" in isotone(*train, "--format", "g2p").refused()
    listed = messy / "left-out.txt"
    done = isotone(*train, "--format", "g2p", "--skipped", listed, "--epochs", 5)
    assert done.code == 0, done.err
    assert "left out 2 lines" in done.err
    assert [line.split(":")[1] for line in listed.read_text(encoding="utf-8").splitlines()] == ["51", "61"]
    assert "target symbols seen only once, in case they are mistakes: '\"m' (" in done.err and "'/m' (" in done.err
    assert "all sources are lower case: capitals will be read as lower case" in done.err
    facts = json.loads(isotone("info", messy / "model", "--json").out)
    assert facts["source_text"]["fold_case"] is True  # remembered in the folder
    right = dict(language.words(20, seed=99))
    words = "".join(f"  {word} \n" for word in right)
    plain = isotone("predict", messy / "model", stdin=words)
    found = dict(line.split("\t") for line in plain.lines)
    assert found.keys() == right.keys()  # words are stripped
    shouted = isotone("predict", messy / "model", stdin=words.upper())
    assert [line.split("\t")[1] for line in shouted.lines] == [line.split("\t")[1] for line in plain.lines]


def test_digits_and_emoji_are_never_phones(isotone, g2p):
    done = isotone("predict", g2p / "model", "--json", stdin="kar5\n😀\n5\nkar5\n")
    phones = set(language.PHONES.values())
    for line in done.lines:
        value = json.loads(line)
        assert value["unseen"] == [sign for sign in ("5", "😀") if sign in value["source"]]
        assert set(value["predictions"][0]["target"].split()) <= phones
    assert done.err.count("'5' was never seen in training (first in 'kar5')") == 1
    assert done.err.count("'😀' was never seen in training") == 1
    assert "'5'" in isotone("predict", g2p / "model", "--unknown", "error", stdin="5\n").refused()
    assert "cannot copy" in isotone("predict", g2p / "model", "--unknown", "copy", stdin="5\n").refused()
    assert "expected one of error, skip" in isotone("predict", g2p / "model", "--unknown", "x", stdin="5\n").refused()
    skipped = isotone("predict", g2p / "model", "--unknown", "skip", stdin="kar5\nkar\n")
    assert skipped.lines[0] == "kar5\t" and skipped.lines[1] != "kar\t"
    dropped = isotone("predict", g2p / "model", "--unknown", "drop", stdin="k5ar\nkar\n5\n").lines
    assert dropped[0].split("\t")[1] == dropped[1].split("\t")[1] and dropped[2] == "5\t"


def test_hangul_is_read_as_jamo(isotone, tmp_path):
    syllables = [chr(code) for code in range(0xAC00, 0xAC00 + 28 * 60, 28)]
    pairs = [(a + b, f"{a} {b}") for a, b in pairwise(syllables)]
    (tmp_path / "t.tsv").write_text(language.lines(pairs), encoding="utf-8")
    files = ["--train", tmp_path / "t.tsv", "--dev", "5%", "--task", "g2p", "--format", "g2p", "--print-config"]
    done = isotone("train", *files)
    assert json.loads(done.out)["text"]["source"]["normalization"] == "NFD"
    assert "sources are Hangul: syllables will be read as jamo" in done.err
    kept = isotone("train", *files, "--normalization", "NFC")
    assert json.loads(kept.out)["text"]["source"]["normalization"] == "NFC" and "Hangul" not in kept.err
