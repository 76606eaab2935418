"""A lexicon looked up before anything is predicted."""

from __future__ import annotations

from collections.abc import Iterable

from isotone.text.example import Example

__all__ = ["Lexicon"]


class Lexicon:
    """Known targets by source and tags; a source may have several."""

    def __init__(self, examples: Iterable[Example]) -> None:
        self._targets: dict[tuple[str, tuple[str, ...]], dict[str, None]] = {}
        for example in examples:
            if example.target is not None:
                self._targets.setdefault((example.source, example.tags), {})[example.target] = None

    def __len__(self) -> int:
        return len(self._targets)

    def __contains__(self, example: Example) -> bool:
        return (example.source, example.tags) in self._targets

    def __getitem__(self, example: Example) -> tuple[str, ...]:
        """The targets of an example's source and tags, in the order they were listed."""
        return tuple(self._targets[example.source, example.tags])
