"""Batches on a core each change no prediction and no score."""

import pytest
import torch

import isotone.decoding.batches as batches
import toy


def test_predictions_and_scores_are_those_of_one_thread(mono, monkeypatch, two_threads):
    monkeypatch.setattr(batches, "CELLS", 30)
    examples, found = toy.examples(60), []
    for threads in (2, 1):
        torch.set_num_threads(threads)
        predictions = list(mono.predict(examples))
        scores = [scored.logprob for scored in mono.scores(examples)]
        found.append(([p.target for p in predictions], [p.logprob for p in predictions], scores))
    (targets, logprobs, scores), others = found
    assert targets == others[0]
    assert logprobs == pytest.approx(others[1], rel=1e-6, abs=1e-5)
    assert scores == pytest.approx(others[2], rel=1e-6, abs=1e-5)
