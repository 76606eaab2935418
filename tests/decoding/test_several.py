"""Several sources of one target are a mixture: a distribution, whichever rows stand side by side."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

import oracle
from decoding import enumeration
from isotone.decoding import Mixture
from isotone.decoding.several import SeveralSources
from isotone.text.vocabulary import EOS, FIRST
from searches import beam_search, exact_search, greedy_search

TAGS = ("N", "PL")


def models():
    parts = [enumeration.model(name, hidden=3 + place, tags=TAGS) for place, name in enumerate(["0-mono", "1-mono"])]
    return {"network": parts[0], "mixture": Mixture(parts, [1, 2])}


@pytest.fixture(params=["network", "mixture"])
def model(request):
    return models()[request.param]


def grouped(pairs, counts):
    """Pairs of which each takes as many of the pairs after it as further sources, with targets of their own."""
    rows, place = [], 0
    for count in counts:
        rows.append(replace(pairs[place], others=tuple(pairs[place + 1 : place + 1 + count])))
        place += 1 + count
    return rows


@pytest.fixture
def pairs():
    return grouped(enumeration.pairs([4, 2, 3, 0, 5, 3, 1], [3, 1, 2, 0, 2, 4, 1], tags=2), [2, 0, 3])


def test_log_probs_are_means_of_probabilities(model, pairs):
    found = SeveralSources(model).log_probs(pairs).tolist()
    for pair, value in zip(pairs, found, strict=True):
        each = [replace(one, target=pair.target, others=()) for one in (pair, *pair.others)]
        parts = model.log_probs(each).tolist()
        assert value == pytest.approx(oracle.log_add(parts) - math.log(len(parts)), abs=1e-10)


def test_steps_have_the_same_numbers_in_any_company(model, pairs):
    several = SeveralSources(model)
    whole = several.log_probs(pairs)
    for rows in ([0, 1, 2], [2], [1, 0]):
        chosen = [pairs[row] for row in rows]
        for place, (row, pair) in enumerate(zip(rows, chosen, strict=True)):
            memory = several.encode(chosen)
            state = several.start(memory)
            for symbol in pair.target[:-1]:
                step = several.step(state, memory)
                state = step.choose(np.full(len(rows), symbol))
            last = several.step(state, memory).log_symbols[place, EOS]
            assert last == pytest.approx(whole[row], abs=1e-10)


def test_prefixes_sum_to_one_and_to_their_parent(model, pairs):
    several = SeveralSources(model)
    memory = several.encode(pairs)
    state, log_mass = several.start(memory), np.zeros(3)
    for symbol in (FIRST, FIRST + 2):
        step = several.step(state, memory)
        np.testing.assert_allclose(np.logaddexp.reduce(step.log_symbols, 1), log_mass, atol=1e-10)
        log_mass = step.log_symbols[:, symbol]
        state = step.choose(np.full(3, symbol))


def test_rows_are_selected_and_joined(model, pairs):
    several = SeveralSources(model)
    memory = several.encode(pairs)
    step, symbols = several.step(several.start(memory), memory), np.array([FIRST, FIRST + 2, FIRST])
    first, *rest = (step.choose(symbols[rows], rows) for rows in map(np.array, ([2], [0, 1], [1])))
    rows = np.array([2, 0, 1, 1])
    expected = several.step(step.choose(symbols[rows], rows), memory.select(rows)).log_symbols
    assert np.array_equal(several.step(first.join(rest), memory.select(rows)).log_symbols, expected)


def test_exact_search_finds_the_best_string_of_all(model, pairs):
    several = SeveralSources(model)
    for pair, decoded in zip(pairs, exact_search(several, pairs), strict=True):
        best = decoded.hypotheses[0]
        assert decoded.certified
        short = [s for n in range(4) for s in itertools.product(range(FIRST, FIRST + 3), repeat=n)]
        values = several.log_probs([replace(pair, target=(*string, EOS)) for string in short])
        assert best.log_prob >= values.max() - 1e-9
        again = several.log_probs([replace(pair, target=(*best.symbols, EOS))])
        assert again[0] == pytest.approx(best.log_prob, abs=1e-9)
    for search in (greedy_search, beam_search):
        for pair, decoded in zip(pairs, search(several, pairs), strict=True):
            hypothesis = decoded.hypotheses[0]
            value = several.log_probs([replace(pair, target=(*hypothesis.symbols, EOS))])[0]
            assert hypothesis.log_prob == pytest.approx(value, abs=1e-9)


def test_without_others_it_is_the_model_itself(model, pairs):
    alone = [replace(pair, others=()) for pair in pairs]
    several = SeveralSources(model)
    np.testing.assert_allclose(several.log_probs(alone), model.log_probs(alone), atol=1e-12)
    for ours, theirs in zip(several.align(pairs), model.align(alone), strict=True):
        assert np.array_equal(ours.path, theirs.path)
    assert np.array_equal(several.sample_paths(pairs[0], 3, seed=1), model.sample_paths(alone[0], 3, seed=1))
