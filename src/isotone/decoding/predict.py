"""Examples in, predictions out: lexicon look-up, decoding in batches, spelling."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from isotone.decoding.batches import in_batches
from isotone.decoding.constraint import Constraint
from isotone.decoding.copying import spell
from isotone.decoding.decoders import Decoder
from isotone.decoding.hypothesis import Decoded
from isotone.decoding.lexicon import Lexicon
from isotone.decoding.protocol import Model
from isotone.decoding.score import log_probs
from isotone.results.prediction import Candidate, Prediction
from isotone.text.codec import Codec, Encoded
from isotone.text.example import Example
from isotone.text.segment import Segmenter
from isotone.text.vocabulary import UNK

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
) -> Iterator[Prediction]:
    """In the order of the examples, which may be a stream; sources in `lexicon` are looked up, not decoded."""
    stream = iter(examples)
    while block := list(islice(stream, BLOCK)):
        known = _look_up(model, codec, block, lexicon) if lexicon else {}
        rest = [row for row in range(len(block)) if row not in known]
        others = [Example(block[row].source, None, block[row].tags) for row in rest]
        encoded = [codec.encode(example) for example in others]
        found = predict_encoded(model, codec, others, encoded, decoder, constraint=constraint)
        known |= dict(zip(rest, found, strict=True))
        yield from (known[row] for row in range(len(block)))


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
        unseen=_unseen(encoded),
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
        unseen[row] = _unseen(pair)
    segment = Segmenter(codec.texts.target).split
    known = {}
    for row, entries in listed.items():
        entries.sort(key=lambda pair: -pair[0])
        candidates = tuple(Candidate(text, segment(text), value, r) for r, (value, text) in enumerate(entries, 1))
        example = block[row]
        known[row] = Prediction(example.source, example.tags, candidates, from_lexicon=True, unseen=unseen[row])
    return known


def _unseen(encoded: Encoded) -> tuple[str, ...]:
    """Source symbols never seen in training, each once."""
    if UNK not in encoded.source:
        return ()
    letters = zip(encoded.source_symbols, encoded.source[1:-1], strict=True)
    return tuple(dict.fromkeys(symbol for symbol, id_ in letters if id_ == UNK))
