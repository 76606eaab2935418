"""Surprisals of symbols are conditional probabilities: by the chain rule they add up to −log p(y | x)."""

import math
from collections import Counter
from dataclasses import replace

import pytest

import tiny
from decoding import enumeration
from isotone.decoding import log_probs, surprisals
from isotone.text.vocabulary import EOS, FIRST, UNK


def check(model, pairs):
    found = surprisals(model, pairs)
    for pair, values, log_prob in zip(pairs, found, log_probs(model, pairs), strict=True):
        assert len(values) == len(pair.target) and min(values) >= 0
        assert math.fsum(values) == pytest.approx(-log_prob, abs=1e-9)
    return found


@pytest.mark.parametrize("aligner", tiny.VARIANTS)
def test_they_add_up_to_the_surprisal_of_the_pair(aligner):
    check(enumeration.model(aligner), enumeration.pairs([4, 0, 7, 2], [3, 2, 0, 9], aligner=aligner))


def test_a_mixture_has_its_own():
    check(enumeration.mixture(["soft", "0-mono", "1-mono"]), enumeration.pairs([4, 1, 7], [3, 2, 5]))


def test_each_is_the_share_that_its_symbol_has_among_all_continuations():
    model, (pair,) = enumeration.model("1-mono", more=4.0), enumeration.pairs([3], [2])
    symbols = (FIRST, FIRST + 1, FIRST + 2)
    mass = Counter()
    for log_prob, string in enumeration.ranked(model, pair, length=6, symbols=symbols):
        for length in range(len(string) + 1):
            mass[string[:length]] += math.exp(log_prob)
    (values,), string = surprisals(model, [pair]), pair.target[:-1]
    for place in range(len(string)):
        assert values[place] == pytest.approx(-math.log(mass[string[: place + 1]] / mass[string[:place]]), abs=0.01)


def test_neighbours_and_batches_change_nothing():
    model, pairs = enumeration.model("0-mono"), enumeration.pairs([4, 9, 7], [3, 2, 8])
    together = surprisals(model, pairs)
    alone = [surprisals(model, [pair])[0] for pair in pairs]
    for one, other in zip(together, alone, strict=True):
        assert one == pytest.approx(other, abs=1e-10)


def test_a_symbol_never_seen_makes_the_rest_infinite_although_the_model_can_emit_unk():
    model, (pair,) = enumeration.model("0-mono", copies_unknown=True), enumeration.pairs([4], [3])
    broken = replace(pair, target=(pair.target[0], UNK, pair.target[2], EOS), unseen=("Ω",))
    (values,), (whole,) = surprisals(model, [broken]), surprisals(model, [pair])
    assert values[0] == whole[0] < math.inf and values[1:] == (math.inf,) * 3
    assert log_probs(model, [broken]) == [-math.inf]


def test_nothing_asked_nothing_answered():
    assert surprisals(enumeration.model("0-mono"), []) == []
