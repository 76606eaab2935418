"""The contract of the table of aligners: every entry is a true distribution, and batching never shows."""

import itertools
import math
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

import oracle
import tiny
from isotone.dp import best_path, log_likelihood, posteriors
from isotone.text.vocabulary import EOS, FIRST

every_aligner = pytest.mark.parametrize("aligner", tiny.VARIANTS)
hard_aligner = pytest.mark.parametrize("aligner", [name for name in tiny.VARIANTS if name != "soft"])
lengths = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=3)


@every_aligner
@given(sizes=lengths, width=st.integers(0, 7), seed=st.integers(0, 1000))
def test_enumeration_agrees(aligner, sizes, width, seed):
    torch.manual_seed(seed)
    network = tiny.model(aligner, width=width)
    batch = tiny.batch_for(aligner, [m for m, _ in sizes], [n for _, n in sizes])
    chain = network.chain(batch)
    dense = chain.transition.dense()
    scores, paths = best_path(chain)
    tables = posteriors(chain)
    for b, (emission, steps) in enumerate(zip(chain.log_emission.tolist(), dense.tolist(), strict=True)):
        length = int(batch.target_lengths[b])
        expected = oracle.log_likelihood(emission, steps, length)
        assert network.log_prob(batch)[b].item() == pytest.approx(expected, abs=1e-9)
        path, score = oracle.best_path(emission, steps, length)
        assert scores[b].item() == pytest.approx(score, abs=1e-9)
        assert paths[b, :length].tolist() == list(path or [-1] * length)  # none: nothing copies all that must be
        wanted = torch.tensor(oracle.posteriors(emission, steps, length), dtype=torch.float64)
        torch.testing.assert_close(tables[b, :length], wanted, atol=1e-9, rtol=0)


@every_aligner
def test_rows_are_distributions_with_exact_zeros(aligner):
    network = tiny.model(aligner)
    batch = tiny.batch_for(aligner, [4, 0, 2], [3, 1, 2])
    dense = network.chain(batch).transition.dense().exp()
    totals = dense.sum(-1)
    assert (((totals - 1).abs() < 1e-9) | (totals == 0)).all()
    if aligner == "soft":
        return
    for b, size in enumerate(batch.source_lengths.tolist()):
        assert not dense[b, :, :size, size:].any(), "mass on padding"
        reachable = dense[b, :, :size, :size].sum(-1)
        torch.testing.assert_close(reachable, torch.ones_like(reachable), atol=1e-9, rtol=0)
        if "mono" in aligner:
            assert not dense[b].tril(-1).any(), "a step back"


@every_aligner
@pytest.mark.parametrize("tags", [(), ("N", "PL", "DAT")])
def test_all_strings_together_have_probability_one(aligner, tags):
    """Sum over all strings of up to n symbols, plus the mass of all unfinished prefixes of n + 1: exactly 1."""
    network = tiny.model(aligner, tags=tags, target="xy")
    batch = tiny.batch_for(aligner, [3], [1], tags=len(tags), target_symbols=2)
    memory = network.encode(batch)
    finished, masses = 0.0, []
    states = [network.start(memory)]
    for _ in range(5 if memory.extensions else 7):
        following, unfinished = [], 0.0
        for state in states:
            step = network.step(state, memory)
            probabilities = step.log_symbols.exp()[0]
            assert not probabilities[:EOS].any(), "PAD, BOS or UNK was emitted"
            finished += probabilities[EOS].item()
            unfinished += probabilities[FIRST:].sum().item()
            following += [step.choose(torch.tensor([s])) for s in range(FIRST, len(probabilities))]
        assert finished + unfinished == pytest.approx(1.0, abs=1e-9)
        masses.append(finished)
        states = following
    assert masses == sorted(masses) and masses[-1] < 1


@every_aligner
def test_sum_over_strings_by_log_prob_approaches_one_from_below(aligner):
    network = tiny.model(aligner, target="xy")
    with torch.no_grad():
        network.emission.output.bias[0] += 2  # end soon, so that short strings hold nearly all mass
    one = tiny.batch_for(aligner, [2], [0], target_symbols=2)
    if one.copies is not None:
        one.copies[0, 1:3] = torch.tensor([FIRST, FIRST + 2])  # one symbol of the alphabet, one beyond it
    symbols = range(FIRST, FIRST + 2 + network.encode(one).extensions)
    totals, total = [], 0.0
    for length in range(8 if len(symbols) == 2 else 6):
        strings = torch.tensor([[*string, EOS] for string in itertools.product(symbols, repeat=length)])
        rows = torch.zeros(len(strings), dtype=torch.long)
        pairs = replace(
            one,
            source=one.source[rows],
            source_lengths=one.source_lengths[rows],
            target=strings,
            target_lengths=torch.full_like(rows, length + 1),
            tags=one.tags[rows],
            copies=None if one.copies is None else one.copies[rows],
        )
        total += network.log_prob(pairs).exp().sum().item()
        totals.append(total)
    assert all(a < b < 1 for a, b in itertools.pairwise(totals))
    assert totals[-1] > (0.9 if len(symbols) == 2 else 0.6)
    assert (len(symbols) > 2) == aligner.endswith(tiny.COPY)


@every_aligner
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-5), (torch.float64, 1e-10)])
def test_log_prob_is_the_same_alone_in_any_batch_with_any_padding(aligner, dtype, tolerance):
    network = tiny.model(aligner, dtype=dtype, tags=("N", "PL"))
    batch = tiny.batch_for(aligner, [9, 1, 4, 0, 6], [7, 3, 0, 5, 8], tags=2)
    together = network.log_prob(batch)
    assert together.isfinite().sum() >= (3 if aligner.endswith(tiny.COPY) else 5)
    for index in range(5):
        for pad in (False, True):
            alone = network.log_prob(tiny.row(batch, index, pad=pad))
            torch.testing.assert_close(alone[0], together[index], atol=tolerance, rtol=tolerance)
    torch.manual_seed(3)
    narrow = tiny.batch_for(aligner, [3, 5], [2, 6], tags=2)
    torch.manual_seed(3)
    wide = tiny.batch_for(aligner, [3, 5], [2, 6], tags=2, extra=(6, 9))
    target = F.pad(narrow.target, (0, wide.target.shape[1] - narrow.target.shape[1]))
    wide = replace(wide, target=target, tags=narrow.tags)
    torch.testing.assert_close(network.log_prob(wide), network.log_prob(narrow), atol=tolerance, rtol=tolerance)


@every_aligner
def test_stepwise_equals_batched(aligner):
    network = tiny.model(aligner, tags=("N", "PL"))
    batch = tiny.batch_for(aligner, [5, 2, 0], [4, 1, 6], tags=2)
    expected = network.log_prob(batch)
    memory = network.encode(batch)
    state = network.start(memory)
    found = torch.zeros_like(expected)
    for i in range(batch.target.shape[1]):
        step = network.step(state, memory)
        torch.testing.assert_close(network.step(state, replace(memory, inputs=None)).log_symbols, step.log_symbols)
        symbols = batch.target[:, i].clamp(min=EOS)
        last = batch.target_lengths == i + 1
        found = torch.where(last, step.log_symbols.gather(1, symbols[:, None])[:, 0], found)
        state = step.choose(symbols)
        torch.testing.assert_close(
            state.log_belief.exp().sum(1), step.log_symbols.gather(1, symbols[:, None])[:, 0].exp()
        )
    torch.testing.assert_close(found, expected, atol=1e-10, rtol=0)


@every_aligner
def test_choosing_rows_and_repeating_them(aligner):
    network = tiny.model(aligner)
    memory = network.encode(tiny.batch_for(aligner, [3, 5], [1, 1]))
    rows = torch.tensor([1, 1, 0])
    step = network.step(network.start(memory), memory)
    chosen = network.step(step.choose(torch.tensor([EOS, FIRST, FIRST]), rows), memory.select(rows))
    alone = network.step(step.choose(torch.tensor([FIRST, FIRST])), memory)
    torch.testing.assert_close(chosen.log_symbols[1], alone.log_symbols[1])
    torch.testing.assert_close(chosen.log_symbols[2], alone.log_symbols[0])


@every_aligner
def test_fast_equals_dense_and_gradients_are_finite(aligner):
    network = tiny.model(aligner)
    batch = tiny.batch_for(aligner, [6, 0, 3], [5, 2, 0])
    chain = network.chain(batch)
    torch.testing.assert_close(log_likelihood(chain), log_likelihood(chain.to_dense()), atol=1e-10, rtol=0)
    network.log_prob(batch).sum().backward()
    for name, parameter in network.named_parameters():
        assert parameter.grad is not None and parameter.grad.isfinite().all(), name


@hard_aligner
def test_gradcheck_of_the_whole_model(aligner):
    network = tiny.model(aligner, embedding=2, hidden=2, encoder_layers=1)
    batch = tiny.batch_for(aligner, [2, 0], [2, 1])
    if aligner.endswith(tiny.COPY):  # one symbol that both alphabets have, one that can only be copied
        batch.copies[0, 1:3] = torch.tensor([FIRST, FIRST + 3])
        batch.target[0, :2] = torch.tensor([FIRST, FIRST + 3])
    names, values = zip(*network.named_parameters(), strict=True)

    def loss(*parameters):
        return torch.func.functional_call(network, dict(zip(names, parameters, strict=True)), (batch,))

    assert torch.autograd.gradcheck(loss, values, atol=1e-6)


def test_unknown_is_emitted_only_where_the_model_copies():
    for copies in (False, True):
        network = tiny.model("0-mono", copies_unknown=copies)
        memory = network.encode(tiny.random_batch([3], [1]))
        log_symbols = network.step(network.start(memory), memory).log_symbols[0]
        assert (log_symbols[:2] == -math.inf).all()
        assert (log_symbols[2] > -math.inf) == copies
        assert log_symbols.exp().sum().item() == pytest.approx(1.0)
