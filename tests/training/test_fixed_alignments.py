"""Paths for the pipeline: well-formed for any data, and the ones that a linguist would draw."""

import time
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

import toy
from isotone.text.codec import Codec
from isotone.text.config import Texts
from isotone.text.example import Example
from isotone.text.readers import read
from isotone.text.vocabulary import Vocabulary
from isotone.training import fixed_alignments
from isotone.training.fixed_alignments import with_alignments


def align(pairs, texts=None):
    """The paths of (source, target) pairs."""
    examples = [pair if isinstance(pair, Example) else Example(*pair) for pair in pairs]
    texts = texts or Texts()
    vocabulary, _ = Vocabulary.build(examples, texts)
    codec = Codec(vocabulary, texts)
    return with_alignments([codec.encode(example) for example in examples], vocabulary)


def drawn(source, target, path):
    """What each source symbol writes: `^nga z i` for zi → ngazi; `_` for nothing."""
    writes = [
        "".join(symbol for symbol, at in zip(target, path, strict=False) if at == j) for j in range(len(source) + 2)
    ]
    return f"^{writes[0]} " + " ".join(text or "_" for text in writes[1:-1]) + f" ${writes[-1]}"


words = st.text("abc", max_size=6)


@settings(max_examples=20)
@given(pairs=st.lists(st.tuples(words, words), min_size=1, max_size=8))
def test_paths_are_monotone_and_lead_from_bos_to_eos(pairs):
    for (source, target), pair in zip(pairs, align(pairs), strict=True):
        assert len(pair.alignment) == len(target) + 1
        assert list(pair.alignment) == sorted(pair.alignment)
        assert pair.alignment[0] >= 0 and pair.alignment[-1] == len(source) + 1


def test_a_long_source_with_a_short_target_has_a_path():
    (_, long), (_, short) = align([("ab", "ab"), ("a" * 60, "a")]), align([("b", "a" * 60), ("ab", "")])
    assert long.alignment[-1] == 61 and short.alignment == (3,)


def test_a_cipher_is_read_off():
    """Other letters, nothing copied: EM has to find out, with silent letters in between."""
    cipher = dict(zip("abcdefg", "τυφχψωϊ", strict=True))
    pairs = [(e.source, "".join(cipher.get(letter, "") for letter in e.source)) for e in toy.examples(200, tags=False)]
    right = 0
    for (source, _), pair in zip(pairs, align(pairs), strict=True):
        positions = [j for j, letter in enumerate(source, 1) if letter != "q"]
        right += list(pair.alignment) == [*positions, len(source) + 1]
    assert right >= 0.98 * len(pairs)


def test_doubled_letters_and_a_suffix():
    unclear = ("q", "aa", "ee", "uu")  # silence, and whose double is whose
    examples = [e for e in toy.examples(300) if not any(part in e.source for part in unclear)]
    for example, pair in zip(examples, align(examples), strict=True):
        letters = " ".join(letter * 2 if letter in "aeu" else letter for letter in example.source)
        suffix = "s" if "PL" in example.tags else ""
        assert drawn(example.source, example.target, pair.alignment) == f"^ {letters} ${suffix}"


def test_a_prefix_belongs_to_the_beginning_a_suffix_to_the_end():
    stems = ["bula", "khetha", "phuza", "qala", "lwa", "siza", "fundisa", "naka", "ngena", "sebenza"]
    pairs = [(stem, prefix + stem) for stem in stems for prefix in ("ngi", "nga", "ngizo")]
    for (source, target), pair in zip(pairs, align(pairs), strict=True):
        prefix = target[: len(target) - len(source)]
        assert drawn(source, target, pair.alignment) == f"^{prefix} {' '.join(source)} $"
    nouns = ["Garnison", "Burg", "Wand", "Uhr", "Frau", "Zahl", "Form", "Last", "Tat", "Schlacht"]
    pairs = [(noun, noun + ending) for noun in nouns for ending in ("", "en")]
    for (source, target), pair in zip(pairs, align(pairs), strict=True):
        assert list(pair.alignment[: len(source)]) == list(range(1, len(source) + 1)), target


def test_em_may_learn_from_a_part_of_all_lengths(monkeypatch):
    monkeypatch.setattr(fixed_alignments, "CELLS", 1)  # blocks of one pair
    pairs = [(source, source.upper()) for length in range(1, 7) for source in ("ab" * length, "ba" * length)]
    whole = align(pairs)
    monkeypatch.setattr(fixed_alignments, "ENOUGH", 4)
    assert align(pairs) == whole


def test_it_is_deterministic_and_changes_nothing_else():
    examples = toy.examples(60)
    first, again = align(examples), align(examples)
    assert first == again
    vocabulary, _ = Vocabulary.build(examples, Texts())
    plain = [Codec(vocabulary, Texts()).encode(example) for example in examples]
    assert [replace(pair, alignment=None) for pair in first] == plain


def test_zulu_prefixes_and_a_thousand_german_pairs_in_seconds(shared):
    reading = read(shared / "data/inflection/sigmorphon2020/zul.trn", "conll2017")
    examples = list(reading)
    copied = sum(
        drawn(example.source, example.target, pair.alignment)
        == f"^{example.target.removesuffix(example.source)} {' '.join(example.source)} $"
        for example, pair in zip(examples, align(examples, reading.format.texts), strict=True)
        if example.target.endswith(example.source)
    )
    assert copied >= 0.95 * sum(example.target.endswith(example.source) for example in examples)
    german = list(read(shared / "data/inflection/conll2017/german-train-medium", "conll2017"))
    began = time.process_time()
    paths = {(e.source, e.target): p.alignment for e, p in zip(german, align(german), strict=True)}
    assert time.process_time() - began < 20
    assert drawn("erwischen", "erwischten", paths["erwischen", "erwischten"]) == "^ e r w i s c ht e n $"
    assert drawn("Abfall", "Abfalls", paths["Abfall", "Abfalls"]) == "^ A b f a l l $s"


def test_unicode_and_tags_do_not_matter():
    tagged, plain = align([Example("łó", "łóż", ("N", "PL"))]), align([("łó", "łóż")])
    assert tagged[0].alignment == plain[0].alignment
