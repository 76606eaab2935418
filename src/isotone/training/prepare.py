"""From examples to a fresh network and its batches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from isotone.data.invention import Invention
from isotone.data.loader import Loader
from isotone.data.unknown import UnknownTraining, copied_share
from isotone.models.config import SIZES, Architecture, ModelConfig
from isotone.store.folder import Member
from isotone.text.codec import Codec
from isotone.text.example import Example
from isotone.text.vocabulary import Vocabulary
from isotone.training.events import Callback
from isotone.training.fixed_alignments import with_alignments
from isotone.training.settings import Settings

__all__ = ["prepare"]

COPIED = 0.5
"""Unknown symbols are copied where at least this share of source symbols stands in its own target."""

REACH = 4
"""Longest jump for aligners without a `width` when training hides symbols: that of 1-mono, so that all see the same."""


def prepare(examples: Sequence[Example], settings: Settings, callbacks: Sequence[Callback]) -> tuple[Member, Loader]:
    """Alphabets, a fresh network, and the batches."""
    vocabulary, counts = Vocabulary.build(examples, settings.texts)
    recipe = settings.recipe
    codec = Codec(vocabulary, settings.texts, recipe.copy_gate)
    encoded = [codec.encode(example) for example in examples]
    copies = recipe.copy_gate or copied_share(encoded, vocabulary) >= COPIED
    architecture = Architecture().with_preset(
        {
            **SIZES[recipe.size],
            "aligner.name": settings.aligner,
            "encoder.dropout": recipe.dropout,
            "decoder.dropout": recipe.dropout,
            "decoder.query_dropout": recipe.query_dropout,
            "emission.copies_unknown": copies and not recipe.copy_gate,
            "emission.copy_gate": recipe.copy_gate,
        }
    )
    config = ModelConfig(
        task=settings.task, architecture=architecture, text=settings.texts, data_format=settings.data_format
    )
    bundle = Member.build(config, vocabulary)
    aligner = architecture.aligner_part
    guided = recipe.guided_epochs_for(len(examples)) if aligner.positions else 0
    if aligner.supervised or guided:
        encoded = with_alignments(encoded, vocabulary, partial(_tell_round, callbacks))
    loader = Loader(
        examples=encoded,
        batch_size=recipe.batch_size_for(settings.task),
        tag_count=len(vocabulary.tags),
        seed=settings.seed,
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
    return bundle, loader


def _tell_round(callbacks: Sequence[Callback], number: int) -> None:
    for callback in callbacks:
        callback.on_round(number)
