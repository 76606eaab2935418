"""The models behind a `Transducer`: one, or a mixture of several that share alphabets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from isotone.decoding.decode import log_probs
from isotone.decoding.ensemble import Mixture
from isotone.decoding.stepper import Scorer
from isotone.errors import ConfigError
from isotone.store.folder import Member, load_members
from isotone.text.example import Example
from isotone.text.segment import Segmenter

__all__ = ["Members", "open_folders"]


def open_folders(folders: Sequence[Path], weights: Sequence[float] | None = None) -> tuple[list[Member], list[float]]:
    """The models in folders, and their shares; a mixture's folder stands for its members."""
    if weights is not None and len(weights) != len(folders):
        raise ConfigError(f"{len(folders)} models need as many weights, found {len(weights)}")
    groups = [load_members(folder) for folder in folders]
    shares = [
        outer * inner
        for outer, group in zip(weights or [1.0] * len(folders), groups, strict=True)
        for _, inner in group
    ]
    return [member for group in groups for member, _ in group], shares


@dataclass(frozen=True, eq=False)
class Members:
    """Models that act as one."""

    bundles: tuple[Member, ...]
    weights: tuple[float, ...]
    """Their shares; they sum to 1."""
    model: Scorer
    """The network, or the mixture of networks."""

    @classmethod
    def of(cls, bundles: Sequence[Member], weights: Sequence[float] | None = None) -> Members:
        """Equal weights unless given; ConfigError where models cannot be mixed or weights are none."""
        if not bundles:
            raise ConfigError("no model was given")
        first = bundles[0]
        for other in bundles[1:]:
            same = other.vocabulary == first.vocabulary and other.config.text == first.config.text
            if not same or _copying(other) != _copying(first):
                raise ConfigError("models of a mixture must share alphabets, tags, text settings and how they copy")
        if weights is not None and len(weights) != len(bundles):
            raise ConfigError(f"{len(bundles)} models need as many weights, found {len(weights)}")
        shares = list(weights) if weights is not None else [1.0] * len(bundles)
        if not all(0 < share < math.inf for share in shares):
            raise ConfigError(f"weights must be positive numbers, found {shares}")
        scaled = tuple(share / sum(shares) for share in shares)
        networks = [bundle.network for bundle in bundles]
        return cls(tuple(bundles), scaled, networks[0] if len(networks) == 1 else Mixture(networks, scaled))

    @property
    def first(self) -> Member:
        """Whose alphabets, tags and text settings are everybody's."""
        return self.bundles[0]

    @property
    def targets(self) -> Segmenter:
        """Cuts targets into symbols."""
        return Segmenter(self.first.config.text.target)

    def log_probs(self, examples: Sequence[Example]) -> list[float]:
        """Exact log p(target | source) of each example, in nats."""
        return log_probs(self.first, self.model, [self.first.codec.encode(example) for example in examples])


def _copying(bundle: Member) -> tuple[bool, bool]:
    emission = bundle.config.architecture.emission
    return emission.copies_unknown, emission.copy_gate
