"""From pairs to a fresh network and its batches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import accumulate

from isotone.data.choices import Choices
from isotone.data.invention import Invention
from isotone.data.loader import Loader
from isotone.data.unknown import UnknownTraining, copied_share
from isotone.evaluation import task_named
from isotone.models.config import ModelConfig
from isotone.models.parallel import apply_threads
from isotone.store.folder import Member
from isotone.text.codec import Codec
from isotone.text.example import Example
from isotone.text.vocabulary import Vocabulary
from isotone.training.events import Callback
from isotone.training.fixed_alignments import with_alignments
from isotone.training.pairs import Weighted
from isotone.training.paradigm import form_sources, paradigm_choices
from isotone.training.request import Request
from isotone.training.take_over import load_origin, take_over

__all__ = ["prepare"]

COPIED = 0.5
"""Unknown symbols are copied where at least this share of source symbols also stands in its own target."""

REACH = 4
"""Longest jump for aligners without a `width` when training hides symbols: that of 1-mono, so that all see the same."""


def prepare(
    examples: Sequence[Example],
    request: Request,
    callbacks: Sequence[Callback] = (),
    *,
    choices: Sequence[Weighted] | None = None,
) -> tuple[Member, Loader]:
    """Alphabets, a network with the recipe's loss, fresh or with the weights of the request's origin, and the batches.

    With `choices` an epoch has one pair of each in place of the examples, which the alphabets are still made of.
    """
    recipe, architecture = request.recipe, request.architecture
    read = [*examples, *form_sources(examples)] if recipe.paradigm else examples
    vocabulary, counts = Vocabulary.build(read, request.text)
    begun = None if request.origin is None else load_origin(request.origin)
    if begun is not None:
        apply_threads(request.threads)  # loading a model sets them too
        vocabulary = vocabulary.after(begun.vocabulary)
    if recipe.paradigm and choices is None:
        choices = paradigm_choices(examples, recipe.paradigm, seed=request.seed)
    gated = architecture.emission.copy_gate
    codec = Codec(vocabulary, request.text, gated)
    encoded = [codec.encode(example) for example in examples]
    if begun is None:
        copies = gated or (task_named(request.task).copies and copied_share(encoded, vocabulary) >= COPIED)
    else:
        copies = gated or begun.config.architecture.emission.copies_unknown
    architecture = architecture.with_changes({"emission.copies_unknown": copies and not gated})
    groups = None if choices is None else _groups(choices)
    if choices is not None:
        encoded = [codec.encode(example) for choice in choices for example, _ in choice]
    backwards = recipe.turned(architecture.aligner.name)
    if backwards:
        encoded = [pair.turned() for pair in encoded]
    known = ModelConfig() if begun is None else begun.config
    config = ModelConfig(
        task=request.task,
        architecture=architecture,
        text=request.text,
        data_format=request.data.format,
        longest_source=max([known.longest_source or 0, *(len(pair.source) - 2 for pair in encoded)]),
        longest_target=max([known.longest_target or 0, *(len(pair.target or ()) - 1 for pair in encoded)]),
        paradigm=recipe.paradigm > 0,
        backwards=backwards,
    )
    member = Member.build(config, vocabulary)
    if begun is not None:
        take_over(member, begun)
    member.network.emission.smoothing, member.network.consistency = recipe.smoothing, recipe.consistency
    aligner = architecture.aligner_part
    pairs = len(encoded if groups is None else groups)
    guided = recipe.guided_epochs_for(pairs) if aligner.positions else 0
    if aligner.supervised or guided:
        encoded = with_alignments(encoded, vocabulary, partial(_tell_round, callbacks))
    loader = Loader(
        examples=encoded,
        choices=groups,
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
        invention=Invention.build(encoded, vocabulary, rate=recipe.augment * pairs / len(encoded))
        if recipe.augment
        else None,
    )
    return member, loader


def _groups(choices: Sequence[Weighted]) -> Choices:
    """The places of all pairs of all choices, one after another, with their weights."""
    ends = list(accumulate(map(len, choices)))
    groups = [range(end - len(choice), end) for end, choice in zip(ends, choices, strict=True)]
    return Choices(groups, [[weight for _, weight in choice] for choice in choices])


def _tell_round(callbacks: Sequence[Callback], number: int) -> None:
    for callback in callbacks:
        callback.on_round(number)
