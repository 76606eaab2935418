"""Every string of a tiny model, by brute force: what search has to find without looking at everything."""

import itertools
import math
from dataclasses import replace

import torch

import tiny
from isotone.decoding import Mixture
from isotone.models.inference import TorchModel
from isotone.text.codec import Encoded
from isotone.text.vocabulary import EOS, FIRST


def ending(network, more=2.0):
    """The network, made to end soon, so that short strings hold most of the mass."""
    with torch.no_grad():
        network.emission.output.bias[EOS - network.emission.first_output] += more
    return network


def torch_model(network, tags=()):
    """The network as search sees it."""
    return TorchModel(network, len(tags))


def model(aligner, *, more=2.0, tags=(), **changes):
    """A tiny random model that ends soon."""
    return torch_model(ending(tiny.model(aligner, tags=tags, **changes), more), tags)


def mixture(aligners, **changes):
    """Models of several aligners and sizes, with unequal weights."""
    parts = [model(aligner, hidden=3 + place, **changes) for place, aligner in enumerate(aligners)]
    return Mixture(parts, [place + 1 for place in range(len(parts))])


def encoded(batch):
    """The pairs of a batch, one by one."""
    rows = []
    for row in range(len(batch)):
        m, n = int(batch.source_lengths[row]), int(batch.target_lengths[row])
        source = tuple(batch.source[row, :m].tolist())
        copies = () if batch.copies is None else tuple(batch.copies[row, :m].tolist())
        tags = tuple(batch.tags[row].nonzero()[:, 0].tolist())
        symbols = tuple("abcd"[id_ - FIRST] if id_ >= FIRST else "?" for id_ in source[1:-1])
        rows.append(Encoded(source, tuple(batch.target[row, :n].tolist()), tags, symbols, (), copies))
    return rows


def pairs(sources, targets, *, aligner="", **options):
    """Random pairs of the given lengths; for an aligner with COPY, with symbols to copy."""
    return encoded(tiny.batch_for(aligner, sources, targets, **options))


def words(lengths, *, aligner="", **options):
    """Random sources of the given lengths, without targets."""
    return [replace(pair, target=None) for pair in pairs(lengths, [0] * len(lengths), aligner=aligner, **options)]


def log_probs(model, source, strings):
    """Exact log p(y | x) of each string, by the dynamic program over whole targets: nothing of the decoders in it."""
    return model.log_probs([replace(source, target=(*string, EOS)) for string in strings]).tolist()


def ranked(model, source, *, length, symbols=(FIRST, FIRST + 1)):
    """(log p, string) of every string of up to `length` symbols, best first."""
    strings = [s for n in range(length + 1) for s in itertools.product(symbols, repeat=n)]
    return sorted(zip(log_probs(model, source, strings), strings, strict=True), key=lambda pair: (-pair[0], pair[1]))


def longer(everything):
    """log of the mass of all strings longer than those enumerated: no such string has more."""
    missing = 1 - math.fsum(math.exp(value) for value, _ in everything)
    return math.log(missing) if missing > 0 else -math.inf
