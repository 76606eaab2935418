"""What a data file holds, once read: one source, its target and its tags."""

from dataclasses import dataclass

__all__ = ["Example"]


@dataclass(frozen=True, slots=True)
class Example:
    """One pair of strings with its tags, exactly as the file spells them."""

    source: str
    """The string to transduce: a lemma, a spelling, a name."""

    target: str | None = None
    """The string to produce; None where it is to be predicted."""

    tags: tuple[str, ...] = ()
    """Morphological or other tags, in the file's order; empty for tasks without tags."""
