"""The decoders by name, each with its own options and no others.

Help texts are made from this table, so importing it is quick: the search itself is imported when it runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from isotone.errors import ConfigError

if TYPE_CHECKING:
    from isotone.decoding.constraint import Constraint
    from isotone.decoding.hypothesis import Decoded
    from isotone.decoding.protocol import Model
    from isotone.decoding.space import SearchSpace
    from isotone.text.codec import Encoded

__all__ = ["BUDGET", "DECODERS", "DEFAULT", "Beam", "Decoder", "Exact", "Greedy", "Searcher", "decoder_named"]

BUDGET = 10_000
"""Expansions of prefixes per source, unless the user says otherwise."""
RETRY_BUDGET = 200
"""Expansions for a word on which greedy decoding ran into the length limit."""


class Decoder(Protocol):
    """A way to find strings, with its options. Fields that are options say so by their metadata's `option`, if their
    name is not what users write."""

    summary: ClassVar[str]
    """One line for help texts."""

    @property
    def several(self) -> bool:
        """May a source get more than one string?"""
        ...

    def decode(self, model: Model, sources: Sequence[Encoded], constraint: Constraint | None = None) -> list[Decoded]:
        """The hypotheses of every source; an UNK is written only where the source has something to copy."""
        ...


class Searcher:
    """What the decoders share: they search in the direction of the model, or in both, and give strings as people write
    them."""

    __slots__ = ()

    max_length: int | None

    def decode(self, model: Model, sources: Sequence[Encoded], constraint: Constraint | None = None) -> list[Decoded]:
        """The hypotheses of every source."""
        from isotone.decoding.directions import is_backwards, turned
        from isotone.decoding.space import SearchSpace

        if hasattr(model, "ways"):
            return self.decode_both(model, sources, constraint)
        backwards, memory = is_backwards(model), model.encode(sources)
        allowed = turned(constraint) if backwards else constraint
        found = self.search(SearchSpace(model, sources, memory, max_length=self.max_length, constraint=allowed))
        return [decoded.turned() for decoded in found] if backwards else found

    def decode_both(
        self, model: Model, sources: Sequence[Encoded], constraint: Constraint | None = None
    ) -> list[Decoded]:
        """The best that is found in either direction of a model that has both."""
        from isotone.decoding.directions import best_of_both

        return best_of_both(self, model, sources, constraint)

    def search(self, space: SearchSpace) -> list[Decoded]:
        """The hypotheses of every source in the direction of the model."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Greedy(Searcher):
    """The most probable symbol at each step: the paper's Algorithm 1. One string, no certificate.

    A word that runs into the length limit is decoded again by exact search within a small budget, since such strings
    are mostly loops; its answer then says whether it is certified.
    """

    summary: ClassVar[str] = "the best symbol at each step, as in the paper"

    max_length: int | None = None
    """The longest string to write, in symbols; 3·|x| + 30 by default, and less beyond 200 source symbols."""

    def __post_init__(self) -> None:
        _at_least(max_length=(self.max_length, 0))

    @property
    def several(self) -> bool:
        """Never."""
        return False

    def search(self, space: SearchSpace) -> list[Decoded]:
        """One string for each source, in the direction of the model."""
        import numpy as np

        from isotone.decoding.greedy import greedy_search

        found = greedy_search(space)
        if cut := [row for row, decoded in enumerate(found) if decoded.cut]:
            again = Exact(budget=RETRY_BUDGET, max_length=self.max_length)
            for row, decoded in zip(cut, again.search(space.select(np.array(cut, dtype=np.int64))), strict=True):
                found[row] = decoded
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Beam(Searcher):
    """The best prefixes at each step, each string scored over all its alignments."""

    summary: ClassVar[str] = "the best few prefixes at each step"

    width: int = field(default=5, metadata={"option": "beam"})
    """Prefixes kept at a time; at least `n_best` are."""
    n_best: int = 1
    """Strings per source."""
    max_length: int | None = None
    """The longest string to write, in symbols; 3·|x| + 30 by default, and less beyond 200 source symbols."""

    def __post_init__(self) -> None:
        _at_least(beam=(self.width, 1), n_best=(self.n_best, 1), max_length=(self.max_length, 0))

    @property
    def several(self) -> bool:
        """Where more than one was asked for."""
        return self.n_best > 1

    def search(self, space: SearchSpace) -> list[Decoded]:
        """Up to `n_best` strings for each source, in the direction of the model."""
        from isotone.decoding.beam import beam_search

        return beam_search(space, self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exact(Searcher):
    """The provably most probable strings, by best-first search: the best one, or up to the first limit reached."""

    summary: ClassVar[str] = "the most probable strings, with a proof"

    n_best: int | None = None
    """Strings per source at most; one, where neither this nor another limit is given."""
    mass: float | None = None
    """Stop when the listed strings have this much probability together."""
    min_probability: float | None = None
    """List no string below this, the best one excepted."""
    budget: int | None = None
    """Expansions per source, after which the list is returned uncertified; 10,000, and fewer beyond 100 symbols."""
    max_length: int | None = None
    """The longest string to write, in symbols; 3·|x| + 30 by default, and less beyond 200 source symbols."""

    def __post_init__(self) -> None:
        _at_least(n_best=(self.n_best, 1), budget=(self.budget, 1), max_length=(self.max_length, 0))
        for name, value in (("mass", self.mass), ("min_probability", self.min_probability)):
            if value is not None and not 0 < value <= 1:
                raise ConfigError(f"{name} must be above 0 and at most 1, not {value}")

    @property
    def several(self) -> bool:
        """Where a limit was given that more than one string can reach."""
        return self.n_best != 1 and not (self.n_best is self.mass is self.min_probability is None)

    def decode_both(
        self, model: Model, sources: Sequence[Encoded], constraint: Constraint | None = None
    ) -> list[Decoded]:
        """The best of both directions together, certified within the budget."""
        from isotone.decoding.directions import exact_both

        return exact_both(self, model, sources, constraint)

    def search(self, space: SearchSpace) -> list[Decoded]:
        """The best strings of each source, certified within the budget, in the direction of the model."""
        from isotone.decoding.exact import exact_search

        return exact_search(space, self)


DECODERS: dict[str, type[Any]] = {"greedy": Greedy, "beam": Beam, "exact": Exact}
"""What `--decode` takes: classes that implement `Decoder`."""
DEFAULT = "exact"


def decoder_named(name: str | None = None, **options: Any) -> Decoder:
    """The decoder with the given options, exact search if none is named; options that are None are not given.

    Raises ConfigError for an unknown name, for an option that no decoder has, and for one that this one does not have.
    """
    if name is not None and name not in DECODERS:
        raise ConfigError(f"unknown decoder {name!r}: expected one of {', '.join(DECODERS)}")
    chosen = name or DEFAULT
    names = {decoder: _options(kind) for decoder, kind in DECODERS.items()}  # type: ignore[arg-type]
    given = {option: value for option, value in options.items() if value is not None}
    for option in given:
        others = [decoder for decoder in DECODERS if option in names[decoder]]
        if not others:
            raise ConfigError(f"unknown decoding option {option}")
        if option not in names[chosen]:
            raise ConfigError(f"{option}: does not apply to {chosen} decoding (only to {' and '.join(others)})")
    decoder: Decoder = DECODERS[chosen](**{names[chosen][option]: value for option, value in given.items()})
    return decoder


@cache
def _options(kind: type[Any]) -> dict[str, str]:
    """What users call a decoder's options → its fields."""
    return {own.metadata.get("option", own.name): own.name for own in fields(kind)}


def _at_least(**values: tuple[int | None, int]) -> None:
    for name, (value, least) in values.items():
        if value is not None and value < least:
            raise ConfigError(f"{name} must be at least {least}, not {value}")
