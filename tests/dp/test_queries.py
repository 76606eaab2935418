"""Every query, every transition, against enumeration over all alignments."""

import itertools
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import oracle
from chains import KINDS, random_chain, rows
from isotone.dp import best_path, log_likelihood, posteriors, sample, step_log_probs

SIZES = {"target": st.integers(1, 4), "state": st.integers(1, 4), "batch": st.integers(1, 3)}


@pytest.mark.parametrize("kind", KINDS)
@given(width=st.integers(0, 6), seed=st.integers(0, 10_000), **SIZES)
def test_log_likelihood_is_the_sum_over_all_alignments(kind, batch, target, state, width, seed):
    torch.manual_seed(seed)
    chain = random_chain(kind, batch, target, state, width=width)
    expected = [oracle.log_likelihood(*row) for row in rows(chain)]
    assert log_likelihood(chain).tolist() == pytest.approx(expected, abs=1e-9)
    assert log_likelihood(chain.to_dense()).tolist() == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@given(width=st.integers(0, 6), seed=st.integers(0, 10_000), **SIZES)
def test_the_steps_are_what_each_symbol_adds_to_the_sum_over_all_alignments(kind, batch, target, state, width, seed):
    torch.manual_seed(seed)
    chain = random_chain(kind, batch, target, state, width=width)
    steps = step_log_probs(chain)
    torch.testing.assert_close(steps, step_log_probs(chain.to_dense()), atol=1e-9, rtol=0)
    for found, (emission, transition, length) in zip(steps.tolist(), rows(chain), strict=True):
        prefixes = [oracle.log_likelihood(emission, transition, end) for end in range(1, length + 1)]
        assert list(itertools.accumulate(found[:length])) == pytest.approx(prefixes, abs=1e-9)
        assert not any(found[length:])


@pytest.mark.parametrize("kind", KINDS)
@given(width=st.integers(0, 6), seed=st.integers(0, 10_000), **SIZES)
def test_posteriors_are_the_shares_of_alignments(kind, batch, target, state, width, seed):
    torch.manual_seed(seed)
    chain = random_chain(kind, batch, target, state, width=width)
    for found, row in zip(posteriors(chain), rows(chain), strict=True):
        length = row[2]
        torch.testing.assert_close(
            found[:length], torch.tensor(oracle.posteriors(*row), dtype=found.dtype), atol=1e-9, rtol=0
        )
        assert not found[length:].any()


@pytest.mark.parametrize("kind", KINDS)
@given(width=st.integers(0, 6), seed=st.integers(0, 10_000), **SIZES)
def test_best_path_is_the_best_alignment(kind, batch, target, state, width, seed):
    torch.manual_seed(seed)
    chain = random_chain(kind, batch, target, state, width=width)
    scores, paths = best_path(chain)
    for score, path, row in zip(scores.tolist(), paths.tolist(), rows(chain), strict=True):
        expected_path, expected_score = oracle.best_path(*row)
        assert score == pytest.approx(expected_score, abs=1e-9)
        assert path[: row[2]] == list(expected_path)
        assert set(path[row[2] :]) <= {-1}


@pytest.mark.parametrize("kind", KINDS)
def test_sampled_alignments_have_posterior_frequencies(kind):
    chain = random_chain(kind, 1, 3, 3, ragged=False)
    draws = 4000
    many = random_chain(kind, 1, 3, 3, ragged=False)
    many = type(chain)(
        chain.log_emission.expand(draws, -1, -1),
        type(many.transition)(
            *(
                value.expand(draws, *value.shape[1:]) if isinstance(value, torch.Tensor) else value
                for value in vars(chain.transition).values()
            )
        ),
        chain.target_lengths.expand(draws),
    )
    paths = sample(many, torch.Generator().manual_seed(1))
    ((emission, transition, length),) = rows(chain)
    total = oracle.log_likelihood(emission, transition, length)
    chi_square, cells = 0.0, 0
    for path, score in oracle.alignments(emission, transition, length):
        count = int((paths == torch.tensor(path)).all(1).sum())
        expected = draws * math.exp(score - total)
        if expected == 0:
            assert count == 0
        elif expected > 5:
            chi_square, cells = chi_square + (count - expected) ** 2 / expected, cells + 1
    assert chi_square < cells + 4 * math.sqrt(2 * cells)


def test_sampling_is_reproducible():
    chain = random_chain("monotone", 3, 5, 4)
    first, again = (sample(chain, torch.Generator().manual_seed(7)) for _ in range(2))
    assert torch.equal(first, again)


@pytest.mark.parametrize("kind", KINDS)
def test_an_impossible_pair_is_minus_infinity_not_nan(kind):
    chain = random_chain(kind, 2, 3, 4, ragged=False)
    chain.log_emission[0, 1] = -math.inf
    leaf = chain.log_emission.requires_grad_()
    value = log_likelihood(chain)
    assert value[0] == -math.inf and value[1].isfinite()
    value[1].backward()
    assert leaf.grad.isfinite().all()
    assert not posteriors(chain)[0].any()
    assert best_path(chain)[1][0].tolist() == [-1, -1, -1]
    assert sample(chain)[0].tolist() == [-1, -1, -1]
