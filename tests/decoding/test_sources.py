"""Sources with unknown symbols, capitals and great length, before any search."""

import pytest

from isotone.decoding.sources import SourceReader, check_unknown
from isotone.errors import ConfigError, DataError
from isotone.text.codec import WARNINGS, Codec
from isotone.text.config import Texts
from isotone.text.example import Example
from isotone.text.vocabulary import UNK, Alphabet, Vocabulary


@pytest.fixture
def codec():
    return Codec(Vocabulary(Alphabet(tuple("abc")), Alphabet(tuple("xyz"))), Texts())


def test_each_policy(codec):
    source = Example("a5b5")
    plain = SourceReader(codec).read(source)
    assert plain.unseen == ("5",) and plain.encoded.source.count(UNK) == 2
    dropped = SourceReader(codec, unknown="drop").read(source)
    assert dropped.unseen == ("5",) and dropped.encoded.source_symbols == ("a", "b")
    assert dropped.encoded.source == codec.encode(Example("ab")).source
    assert SourceReader(codec, unknown="drop").read(Example("55")).encoded is None
    assert SourceReader(codec, unknown="skip").read(source).encoded is None
    with pytest.raises(DataError, match="'a5b5': never seen in training: '5'"):
        SourceReader(codec, unknown="error").read(source)


def test_symbols_are_named_once_and_case_is_suggested(codec, caplog):
    reader = SourceReader(codec)
    for word in ("5a", "5", "Ab", "A"):
        reader.read(Example(word))
    assert [record.getMessage() for record in caplog.records] == [
        "'5' was never seen in training (first in '5a')",
        "'A' was never seen in training (first in 'Ab'), but 'a' was: --fold-case reads capitals as lower case",
    ]


def test_thousands_of_symbols_are_not_thousands_of_lines(codec, caplog):
    SourceReader(codec).read(Example("".join(map(chr, range(0x4E00, 0x4E00 + 500)))))
    assert len(caplog.records) == WARNINGS + 1 and "not named" in caplog.records[-1].getMessage()


def test_length(codec, caplog):
    reader = SourceReader(codec, longest=15)
    assert not reader.read(Example("a" * 30)).long and reader.read(Example("a" * 31)).long
    assert "31 symbols, but no source in training had more than 15" in caplog.text
    assert not SourceReader(codec).read(Example("a" * 500)).long  # an old folder does not know


def test_words_for_unknown():
    assert check_unknown(None, copies=False) is None and check_unknown("copy", copies=True) == "copy"
    for word, message in (("copy", "cannot copy"), ("delete", "expected one of error, skip, copy, drop")):
        with pytest.raises(ConfigError, match=message):
            check_unknown(word, copies=False)
