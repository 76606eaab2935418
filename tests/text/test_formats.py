"""Each format on lines as the real files have them, and on lines that do not fit."""

from collections.abc import Callable
from pathlib import Path

import pytest

from isotone.errors import ConfigError, DataError
from isotone.text import FORMATS, Example, Segmenter, TextConfig, Texts, columns, read

Write = Callable[[str], Path]

TAGGED = [Example("Haus", "Häusern", ("N", "DAT", "PL")), Example("gehen", "ging", ("V", "3", "SG"))]
GOOD: dict[str, tuple[str, list[Example]]] = {
    "conll2017": ("Haus\tHäusern\tN;DAT;PL\n\ngehen\tging\tV;3;SG\n", TAGGED),
    "sigmorphon2016": ("Haus\tN,DAT,PL\tHäusern\ngehen\tV,3,SG\tging\n", TAGGED),
    "sigmorphon2023": ("Haus\tN;DAT;PL\tHäusern\ngehen\tV;3;SG\tging\n", TAGGED),
    "unimorph": ("# German\nHaus\tHäusern\tN;DAT;PL\n \t\ngehen\tging\tV; 3;SG;\n", TAGGED),
    "g2p": ("ac\ta k\nadeiladu\ta d e i̯\n", [Example("ac", "a k"), Example("adeiladu", "a d e i̯")]),
    "cmudict": (
        ";;; header\n"
        "# a comment\n"
        "#HASH-MARK  HH AE1 SH\n"
        "READ  R EH1 D\n"
        "READ(2)  R IY1 D\n"
        "aalborg(12) AA1 L # place, danish\n"
        ";SEMI-COLON\tS EH1\n"
        "(2)  T UW1\n",
        [
            Example("#HASH-MARK", "HH AE1 SH"),
            Example("READ", "R EH1 D"),
            Example("READ", "R IY1 D"),
            Example("aalborg", "AA1 L"),
            Example(";SEMI-COLON", "S EH1"),
            Example("(2)", "T UW1"),
        ],
    ),
    "mfa": (
        "tomato\t0.99\t0.21\t1.0\t1.02\tt ə m eɪ\ntomato\t1\tt ə\nbe b iː\na\t1.5e-05\tɐ\n",
        [Example("tomato", "t ə m eɪ"), Example("tomato", "t ə"), Example("be", "b iː"), Example("a", "ɐ")],
    ),
    "nettalk": (
        "aardvark\ta-rdvark\t1<<<>2<<\t0\naback\txb@k-\t0>1<<\t0\n",
        [Example("aardvark", "a r d v a r k"), Example("aback", "x b @ k")],
    ),
    "news": (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<TransliterationCorpus CorpusID="NEWS2015" SourceLang="English" TargetLang="Hindi">\n'
        '<Name ID="1"><SourceName>SMITH &amp; CO</SourceName>\n'
        '<TargetName ID="1"> स्मिथ </TargetName><TargetName ID="2">स्मीथ</TargetName></Name>\n'
        '<Name ID="2"><SourceName>RAM</SourceName><TargetName ID="1">राम</TargetName></Name>\n'
        "</TransliterationCorpus>\n",
        [Example("SMITH & CO", "स्मिथ"), Example("SMITH & CO", "स्मीथ"), Example("RAM", "राम")],
    ),
    "pairs": ("آب\tabbe\nNew York\tНью Йорк\n", [Example("آب", "abbe"), Example("New York", "Нью Йорк")]),
    "pairs-spaced": ("reeve\tר י ב\n", [Example("reeve", "ר י ב")]),
}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_file(text: str) -> Path:
        path = tmp_path / "data"
        path.write_bytes(text.encode())
        return path

    return write_file


def test_every_format_is_tested() -> None:
    assert GOOD.keys() == FORMATS.keys()
    assert all(format.name == name for name, format in FORMATS.items())


@pytest.mark.parametrize("name", FORMATS)
def test_lines_that_fit(name: str, write: Write) -> None:
    text, expected = GOOD[name]
    reading = read(write(text), name)
    assert list(reading) == expected
    assert (reading.count, reading.skipped, reading.first_skipped) == (len(expected), 0, None)
    assert FORMATS[name].has_tags == any(example.tags for example in expected)


@pytest.mark.parametrize("name", FORMATS)
def test_full_files_can_be_predicted(name: str, write: Write) -> None:
    text, examples = GOOD[name]
    expected = [Example(example.source, None, example.tags) for example in examples]
    if name == "news":  # one prediction for a name, however many targets it has
        expected = list(dict.fromkeys(expected))
    assert list(read(write(text), name, targets=False)) == expected


@pytest.mark.parametrize("name", ["g2p", "cmudict", "nettalk", "pairs", "pairs-spaced"])
def test_sources_alone_can_be_predicted(name: str, write: Write) -> None:
    assert list(read(write("word\nnext\n"), name, targets=False)) == [Example("word"), Example("next")]


@pytest.mark.parametrize("name", ["conll2017", "sigmorphon2016", "sigmorphon2023", "unimorph"])
def test_lemma_and_tags_can_be_predicted(name: str, write: Write) -> None:
    separator = "," if name == "sigmorphon2016" else ";"
    path = write(f"gehen\tV{separator}PST\n")
    assert list(read(path, name, targets=False)) == [Example("gehen", None, ("V", "PST"))]


def test_names_without_targets_can_be_predicted(write: Write) -> None:
    path = write("<TransliterationCorpus><Name><SourceName>RAM</SourceName></Name></TransliterationCorpus>")
    assert list(read(path, "news", targets=False)) == [Example("RAM")]


@pytest.mark.parametrize("name", ["g2p", "cmudict", "nettalk", "pairs-spaced"])
def test_phones_are_split_on_white_space(name: str) -> None:
    target = FORMATS[name].texts.target
    assert Segmenter(target).split("AH0 T") == ("AH0", "T")
    assert FORMATS[name].texts.source == TextConfig()


LEMMA_FORM_TAGS = "3 tab-separated columns (lemma, form, tags)"
NAMED = "<TransliterationCorpus>\n<Name>{}</Name></TransliterationCorpus>"
BAD = [
    ("conll2017", "a\tb", 1, f"expected {LEMMA_FORM_TAGS}, found 2"),
    ("conll2017", "a\tb\tV\n\na\tb\tV\tx", 3, f"expected {LEMMA_FORM_TAGS}, found 4"),
    ("conll2017", "\tb\tV", 1, "empty lemma"),
    ("conll2017", "a\tb\t;", 1, "empty tags"),
    ("sigmorphon2016", "a", 1, "expected 3 tab-separated columns (lemma, tags, form), found 1"),
    ("sigmorphon2023", "a\t\tb", 1, "empty tags"),
    ("unimorph", "#\tb", 1, "expected 3 tab-separated columns (lemma, form, tags), found 2"),
    ("g2p", "a", 1, "expected 2 tab-separated columns (word, spaced phones), found 1"),
    ("g2p", "a\t ", 1, "empty spaced phones"),
    ("cmudict", "A", 1, "expected a word, white space and its phones (WORD  P H N), found only 'A'"),
    ("nettalk", "a\ta", 1, "expected 4 tab-separated columns (word, phonemes, stress, class), found 2"),
    ("nettalk", "ab\ta\t1<\t0", 1, "expected one phoneme for each of 2 letters, found 1"),
    ("nettalk", "ab\t--\t1<\t0", 1, "empty phonemes"),
    ("pairs", "\tb", 1, "empty source"),
    ("pairs", "a\t", 1, "empty target"),
    ("pairs-spaced", "a\tb c\t2", 1, "expected 2 tab-separated columns (source, spaced target), found 3"),
    ("news", NAMED.format(""), 2, "expected one <SourceName> in <Name>, found 0"),
    ("news", NAMED.format("<SourceName> </SourceName>"), 2, "empty <SourceName>"),
    ("news", NAMED.format("<SourceName>A</SourceName>"), 2, "expected at least one <TargetName> in"),
    ("news", NAMED.format("<SourceName>A</SourceName><TargetName/>"), 2, "empty <TargetName>"),
    ("news", "<a>\n<b></a>", 2, "not well-formed XML (mismatched tag, column 6)"),
    ("news", '<?xml version="1.0" encoding="nonsense"?><a/>', 1, "not readable as XML (unknown encoding"),
    ("news", '<!DOCTYPE a [\n<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', 1, "a DOCTYPE with"),
    ("news", '<!DOCTYPE a [<!ATTLIST b c CDATA "xxx">]><a/>', 1, "a DOCTYPE with declarations is not accepted"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "line", "reason"), BAD)
def test_lines_that_do_not_fit(name: str, text: str, line: int, reason: str, write: Write) -> None:
    path = write(text)
    with pytest.raises(DataError) as caught:
        list(read(path, name))
    assert str(caught.value).startswith(f"{path}:{line}: {reason}")


@pytest.mark.parametrize("name", ["conll2017", "sigmorphon2016", "sigmorphon2023", "unimorph"])
def test_a_cell_of_the_paradigm_may_have_no_form(name: str, write: Write) -> None:
    # Line 481 of the official gsw.trn (SIGMORPHON 2020) is "gsee\t\tV;IMP;SG;2".
    forms_last = name.startswith("sigmorphon")
    lines = ["gsee\tV\t", "gsee\tV\tgsii"] if forms_last else ["gsee\t\tV", "gsee\tgsii\tV"]
    assert [e.target for e in read(write("\n".join(lines)), name)] == ["", "gsii"]
    assert [e.target for e in read(write(lines[0]), name)] == [""]
    covered = write("\n".join([lines[0]] * 3))
    with pytest.raises(DataError, match=r": all 3 targets are empty; is this a test file without its answers\?$"):
        list(read(covered, name))
    assert len(list(read(covered, name, targets=False))) == 3


def test_what_prediction_needs(write: Write) -> None:
    path = write("gehen\n")
    reason = f"expected 2 tab-separated columns (lemma, tags) or {LEMMA_FORM_TAGS}, found 1"
    with pytest.raises(DataError) as caught:
        list(read(path, "conll2017", targets=False))
    assert str(caught.value) == f"{path}:1: {reason}"


def test_columns_named_one_by_one(write: Write) -> None:
    path = write("1,ging,,V+PST,gehen\n2,Haus,x,,Haus\n")
    format = columns(source=5, target=2, tags=4, separator=",", tag_separator="+")
    assert list(read(path, format)) == [Example("gehen", "ging", ("V", "PST")), Example("Haus", "Haus")]
    assert format.has_tags
    assert format.texts == Texts()


def test_columns_read_a_file_with_counts(write: Write) -> None:
    texts = Texts(target=TextConfig(segmentation="separator"))
    format = columns(texts=texts)
    assert list(read(write("reeve\tר י ב\t2\n"), format)) == [Example("reeve", "ר י ב")]
    assert format.texts == texts


def test_columns_without_a_target(write: Write) -> None:
    path = write("a|b\nc\n")
    assert list(read(path, columns(separator="|"), targets=False)) == [Example("a"), Example("c")]
    with pytest.raises(DataError, match=r":2: expected at least 2 columns separated by '\|', found 1$"):
        list(read(path, columns(separator="|")))
    with pytest.raises(DataError, match=r":1: no target column was named$"):
        list(read(path, columns(target=None)))


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"source": 0}, "columns are counted from 1, found source column 0"),
        ({"source": 2}, "two of the columns source, target are the same"),
        ({"separator": ""}, "a column or tag separator cannot be empty"),
    ],
)
def test_columns_that_make_no_sense(settings: dict[str, object], reason: str) -> None:
    with pytest.raises(ConfigError, match=f"^{reason}$"):
        columns(**settings)  # type: ignore[arg-type]


def test_an_unknown_format_names_those_there_are() -> None:
    with pytest.raises(ConfigError, match=r"^unknown format 'csv', expected one of conll2017, "):
        read("data", "csv")
