"""Batches: every example once an epoch, similar lengths together, the same again for the same seed."""

import random
from dataclasses import replace

import pytest
import torch

import tiny
import toy
from isotone.data import Loader, UnknownTraining, by_length, collate, copied_share
from isotone.data import loader as loader_module
from isotone.models import Network
from isotone.text.codec import NO_COPY, Codec
from isotone.text.config import Texts
from isotone.text.example import Example
from isotone.text.vocabulary import EOS, PAD, UNK, Vocabulary


def encoded(examples, *, copies=False):
    vocabulary, counts = Vocabulary.build(examples, Texts())
    codec = Codec(vocabulary, Texts(), copies)
    return [codec.encode(example) for example in examples], vocabulary, counts


def loader(count=100, **changes):
    rows, vocabulary, _ = encoded(toy.examples(count))
    return Loader(**{"examples": rows, "batch_size": 8, "tag_count": len(vocabulary.tags), "seed": 1, **changes})


def pairs(batches):
    return [(s.tolist(), t.tolist()) for b in batches for s, t in zip(b.source, b.target, strict=True)]


def test_every_example_once_an_epoch():
    batches = list(loader().epoch(1))
    assert len(batches) == len(loader()) == 13
    assert sum(len(batch) for batch in batches) == 100
    stripped = {tuple(i for i in source if i != PAD) for source, _ in pairs(batches)}
    assert stripped == {row.source for row in loader().examples}


def test_epochs_differ_and_repeat_by_seed():
    assert pairs(loader().epoch(1)) == pairs(loader().epoch(1))
    assert pairs(loader().epoch(1)) != pairs(loader().epoch(2))
    assert pairs(loader().epoch(1)) != pairs(loader(seed=2).epoch(1))


def test_resuming_in_the_middle_gives_the_rest():
    _, vocabulary, counts = encoded(toy.examples(100))
    unknown = UnknownTraining.build(vocabulary, counts, strength=30.0, copies=True)
    whole = list(loader(unknown=unknown).epoch(3))
    rest = loader(unknown=unknown).epoch(3, skip=5)
    assert pairs(whole[5:]) == pairs(rest)


def test_batches_have_similar_lengths(monkeypatch):
    def padding(batches):
        counts = [(int((batch.source == PAD).sum()), batch.source.numel()) for batch in batches]
        return sum(count for count, _ in counts) / sum(size for _, size in counts)

    sorted_in_windows = padding(loader(800).epoch(1))
    monkeypatch.setattr(loader_module, "WINDOW", 1)  # as if drawn at random
    assert sorted_in_windows < 0.4 * padding(loader(800).epoch(1))


def test_by_length_covers_everything_longest_first():
    rows, *_ = encoded(toy.examples(30))
    batches = list(by_length(rows, 7))
    assert sorted(row for batch in batches for row in batch) == list(range(30))
    longest = [max(len(rows[row].source) for row in batch) for batch in batches]
    shortest = [min(len(rows[row].source) for row in batch) for batch in batches]
    assert all(before >= after for before, after in zip(shortest, longest[1:], strict=False))


def test_in_a_batch_the_longest_targets_come_first():
    rows, vocabulary, _ = encoded(toy.examples(30))
    for batch in (collate([rows[row] for row in chosen], len(vocabulary.tags)) for chosen in by_length(rows, 7)):
        assert batch.target_lengths.tolist() == sorted(batch.target_lengths.tolist(), reverse=True)
    for batch in loader(40).epoch(1):
        assert batch.target_lengths.tolist() == sorted(batch.target_lengths.tolist(), reverse=True)


def test_collate_marks_tags_and_lengths():
    rows, vocabulary, _ = encoded([Example("ab", "aab", ("N", "PL")), Example("c", "c", ("N",))])
    batch = collate(rows, len(vocabulary.tags))
    assert batch.tags.tolist() == [[True, True], [True, False]]
    assert batch.source_lengths.tolist() == [4, 3] and batch.target_lengths.tolist() == [4, 2]
    assert batch.target_symbols == 6
    assert torch.equal(batch.source[1, 3:], torch.tensor([PAD]))


def test_alignments_come_along_where_every_pair_has_one():
    rows, vocabulary, counts = encoded([Example("ab", "aab"), Example("c", "c")])
    aligned = [replace(rows[0], alignment=(1, 1, 2, 3)), replace(rows[1], alignment=(1, 2))]
    assert collate(aligned, 0).alignment.tolist() == [[1, 1, 2, 3], [1, 2, -1, -1]]
    assert collate(aligned, 0).to("cpu").alignment.tolist() == [[1, 1, 2, 3], [1, 2, -1, -1]]
    assert collate(rows, 0).alignment is None and collate([aligned[0], rows[1]], 0).alignment is None
    unknown = UnknownTraining.build(vocabulary, counts, strength=1e12, copies=True)
    (batch,) = Loader(examples=aligned, batch_size=2, tag_count=0, unknown=unknown).epoch(1)
    assert (batch.target == UNK).sum() == 4, "hidden symbols"
    assert sorted(batch.alignment.tolist()) == [[1, 1, 2, 3], [1, 2, -1, -1]], "stay where they are"


def test_unknown_hides_a_symbol_in_source_and_target_alike():
    rows, vocabulary, counts = encoded([Example("abqa", "aba")])
    everything = UnknownTraining.build(vocabulary, counts, strength=1e12, copies=True)
    hidden = everything.hide(rows[0], random.Random(0))
    assert set(hidden.source[1:-1]) == {UNK} and set(hidden.target[:-1]) == {UNK}
    apart = UnknownTraining.build(vocabulary, counts, strength=1e12, copies=False).hide(rows[0], random.Random(0))
    assert set(apart.source[1:-1]) == {UNK} and apart.target == rows[0].target
    nothing = UnknownTraining.build(vocabulary, counts, strength=0.0, copies=True).hide(rows[0], random.Random(0))
    assert nothing == rows[0]


def hidden_with_a_gate(pair, *, reach=4):
    """The pair encoded for a copy gate, and the same with all its symbols hidden."""
    rows, vocabulary, counts = encoded([pair], copies=True)
    everything = UnknownTraining.build(vocabulary, counts, strength=1e12, copies=True, reach=reach)
    return rows[0], everything.hide(rows[0], random.Random(0)), len(vocabulary.target)


def test_with_a_copy_gate_hidden_symbols_get_ids_beyond_the_alphabet_in_the_whole_pair():
    plain, hidden, size = hidden_with_a_gate(Example("abqa", "aabas"))
    a, b, q, s = size + 1, size + 2, size, 6  # q is in no target: it was beyond the alphabet from the start
    assert plain.copies == (NO_COPY, 4, 5, q, 4, NO_COPY) and plain.target == (4, 4, 5, 4, s, EOS)
    assert set(hidden.source[1:-1]) == {UNK}
    assert hidden.copies == (NO_COPY, a, b, q, a, NO_COPY)
    assert hidden.target == (a, a, b, a, s, EOS)
    batch = collate([plain, hidden], 0)
    assert batch.copies.tolist() == [list(plain.copies), list(hidden.copies)]
    assert torch.equal(batch.to("cpu").copies, batch.copies)


def test_what_no_alignment_could_copy_is_hidden_in_the_source_only():
    for source, target in (("ab", "ba"), ("zzzzza", "a"), ("ab", "bba")):
        plain, hidden, _ = hidden_with_a_gate(Example(source, target))
        assert set(hidden.source[1:-1]) == {UNK}
        assert (hidden.target, hidden.copies) == (plain.target, plain.copies)
    assert hidden_with_a_gate(Example("zzzzza", "a"), reach=6)[1].target[0] > 4
    assert hidden_with_a_gate(Example("zzzzza", "za"))[1].target[1] > 5


@pytest.mark.parametrize("aligner", tiny.COPYING)
def test_hidden_pairs_can_always_be_written(aligner):
    generator = random.Random(1)
    words = ["".join(generator.choices("abcd", k=generator.randint(1, 8))) for _ in range(60)]
    pairs = [Example(word, "".join(generator.choices("abcdxy", k=generator.randint(1, 6))) or "a") for word in words]
    rows, vocabulary, counts = encoded(pairs, copies=True)
    unknown = UnknownTraining.build(vocabulary, counts, strength=60.0, copies=True, reach=2)
    hidden = [unknown.hide(row, generator) for row in rows]
    beyond = sum(any(id_ >= len(vocabulary.target) for id_ in row.target) for row in hidden)
    assert 10 < beyond < 60
    network = Network.build(tiny.architecture(aligner, width=2), vocabulary)
    log_prob = network.log_prob(collate(hidden, 0))
    assert log_prob.isfinite().all()
    log_prob.sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in network.parameters())


def test_rare_symbols_are_hidden_most():
    _, vocabulary, counts = encoded([Example("ab", "ab")] * 99 + [Example("cb", "cb")])
    rates = UnknownTraining.build(vocabulary, counts, strength=1.0, copies=True).rates
    assert rates[vocabulary.source.id("c")] == 0.5
    assert rates[vocabulary.source.id("b")] == 1 / 101


def test_copied_share():
    rows, vocabulary, _ = encoded([Example("abc", "abx"), Example("ab", "ba")])
    assert copied_share(rows, vocabulary) == 4 / 5
    rows, vocabulary, _ = encoded([Example("abc", "XYZ")])
    assert copied_share(rows, vocabulary) == 0
