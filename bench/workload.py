"""Training steps as `isotone train` takes them, over a fixed, representative set of batches."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import nn

from isotone.data import Batch, Loader, UnknownTraining, collate, copied_share
from isotone.models import SIZES, Architecture, ModelConfig
from isotone.models.config import Size
from isotone.store.folder import Member
from isotone.text.codec import Encoded
from isotone.text.config import Texts
from isotone.text.example import Example
from isotone.text.vocabulary import BOS, EOS, FIRST, Vocabulary
from isotone.training.device import fabric_for
from isotone.training.step import optimizer_for, train_step

CACHE = Path(__file__).parent / "peers" / "cache"
"""Trained models and files for peers; not in the repository."""
CLIP = 5.0


def all_cores() -> int:
    """Let torch use every core, or as many as OMP_NUM_THREADS says; how many that is."""
    if os.environ.get("OMP_NUM_THREADS"):
        return torch.get_num_threads()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    torch.set_num_threads(cores)
    return cores


def prepare(
    examples: Sequence[Example], *, aligner: str, size: Size = "paper", seed: int = 0, texts: Texts | None = None
) -> tuple[Member, Loader]:
    """A fresh model for the data and its training batches (of 20), made as training makes them."""
    torch.manual_seed(seed)
    texts = texts or Texts()
    vocabulary, counts = Vocabulary.build(examples, texts)
    changes = {"aligner.name": aligner, "emission.copies_unknown": True, **SIZES[size]}
    architecture = Architecture().with_changes(changes)
    bundle = Member.build(ModelConfig(task="inflection", architecture=architecture, text=texts), vocabulary)
    encoded = [bundle.codec.encode(example) for example in examples]
    copies = copied_share(encoded, vocabulary) >= 0.5
    unknown = UnknownTraining.build(vocabulary, counts, strength=0.5, copies=copies)
    return bundle, Loader(examples=encoded, batch_size=20, tag_count=len(vocabulary.tags), unknown=unknown)


def bucketed(loader: Loader, batch_size: int, count: int) -> list[Batch]:
    """`count` batches of the length-bucketed loader, evenly over their lengths: the epoch in small."""
    sized = Loader(
        examples=loader.examples, batch_size=batch_size, tag_count=loader.tag_count, seed=0, unknown=loader.unknown
    )
    full = [batch for batch in sized.epoch(1) if len(batch) == batch_size]
    return _spread(full, count)


def unsorted(loader: Loader, batch_size: int, count: int) -> list[Batch]:
    """The same of batches of random examples, as the paper's code makes them: short words wait for long ones."""
    order = torch.randperm(len(loader.examples), generator=torch.Generator().manual_seed(0)).tolist()
    chunks = [order[at : at + batch_size] for at in range(0, len(order) - batch_size + 1, batch_size)]
    return _spread([collate([loader.examples[row] for row in chunk], loader.tag_count) for chunk in chunks], count)


def _spread(batches: list[Batch], count: int) -> list[Batch]:
    """Batches at even quantiles of |x|·|y|: a batch may cost four times another, so a few at random prove nothing."""
    ordered = sorted(batches, key=lambda batch: batch.source.shape[1] * batch.target.shape[1])
    count = min(count, len(ordered))
    return [ordered[int((place + 0.5) * len(ordered) / count)] for place in range(count)]


def synthetic(vocabulary: Vocabulary, *, batch: int, length: int) -> Batch:
    """Random strings: sources and targets of `length` symbols each, before BOS and EOS."""
    generator = torch.Generator().manual_seed(length)

    def symbols(alphabet: int) -> tuple[int, ...]:
        return tuple(torch.randint(FIRST, alphabet, (length,), generator=generator).tolist())

    rows = [
        Encoded(
            source=(BOS, *symbols(len(vocabulary.source)), EOS),
            target=(*symbols(len(vocabulary.target)), EOS),
            tags=(),
            source_symbols=("",) * length,
            unseen=(),
        )
        for _ in range(batch)
    ]
    return collate(rows, len(vocabulary.tags))


class Trainer:
    """The optimiser step of `isotone train`, over and over."""

    def __init__(self, network: nn.Module, *, precision: str = "fp32") -> None:
        network.train()
        self.fabric = fabric_for("cpu", precision)
        self.network, self.optimizer = self.fabric.setup(network, optimizer_for(network, 0.001))

    def step(self, batch: Batch) -> float:
        """One batch; its loss in nats per symbol."""
        return train_step(self.fabric, self.network, self.optimizer, batch, clip=CLIP)

    def steps(self, batches: Sequence[Batch]) -> None:
        """All batches, one after the other."""
        for batch in batches:
            self.step(batch)
