"""PIPELINE-MONO: the network of 0-MONO, another objective."""

from dataclasses import replace

import pytest
import torch

import oracle
import tiny
from isotone.models import ALIGNERS, Network
from isotone.store.card import model_card


def aligned(batch, path=None):
    """The batch with random monotone alignments that end in the source's last position."""
    if path is None:
        path = (torch.rand(batch.target.shape) * batch.source_lengths[:, None]).long().cummax(1).values
        path.scatter_(1, batch.target_lengths[:, None] - 1, batch.source_lengths[:, None] - 1)
        path[torch.arange(path.shape[1]) >= batch.target_lengths[:, None]] = -1
    return replace(batch, alignment=path)


def test_only_the_pipeline_wants_alignments():
    supervised = {name for name, part in ALIGNERS.items() if part.supervised}
    assert supervised == {"pipeline-mono"}


def test_it_is_0_mono_to_the_last_bit():
    networks = []
    for aligner in ("0-mono", "pipeline-mono"):
        torch.manual_seed(5)
        networks.append(Network.build(tiny.architecture(aligner), tiny.vocabulary(tags=("N",))).eval())
    first, second = (network.state_dict() for network in networks)
    assert first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)
    batch = tiny.random_batch([4, 0, 2], [3, 1, 5], tags=1)
    assert torch.equal(networks[0].log_prob(batch), networks[1].log_prob(batch))
    assert torch.equal(networks[0](batch), networks[1](batch)), "without alignments the objective is the same, too"


def test_the_objective_is_the_joint_probability_of_target_and_path():
    network = tiny.model("pipeline-mono")
    batch = aligned(tiny.random_batch([4, 0, 2], [3, 1, 2]))
    chain = network.chain(batch)
    dense = chain.transition.dense()
    expected = [
        oracle.path_log_prob(chain.log_emission[row].tolist(), dense[row].tolist(), path[: int(length)])
        for row, (path, length) in enumerate(zip(batch.alignment.tolist(), batch.target_lengths, strict=True))
    ]
    assert network(batch).tolist() == pytest.approx(expected, abs=1e-9)
    assert (network(batch) <= network.log_prob(batch)).all(), "one term of the sum"


def test_it_does_not_depend_on_the_neighbours():
    network = tiny.model("pipeline-mono", tags=("N", "PL"))
    batch = aligned(tiny.random_batch([9, 1, 4, 0], [7, 3, 0, 5], tags=2))
    together = network(batch)
    for row in range(len(batch)):
        alone = tiny.row(batch, row)
        path = batch.alignment[row : row + 1, : alone.target.shape[1]]
        torch.testing.assert_close(network(aligned(alone, path))[0], together[row], atol=1e-10, rtol=0)


def test_gradcheck_of_the_whole_model():
    network = tiny.model("pipeline-mono", embedding=2, hidden=2, encoder_layers=1)
    batch = aligned(tiny.random_batch([2, 0], [2, 1]))
    names, values = zip(*network.named_parameters(), strict=True)

    def loss(*parameters):
        return torch.func.functional_call(network, dict(zip(names, parameters, strict=True)), (batch,))

    assert torch.autograd.gradcheck(loss, values, atol=1e-6)


def test_the_card_says_so():
    assert "one fixed alignment per pair" in model_card(tiny.bundle("pipeline-mono"))
    assert "fixed beforehand" not in model_card(tiny.bundle("0-mono"))
