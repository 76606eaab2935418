"""Sources that nobody has written down targets for, made of the training pairs: a mixture can still teach what it would
write for them."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence

from isotone.text.config import TextConfig
from isotone.text.example import Example
from isotone.text.segment import Segmenter
from isotone.training.cells import empty_cells

__all__ = ["invented_sources", "invented_words"]

MOST = 20_000
"""Sources at most: a mixture needs some minutes to write their targets."""
WORDS = 20_000
"""Training sources that letters are counted in, at most."""
CONTEXT, SEEN = 4, 5
"""The next symbol is drawn by up to this many symbols before it, fewer where those were seen less than SEEN times."""
TRIES = 20
"""Words drawn for each that is wanted, at most: with few pairs most of them are training words again."""

EDGE = ""
"""In front of a word and behind it; no symbol is ever empty."""

Symbols = tuple[str, ...]


def invented_sources(examples: Sequence[Example], text: TextConfig, share: float) -> list[Example]:
    """At most `share` times as many sources as there are examples: with tags the empty cells of paradigms, without any
    tags invented words."""
    limit = min(MOST, round(share * len(examples)))
    if any(example.tags for example in examples):
        return empty_cells(examples, limit)
    segmenter = Segmenter(text)
    known = list(dict.fromkeys(segmenter.split(example.source) for example in examples))
    return [Example(segmenter.join(word)) for word in invented_words(known, limit)]


def invented_words(known: Sequence[Symbols], limit: int) -> list[Symbols]:
    """Up to `limit` distinct words that are not `known` and look like them, the same ones every time.

    Each symbol is drawn from those that follow the same few symbols in known words, and so is the end.
    """
    following: defaultdict[Symbols, list[str]] = defaultdict(list)
    for word in known[:: -(-len(known) // WORDS) or 1]:
        whole = (EDGE, *word, EDGE)
        for place in range(1, len(whole)):
            for length in range(min(place, CONTEXT) + 1):
                following[whole[place - length : place]].append(whole[place])
    longest = max(map(len, known), default=0)
    generator, taken = random.Random("words"), set(known)
    found: list[Symbols] = []
    for _ in range(TRIES * limit if known else 0):
        if len(found) == limit:
            break
        word = _drawn(following, generator, longest)
        if word and word not in taken:
            taken.add(word)
            found.append(word)
    return found


def _drawn(following: dict[Symbols, list[str]], generator: random.Random, longest: int) -> Symbols:
    """A word, drawn symbol by symbol; nothing, where it becomes longer than any known one."""
    word: Symbols = (EDGE,)
    while len(word) <= longest + 1:
        length = min(len(word), CONTEXT)
        while length and len(following.get(word[-length:], ())) < SEEN:
            length -= 1
        symbol = generator.choice(following[word[len(word) - length :]])
        if symbol == EDGE:
            return word[1:]
        word = (*word, symbol)
    return ()
