"""Answers that the greedy graph gives in one go, against the search that does without it."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from exporting import PAIRS, encoded, exported, member
from isotone.decoding import Exact
from isotone.decoding.exact import exact_search
from isotone.decoding.greedy import greedy_search
from isotone.decoding.protocol import Trail
from isotone.decoding.shortcut import greedy_answer, proven_answer
from isotone.models import ALIGNERS
from isotone.text.vocabulary import EOS, UNK
from searches import space

EVERY = pytest.mark.parametrize("aligner", ALIGNERS)
WORDS = [*PAIRS, ("dcba", "", ()), ("abcd" * 6, "", ("N",)), ("aab", "", ()), ("dd", "", ("PL",)), ("bdca", "", ())] * 2
"""Enough that strings left behind begin again in a batch of their own."""


def asked(made):
    return [replace(source, target=None, unseen=()) for source in encoded(made, WORDS)]


def trails_of(model, sources, *, idle_copies=False):
    given = space(model, sources, idle_copies=idle_copies)
    return model.trails(given.memory, given.copies)


def same(found, expected):
    """The same strings and certificates, and nearly the same numbers; bounds may be a little less tight."""
    for one, other in zip(found, expected, strict=True):
        assert [h.symbols for h in one.hypotheses] == [h.symbols for h in other.hypotheses]
        assert one.certified == other.certified and one.cut == other.cut
        for ours, theirs in zip(one.hypotheses, other.hypotheses, strict=True):
            assert ours.log_prob == pytest.approx(theirs.log_prob, abs=2e-5)
        if other.log_bound is not None:
            assert one.log_bound >= other.log_bound - 2e-5
            assert np.exp(one.log_bound) <= np.exp(other.log_bound) + 1e-5


@EVERY
@pytest.mark.parametrize("int8", [False, True], ids=["fp32", "int8"])
@pytest.mark.parametrize("scale", [2.0, 5.0])
def test_answers_are_those_of_the_search(aligner, int8, scale):
    made = member(aligner, scale=scale)
    with torch.no_grad():
        made.network.emission.output.bias[EOS - made.network.emission.first_output] += 2  # so that strings end
    sources = asked(made)
    fast, slow = (exported(made, int8=int8, shortcuts=some) for some in (True, False))
    trails = trails_of(fast, sources)
    assert trails is not None and trails_of(slow, sources) is None
    assert all(any(answer(trail, 100) for trail in trails) for answer in (proven_answer, greedy_answer))
    for limit in (None, 3, 0):
        spaces = [space(model, sources, max_length=limit, idle_copies=False) for model in (fast, slow)]
        same(*map(greedy_search, spaces))
        same(*(exact_search(given, Exact()) for given in spaces))


@EVERY
def test_a_trail_does_not_depend_on_its_batch(aligner):
    made = member(aligner, scale=5.0)
    sources, model = asked(made), exported(made, int8=True)
    together = model.trails(model.encode(sources))
    for source, trail in zip(sources, together, strict=True):
        (alone,) = model.trails(model.encode([source]))
        for probabilities, others in zip(trail.probabilities, alone.probabilities, strict=False):
            np.testing.assert_allclose(probabilities, others, rtol=1e-5, atol=1e-30)


def test_nothing_unknown_is_written_where_nothing_can_be_copied():
    made = member("0-mono", scale=5.0, copies_unknown=True)
    made.network.emission.output.bias.data[UNK - made.network.emission.first_output] = 50.0
    sources = encoded(made, [("abcd", None, ()), ("abqd", None, ())])
    model = exported(made)
    plain, copying = (trails_of(model, sources, idle_copies=idle) for idle in (True, False))
    assert all(UNK in ranks for trail in plain for ranks in trail.symbols[:1])
    assert copying[0].symbols[0][0] != UNK and copying[1].symbols[0][0] == UNK


def test_a_copy_gate_has_no_greedy_graph():
    made = member("0-mono", copy_gate=True)
    model = exported(made)
    assert model.trails(model.encode(asked(made))) is None


def trail(*steps, negligible=1e-8):
    return Trail([list(ids) for ids, _ in steps], [list(values) for _, values in steps], negligible)


A, B, C = 4, 5, 6


def test_a_proof_needs_the_end_to_beat_everything_else():
    first = ((A, B, EOS), (0.7, 0.2, 0.1))
    sure = trail(first, ((EOS, A, B), (0.6, 0.06, 0.04)))
    found = proven_answer(sure, 10)
    assert found.hypotheses[0].symbols == (A,) and found.certified and found.expansions == 2
    assert np.exp(found.log_bound) == pytest.approx(0.2)
    assert proven_answer(trail(first, ((EOS, A, B), (0.19, 0.06, 0.04))), 10) is None  # B… may have 0.2
    assert proven_answer(trail(first, ((A, B, C), (0.6, 0.06, 0.04))), 10) is None  # given up
    assert proven_answer(sure, 0) is None and greedy_answer(sure, 0) is None
    assert greedy_answer(sure, 1).hypotheses[0].symbols == (A,)


def test_an_earlier_end_may_be_the_best():
    found = trail(((A, EOS, B), (0.5, 0.45, 0.05)), ((A, EOS, B), (0.3, 0.1, 0.1)))
    assert proven_answer(found, 10).hypotheses[0].symbols == ()
    assert greedy_answer(found, 10) is None


@pytest.mark.parametrize("answer", [greedy_answer, proven_answer])
def test_what_was_left_out_must_not_matter(answer):
    """A string of little probability may owe more of it to what was left out than rounding explains."""
    steps = (((A, B, C), (0.4, 1e-6, 1e-6)), ((EOS, A, B), (2e-4, 1e-7, 1e-7)))
    assert answer(trail(*steps, negligible=1e-10), 10) is not None
    assert answer(trail(*steps, negligible=1e-8), 10) is None
