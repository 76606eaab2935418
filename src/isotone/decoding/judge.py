"""Predictions beside their references: what metrics are computed from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from isotone.decoding.batches import in_batches
from isotone.decoding.copying import spell
from isotone.decoding.decoders import Decoder
from isotone.decoding.protocol import Model
from isotone.decoding.score import log_probs
from isotone.decoding.sources import encode_pair
from isotone.results.prediction import Prediction
from isotone.results.report import Judged, Symbols
from isotone.text.codec import Codec, Encoded
from isotone.text.example import Example
from isotone.text.segment import Segmenter

__all__ = ["References"]


@dataclass(frozen=True, eq=False)
class References:
    """Pairs to judge predictions by, encoded and grouped once; each source with its tags counts once."""

    codec: Codec
    pairs: list[Encoded]
    """All pairs, in the order given."""
    groups: dict[tuple[str, tuple[str, ...]], list[int]]
    """By (source, tags) in order of first appearance, the places of its pairs."""
    targets: list[Symbols]
    """The segmented target of each pair."""

    @classmethod
    def of(cls, codec: Codec, examples: Sequence[Example], *, tell: bool = False) -> References:
        """Examples with targets; those without count as the empty string.

        With `tell` it warns once of each source symbol that training never saw.
        """
        encode = partial(encode_pair, codec) if tell else codec.encode
        segment = Segmenter(codec.texts.target).split
        given = [example if example.target is not None else replace(example, target="") for example in examples]
        groups: dict[tuple[str, tuple[str, ...]], list[int]] = {}
        for place, example in enumerate(given):
            groups.setdefault((example.source, example.tags), []).append(place)
        targets = [segment(example.target or "") for example in given]
        return cls(codec, [encode(example) for example in given], groups, targets)

    def judge(self, model: Model, decoder: Decoder, log_values: Sequence[float] | None = None) -> list[Judged]:
        """Each source once, with its prediction, its references and the log-probabilities of both.

        `log_values` are the pairs' log-probabilities, where they are known already.
        """
        values = log_probs(model, self.pairs) if log_values is None else log_values
        encoded = [replace(self.pairs[places[0]], target=None, unseen=()) for places in self.groups.values()]
        decoded = dict(in_batches(model, encoded, partial(decoder.decode, model)))
        judged = []
        for row, ((source, tags), places) in enumerate(self.groups.items()):
            candidates = spell(model, self.codec, encoded[row], decoded[row].hypotheses)
            best = Prediction(source, tags, candidates).best
            references = tuple(dict.fromkeys(self.targets[place] for place in places))
            log_reference = max(values[place] for place in places)
            judged.append(Judged(source, tags, best.symbols, references, log_reference, best.logprob))
        return judged
