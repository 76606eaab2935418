"""Targets drawn from p(target | source)."""

from __future__ import annotations

import numpy as np

from isotone.decoding.copying import idle, spell
from isotone.decoding.hypothesis import Hypothesis
from isotone.decoding.protocol import Model
from isotone.decoding.sample import sample_strings
from isotone.results.prediction import Candidate
from isotone.text.codec import Codec
from isotone.text.example import Example

__all__ = ["draw_targets"]

DRAWS = 20
"""How often to draw again in place of strings that copy where there is nothing to copy."""


def draw_targets(model: Model, codec: Codec, example: Example, *, count: int, seed: int | None) -> list[Candidate]:
    """`count` targets of the example's source, each with its log-probability; reproducible with a seed."""
    encoded = codec.encode(Example(example.source, None, example.tags))
    generator = np.random.default_rng(seed)
    drawn: list[Hypothesis] = []
    for _ in range(DRAWS):
        (more,) = sample_strings(model, [encoded], count=count, generator=generator)
        drawn += [hypothesis for hypothesis in more if not idle(encoded, hypothesis.symbols)]
        if len(drawn) >= count:
            break
    del drawn[count:]
    return list(spell(model, codec, encoded, drawn, repeats=True))
