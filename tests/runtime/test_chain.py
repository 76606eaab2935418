"""The dynamic program in numpy against `isotone.dp`, over random chains of every form."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from isotone import dp
from isotone.runtime import transitions as ours
from isotone.runtime.chain import Chain

FORMS = ("independent", "monotone", "1-mono", "1-hard")


def random_chain(form, seed, batch=3, target=4, state=5):
    """The same factors as a chain of either kind; lengths differ, longest first; some factors are zero."""
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape):
        return torch.randn(*shape, generator=generator, dtype=torch.float64) * 3

    lengths = torch.randint(1, target + 1, (batch,), generator=generator).sort(descending=True).values
    lengths[0] = target
    log_emission = normal(batch, target, state)
    log_emission[torch.rand(batch, target, state, generator=generator) < 0.2] = -torch.inf
    if form == "independent":
        transition = dp.Independent(normal(batch, target, state).log_softmax(-1))
        steps = [ours.Independent(transition.log_position[:, i].numpy()) for i in range(target)]
    elif form == "monotone":
        scores = normal(batch, target, state)
        transition = dp.Monotone.from_scores(scores, torch.ones(batch, state, dtype=torch.bool))
        steps = [ours.Monotone.from_scores(scores[:, i].numpy()) for i in range(target)]
    else:
        first = -2 if form == "1-hard" else 0
        jumps = torch.arange(first, 3)
        landing = torch.arange(state)[:, None] + jumps
        inside = ((landing >= 0) & (landing < state)).expand(batch, target, -1, -1)
        log_jump = dp.masked_log_softmax(normal(batch, target, state, len(jumps)), inside)
        transition = dp.Banded(log_jump, first)
        steps = [ours.Banded(log_jump[:, i].numpy(), first) for i in range(target)]
    rows = [int((lengths > i).sum()) for i in range(target)]
    cut = [_first_rows(step, count) for step, count in zip(steps, rows, strict=True)]
    emissions = [log_emission[:count, i].numpy() for i, count in enumerate(rows)]
    return dp.Chain(log_emission, transition, lengths), Chain(tuple(cut), tuple(emissions))


def _first_rows(step, count):
    changed = {name: value[:count] for name, value in vars(step).items() if isinstance(value, np.ndarray)}
    return type(step)(**{**vars(step), **changed})


@pytest.mark.parametrize("form", FORMS)
@given(seed=st.integers(0, 2**32))
def test_every_question_has_the_answer_of_dp(form, seed):
    theirs, chain = random_chain(form, seed)
    log_probs = dp.log_likelihood(theirs).numpy()
    np.testing.assert_allclose(chain.log_likelihood, log_probs, atol=1e-9)
    posteriors, (best, paths) = dp.posteriors(theirs).numpy(), dp.best_path(theirs)
    own_paths = torch.full_like(paths, -1)
    for row, (table, path) in enumerate(zip(chain.posteriors(), chain.best_paths(), strict=True)):
        length = int(theirs.target_lengths[row])
        assert table.shape == (length, 5)
        np.testing.assert_allclose(table, posteriors[row, :length], atol=1e-9)
        own_paths[row, :length] = torch.from_numpy(path)
    possible = torch.from_numpy(log_probs) > -torch.inf
    assert torch.equal((own_paths >= 0).any(1), possible)
    value = dp.path_log_prob(theirs, own_paths)
    torch.testing.assert_close(value[possible], best[possible])


@pytest.mark.parametrize("form", FORMS)
def test_staying_is_the_pairwise_marginal(form):
    """By enumeration: both steps at the same place."""
    _, chain = random_chain(form, 7, batch=1, target=3, state=4)
    dense = [np.stack([step.into(np.array([a]))[0] for a in range(4)], 1) for step in chain.transitions]
    start = np.full(4, -np.inf)
    start[0] = 0
    total, both = 0.0, np.zeros((3, 4))
    for path in np.ndindex(4, 4, 4):
        log_p = start[0] + dense[0][0, path[0]]
        for i in range(3):
            log_p += chain.log_emissions[i][0, path[i]] + (dense[i][path[i - 1], path[i]] if i else 0.0)
        total += np.exp(log_p)
        for i in (1, 2):
            if path[i] == path[i - 1]:
                both[i, path[i]] += np.exp(log_p)
    np.testing.assert_allclose(chain.stays()[0], both / total, atol=1e-9)


@pytest.mark.parametrize("form", FORMS)
def test_samples_follow_the_posterior(form):
    _, chain = random_chain(form, 3, batch=1)
    paths = chain.sample(5000, np.random.default_rng(0))
    shares = np.stack([(paths == j).mean(0) for j in range(5)], 1)
    np.testing.assert_allclose(shares, chain.posteriors()[0], atol=0.03)


def test_a_pair_of_probability_0():
    chain = Chain((ours.Independent(np.log([[0.5, 0.5]])),), (np.full((1, 2), -np.inf),))
    assert chain.log_likelihood.tolist() == [-np.inf]
    assert not chain.posteriors()[0].any() and chain.best_paths()[0].tolist() == [-1]
