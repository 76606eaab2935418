"""Examples to numbers."""

import logging
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

from isotone.text import BOS, EOS, UNK, Alphabet, Codec, Encoded, Example, TextConfig, Texts, Vocabulary
from isotone.text.codec import NO_COPY, WARNINGS


@pytest.fixture
def codec() -> Codec:
    vocabulary = Vocabulary(Alphabet(("a", "b")), Alphabet(("X", "YY")), ("N", "PL", "SG"))
    return Codec(vocabulary, Texts(target=TextConfig(segmentation="separator")))


def test_encode(codec: Codec) -> None:
    assert codec.encode(Example("ba", "YY X", ("SG", "N", "SG"))) == Encoded(
        source=(BOS, 5, 4, EOS), target=(5, 4, EOS), tags=(0, 2), source_symbols=("b", "a"), unseen=()
    )


def test_unknown_symbols(codec: Codec) -> None:
    encoded = codec.encode(Example("aß", "X Z Q Z"))
    assert encoded.source == (BOS, 4, UNK, EOS)
    assert encoded.source_symbols == ("a", "ß")
    assert encoded.target == (4, UNK, UNK, UNK, EOS)
    assert encoded.unseen == ("Z", "Q")


def test_a_copy_gates_ids(codec: Codec) -> None:
    """A symbol that targets have keeps its id, others get ids behind the alphabet; what no target can have, none."""
    copying = Codec(Vocabulary(Alphabet(("a", "X")), Alphabet(("X", "YY"))), codec.texts, True)
    encoded = copying.encode(Example("aXß ßa", "ß X a Q"))
    size = len(copying.vocabulary.target)
    assert encoded.source == (BOS, 4, 5, UNK, UNK, UNK, 4, EOS)
    assert encoded.copies == (NO_COPY, size, 4, size + 1, NO_COPY, size + 1, size, NO_COPY)
    assert encoded.target == (size + 1, 4, size, UNK, EOS) and encoded.unseen == ("Q",)
    assert copying.encode(Example("")).copies == (NO_COPY, NO_COPY)
    assert pickle.loads(pickle.dumps(copying)).encode(Example("ß", "ß")).unseen == ()
    assert codec.encode(Example("aXß", "ß")).copies == () and codec.encode(Example("aXß", "ß")).unseen == ("ß",)


def test_copies_are_symbols_in_the_targets_normal_form() -> None:
    texts = Texts(source=TextConfig(normalization="NFC"), target=TextConfig(normalization="NFD"))
    encoded = Codec(Vocabulary(Alphabet(()), Alphabet(())), texts, True).encode(Example("\u00e9x", "\u00e9x"))
    assert encoded.copies == (NO_COPY, NO_COPY, 4, NO_COPY)
    assert encoded.target == (UNK, UNK, 4, EOS) and encoded.unseen == ("e", "\u0301")


def test_nothing_to_encode(codec: Codec) -> None:
    assert codec.encode(Example("")) == Encoded((BOS, EOS), None, (), (), ())
    assert codec.encode(Example("", "")).target == (EOS,)


def test_target_text(codec: Codec) -> None:
    assert codec.target_text(("YY", "X")) == "YY X"


def test_each_unknown_tag_is_warned_about_once(codec: Codec, caplog: pytest.LogCaptureFixture) -> None:
    def encode(_: int) -> Encoded:
        return codec.encode(Example("a", "X", ("DU", "PL", "TRI")))

    with caplog.at_level(logging.WARNING, logger="isotone"), ThreadPoolExecutor(8) as pool:
        assert all(encoded.tags == (1,) for encoded in pool.map(encode, range(200)))
    assert sorted(record.getMessage() for record in caplog.records) == [
        "tag 'DU' was never seen in training and is ignored",
        "tag 'TRI' was never seen in training and is ignored",
    ]


def test_unknown_tags_do_not_fill_the_memory(codec: Codec, caplog: pytest.LogCaptureFixture) -> None:
    for number in range(WARNINGS + 10):
        codec.encode(Example("a", None, (f"X{number}",)))
    assert len(caplog.records) == WARNINGS + 1  # the last one says that no more are named


def test_warnings_leave_stdout_alone(codec: Codec, capsys: pytest.CaptureFixture[str]) -> None:
    codec.encode(Example("a", "X", ("DU",)))
    assert capsys.readouterr().out == ""


def test_a_codec_can_be_sent_to_another_process(codec: Codec) -> None:
    twin = pickle.loads(pickle.dumps(codec))
    example = Example("ab", "X", ("PL",))
    assert twin.encode(example) == codec.encode(example)
