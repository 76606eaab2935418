"""Everything that is wrong with each entry, put together and ranked."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping

import numpy as np

import isotone.drawing  # noqa: F401  registers how results show themselves
from isotone.auditing.characters import odd_characters
from isotone.auditing.decisions import Decisions, key_of
from isotone.auditing.entries import Entry, Lexicon
from isotone.auditing.folds import word_key
from isotone.auditing.judgement import Judgement
from isotone.auditing.readings import Readings
from isotone.auditing.repeats import repeats
from isotone.auditing.scoring import SHOWN, UNUSUAL, Scorer, segment_of, source_segment_of, usual_for_length
from isotone.auditing.stretches import stretches
from isotone.results.alignment import END, START, Alignment
from isotone.results.audited import Audit
from isotone.results.finding import Finding, Reason, Verdict
from isotone.text.segment import Segmenter

__all__ = ["findings_of"]

WEIGHTS = {"duplicate": 2.0, "conflict": 3.0, "alignment": 1.0, "tags": 3.0, "characters": 4.0}
"""What a reason adds to the score, in nats, as if it made the entry that much less probable: rules of thumb."""
SELDOM = 1.0
"""The weight of a symbol that is seen once or twice: often a rare sound, seldom a mistake."""
MUCH_BETTER, LIKELY = 3.0, math.log(0.3)
"""Other tags explain a form if they make it this many nats more probable, and at least this probable."""


def findings_of(
    lexicon: Lexicon, judgements: Mapping[int, Judgement], *, decided: Decisions | None = None, folds: int = 0
) -> Audit:
    """The audit of a lexicon, from the judgements of its entries; none are needed for reasons without a model."""
    return _Findings(lexicon, judgements).audit(decided or {}, folds)


class _Findings:
    """The lexicon cut into symbols, and the reasons found so far."""

    def __init__(self, lexicon: Lexicon, judgements: Mapping[int, Judgement]) -> None:
        self.lexicon, self.judgements = lexicon, judgements
        self.source, self.target = Segmenter(lexicon.texts.source), Segmenter(lexicon.texts.target)
        self.entries = {entry.number: entry for entry in lexicon.entries}
        self.readings = Readings(lexicon.entries, self.target.split)
        self.z = usual_for_length(judgements)
        self.reasons: dict[int, list[Reason]] = defaultdict(list)
        self.scores: dict[int, float] = defaultdict(float)
        self.rescued: dict[int, str] = {}

    def audit(self, decided: Decisions, folds: int) -> Audit:
        """Collect, rank, leave out what the user has decided about."""
        self._improbable()
        self._tags()
        self._without_model()
        ranked = sorted(self.reasons, key=lambda number: (-self.scores[number], number))
        shown = [number for number in ranked if key_of(self.entries[number]) not in decided]
        found = tuple(self._finding(rank, self.entries[number]) for rank, number in enumerate(shown, 1))
        scores = tuple(self.scores[entry.number] for entry in self.lexicon.entries)
        return Audit(self.lexicon.name, found, scores, len(ranked) - len(shown), folds)

    def _improbable(self) -> None:
        targets = {entry.number: self.target.split(entry.target) for entry in self.lexicon.entries}
        scorer = Scorer(list(targets.values()), self.target.split)
        words = Counter((word_key(entry.example)[0], targets[entry.number]) for entry in self.lexicon.entries)
        for number, judgement in self.judgements.items():
            entry, target = self.entries[number], targets[number]
            value = scorer.score(judgement, target, words[word_key(entry.example)[0], target])
            if value >= SHOWN:
                if (pieces := self.readings.composed(entry)) is not None:
                    self.rescued[number], value = f"as {pieces}", min(value, 0.0)
                elif (variant := self.readings.variant(entry, judgement.best)) is not None:
                    self.rescued[number] = variant
            self.scores[number] += value
            if value >= SHOWN and self.z[number] >= UNUSUAL:
                text = f"{math.exp(min(judgement.log_ratio, 700)):.2g} times less probable than {judgement.best}"
                self.reasons[number].append(Reason("improbable", text))

    def _tags(self) -> None:
        for number, judgement in self.judgements.items():
            other = judgement.other_logprob
            if other is None or other < LIKELY or other + judgement.total < MUCH_BETTER:
                continue
            tags = ";".join(judgement.other_tags)
            self._add(number, Reason("tags", f"probable ({math.exp(other):.2f}) as {tags}"), WEIGHTS["tags"])

    def _without_model(self) -> None:
        entries = self.lexicon.entries
        symbols = {entry.number: self.source.split(entry.example.source) for entry in entries}
        for number, reason, excess in stretches(self.entries, self.judgements, symbols):
            self._add(number, reason, WEIGHTS["alignment"] + excess)
        for number, reason in repeats(entries, self.target.split):
            self._add(number, reason, WEIGHTS[reason.kind])
        spaced = self.lexicon.texts.target.segmentation == "separator"
        for number, reason in odd_characters(
            entries, source=self.source.split, target=self.target.split, spaced=spaced
        ):
            seldom = reason.text.endswith(" only")
            self._add(number, reason, SELDOM if seldom else WEIGHTS["characters"])

    def _add(self, number: int, reason: Reason, weight: float) -> None:
        self.reasons[number].append(reason)
        self.scores[number] += weight

    def _finding(self, rank: int, entry: Entry) -> Finding:
        judgement, example = self.judgements.get(entry.number), entry.example
        source, target = self.source.split(example.source), self.target.split(entry.target)
        return Finding(
            rank=rank,
            line=entry.line.number if entry.line else None,
            score=self.scores[entry.number],
            source=example.source,
            target=entry.target,
            tags=example.tags,
            source_symbols=source,
            target_symbols=target,
            reasons=tuple(self.reasons[entry.number]),
            verdict=None if judgement is None else self._verdict(judgement, source, target),
        )

    def _verdict(self, judgement: Judgement, source: tuple[str, ...], target: tuple[str, ...]) -> Verdict:
        segment = segment_of(judgement.surprisal)
        return Verdict(
            surprisal=judgement.surprisal,
            z=self.z[judgement.number],
            segment=segment,
            source_segment=source_segment_of(judgement, segment),
            best=judgement.best,
            best_logprob=judgement.best_logprob,
            certified=judgement.certified,
            alignment=_alignment(judgement, source, target),
            rescued=self.rescued.get(judgement.number),
        )


def _alignment(judgement: Judgement, source: tuple[str, ...], target: tuple[str, ...]) -> Alignment | None:
    """The alignment with its posteriors, where the judge kept them."""
    if not judgement.links:
        return None
    posterior = np.zeros((len(target) + 1, len(source) + 2))
    for row, column, value in judgement.links:
        posterior[row, column] = value
    return Alignment((START, *source, END), (*target, END), judgement.path, -judgement.total, posterior)
