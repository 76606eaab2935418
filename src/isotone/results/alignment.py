"""An alignment: a source, a target, the best path between them, and how sure it is."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NotRequired

from typing_extensions import TypedDict

from isotone.results.display import to_html, to_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["END", "START", "Alignment", "AlignmentJson", "Link"]

START = "⟨s⟩"
"""How the boundary before a string is shown."""
END = "⟨/s⟩"
"""How the boundary after a string is shown."""


class AlignmentJson(TypedDict):
    """One line of `isotone align --json`."""

    source: list[str]
    """Symbols, with the boundaries ⟨s⟩ and ⟨/s⟩."""
    target: list[str]
    """Symbols, with the final boundary ⟨/s⟩."""
    path: list[int]
    """For each target symbol a place in `source`; empty where the probability is 0."""
    logprob: float | None
    """log p(target | source) in nats; null where the probability is 0, or the pair too large to align."""
    posterior: NotRequired[list[list[float]]]
    """One row for each target symbol: the probability of each place in `source`."""


@dataclass(frozen=True)
class Link:
    """One step of a path: this target symbol was emitted while standing at this source symbol."""

    source_index: int
    target_index: int
    source: str
    target: str
    probability: float | None
    """Posterior probability of the link; None where no posterior was computed."""


def _probabilities(values: NDArray[np.float64], name: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """A checked copy that cannot be changed afterwards; low precision leaves sums such as 1.0001."""
    import numpy as np  # where it is used: help texts and refusals read this room without it

    table = np.asarray(values, dtype=np.float64)
    if table.shape != shape:
        raise ValueError(f"the {name}'s shape is {table.shape}, not {'(target, source)' if len(shape) > 1 else shape}")
    if not ((table >= -1e-3) & (table <= 1 + 1e-3)).all():
        raise ValueError(f"the {name} holds values that are no probabilities")
    table = np.clip(table, 0.0, 1.0)
    table.flags.writeable = False
    return table


@dataclass(frozen=True)
class Alignment:
    """A source and a target string with the most probable alignment between them.

    The boundaries are among the symbols: `source` runs from `START` to `END` and `target` ends with `END`,
    shown by those names but known by their places, so data may hold the same strings.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    path: tuple[int, ...]
    """For each target symbol an index into `source`; empty where the pair has probability 0, so no path.

    The most probable alignment, unless the alignment was sampled.
    """
    logprob: float
    """log p(target | source) over all alignments, in nats; nan for a pair that is too large to align."""
    posterior: NDArray[np.float64] | None = field(default=None, repr=False, compare=False)
    """(target, source): p(a_i = j | source, target)."""
    stays: NDArray[np.float64] | None = field(default=None, repr=False, compare=False)
    """(target, source): p(a_{i−1} = a_i = j | source, target), the same source symbol emitted this and the one before;
    None for attention weights (`soft`)."""
    silence: NDArray[np.float64] | None = field(default=None, repr=False, compare=False)
    """(source,): p(the source symbol emitted nothing but perhaps the final boundary | source, target), exactly; None
    where the model may step back and so visit a symbol twice (`1-hard`), and for attention weights."""

    def __post_init__(self) -> None:
        if self.path and len(self.path) != len(self.target):
            raise ValueError(f"the path has {len(self.path)} steps for {len(self.target)} target symbols")
        if any(not 0 <= position < len(self.source) for position in self.path):
            raise ValueError(f"the path {self.path} leaves the {len(self.source)} source symbols")
        target, source = len(self.target), len(self.source)
        for name, shape in (("posterior", (target, source)), ("stays", (target, source)), ("silence", (source,))):
            if (values := getattr(self, name)) is not None:
                object.__setattr__(self, name, _probabilities(values, name, shape))

    def links(self) -> list[Link]:
        """The steps of the best path in target order, the final boundary's among them."""
        return [
            Link(
                source_index=position,
                target_index=index,
                source=self.source[position],
                target=self.target[index],
                probability=None if self.posterior is None else float(self.posterior[index, position]),
            )
            for index, position in enumerate(self.path)
        ]

    def strengths(self) -> NDArray[np.float64]:
        """(target, source): the depth of each cell: the posterior, or without one 1 on the path, 0 off it."""
        if self.posterior is not None:
            return self.posterior
        import numpy as np

        cells = np.zeros((len(self.target), len(self.source)))
        cells[range(len(self.path)), list(self.path)] = 1.0
        return cells

    def __str__(self) -> str:
        return to_text(self)

    def _repr_html_(self) -> str:
        """A heat map, for notebooks."""
        return to_html(self)

    def to_json(self) -> AlignmentJson:
        """What `isotone align --json` prints; the logprob of an impossible pair is null."""
        values: AlignmentJson = {
            "source": list(self.source),
            "target": list(self.target),
            "path": [int(position) for position in self.path],
            "logprob": float(self.logprob) if math.isfinite(self.logprob) else None,
        }
        if self.posterior is not None:
            values["posterior"] = self.posterior.tolist()
        return values
