"""Predictions for streams of examples: what may be written, what is looked up, what is decoded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from isotone.api.members import Members
from isotone.decoding.constraint import AllowedSymbols, Constraint, Trie
from isotone.decoding.decode import predict
from isotone.decoding.lexicon import Lexicon
from isotone.decoding.options import DecodeOptions, decode
from isotone.errors import ConfigError
from isotone.results.prediction import Candidate, Prediction
from isotone.text.example import Example

__all__ = ["BLOCK", "constraint_of", "predictions"]

BLOCK = 4096
"""Examples read ahead, to sort them by length."""


def predictions(
    members: Members,
    examples: Iterable[Example],
    options: DecodeOptions,
    *,
    constraint: Constraint | None,
    lexicon: Lexicon | None,
) -> Iterator[Prediction]:
    """In the order of the examples; sources in `lexicon` are looked up, not decoded."""
    stream = iter(examples)
    while block := list(islice(stream, BLOCK)):
        known = _look_up(members, block, lexicon) if lexicon else {}
        rest = [row for row in range(len(block)) if row not in known]
        found = predict(
            members.first,
            [block[row] for row in rest],
            lambda batch: decode(members.model, batch, options, constraint),
        )
        known |= {rest[place]: prediction for place, prediction in found}
        yield from (known[row] for row in range(len(block)))


def _look_up(members: Members, block: Sequence[Example], lexicon: Lexicon) -> dict[int, Prediction]:
    """By row, the lexicon's targets with the model's probabilities, best first."""
    segment = members.targets.split
    pairs = [(row, target) for row, example in enumerate(block) if example in lexicon for target in lexicon[example]]
    values = members.log_probs([Example(block[row].source, target, block[row].tags) for row, target in pairs])
    targets: dict[int, list[tuple[float, str]]] = {}
    for (row, target), value in zip(pairs, values, strict=True):
        targets.setdefault(row, []).append((value, target))
    known = {}
    for row, listed in targets.items():
        listed.sort(key=lambda pair: -pair[0])
        candidates = tuple(Candidate(text, segment(text), value, r) for r, (value, text) in enumerate(listed, 1))
        known[row] = Prediction(block[row].source, block[row].tags, candidates, from_lexicon=True)
    return known


def constraint_of(members: Members, *, symbols: Iterable[str] | None, targets: Iterable[str] | None) -> Constraint:
    """Only these target symbols, or only these targets; what was never seen in training cannot be written anyway."""
    if (symbols is None) == (targets is None):
        raise ConfigError("allow either symbols or targets")
    alphabet = members.first.vocabulary.target
    if symbols is not None:
        return AllowedSymbols([alphabet.id(symbol) for symbol in symbols if symbol in alphabet], len(alphabet))
    strings = map(members.targets.split, targets or ())
    possible = [string for string in strings if all(symbol in alphabet for symbol in string)]
    return Trie([alphabet.encode(string) for string in possible], len(alphabet))
