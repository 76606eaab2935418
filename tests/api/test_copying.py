"""UNK is written only where the source has something unknown, so that every string has one spelling and one score."""

import math

import pytest
import torch

import tiny
from isotone.decoding import DecodeOptions, exact
from isotone.decoding.options import decode
from isotone.models import ALIGNERS
from isotone.text.vocabulary import UNK

OPTIONS = [DecodeOptions(), DecodeOptions(decode="beam", n_best=5), DecodeOptions(decode="exact", n_best=20)]


@pytest.mark.parametrize("aligner", ALIGNERS)
@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: options.decode)
def test_nothing_is_copied_where_nothing_is_unknown(aligner, options):
    network = tiny.model(aligner, copies_unknown=True)
    with torch.no_grad():
        network.emission.output.bias[0] += 3  # UNK is the most probable symbol everywhere
    batch = tiny.random_batch([3, 2], [0, 0])
    batch.source[1, 1] = UNK
    known, unknown = decode(network, batch, options)
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
    network, batch = tiny.model("0-mono"), tiny.random_batch([3, 0], [0, 0])
    for decoded in exact(network, batch, n_best=2, max_length=6):
        assert len(decoded.hypotheses) == 2 and decoded.expansions >= 2
    (spent,) = exact(network, tiny.row(batch, 0), mass=1.0, budget=40, max_length=6)
    assert spent.expansions == 40 and not spent.certified
