"""Examples in, predictions out: lexicon look-up, decoding in batches, spelling."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from isotone.decoding.batches import in_batches
from isotone.decoding.constraint import Constraint
from isotone.decoding.copying import spell
from isotone.decoding.decoders import Decoder
from isotone.decoding.hypothesis import Decoded
from isotone.decoding.lexicon import Lexicon
from isotone.decoding.protocol import Model
from isotone.decoding.score import log_probs
from isotone.decoding.sources import SourceReader, unseen_symbols
from isotone.results.prediction import Candidate, Prediction
from isotone.text.codec import Codec, Encoded
from isotone.text.example import Example
from isotone.text.segment import Segmenter

__all__ = ["BLOCK", "predict_encoded", "predict_examples"]

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
    stream = iter(examples)
    while given := list(islice(stream, block)):
        asked = [replace(example, source=example.source.lower()) for example in given] if fold_case else given
        known = _look_up(model, codec, asked, lexicon) if lexicon else {}
        read = {row: reader.read(asked[row]) for row in range(len(asked)) if row not in known}
        open_ = [(row, one.encoded) for row, one in read.items() if one.encoded is not None]
        others = [asked[row] for row, _ in open_]
        found = predict_encoded(model, codec, others, [one for _, one in open_], decoder, constraint=constraint)
        known |= {row: prediction for (row, _), prediction in zip(open_, found, strict=True)}
        for row, example in enumerate(given):
            prediction = known.get(row) or Prediction(example.source, example.tags, ())
            unseen, long = (read[row].unseen, read[row].long) if row in read else (prediction.unseen, False)
            if long or unseen != prediction.unseen or example.source != prediction.source:
                prediction = replace(prediction, source=example.source, unseen=unseen, long=long)
            yield prediction


def predict_encoded(
    model: Model,
    codec: Codec,
    examples: Sequence[Example],
    encoded: Sequence[Encoded],
    decoder: Decoder,
    *,
    constraint: Constraint | None = None,
) -> list[Prediction]:
    """The predictions of examples that are encoded already, in their order."""

    def search(sources: list[Encoded]) -> list[Decoded]:
        return decoder.decode(model, sources, constraint)

    found: dict[int, Prediction] = {}
    for row, decoded in in_batches(model, encoded, search):
        found[row] = _prediction(model, codec, examples[row], encoded[row], decoded)
    return [found[row] for row in range(len(examples))]


def _prediction(model: Model, codec: Codec, example: Example, encoded: Encoded, decoded: Decoded) -> Prediction:
    """Spell the hypotheses; should two spell the same string, the more probable one stays."""
    targets = [hypothesis.symbols for hypothesis in decoded.hypotheses]
    first: dict[tuple[str, ...], float] = {}
    for symbols, hypothesis in zip(spell(model, codec.vocabulary, encoded, targets), decoded.hypotheses, strict=True):
        first.setdefault(symbols, hypothesis.log_prob)
    candidates = tuple(
        Candidate(codec.target_text(symbols), symbols, log_prob, rank)
        for rank, (symbols, log_prob) in enumerate(first.items(), 1)
    )
    return Prediction(
        example.source,
        example.tags,
        candidates,
        certified=decoded.certified,
        log_bound=decoded.log_bound,
        unseen=unseen_symbols(encoded),
    )


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
