"""Predictions beside their references: what metrics are computed from."""

from __future__ import annotations

import math
from collections.abc import Sequence

from isotone.api.members import Members
from isotone.api.predicting import predictions
from isotone.decoding.options import DecodeOptions
from isotone.evaluation import group_references
from isotone.results import Judged
from isotone.text.example import Example

__all__ = ["scored_examples"]


def scored_examples(members: Members, examples: Sequence[Example], options: DecodeOptions) -> list[Judged]:
    """Each source once, with its prediction, its references and the log-probabilities of both."""
    segment = members.targets.split
    groups = group_references((e.source, e.tags, segment(e.target or "")) for e in examples)
    best: dict[tuple[str, tuple[str, ...]], float] = {}
    for example, value in zip(examples, members.log_probs(examples), strict=True):
        key = (example.source, example.tags)
        best[key] = max(value, best.get(key, -math.inf))
    sources = [Example(source, None, tags) for source, tags in groups]
    found = predictions(members, sources, options, constraint=None, lexicon=None)
    return [
        Judged(key[0], key[1], prediction.best.symbols, references, best[key], prediction.logprob)
        for (key, references), prediction in zip(groups.items(), found, strict=True)
    ]
