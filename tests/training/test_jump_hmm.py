"""The character aligner's EM: counts by enumeration, a climb without a step down."""

import itertools
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import toy
from isotone.data import collate
from isotone.dp import best_path, log_likelihood
from isotone.text.codec import Codec
from isotone.text.config import Texts
from isotone.text.example import Example
from isotone.text.vocabulary import BOS, EOS, FIRST, PAD, Vocabulary
from isotone.training import jump_hmm
from isotone.training.fixed_alignments import prior_counts
from isotone.training.jump_hmm import Counts, expect, learn


def batch_of(examples):
    vocabulary, _ = Vocabulary.build(examples, Texts())
    codec = Codec(vocabulary, Texts())
    return collate([codec.encode(example) for example in examples], len(vocabulary.tags)), vocabulary


def random_hmm(vocabulary, reach):
    """Uneven, with the prior's structural zeros."""
    prior = prior_counts(vocabulary, reach)
    return Counts(*(counts * torch.rand_like(counts) for counts in vars(prior).values())).estimate()


def enumerate_paths(hmm, source, target):
    """Every monotone alignment with its log p(y, a | x), and what it uses: (table, entry) pairs. By the definition."""
    symbols, insertions, jumps = (table.tolist() for table in vars(hmm).values())
    for path in itertools.combinations_with_replacement(range(len(source)), len(target)):
        score, used, previous = 0.0, [], 0
        for position, symbol in zip(path, target, strict=True):
            kind, jump, previous = min(source[previous], FIRST), position - previous, position
            if jump >= len(jumps[0]):
                score = -math.inf
                break
            inserted = jump == 0 and source[position] >= FIRST
            score += jumps[kind][jump] + (insertions[symbol] if inserted else symbols[source[position]][symbol])
            used += [
                ("jumps", (kind, jump)),
                ("insertions", symbol) if inserted else ("symbols", (source[position], symbol)),
            ]
        yield path, score, used


def pairs_of(batch):
    for row in range(len(batch)):
        m, n = int(batch.source_lengths[row]), int(batch.target_lengths[row])
        yield batch.source[row, :m].tolist(), batch.target[row, :n].tolist()


words = st.text("ab", max_size=3)


@given(
    pairs=st.lists(st.tuples(words, words), min_size=1, max_size=3), reach=st.integers(1, 4), seed=st.integers(0, 99)
)
def test_likelihood_counts_and_best_path_by_enumeration(pairs, reach, seed):
    torch.manual_seed(seed)
    batch, vocabulary = batch_of([Example(source, target) for source, target in [*pairs, ("ab", "ba")]])
    hmm = random_hmm(vocabulary, reach)
    likelihoods, (scores, paths) = log_likelihood(hmm.chain(batch)).tolist(), best_path(hmm.chain(batch))
    possible = True
    counts = {name: torch.zeros_like(table) for name, table in vars(prior_counts(vocabulary, reach)).items()}
    for row, (source, target) in enumerate(pairs_of(batch)):
        every = list(enumerate_paths(hmm, source, target))
        total = sum(math.exp(score) for _, score, _ in every)
        assert math.exp(likelihoods[row]) == pytest.approx(total, rel=1e-9)
        possible &= total > 0
        for _, score, used in every:
            for name, entry in used:
                counts[name][entry] += math.exp(score) / total if total else 0.0
        if total:
            best = max(score for _, score, _ in every)
            assert scores[row].item() == pytest.approx(best, abs=1e-9)
            found = tuple(paths[row, : len(target)].tolist())
            assert {path: score for path, score, _ in every}[found] == pytest.approx(best, abs=1e-9)
    if possible:
        log_prob, expected = expect(hmm, [batch])
        assert log_prob == pytest.approx(sum(likelihoods), abs=1e-9)
        for name, table in vars(expected).items():
            torch.testing.assert_close(table, counts[name], atol=1e-9, rtol=0)


def test_counts_add_up_to_the_target_symbols():
    batch, vocabulary = batch_of(toy.examples(50))
    _, counts = expect(prior_counts(vocabulary, 10).estimate(), [batch])
    assert counts.jumps.sum().item() == pytest.approx(batch.target_symbols)
    assert (counts.symbols.sum() + counts.insertions.sum()).item() == pytest.approx(batch.target_symbols)
    assert not counts.symbols[PAD].any() and not counts.symbols[:, PAD].any()
    assert counts.symbols[EOS, EOS].item() == pytest.approx(50), "one EOS a pair, from the source's EOS"
    assert counts.symbols[:, EOS].sum().item() == pytest.approx(50)


@pytest.mark.parametrize("pairs", [toy.examples(80), [Example("ab", ""), Example("", "ba"), Example("", "")]])
def test_what_em_climbs_never_falls(monkeypatch, pairs):
    monkeypatch.setattr(jump_hmm, "TOLERANCE", -1.0)  # to the last round
    batch, vocabulary = batch_of(pairs)
    _, history = learn([batch], prior_counts(vocabulary, 10))
    assert len(history) == jump_hmm.ROUNDS
    assert all(after >= before - 1e-9 * abs(before) for before, after in itertools.pairwise(history))


def test_the_log_likelihood_itself_never_falls_where_there_is_no_smoothing():
    batch, vocabulary = batch_of(toy.examples(80))
    values, hmm = [], prior_counts(vocabulary, 10).estimate()
    for _ in range(30):
        log_prob, expected = expect(hmm, [batch])
        values.append(log_prob)
        hmm = expected.estimate()
    assert all(after >= before - 1e-9 * abs(before) for before, after in itertools.pairwise(values))
    assert values[-1] > values[0] + 100


def test_em_stops_when_it_has_arrived_and_repeats_itself_bit_by_bit():
    batch, vocabulary = batch_of(toy.examples(80))
    (first, history), (again, _) = (learn([batch], prior_counts(vocabulary, 10)) for _ in range(2))
    assert 2 < len(history) < jump_hmm.ROUNDS
    assert history[-1] - history[-2] < jump_hmm.TOLERANCE * batch.target_symbols
    for name, table in vars(first).items():
        assert torch.equal(table, vars(again)[name])


def test_tables_are_distributions_with_structural_zeros():
    batch, vocabulary = batch_of(toy.examples(80))
    hmm, _ = learn([batch], prior_counts(vocabulary, 10))
    writers = [BOS, EOS, *range(FIRST, len(vocabulary.source))]
    symbols = hmm.log_symbols.exp()
    torch.testing.assert_close(symbols[writers].sum(1), torch.ones(len(writers), dtype=torch.float64))
    assert hmm.log_insertions.exp().sum().item() == pytest.approx(1)
    assert hmm.log_jumps.exp().sum(1).tolist() == pytest.approx([0, 1, 0, 1, 1]), "PAD, BOS, UNK, EOS, letters"
    assert not symbols[PAD].any() and not symbols[:, :EOS].any()
    assert not symbols[[row for row in writers if row != EOS], EOS].any(), "only EOS writes EOS"
