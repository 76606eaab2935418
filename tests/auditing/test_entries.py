"""Lexicons are read with the place of every entry, whatever their format."""

import gzip

import pytest

from isotone.auditing.entries import parse_line, read_lexicon
from isotone.auditing.folds import folds_of, word_key
from isotone.auditing.settings import digest, settings_for
from isotone.errors import ConfigError, DataError
from isotone.text.config import SideChanges, TextChanges
from isotone.text.example import Example
from isotone.text.readers import DataFormat

CMUDICT = b"\xef\xbb\xbf;;; a comment\r\nCAT  K AE T\r\n\r\nREAD  R EH D # past\r\nREAD(2)  R IY D\r\n"


def raw(content, entry):
    return content[entry.line.start : entry.line.end]


def test_every_entry_knows_its_line(tmp_path):
    (tmp_path / "c").write_bytes(CMUDICT)
    lexicon = read_lexicon(tmp_path / "c")
    assert (lexicon.format.name, lexicon.task) == ("cmudict", "g2p")
    assert [entry.line.number for entry in lexicon.entries] == [2, 4, 5]
    expected = [b"CAT  K AE T\r\n", b"READ  R EH D # past\r\n", b"READ(2)  R IY D\r\n"]
    assert [raw(CMUDICT, entry) for entry in lexicon.entries] == expected
    assert [entry.example.source for entry in lexicon.entries] == ["CAT", "READ", "READ"]


def test_compressed_files_are_read_as_they_are(tmp_path):
    (tmp_path / "c.gz").write_bytes(gzip.compress(CMUDICT))
    assert len(read_lexicon(tmp_path / "c.gz").entries) == 3


@pytest.mark.parametrize(
    ("content", "format", "task"),
    [
        ("cat\tk æ t\ndog\td ɒ ɡ\n", "g2p", "g2p"),
        ("gehen\tging\tV;PST\n", "conll2017", "inflection"),
        ("Anna\tАнна\nIgor\tИгорь\n", "pairs", "transduction"),
    ],
)
def test_formats_and_tasks_follow_from_the_file(tmp_path, content, format, task):
    (tmp_path / "f").write_text(content, encoding="utf-8")
    lexicon = read_lexicon(tmp_path / "f")
    assert (lexicon.format.name, lexicon.task) == (format, task)


def test_named_columns_with_spaced_targets_are_pronunciations(tmp_path):
    (tmp_path / "f").write_text("1,cat,k æ t\n2,dog,d ɒ ɡ\n", encoding="utf-8")
    lexicon = read_lexicon(tmp_path / "f", format=DataFormat(name="columns", source=2, target=3, separator=","))
    assert lexicon.task == "g2p" and lexicon.texts.target.segmentation == "separator"


def test_xml_has_no_lines(tmp_path):
    name = "<Name ID='1'><SourceName>a</SourceName><TargetName ID='1'>b</TargetName></Name>"
    (tmp_path / "f").write_text(f"<TransliterationCorpus>{name}</TransliterationCorpus>", encoding="utf-8")
    (entry,) = read_lexicon(tmp_path / "f").entries
    assert entry.line is None and entry.example == Example("a", "b")


def test_bad_lines_are_named_or_left_out(tmp_path):
    (tmp_path / "f").write_text("cat\tk æ t\nno target\ndog\td ɒ ɡ\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"f:2: expected 2 tab-separated columns"):
        read_lexicon(tmp_path / "f", format="g2p")
    lexicon = read_lexicon(tmp_path / "f", format="g2p", skip_bad=True)
    assert [entry.line.number for entry in lexicon.entries] == [1, 3] and len(lexicon.left_out) == 1


def test_pairs_and_text_settings_from_python():
    lexicon = read_lexicon([("cat", "k ae t")], texts=SideChanges(source=TextChanges(segmentation="graphemes")))
    assert lexicon.texts.source.segmentation == "graphemes" and lexicon.texts.target.segmentation == "separator"
    assert read_lexicon([("gehen", "ging", "V;PST")]).task == "inflection"
    with pytest.raises(DataError, match="no entries"):
        read_lexicon([])


def test_a_line_is_parsed_alone():
    assert parse_line(b"cat\tk t\r\n", DataFormat(name="g2p")) == Example("cat", "k t")
    assert parse_line(b"cat\tk t\tx\n", DataFormat(name="g2p")) is None


def test_variants_stay_together_and_folds_are_even():
    examples = [Example(f"w{n}", "x") for n in range(50)] + [Example(f"W{n}", "y") for n in range(50)]
    folds = folds_of(examples, 5)
    assert folds[:50] == folds[50:] and [folds.count(fold) for fold in range(5)] == [20] * 5
    assert folds_of(examples[::-1], 5)[::-1] == folds and folds_of(examples, 5, seed=1) != folds
    assert word_key(Example("é", "x", ("A", "B"))) == word_key(Example("e\u0301", "y", ("B", "A")))


def test_settings_by_size_and_refusals():
    sizes = [settings_for(count) for count in (300, 10_000, 130_000)]
    assert [one.epochs for one in sizes] == sorted((one.epochs for one in sizes), reverse=True)
    for folds, entries in ((1, 100), (-1, 100)):
        with pytest.raises(ConfigError, match="folds"):
            settings_for(entries, folds=folds)


def test_other_content_or_settings_have_another_digest():
    one, other = read_lexicon([("a", "b")]), read_lexicon([("a", "c")])
    settings = settings_for(10)
    assert digest(one, settings) != digest(other, settings) != digest(other, settings_for(10, seed=1))
    assert digest(one, settings) == digest(read_lexicon([("a", "b")]), settings)
