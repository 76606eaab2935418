"""Examples in, predictions out: lexicon look-up, decoding in batches, spelling."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from isotone.decoding.batches import in_batches
from isotone.decoding.constraint import Constraint
from isotone.decoding.copying import spell
from isotone.decoding.decoders import Decoder
from isotone.decoding.lexicon import Lexicon
from isotone.decoding.protocol import Model
from isotone.decoding.score import log_probs
from isotone.decoding.sources import SourceReader, unseen_symbols
from isotone.results.prediction import Candidate, Prediction
from isotone.text.codec import Codec
from isotone.text.example import Example
from isotone.text.segment import Segmenter

__all__ = ["BLOCK", "predict_examples"]

BLOCK = 4096
"""Examples read ahead, to sort them by length."""


def predict_examples(
    model: Model,
    codec: Codec,
    examples: Iterable[Example],
    decoder: Decoder,
    *,
    constraint: Constraint | None = None,
    lexicon: Lexicon | None = None,
    reader: SourceReader | None = None,
    fold_case: bool = False,
    block: int = BLOCK,
) -> Iterator[Prediction]:
    """In the order of the examples, which may be a stream; sources in `lexicon` are looked up, not decoded.

    `reader` says what becomes of unknown symbols; `fold_case` reads capitals as lower case; `block` examples are read
    ahead, to sort them by length: 1 answers each one before the next is read.
    """
    reader = reader or SourceReader(codec)
    search = partial(decoder.decode, model, constraint=constraint)
    stream = iter(examples)
    while given := list(islice(stream, block)):
        asked = [replace(example, source=example.source.lower()) for example in given] if fold_case else given
        known = _look_up(model, codec, asked, lexicon) if lexicon else {}
        found = {row: replace(prediction, source=given[row].source) for row, prediction in known.items()}
        read = {row: reader.read(asked[row]) for row in range(len(given)) if row not in known}
        encoded = {row: one.encoded for row, one in read.items() if one.encoded is not None}
        rows = list(encoded)
        for place, decoded in in_batches(model, list(encoded.values()), search):
            row = rows[place]
            found[row] = Prediction(
                given[row].source,
                given[row].tags,
                spell(model, codec, encoded[row], decoded.hypotheses),
                certified=decoded.certified,
                log_bound=decoded.log_bound,
                unseen=read[row].unseen,
                long=read[row].long,
            )
        for row, example in enumerate(given):
            if (prediction := found.get(row)) is None:  # left out, for its unknown symbols
                prediction = Prediction(example.source, example.tags, (), unseen=read[row].unseen, long=read[row].long)
            yield prediction


def _look_up(model: Model, codec: Codec, block: Sequence[Example], lexicon: Lexicon) -> dict[int, Prediction]:
    """By row, the lexicon's targets with the model's probabilities, best first."""
    text = codec.texts.source
    pairs = [(row, target) for row, example in enumerate(block) for target in lexicon.targets(example, text)]
    encoded = [codec.encode(Example(block[row].source, target, block[row].tags)) for row, target in pairs]
    listed: dict[int, list[tuple[float, str]]] = {}
    unseen: dict[int, tuple[str, ...]] = {}
    for (row, target), pair, value in zip(pairs, encoded, log_probs(model, encoded), strict=True):
        listed.setdefault(row, []).append((value, target))
        unseen[row] = unseen_symbols(pair)
    segment = Segmenter(codec.texts.target).split
    known = {}
    for row, entries in listed.items():
        entries.sort(key=lambda pair: -pair[0])
        candidates = tuple(Candidate(text, segment(text), value, r) for r, (value, text) in enumerate(entries, 1))
        example = block[row]
        known[row] = Prediction(example.source, example.tags, candidates, from_lexicon=True, unseen=unseen[row])
    return known
