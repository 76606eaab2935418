"""A mixture is a distribution over strings, and its numbers are the weighted sums of its models'."""

import math

import pytest
import torch

import oracle
import tiny
from decoding import enumeration
from isotone.decoding import Mixture, beam, exact, greedy, sample
from isotone.errors import ConfigError
from isotone.models import ALIGNERS
from isotone.text.vocabulary import FIRST, UNK

WEIGHTS = [0.5, 0.3, 0.2]


def parts():
    return [tiny.model(aligner, hidden=size) for aligner, size in (("soft", 3), ("0-mono", 4), ("1-mono", 6))]


def test_log_prob_is_the_weighted_sum():
    models, batch = parts(), tiny.random_batch([4, 0, 2], [3, 2, 0])
    columns = zip(*(model.log_prob(batch).tolist() for model in models), strict=True)
    expected = [oracle.log_add([math.log(w) + v for w, v in zip(WEIGHTS, c, strict=True)]) for c in columns]
    assert Mixture(models, WEIGHTS).log_prob(batch).tolist() == pytest.approx(expected, abs=1e-10)


def test_prefixes_sum_to_one_and_to_their_parent():
    network = Mixture(parts(), WEIGHTS)
    memory = network.encode(tiny.random_batch([4, 0], [0, 0]))
    state, log_mass = network.start(memory), torch.zeros(2, dtype=torch.float64)
    for symbol in (FIRST, FIRST + 2, FIRST + 1):
        step = network.step(state, memory)
        torch.testing.assert_close(step.log_symbols.logsumexp(1), log_mass, atol=1e-10, rtol=0)
        log_mass = step.log_symbols[:, symbol]
        state = step.choose(torch.tensor([symbol, symbol]))


@pytest.mark.parametrize("network", [Mixture(parts(), WEIGHTS), tiny.model("1-mono")], ids=["mixture", "model"])
def test_joined_states_are_the_rows_of_all_in_order(network):
    memory = network.encode(tiny.random_batch([4, 0, 2], [0, 0, 0]))
    whole = network.step(network.start(memory), memory).choose(torch.tensor([FIRST, FIRST + 2, FIRST]))
    first, *rest = (whole.select(torch.tensor(rows)) for rows in ([2], [0, 1], [1]))
    joined, rows = first.join(rest), torch.tensor([2, 0, 1, 1])
    expected = network.step(whole.select(rows), memory.select(rows)).log_symbols
    assert torch.equal(network.step(joined, memory.select(rows)).log_symbols, expected)
    assert torch.equal(network.step(whole.join([]), memory).log_symbols, network.step(whole, memory).log_symbols)


def test_all_decoders_work_on_mixtures_and_tell_its_probabilities():
    network = enumeration.mixture(list(ALIGNERS), tags=("N", "PL"))
    batch = tiny.random_batch([5, 0, 3], [0] * 3, tags=2)
    lists = [[d.hypotheses for d in search(network, batch)] for search in (greedy, beam, exact)]
    for found in (*lists, sample(network, batch, count=4)):
        for row, hypotheses in enumerate(found):
            expected = enumeration.log_probs(network, batch, row, [h.symbols for h in hypotheses])
            assert [h.log_prob for h in hypotheses] == pytest.approx(expected, abs=1e-10)


def test_one_model_is_itself():
    model, batch = enumeration.model("0-mono"), tiny.random_batch([3, 0], [0, 0])
    alone, mixed = (exact(network, batch, n_best=4) for network in (model, Mixture([model])))
    for one, other in zip(alone, mixed, strict=True):
        assert [h.symbols for h in one.hypotheses] == [h.symbols for h in other.hypotheses]


def test_a_model_without_unknowns_has_no_share_in_strings_with_them():
    """One model copies, the other cannot: a string with UNK has the first model's probability times its weight."""
    copying, plain = enumeration.model("0-mono", copies_unknown=True), enumeration.model("0-mono", hidden=3)
    network, batch = Mixture([copying, plain], [0.25, 0.75]), tiny.random_batch([3], [0])
    (decoded,) = exact(network, batch, n_best=30)
    strings = [h.symbols for h in decoded.hypotheses]
    assert any(UNK in string for string in strings)
    for hypothesis, value in zip(decoded.hypotheses, enumeration.log_probs(copying, batch, 0, strings), strict=True):
        shares = [math.log(0.25) + value]
        if UNK not in hypothesis.symbols:
            shares.append(math.log(0.75) + enumeration.log_probs(plain, batch, 0, [hypothesis.symbols])[0])
        assert hypothesis.log_prob == pytest.approx(oracle.log_add(shares), abs=1e-10)


@pytest.mark.parametrize(
    ("count", "weights"),
    [(0, None), (2, [1.0]), (2, [0.5, 0.6]), (2, [1.0, 0.0]), (2, [1.5, -0.5]), (2, [math.nan, 1.0])],
)
def test_weights_that_make_no_distribution_are_refused(count, weights):
    with pytest.raises(ConfigError):
        Mixture([tiny.model("soft") for _ in range(count)], weights)
