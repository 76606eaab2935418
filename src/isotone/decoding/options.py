"""How to decode, in one place: the settings, and the one table of decoders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from isotone.data.batch import Batch
from isotone.decoding.beam import beam
from isotone.decoding.constraint import Constraint
from isotone.decoding.copying import CopiesUnknowns
from isotone.decoding.exact import BUDGET, exact
from isotone.decoding.greedy import greedy
from isotone.decoding.hypothesis import Decoded
from isotone.decoding.stepper import Stepper
from isotone.errors import ConfigError

__all__ = ["DECODERS", "DecodeOptions", "Decoder", "DecoderName", "decode"]

DecoderName = Literal["greedy", "beam", "exact"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodeOptions:
    """What to look for, and how hard."""

    decode: DecoderName = "greedy"
    """greedy (fast, one string), beam (several good ones) or exact (provably the best)."""
    n_best: int = 1
    """How many strings for each source."""
    beam: int = 5
    """Beam: prefixes at a time."""
    mass: float | None = None
    """Exact: go on until the listed strings have this much probability together."""
    budget: int = BUDGET
    """Exact: expansions for each source, after which the list is returned uncertified."""
    max_length: int | None = None
    """The longest string to write; by default 3·|x| + 30 symbols."""

    @classmethod
    def choose(
        cls, *, decode: str | None = None, n_best: int = 1, mass: float | None = None, **others: int | None
    ) -> DecodeOptions:
        """The options; where no decoder is named, the one that can do it: greedy for one string, else exact."""
        name = decode or ("greedy" if n_best == 1 and mass is None else "exact")
        if unknown := sorted(others.keys() - {"beam", "budget", "max_length"}):
            raise ConfigError(f"unknown decoding option {', '.join(unknown)}")
        return cls(decode=name, n_best=n_best, mass=mass, **others)  # type: ignore[arg-type]

    def __post_init__(self) -> None:
        if self.decode not in DECODERS:
            raise ConfigError(f"unknown decoder {self.decode!r}: expected one of {', '.join(DECODERS)}")
        for name, least in (("n_best", 1), ("beam", 1), ("budget", 1), ("max_length", 0)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise ConfigError(f"{name} must be at least {least}, not {value}")
        if self.n_best > 1 and self.decode == "greedy":
            raise ConfigError("greedy decoding finds one string; for n_best > 1 use beam or exact")
        if self.mass is not None and self.decode != "exact":
            raise ConfigError(f"a probability mass can be covered by exact decoding only, not by {self.decode}")
        if self.mass is not None and not 0 < self.mass <= 1:
            raise ConfigError(f"mass must be above 0 and at most 1, not {self.mass}")


Decoder = Callable[[Stepper, Batch, DecodeOptions, Constraint | None], list[Decoded]]


def _greedy(model: Stepper, batch: Batch, options: DecodeOptions, constraint: Constraint | None) -> list[Decoded]:
    return greedy(model, batch, max_length=options.max_length, constraint=constraint)


def _beam(model: Stepper, batch: Batch, options: DecodeOptions, constraint: Constraint | None) -> list[Decoded]:
    return beam(
        model,
        batch,
        width=options.beam,
        n_best=options.n_best,
        max_length=options.max_length,
        constraint=constraint,
    )


def _exact(model: Stepper, batch: Batch, options: DecodeOptions, constraint: Constraint | None) -> list[Decoded]:
    return exact(
        model,
        batch,
        n_best=options.n_best,
        mass=options.mass,
        budget=options.budget,
        max_length=options.max_length,
        constraint=constraint,
    )


DECODERS: dict[DecoderName, Decoder] = {"greedy": _greedy, "beam": _beam, "exact": _exact}
"""What `--decode` takes."""


def decode(model: Stepper, batch: Batch, options: DecodeOptions, constraint: Constraint | None = None) -> list[Decoded]:
    """The hypotheses of every source, found as the options say; unknowns are copied only where there are any."""
    return DECODERS[options.decode](CopiesUnknowns(model), batch, options, constraint)
