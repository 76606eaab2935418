"""Copying without a gate: an emitted UNK becomes the source symbol it is most probably aligned to.

Where a source has no unknown symbol there is nothing to copy: an UNK would spell a known letter a second way, with a
probability that is not the string's. Search leaves such strings out, as under a constraint, and the numbers stay.
A model with a copy gate never emits UNK: what it copies has an id and a probability of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from isotone.decoding.hypothesis import Hypothesis
from isotone.decoding.protocol import Model
from isotone.results.prediction import Candidate
from isotone.text.codec import NO_COPY, Codec, Encoded
from isotone.text.vocabulary import EOS, FIRST, UNK, Vocabulary

__all__ = ["idle", "spell"]


def idle(source: Encoded, target: Sequence[int]) -> bool:
    """Does the target copy where the source has nothing unknown?"""
    return UNK in target and UNK not in source.source


def spell(
    model: Model, codec: Codec, source: Encoded, hypotheses: Sequence[Hypothesis], *, repeats: bool = False
) -> tuple[Candidate, ...]:
    """What the hypotheses for one source spell, in their order.

    Should two spell the same string, the first stays; with `repeats`, for samples, both do.
    """
    letters = codec.vocabulary.target.symbols
    targets = [hypothesis.symbols for hypothesis in hypotheses]
    if any(UNK in ids for ids in targets) or max(source.copies, default=NO_COPY) >= FIRST + len(letters):
        spelled = _with_copies(model, codec.vocabulary, source, targets)
    else:
        spelled = [tuple([letters[id_ - FIRST] for id_ in ids]) for ids in targets]
    listed = list(zip(spelled, [hypothesis.log_prob for hypothesis in hypotheses], strict=True))
    if not repeats:
        first: dict[tuple[str, ...], float] = {}
        for symbols, log_prob in listed:
            first.setdefault(symbols, log_prob)
        listed = list(first.items())
    return tuple(
        [Candidate(codec.target_text(symbols), symbols, value, rank) for rank, (symbols, value) in enumerate(listed, 1)]
    )


def _with_copies(
    model: Model, vocabulary: Vocabulary, source: Encoded, targets: Sequence[tuple[int, ...]]
) -> list[tuple[str, ...]]:
    """The symbols of each target: known, copied by a gate, or (UNK) copied through the alignment."""
    size = len(vocabulary.target)
    beyond = {id_: source.source_symbols[j - 1] for j, id_ in enumerate(source.copies) if id_ >= size}
    copying = [place for place, ids in enumerate(targets) if UNK in ids]
    positions: dict[int, list[int]] = {}
    if copying and source.source_symbols:
        aligned = model.align([replace(source, target=(*targets[place], EOS), unseen=()) for place in copying])
        letters = [one.posterior[:, 1 : 1 + len(source.source_symbols)] for one in aligned]
        positions = {place: rows.argmax(1).tolist() for place, rows in zip(copying, letters, strict=True)}
    spelled = []
    for place, ids in enumerate(targets):
        symbols = []
        for i, id_ in enumerate(ids):
            if id_ != UNK:
                symbols.append(beyond[id_] if id_ in beyond else vocabulary.target.symbol(id_))
            elif place in positions:
                symbols.append(source.source_symbols[positions[place][i]])
        spelled.append(tuple(symbols))
    return spelled
