"""Invented pairs: affixes stay, stems change, the same letters in source and target, new ones every epoch."""

import random

import pytest

import toy
from isotone.data import Invention, Loader
from isotone.text.codec import Codec
from isotone.text.config import Texts
from isotone.text.example import Example
from isotone.text.vocabulary import Vocabulary

PAIRS = [Example("shayela", "ngizoshayela"), Example("bona", "ngizobona"), Example("ab", "ba")]


def built(examples, rate):
    vocabulary, _ = Vocabulary.build(examples, Texts())
    codec = Codec(vocabulary, Texts())
    rows = [codec.encode(example) for example in examples]
    return Invention.build(rows, vocabulary, rate=rate), vocabulary, rows


def text(vocabulary, row):
    source = "".join(vocabulary.source.symbols[id_ - 4] for id_ in row.source[1:-1])
    return source, "".join(vocabulary.target.symbols[id_ - 4] for id_ in row.target[:-1])


def test_stems_change_alike_and_affixes_stay():
    invention, vocabulary, _ = built(PAIRS, 20.0)
    made = [text(vocabulary, row) for row in invention.epoch(random.Random(1))]
    assert len(made) == 60
    for source, target in made:
        assert target == "ngizo" + source
        assert (source[0], source[-1]) in {("s", "a"), ("b", "a")}
        assert len(source) in {7, 4}
    assert len(set(made)) > 30


def test_pairs_without_a_stem_are_left_out():
    invention, _, _ = built(PAIRS, 1.0)
    assert len(invention.pairs) == 2
    nothing, _, _ = built([Example("abc", "xyz"), Example("ab", "ba")], 3.0)
    assert nothing.count == 0
    assert nothing.epoch(random.Random(0)) == []


@pytest.mark.parametrize("rate", [0.5, 2.0])
def test_loader_mixes_real_and_invented(rate):
    examples = toy.examples(40)
    invention, vocabulary, rows = built(examples, rate)
    loader = Loader(examples=rows, batch_size=8, tag_count=len(vocabulary.tags), seed=3, invention=invention)
    first = list(loader.epoch(1))
    assert len(first) == len(loader)
    assert sum(map(len, first)) == 40 + invention.count

    def seen(batches):
        return sorted(tuple(row) for batch in batches for row in batch.source.tolist())

    assert seen(first) == seen(loader.epoch(1))
    assert seen(first) != seen(loader.epoch(2))
    rest = list(loader.epoch(1, skip=2))
    assert [batch.source.tolist() for batch in rest] == [batch.source.tolist() for batch in first[2:]]
