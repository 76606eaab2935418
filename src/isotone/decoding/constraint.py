"""Which strings a decoder may write: walked along with the prefix, one symbol at a time.

A constraint takes strings away; it never changes the numbers. Log-probabilities stay the model's log p(y | x), not
renormalised over what is left, so a constrained answer can be compared with a free one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from isotone.errors import ConfigError
from isotone.text.vocabulary import EOS, FIRST, UNK

__all__ = ["AllowedSymbols", "Constraint", "Trie"]


class Constraint(Protocol):
    """A walk over prefixes; a node is whatever the constraint needs to know of one.

    Several batches may walk at the same time, so whatever changes belongs in the nodes.
    """

    def start(self) -> Any:
        """The node of the empty prefix."""
        ...

    def allowed(self, node: Any) -> NDArray[np.bool_] | None:
        """True at the vocabulary ids that may follow, EOS where the string may end; None where everything may."""
        ...

    def advance(self, node: Any, symbol: int) -> Any:
        """The node after one more symbol, which is one of those allowed."""
        ...

    # A method `turned`, the constraint on strings that are written from their ends, is needed for models that do so.


class AllowedSymbols:
    """Strings over some of the target's symbols: an output alphabet. A string may end anywhere.

    UNK, which a copying model turns into a source symbol, is allowed only if it is among the ids.
    """

    def __init__(self, symbols: Iterable[int], size: int) -> None:
        """`symbols` are ids of a target alphabet with `size` ids, specials included."""
        self._allowed = np.zeros(size, dtype=bool)
        self._allowed[[EOS, *_checked(symbols, size)]] = True

    def start(self) -> None:
        """There is nothing to know."""

    def allowed(self, node: None) -> NDArray[np.bool_]:
        """The same symbols everywhere."""
        return self._allowed

    def advance(self, node: None, symbol: int) -> None:
        """There is nothing to know."""

    def turned(self) -> AllowedSymbols:
        """The same symbols."""
        return self


class Trie:
    """Only the given strings: choose among known outputs by their true probabilities.

    Every node leads to the end of some string, so no walk gets stuck (but a length limit can cut it off).
    """

    def __init__(self, strings: Iterable[Sequence[int]], size: int) -> None:
        """`strings` are ids, EOS left out, of a target alphabet with `size` ids, specials included."""
        self._size = size
        self._strings = [tuple(string) for string in strings]
        self._children: list[dict[int, int]] = [{}]
        for string in self._strings:
            node = 0
            for symbol in _checked(string, size):
                node = self._children[node].setdefault(symbol, len(self._children))
                if node == len(self._children):
                    self._children.append({})
            self._children[node][EOS] = -1
        if not self._children[0]:
            raise ConfigError("no output is allowed: the list of allowed outputs is empty")

    def start(self) -> int:
        """The root."""
        return 0

    def allowed(self, node: int) -> NDArray[np.bool_]:
        """The symbols that continue towards one of the strings."""
        mask = np.zeros(self._size, dtype=bool)
        mask[list(self._children[node])] = True
        return mask

    def advance(self, node: int, symbol: int) -> int:
        """The child."""
        return self._children[node][symbol]

    def turned(self) -> Trie:
        """The same strings from their ends."""
        return Trie([string[::-1] for string in self._strings], self._size)


def _checked(symbols: Iterable[int], size: int) -> list[int]:
    """`symbols`, all of which a model may write before EOS."""
    ids = list(symbols)
    for symbol in ids:
        if symbol != UNK and not FIRST <= symbol < size:
            raise ConfigError(f"id {symbol} is not a target symbol (those are {FIRST} to {size - 1})")
    return ids
