"""Pairwise marginals and silent positions, against enumeration over all alignments."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import oracle
from chains import KINDS, random_chain, rows
from isotone.dp import log_likelihood, posteriors, silence, stays

SIZES = {"target": st.integers(1, 4), "state": st.integers(1, 4), "batch": st.integers(1, 3)}
ABOUT_SILENCE = ("independent", "monotone", "band")


def shares(row):
    """Every alignment with its posterior probability."""
    total = oracle.log_likelihood(*row)
    for path, score in oracle.alignments(*row):
        yield path, math.exp(score - total) if total > -math.inf else 0.0


@pytest.mark.parametrize("kind", KINDS)
@given(width=st.integers(0, 6), seed=st.integers(0, 10_000), **SIZES)
def test_stays_are_the_shares_of_alignments_that_stand_still(kind, batch, target, state, width, seed):
    torch.manual_seed(seed)
    chain = random_chain(kind, batch, target, state, width=width)
    log_probs, found = stays(chain, posteriors(chain))
    assert log_probs.tolist() == pytest.approx(log_likelihood(chain).tolist(), abs=1e-10)
    for table, row in zip(found.tolist(), rows(chain), strict=True):
        expected = [[0.0] * state for _ in range(target)]
        for path, share in shares(row):
            for i in range(1, row[2]):
                expected[i][path[i]] += share * (path[i] == path[i - 1])
        assert sum(table, []) == pytest.approx(sum(expected, []), abs=1e-9)


@pytest.mark.parametrize("kind", ABOUT_SILENCE)
@given(width=st.integers(0, 6), seed=st.integers(0, 10_000), **SIZES)
def test_silence_is_the_share_of_alignments_that_skip_a_position(kind, batch, target, state, width, seed):
    torch.manual_seed(seed)
    chain = random_chain(kind, batch, target, state, width=width)
    posterior = posteriors(chain)
    found = silence(chain, posterior, stays(chain, posterior)[1])
    for values, row in zip(found.tolist(), rows(chain), strict=True):
        if oracle.log_likelihood(*row) == -math.inf:
            continue
        expected = [sum(share for path, share in shares(row) if j not in path[:-1]) for j in range(state)]
        assert values == pytest.approx(expected, abs=1e-9)


def test_nothing_is_said_of_chains_that_may_come_back():
    for kind in set(KINDS) - set(ABOUT_SILENCE):
        chain = random_chain(kind, 2, 3, 3)
        posterior = posteriors(chain)
        assert silence(chain, posterior, stays(chain, posterior)[1]) is None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [0, 2])
def test_staying_is_the_diagonal_of_the_dense_form(kind, width):
    transition = random_chain(kind, 2, 3, 4, width=width).transition
    torch.testing.assert_close(transition.log_stay(), transition.dense().diagonal(dim1=2, dim2=3))
