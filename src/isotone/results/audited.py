"""The findings of an audit, as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any, overload

from isotone.errors import ConfigError
from isotone.results.display import to_html, to_text
from isotone.results.finding import Finding

__all__ = ["Audit"]


@dataclass(frozen=True, slots=True)
class Audit:
    """Suspicious entries of a lexicon, worst first."""

    name: str
    """Of the lexicon."""
    findings: tuple[Finding, ...]
    scores: tuple[float, ...]
    """How suspicious each entry of the lexicon is, in its order, findings or not."""
    decided: int = 0
    """Findings left out because the user has decided about them."""
    folds: int = 0
    """0 where no model was trained."""

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each finding, for tables."""
        return [_record(finding) for finding in self.findings]

    @property
    def kinds(self) -> dict[str, int]:
        """How many findings have each kind, the most frequent first."""
        return dict(Counter(kind for finding in self.findings for kind in finding.kinds).most_common())

    def to_pandas(self) -> Any:
        """A pandas frame with a row for each finding."""
        return _package("pandas").DataFrame(self.rows, columns=list(_record(None)))

    def to_polars(self) -> Any:
        """A polars frame with a row for each finding."""
        frame = _package("polars").DataFrame
        return (
            frame(self.rows, infer_schema_length=None) if self.findings else frame({key: [] for key in _record(None)})
        )

    def __len__(self) -> int:
        return len(self.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    @overload
    def __getitem__(self, place: int) -> Finding: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Finding, ...]: ...

    def __getitem__(self, place: int | slice) -> Finding | tuple[Finding, ...]:
        return self.findings[place]

    def __str__(self) -> str:
        return to_text(self)

    def _repr_html_(self) -> str:
        """A table of the worst, for notebooks."""
        return to_html(self)


def _record(finding: Finding | None) -> dict[str, Any]:
    """One row; without a finding, the names of the columns."""
    verdict = finding.verdict if finding else None
    segment, source_segment = finding.marked() if finding else ("", "")
    return {
        "rank": finding and finding.rank,
        "line": finding and finding.line,
        "score": finding and finding.score,
        "kinds": ",".join(finding.kinds) if finding else None,
        "source": finding and finding.source,
        "tags": ";".join(finding.tags) if finding else None,
        "target": finding and finding.target,
        "segment": segment,
        "source_segment": source_segment,
        "best": verdict and verdict.best,
        "best_logprob": verdict and verdict.best_logprob,
        "surprisal": verdict and verdict.total,
        "per_symbol": verdict and verdict.per_symbol,
        "z": verdict and verdict.z,
        "rescued": verdict and verdict.rescued,
        "details": "; ".join(reason.text for reason in finding.reasons) if finding else None,
    }


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise ConfigError(f"to_{name} needs {name}: pip install {name}") from error
