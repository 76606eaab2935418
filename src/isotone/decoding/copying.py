"""From ids to symbols: an emitted UNK becomes the source symbol it is most probably aligned to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from isotone.data.batch import collate
from isotone.decoding.alignment import align
from isotone.models.transducer import Transducer
from isotone.text.codec import Encoded
from isotone.text.vocabulary import EOS, UNK, Vocabulary

__all__ = ["spell"]


def spell(
    network: Transducer, vocabulary: Vocabulary, source: Encoded, targets: Sequence[tuple[int, ...]]
) -> list[tuple[str, ...]]:
    """The symbols of each target of one source, with unknowns copied through the alignment."""
    copying = [place for place, ids in enumerate(targets) if UNK in ids]
    sources: dict[int, list[int]] = {}
    if copying and source.source_symbols:
        pairs = [replace(source, target=(*targets[place], EOS)) for place in copying]
        device = next(network.parameters()).device
        aligned = align(network, collate(pairs, len(vocabulary.tags)).to(device))
        letters = aligned.posterior[:, :, 1 : 1 + len(source.source_symbols)]
        sources = dict(zip(copying, letters.argmax(-1).tolist(), strict=True))
    spelled = []
    for place, ids in enumerate(targets):
        symbols = []
        for i, id_ in enumerate(ids):
            if id_ != UNK:
                symbols.append(vocabulary.target.symbol(id_))
            elif place in sources:
                symbols.append(source.source_symbols[sources[place][i]])
        spelled.append(tuple(symbols))
    return spelled
