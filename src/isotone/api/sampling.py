"""Targets drawn from p(target | source)."""

from __future__ import annotations

import torch

from isotone.api.members import Members
from isotone.decoding.copying import idle, spell
from isotone.decoding.decode import collate_for
from isotone.decoding.hypothesis import Hypothesis
from isotone.decoding.sample import sample
from isotone.results.prediction import Candidate
from isotone.text.example import Example

__all__ = ["samples"]

DRAWS = 20
"""How often to draw again in place of strings that copy where there is nothing to copy."""


def samples(members: Members, example: Example, *, count: int, seed: int | None) -> list[Candidate]:
    """`count` targets of the example's source, each with its log-probability; reproducible with a seed."""
    bundle = members.first
    encoded = bundle.codec.encode(example)
    batch = collate_for(bundle, [encoded])
    generator = None if seed is None else torch.Generator(batch.source.device).manual_seed(seed)
    drawn: list[Hypothesis] = []
    for _ in range(DRAWS):
        (more,) = sample(members.model, batch, count=count, generator=generator)
        drawn += [hypothesis for hypothesis in more if not idle(encoded, hypothesis.symbols)]
        if len(drawn) >= count:
            break
    del drawn[count:]
    spelled = spell(bundle.network, bundle.vocabulary, encoded, [hypothesis.symbols for hypothesis in drawn])
    text = bundle.codec.target_text
    return [
        Candidate(text(symbols), symbols, hypothesis.log_prob, rank)
        for rank, (symbols, hypothesis) in enumerate(zip(spelled, drawn, strict=True), 1)
    ]
