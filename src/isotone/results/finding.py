"""A suspicious entry of a lexicon, and its JSON and TSV forms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NotRequired

from typing_extensions import TypedDict

from isotone.results.alignment import END, Alignment
from isotone.results.lines import cell

__all__ = ["FINDING_COLUMNS", "Finding", "FindingJson", "Reason", "ReasonJson", "Verdict", "VerdictJson", "safe_cell"]

FINDING_COLUMNS = (
    "rank",
    "line",
    "score",
    "kinds",
    "source",
    "tags",
    "target",
    "segment",
    "source_segment",
    "best",
    "best_probability",
    "surprisal",
    "per_symbol",
    "z",
    "rescued",
    "details",
    "replacement",
)
"""The columns of `Finding.row`."""


class ReasonJson(TypedDict):
    """One thing that is wrong with an entry."""

    kind: str
    text: str


class VerdictJson(TypedDict):
    """What a model that has not seen the entry says about it."""

    surprisal: float
    """−log p(target | source), in nats."""
    per_symbol: float
    z: float
    """Surprisal against what is usual for a target of this length, in robust standard deviations."""
    symbols: list[float]
    """Surprisal of each target symbol and of the end."""
    segment: list[int]
    """[first, end) of the target symbols that carry the surprise; a segment that begins after the last symbol is the
    end of the target."""
    source_segment: list[int]
    """[first, end) of the source symbols that belong to it."""
    best: str
    best_probability: float
    certified: bool
    """Has search proved that no target is more probable?"""
    rescued: NotRequired[str]
    """Another reading that speaks for the entry."""


class FindingJson(TypedDict):
    """One line of `isotone audit --json`."""

    rank: int
    line: int | None
    score: float
    source: str
    target: str
    tags: list[str]
    reasons: list[ReasonJson]
    verdict: VerdictJson | None
    """null where no model was trained."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that is wrong with an entry."""

    kind: str
    """improbable, duplicate, conflict, characters, alignment or tags."""
    text: str
    """For people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a model that has not seen the entry says about it."""

    surprisal: tuple[float, ...]
    """Of each target symbol and of the end, in nats."""
    z: float
    """Total surprisal against what is usual for this length, in robust standard deviations."""
    segment: tuple[int, int]
    """[first, end) of the target symbols that carry the surprise; the end of the target counts as a symbol."""
    source_segment: tuple[int, int]
    """[first, end) of the source symbols that belong to it."""
    best: str
    """The model's own most probable target."""
    best_logprob: float
    certified: bool
    """Has search proved that no target is more probable?"""
    alignment: Alignment | None = None
    """None where the entry is not suspicious enough to keep it."""
    rescued: str | None = None
    """Another reading that speaks for the entry, if there is one."""

    @property
    def total(self) -> float:
        """−log p(target | source), in nats."""
        return sum(self.surprisal)

    @property
    def per_symbol(self) -> float:
        """Nats per target symbol, the end counted."""
        return self.total / max(1, len(self.surprisal))

    def to_json(self) -> VerdictJson:
        """As part of a line of `isotone audit --json`."""
        values: VerdictJson = {
            "surprisal": round(self.total, 4),
            "per_symbol": round(self.per_symbol, 4),
            "z": round(self.z, 2),
            "symbols": list(self.surprisal),
            "segment": list(self.segment),
            "source_segment": list(self.source_segment),
            "best": self.best,
            "best_probability": math.exp(self.best_logprob),
            "certified": self.certified,
        }
        if self.rescued is not None:
            values["rescued"] = self.rescued
        return values


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A suspicious entry."""

    rank: int
    """From 1, worst first."""
    line: int | None
    """In the file, from 1."""
    score: float
    """How suspicious it is; about nats."""
    source: str
    target: str
    tags: tuple[str, ...]
    source_symbols: tuple[str, ...]
    target_symbols: tuple[str, ...]
    reasons: tuple[Reason, ...]
    verdict: Verdict | None = None
    """None where no model was trained."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of its reasons, each once."""
        return tuple(dict.fromkeys(reason.kind for reason in self.reasons))

    def marked(self) -> tuple[str, str]:
        """The suspicious segments of target and source as text; "" where there is none, ⟨/s⟩ for the target's end."""
        if self.verdict is None:
            return "", ""
        (first, end), (left, right) = self.verdict.segment, self.verdict.source_segment
        glue = " " if " " in self.target.strip() else ""
        target = glue.join((*self.target_symbols, END)[first:end])
        return target, "".join(self.source_symbols[left:right])

    def to_json(self) -> FindingJson:
        """One line of `isotone audit --json`."""
        return {
            "rank": self.rank,
            "line": self.line,
            "score": round(self.score, 4),
            "source": self.source,
            "target": self.target,
            "tags": list(self.tags),
            "reasons": [{"kind": reason.kind, "text": reason.text} for reason in self.reasons],
            "verdict": None if self.verdict is None else self.verdict.to_json(),
        }

    def row(self) -> list[str]:
        """Cells of `FINDING_COLUMNS`, safe to open in a spreadsheet; `replacement` is for the user to fill in."""
        verdict = self.verdict
        segment, source_segment = self.marked()
        numbers = ["", "", "", ""]
        if verdict is not None:
            numbers = [
                f"{math.exp(verdict.best_logprob):.4f}",
                f"{verdict.total:.3f}",
                f"{verdict.per_symbol:.3f}",
                f"{verdict.z:.2f}",
            ]
        texts = [
            self.source,
            ";".join(self.tags),
            self.target,
            segment,
            source_segment,
            verdict.best if verdict else "",
        ]
        details = "; ".join(reason.text for reason in self.reasons)
        return [
            str(self.rank),
            "" if self.line is None else str(self.line),
            f"{self.score:.3f}",
            ",".join(self.kinds),
            *map(safe_cell, texts),
            *numbers,
            *map(safe_cell, ((verdict and verdict.rescued) or "", details, "")),
        ]


def safe_cell(text: str) -> str:
    """A cell that no spreadsheet takes for a formula: what begins like one, or with ', gets a ' in front."""
    return cell(f"'{text}" if text[:1] in {"=", "+", "-", "@", "'", "\t", "\r", "\n"} else text)
