"""What a model that has not seen an entry says about it, and the file that keeps the judgements of a fold."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from isotone.files import atomic_text

__all__ = ["Judgement", "read_judgements", "write_judgements"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One entry, judged by a model that was trained without it."""

    number: int
    """The entry's place in the lexicon."""
    surprisal: tuple[float, ...]
    """Of each target symbol and of the end, in nats; of symbols that no other fold has, that of an event never seen."""
    language: tuple[float, ...]
    """Likewise under a language model of targets, which knows the source only as something to copy stretches from."""
    answers: tuple[tuple[str, float], ...]
    """The model's own most probable targets with their log-probabilities, best first."""
    certified: bool
    """Has search proved that no target is more probable?"""
    path: tuple[int, ...]
    """The source position of each target symbol and of the end; BOS is 0. Empty where there is no alignment."""
    coverage: tuple[float, ...]
    """Expected number of target symbols at each source position, BOS and EOS included."""
    links: tuple[tuple[int, int, float], ...] = ()
    """(target, source, posterior) of the alignment; kept for suspicious entries only."""
    unseen: tuple[str, ...] = ()
    """Target symbols that no other fold has."""
    other_tags: tuple[str, ...] = ()
    """The tags that make the form most probable, of suspicious entries with tags."""
    other_logprob: float | None = None
    """log p(form | lemma, other tags)."""

    @property
    def best(self) -> str:
        """The model's own answer."""
        return self.answers[0][0] if self.answers else ""

    @property
    def best_logprob(self) -> float:
        """log p of it."""
        return self.answers[0][1] if self.answers else 0.0

    @property
    def total(self) -> float:
        """−log p(target | source)."""
        return sum(self.surprisal)

    @property
    def log_ratio(self) -> float:
        """log p(best) − log p(target): by how much the model prefers its own answer."""
        return max(0.0, self.best_logprob + self.total)


_ONE: TypeAdapter[Judgement] = TypeAdapter(Judgement)


def write_judgements(path: Path, judgements: Sequence[Judgement]) -> None:
    """A line of JSON each, and a last line with their number, atomically."""
    with atomic_text(path) as file:
        for judgement in judgements:
            file.write(json.dumps(asdict(judgement), ensure_ascii=True, allow_nan=False) + "\n")
        file.write(f"{len(judgements)}\n")


def read_judgements(path: Path, numbers: Sequence[int]) -> list[Judgement] | None:
    """The judgements of the given entries; None where the file is not there, is damaged or holds others."""
    try:
        *lines, count = path.read_text(encoding="utf-8").splitlines()
        found = [_ONE.validate_json(line) for line in lines]
    except (OSError, ValueError, ValidationError):
        return None
    return found if count == str(len(found)) and [one.number for one in found] == list(numbers) else None
