"""Tiny random models and batches for tests."""

from dataclasses import replace

import torch

from isotone.data import Batch
from isotone.models import ALIGNERS, Architecture, ModelConfig, Network
from isotone.store.folder import Member
from isotone.text.vocabulary import EOS, FIRST, Alphabet, Vocabulary

COPY = " --copy"
COPYING = [name + COPY for name, part in ALIGNERS.items() if part.positions]
"""Aligners with a copy gate."""
VARIANTS = [*ALIGNERS, *COPYING]
PATHS = {
    "embedding": ("encoder.embedding", "decoder.embedding"),
    "hidden": ("encoder.hidden", "decoder.hidden"),
    "encoder_layers": ("encoder.layers",),
    "dropout": ("encoder.dropout", "decoder.dropout"),
    "query_dropout": ("decoder.query_dropout",),
    "tag_embedding": ("tags.size",),
    "width": ("aligner.width",),
    "copies_unknown": ("emission.copies_unknown",),
    "copy_gate": ("emission.copy_gate",),
}
"""Short names for tests: one value for encoder and decoder alike."""


def vocabulary(source="abcd", target="xyz", tags=()):
    return Vocabulary(Alphabet(tuple(source)), Alphabet(tuple(target)), tuple(tags))


def architecture(aligner, **changes):
    """`aligner` is a name of the table, with COPY behind it for a copy gate; `changes` are keys of `PATHS`.

    A `width` is left out where the aligner has none.
    """
    sizes = {"embedding": 5, "hidden": 4, "encoder_layers": 2, "tag_embedding": 3, "width": 2, "dropout": 0.4}
    name = aligner.removesuffix(COPY)
    given = {**sizes, "copy_gate": name != aligner, **changes}
    paths = {path: value for key, value in given.items() for path in PATHS[key]}
    return Architecture(aligner=name).with_preset(paths)


def model(aligner, *, tags=(), dtype=torch.float64, target="xyz", **changes):
    """A random model in evaluation mode, with weights large enough to make distributions uneven."""
    network = Network.build(architecture(aligner, **changes), vocabulary(tags=tags, target=target)).to(dtype).eval()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.mul_(2.0)
    return network


def bundle(aligner="0-mono", *, tags=("N", "PL"), **changes):
    config = ModelConfig(task="inflection", architecture=architecture(aligner, **changes))
    return Member.build(config, vocabulary(tags=tags))


def random_batch(sources, targets, *, tags=0, source_symbols=4, target_symbols=3, extra=(0, 0)):
    """Random pairs of the given lengths (without BOS and EOS), padded further by `extra`."""
    batch = len(sources)
    longest_source, longest_target = max(sources) + 2 + extra[0], max(targets) + 1 + extra[1]
    source = torch.zeros(batch, longest_source, dtype=torch.long)
    target = torch.zeros(batch, longest_target, dtype=torch.long)
    for row, (m, n) in enumerate(zip(sources, targets, strict=True)):
        source[row, : m + 2] = torch.cat(
            [torch.tensor([1]), torch.randint(FIRST, FIRST + source_symbols, (m,)), torch.tensor([EOS])]
        )
        target[row, : n + 1] = torch.cat([torch.randint(FIRST, FIRST + target_symbols, (n,)), torch.tensor([EOS])])
    return Batch(
        source,
        torch.tensor(sources) + 2,
        target,
        torch.tensor(targets) + 1,
        torch.rand(batch, tags) < 0.5,
    )


def batch_for(aligner, sources, targets, **options):
    """A random batch; for an aligner with COPY, one with symbols to copy."""
    batch = random_batch(sources, targets, **options)
    return copying(batch, options.get("target_symbols", 3)) if aligner.endswith(COPY) else batch


def copying(batch, target_symbols=3):
    """The batch with source symbols 0 and 1 the same as target symbols 0 and 1, the others beyond the target alphabet;
    about half of the target's symbols become such symbols of their source, in its order."""
    letter, size = batch.source - FIRST, FIRST + target_symbols
    copies = torch.where(letter < 2, batch.source, size + letter - 2).masked_fill(letter < 0, -1)
    target = batch.target.clone()
    for row, ids in enumerate(copies):
        beyond = ids[ids >= size]
        chosen = (target[row] >= FIRST) & (torch.rand(target.shape[1]) < 0.5)
        if len(beyond):
            target[row, chosen] = beyond[torch.randint(len(beyond), (int(chosen.sum()),)).sort().values]
    return replace(batch, copies=copies, target=target)


def row(batch, index, *, pad=False):
    """One pair of a batch, cut to its own length unless `pad`."""
    m, n = int(batch.source_lengths[index]), int(batch.target_lengths[index])
    if pad:
        m, n = batch.source.shape[1], batch.target.shape[1]
    one = slice(index, index + 1)
    return Batch(
        batch.source[one, :m],
        batch.source_lengths[one],
        batch.target[one, :n],
        batch.target_lengths[one],
        batch.tags[one],
        alignment=None if batch.alignment is None else batch.alignment[one, :n],
        copies=None if batch.copies is None else batch.copies[one, :m],
    )
