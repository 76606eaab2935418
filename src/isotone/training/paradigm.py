"""Training on paradigms: every known form of a lemma is a source of the others."""

from __future__ import annotations

import random
from collections.abc import Sequence

from isotone.errors import ConfigError
from isotone.text.example import Example
from isotone.text.paradigm import FROM, Paradigms
from isotone.training.pairs import Weighted

__all__ = ["check_paradigms", "form_sources", "paradigm_choices"]


OTHERS = 10
"""Other forms of each pair at most: of n known forms there are n² pairs, all of which need alignments to start from."""


def paradigm_choices(examples: Sequence[Example], share: float, *, seed: int = 0) -> list[Weighted]:
    """What each epoch draws a source from for every pair: the lemma (1 − `share`), or another known form (`share`).

    Where the lemma has no other known form, it is the lemma. Of more than OTHERS, the seed chooses as many.
    """
    paradigms = Paradigms.of(examples)
    choices: list[Weighted] = []
    for place, example in enumerate(examples):
        others = paradigms.others(example)
        if len(others) > OTHERS:
            others = random.Random(f"{seed}/{place}/paradigm").sample(others, OTHERS)
        lemma = 1 - share if others else 1.0
        weighted = [(example, lemma), *((other, share / len(others)) for other in others)]
        choices.append([(pair, weight) for pair, weight in weighted if weight > 0])
    return choices


def form_sources(examples: Sequence[Example]) -> list[Example]:
    """Every form once as a source, with its marked tags: for alphabets and counts, not for training."""
    marked = [tuple(FROM + tag for tag in example.tags) for example in examples]
    return [Example(one.target or "", one.target, tags) for one, tags in zip(examples, marked, strict=True)]


def check_paradigms(examples: Sequence[Example]) -> None:
    """ConfigError where there is nothing to learn from."""
    paradigms = Paradigms.of(examples)
    if not any(paradigms.others(example) for example in examples):
        raise ConfigError("--paradigm: no lemma has two forms with different tags in the training pairs")
