"""Pronunciation dictionaries: predictions as lines of the formats that speech tools read. No torch."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from isotone.errors import ConfigError
from isotone.results.lines import cell, tsv_line
from isotone.results.prediction import Candidate, Prediction

__all__ = ["STYLES", "Style", "dictionary_lines", "style_named"]

LOWEST_SHARE = 0.01
"""The Montreal Forced Aligner raises smaller pronunciation probabilities to this."""


@dataclass(frozen=True, kw_only=True)
class Style:
    """A dictionary format. A new one is a record and a line in `STYLES`."""

    name: str
    """Its name for `--style`."""
    summary: str
    """One line for help texts."""
    line: Callable[[Prediction, Candidate, float], str]
    """One pronunciation: the word's prediction, the candidate, and its probability relative to the word's best one."""
    header: str = ""
    """The first line of the file, if it has one."""
    white_space: bool = False
    """Whether a word may contain blanks; tabs and line breaks never fit."""

    def obstacle(self, word: str) -> str | None:
        """Why this format cannot hold `word`; None where it can."""
        if not word:
            return "an empty word"
        if word != word.strip() or len(word.split() if not self.white_space else word.splitlines()) > 1 or "\t" in word:
            return f"white space in the word, which the style {self.name} cannot hold"
        return None


def _cmudict(prediction: Prediction, candidate: Candidate, share: float) -> str:
    variant = f"({candidate.rank})" if candidate.rank > 1 else ""
    return f"{prediction.source}{variant}  {' '.join(candidate.symbols)}\n"


def _mfa(prediction: Prediction, candidate: Candidate, share: float) -> str:
    return f"{prediction.source}\t{max(LOWEST_SHARE, round(share, 2))}\t{' '.join(candidate.symbols)}\n"


def _tsv(prediction: Prediction, candidate: Candidate, share: float) -> str:
    origin = "lexicon" if prediction.from_lexicon else "model"
    phones = cell(" ".join(candidate.symbols))
    return tsv_line([cell(prediction.source), phones, f"{candidate.probability:.6g}", str(candidate.rank), origin])


def _lexicon(prediction: Prediction, candidate: Candidate, share: float) -> str:
    return tsv_line([prediction.source, " ".join(candidate.symbols)])


STYLES: dict[str, Style] = {
    style.name: style
    for style in (
        Style(name="cmudict", summary="WORD  P H N and WORD(2)  P H N (CMU Pronouncing Dictionary)", line=_cmudict),
        Style(
            name="mfa", summary="word, probability with the best at 1.0, phones (Montreal Forced Aligner)", line=_mfa
        ),
        Style(
            name="tsv",
            summary="a table with a header: word, pronunciation, probability, rank, model or lexicon",
            line=_tsv,
            header=tsv_line(["word", "pronunciation", "probability", "rank", "origin"]),
            white_space=True,
        ),
        Style(
            name="lexicon",
            summary="word, tab, phones, one line per variant: what --format g2p and --lexicon read",
            line=_lexicon,
            white_space=True,
        ),
    )
}
"""Dictionary formats by name."""


def style_named(name: str) -> Style:
    """The style called `name`; raises ConfigError listing the known styles."""
    if name not in STYLES:
        raise ConfigError(f"unknown dictionary style {name!r}: expected one of {', '.join(STYLES)}")
    return STYLES[name]


def dictionary_lines(
    predictions: Iterable[Prediction],
    style: str,
    *,
    on_left_out: Callable[[Prediction, str], None] = lambda _prediction, _reason: None,
) -> Iterator[str]:
    """The lines of a dictionary, line ends included, in the order of the predictions, which may be a stream.

    A word that comes twice is written once, and so is a pronunciation that comes twice in a word. Variants are numbered
    from 1, most probable first. `on_left_out` hears of each word that has no pronunciation or does not fit the format.
    """
    chosen = style_named(style)
    if chosen.header:
        yield chosen.header
    seen: set[str] = set()
    for prediction in predictions:
        if prediction.source in seen:
            continue
        seen.add(prediction.source)
        candidates = _variants(prediction)
        reason = chosen.obstacle(prediction.source) or (None if candidates else "no pronunciation")
        if reason is not None:
            on_left_out(prediction, reason)
            continue
        for candidate in candidates:
            yield chosen.line(prediction, candidate, _share(candidate, candidates[0]))


def _variants(prediction: Prediction) -> list[Candidate]:
    """Distinct pronunciations of at least one phone, best first, ranked from 1 without gaps."""
    best: dict[tuple[str, ...], Candidate] = {}
    for candidate in sorted(prediction.candidates, key=lambda candidate: -candidate.logprob):
        if any(symbol.strip() for symbol in candidate.symbols):
            best.setdefault(candidate.symbols, candidate)
    return [
        Candidate(candidate.target, symbols, candidate.logprob, rank)
        for rank, (symbols, candidate) in enumerate(best.items(), 1)
    ]


def _share(candidate: Candidate, best: Candidate) -> float:
    """Probability relative to the best variant; 1 for all where the model gives none of them any (a lexicon's)."""
    return math.exp(candidate.logprob - best.logprob) if best.logprob > -math.inf else 1.0
