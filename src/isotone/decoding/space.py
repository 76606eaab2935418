"""What a search is given: encoded sources, and which strings it may write for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isotone.decoding.constraint import Constraint
from isotone.decoding.protocol import Ids, Model
from isotone.text.codec import Encoded
from isotone.text.vocabulary import UNK

__all__ = ["LONG", "SearchSpace"]

LONG = 200
"""Source symbols, BOS and EOS counted."""


@dataclass(frozen=True, eq=False)
class SearchSpace:
    """A batch of sources under a model, and the strings that a search may write for them."""

    model: Model
    sources: Sequence[Encoded]
    memory: Any
    """The sources as the model has encoded them."""
    _: KW_ONLY
    max_length: int | None = None
    """The longest string, in symbols; see `limits`."""
    constraint: Constraint | None = None
    idle_copies: bool = False
    """May UNK be written for a source that has nothing unknown to copy? See `isotone.decoding.copying`."""

    @property
    def limits(self) -> Ids:
        """(source,) symbols after which a target is made to end: 3·|x| + 30 (BOS and EOS counted) by default.

        Beyond `LONG` source symbols each allows one more: such targets are mostly loops, and each step costs |x|.
        """
        if self.max_length is not None:
            return np.full(len(self.sources), self.max_length, dtype=np.int64)
        lengths = np.array([len(source.source) for source in self.sources], dtype=np.int64)
        return 2 * np.minimum(lengths, LONG) + lengths + 30

    @property
    def copies(self) -> NDArray[np.bool_] | None:
        """(source,) True where UNK may be written; None where it always may."""
        return None if self.idle_copies else np.array([UNK in source.source for source in self.sources], dtype=bool)

    def select(self, rows: Ids) -> SearchSpace:
        """The given sources, in the given order; one may come several times."""
        return replace(self, sources=[self.sources[row] for row in rows.tolist()], memory=self.memory.select(rows))
