"""Every string of a tiny model, by brute force: what search has to find without looking at everything."""

import itertools
import math
from dataclasses import replace

import torch

import tiny
from isotone.decoding import Mixture
from isotone.text.vocabulary import EOS, FIRST


def ending(network, more=2.0):
    """The model, made to end soon, so that short strings hold most of the mass."""
    with torch.no_grad():
        network.emission.output.bias[EOS - network.emission.first_output] += more
    return network


def model(aligner, **changes):
    return ending(tiny.model(aligner, **changes))


def mixture(aligners, **changes):
    """Models of several aligners and sizes, with unequal weights."""
    parts = [model(aligner, hidden=3 + place, **changes) for place, aligner in enumerate(aligners)]
    total = sum(range(1, len(parts) + 1))
    return Mixture(parts, [(place + 1) / total for place in range(len(parts))])


def pairs(batch, row, strings):
    """One source of a batch with many targets."""
    one = tiny.row(batch, row)
    rows = torch.zeros(len(strings), dtype=torch.long)
    longest = max(map(len, strings)) + 1
    target = torch.tensor([[*string, EOS, *[0] * (longest - 1 - len(string))] for string in strings])
    lengths = torch.tensor([len(string) + 1 for string in strings])
    return replace(
        one,
        source=one.source[rows],
        source_lengths=one.source_lengths[rows],
        target=target,
        target_lengths=lengths,
        tags=one.tags[rows],
        copies=None if one.copies is None else one.copies[rows],
    )


@torch.no_grad()
def log_probs(network, batch, row, strings):
    """Exact log p(y | x) of each string, by `log_prob`: nothing of the decoders in it."""
    return network.log_prob(pairs(batch, row, strings)).tolist()


def ranked(network, batch, row, *, length, symbols=(FIRST, FIRST + 1)):
    """(log p, string) of every string of up to `length` symbols, best first."""
    strings = [s for n in range(length + 1) for s in itertools.product(symbols, repeat=n)]
    return sorted(
        zip(log_probs(network, batch, row, strings), strings, strict=True), key=lambda pair: (-pair[0], pair[1])
    )


def longer(everything):
    """log of the mass of all strings longer than those enumerated: no such string has more."""
    missing = 1 - math.fsum(math.exp(value) for value, _ in everything)
    return math.log(missing) if missing > 0 else -math.inf
