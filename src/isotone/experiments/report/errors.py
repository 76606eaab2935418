"""The fourth section: the most confident mistakes, prediction and reference aligned side by side."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import exp

from isotone.drawing.page import LEGEND
from isotone.drawing.report import Section, fold, note
from isotone.drawing.svg import scrolling_map
from isotone.drawing.symbols import spelled, visible
from isotone.drawing.text import log_probability
from isotone.evaluation.edits import differences
from isotone.experiments.report.assess import Assessment, Mistake
from isotone.experiments.report.missing import Pairs, untested
from isotone.experiments.report.runs import Run
from isotone.results import Alignment

__all__ = ["errors_section"]

HOW = (
    "The most confident mistakes first; open one to see how prediction and reference align. p is the exact probability "
    "of the string, over all alignments. For soft models the squares are attention weights, in place of posteriors."
)
FEW = 3
"""Models whose mistakes are unfolded at first."""


def errors_section(pairs: Pairs) -> Section:
    """For each data set and model (of several seeds the first) its worst mistakes."""
    first: dict[tuple[str, str], tuple[Run, Assessment]] = {}
    for run, found in pairs:
        if found:
            first.setdefault((run.data, run.model), (run, found))
    parts = [note(HOW), LEGEND] if first else []
    for place, (run, found) in enumerate(first.values()):
        listed = "".join(map(_card, found.mistakes)) or note(_nothing(found))
        parts.append(fold(f"{run.name}: {_counted(found)}", listed, open=place < FEW))
    return Section("errors", "Errors", "".join([*parts, untested(pairs)]))


def _counted(found: Assessment) -> str:
    shown = f", {len(found.mistakes)} shown" if 0 < len(found.mistakes) < found.wrong else ""
    return f"{found.wrong:,} of {found.report.n:,} wrong{shown}"


def _nothing(found: Assessment) -> str:
    return "No examples were asked for (--errors 0)." if found.wrong else "No mistakes."


def _card(mistake: Mistake) -> str:
    item = mistake.scored
    tags = f" <small>{escape(visible(';'.join(item.tags)))}</small>" if item.tags else ""
    source = escape(spelled(mistake.prediction.source[1:-1]))
    predicted, expected = item.prediction, mistake.reference.target[:-1]
    places, other = differences(predicted, expected)
    reason = ""
    if mistake.unseen:
        reason = f"never seen in training: {', '.join(map(visible, mistake.unseen))}"
    left = _string("predicted", predicted, places, mistake.confidence)
    right = _string("reference", expected, other, mistake.reference.logprob)
    summary = f'<summary><span class="word"><bdi>{source}</bdi>{tags}</span>{left}{right}</summary>'
    sides = _side("predicted", mistake.prediction, mistake.confidence)
    sides += _side("reference", mistake.reference, mistake.reference.logprob, reason)
    return f'<details class="error">{summary}<div class="sides">{sides}</div></details>'


def _string(title: str, symbols: Sequence[str], differing: set[int], log_p: float) -> str:
    """`predicted AH V p = 0.978`, what differs marked."""
    gap = " " if " " in spelled(symbols) else ""
    word = gap.join(
        f'<span class="differs">{escape(visible(symbol))}</span>' if place in differing else escape(visible(symbol))
        for place, symbol in enumerate(symbols)
    )
    return f"<span><small>{title}</small> <bdi>{word or '∅'}</bdi> <small>p = {_probability(log_p)}</small></span>"


def _side(title: str, drawn: Alignment, log_p: float, reason: str = "") -> str:
    """The grid of one string, or why there is none."""
    if not drawn.path:
        reason = reason or "it holds a copied symbol that was never seen in training"
    picture = scrolling_map(drawn) if drawn.path else note(f"No alignment: {reason}.")
    return f'<div><p class="score">{title}, log p = {log_probability(log_p)}</p>{picture}</div>'


def _probability(log_p: float) -> str:
    value = exp(min(log_p, 0.0))
    return f"{value:.3f}" if value >= 0.001 else "0" if value == 0 else f"{value:.1e}"
