"""UNK is written only where the source has something unknown, so that every string has one spelling and one score."""

import math
from dataclasses import replace

import pytest
import torch

from decoding import enumeration
from isotone.decoding import Beam, Exact
from isotone.decoding.greedy import greedy_search
from isotone.models import ALIGNERS
from isotone.text.vocabulary import BOS, UNK
from searches import exact_search, space

SEARCHES = {
    "greedy": lambda model, sources: greedy_search(space(model, sources, idle_copies=False)),  # alone: it never ends
    "beam": Beam(n_best=5).decode,
    "exact": Exact(n_best=20).decode,
}


@pytest.mark.parametrize("aligner", ALIGNERS)
@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES.keys())
def test_nothing_is_copied_where_nothing_is_unknown(aligner, search):
    model = enumeration.model(aligner, more=0.0, copies_unknown=True)
    with torch.no_grad():
        model.network.emission.output.bias[0] += 3  # UNK is the most probable symbol everywhere
    sources = enumeration.words([3, 2])
    sources[1] = replace(sources[1], source=(BOS, UNK, *sources[1].source[2:]))
    known, unknown = search(model, sources)
    assert known.hypotheses and not any(UNK in hypothesis.symbols for hypothesis in known.hypotheses)
    assert any(UNK in hypothesis.symbols for hypothesis in unknown.hypotheses)


def test_candidates_of_known_sources_have_the_scores_of_their_strings(model):
    words = ["abc", "gadeb", "qa"]
    for prediction in model(words, n_best=40, tags=["N;SG"] * 3):
        targets = [candidate.target for candidate in prediction.candidates]
        expected = model.score([prediction.source] * len(targets), targets, tags=["N;SG"] * len(targets))
        assert [c.logprob for c in prediction.candidates] == pytest.approx(expected, abs=1e-5, rel=1e-5)


def test_a_copy_of_something_unknown_is_possible_and_score_cannot_know_it(mono):
    found = mono("bcΩ", tags="N;SG")
    assert found.target == "bcΩ" and found.logprob > -math.inf
    assert mono.score("bcΩ", "bcΩ", tags="N;SG") == -math.inf


def test_exact_search_counts_its_expansions():
    model, sources = enumeration.model("0-mono", more=0.0), enumeration.words([3, 0])
    for decoded in exact_search(model, sources, n_best=2, max_length=6):
        assert len(decoded.hypotheses) == 2 and decoded.expansions >= 2
    (spent,) = exact_search(model, sources[:1], mass=1.0, budget=40, max_length=6)
    assert spent.expansions == 40 and not spent.certified
