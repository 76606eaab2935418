"""From pairs to a fresh network and its batches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from isotone.data.invention import Invention
from isotone.data.loader import Loader
from isotone.data.unknown import UnknownTraining, copied_share
from isotone.evaluation import task_named
from isotone.models.config import ModelConfig
from isotone.store.folder import Member
from isotone.text.codec import Codec
from isotone.text.example import Example
from isotone.text.vocabulary import Vocabulary
from isotone.training.events import Callback
from isotone.training.fixed_alignments import with_alignments
from isotone.training.request import Request

__all__ = ["prepare"]

COPIED = 0.5
"""Unknown symbols are copied where at least this share of source symbols also stands in its own target."""

REACH = 4
"""Longest jump for aligners without a `width` when training hides symbols: that of 1-mono, so that all see the same."""


def prepare(examples: Sequence[Example], request: Request, callbacks: Sequence[Callback] = ()) -> tuple[Member, Loader]:
    """Alphabets, a fresh network, and the batches."""
    vocabulary, counts = Vocabulary.build(examples, request.text)
    recipe, architecture = request.recipe, request.architecture
    gated = architecture.emission.copy_gate
    codec = Codec(vocabulary, request.text, gated)
    encoded = [codec.encode(example) for example in examples]
    copies = gated or (task_named(request.task).copies and copied_share(encoded, vocabulary) >= COPIED)
    architecture = architecture.with_changes({"emission.copies_unknown": copies and not gated})
    config = ModelConfig(
        task=request.task,
        architecture=architecture,
        text=request.text,
        data_format=request.data.format,
        longest_source=max(len(pair.source) - 2 for pair in encoded),
        longest_target=max(len(pair.target or ()) - 1 for pair in encoded),
    )
    member = Member.build(config, vocabulary)
    aligner = architecture.aligner_part
    guided = recipe.guided_epochs_for(len(examples)) if aligner.positions else 0
    if aligner.supervised or guided:
        encoded = with_alignments(encoded, vocabulary, partial(_tell_round, callbacks))
    loader = Loader(
        examples=encoded,
        batch_size=recipe.batch_size_for(request.task),
        tag_count=len(vocabulary.tags),
        seed=request.seed,
        unknown=UnknownTraining.build(
            vocabulary,
            counts,
            strength=recipe.unknown,
            copies=copies,
            reach=getattr(architecture.aligner, "width", REACH),
        ),
        aligned_epochs=None if aligner.supervised else guided,
        invention=Invention.build(encoded, vocabulary, rate=recipe.augment) if recipe.augment else None,
    )
    return member, loader


def _tell_round(callbacks: Sequence[Callback], number: int) -> None:
    for callback in callbacks:
        callback.on_round(number)
