"""One fold: train on all other entries, judge its own."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from isotone.auditing.entries import Entry, Lexicon
from isotone.auditing.folds import folds_of
from isotone.auditing.judgement import Judgement
from isotone.auditing.ngrams import NGrams
from isotone.auditing.settings import Settings
from isotone.results import Alignment, Prediction, Scored
from isotone.text.example import Example
from isotone.text.segment import Segmenter

if TYPE_CHECKING:
    from isotone.api.transducer import Transducer

__all__ = ["SUSPICIOUS", "entries_of", "judge_entries", "run_fold", "train_fold"]

SUSPICIOUS = 3.0
"""Nats by which the model must prefer its own answer for an entry to be looked at closely."""
DEV = 50
"""Training pairs that stand in for dev pairs: a one-cycle schedule is best in its last epoch, so none are held out."""
BUDGET = 1_000
"""Expansions of exact search per entry; an answer that takes more is reported as not certified."""
COPIED = 1.0
"""Nats for a target symbol that no other fold has, but the entry's own source: a letter of a name, copied."""
ANSWERS = 5
"""The model's own answers that an entry is compared with."""
BUNDLES = 60
"""Other bundles of tags that a suspicious form is tried with, the most frequent ones."""
BLOCK = 2_000
"""Entries judged at a time."""
FAINT = 0.01
"""Posterior below which a link is not kept."""


def entries_of(lexicon: Lexicon, settings: Settings, fold: int) -> tuple[list[Entry], list[Entry]]:
    """The entries to train on, and the entries to judge."""
    folds = folds_of([entry.example for entry in lexicon.entries], settings.folds, settings.seed)
    placed = list(zip(lexicon.entries, folds, strict=True))
    return [entry for entry, own in placed if own != fold], [entry for entry, own in placed if own == fold]


def run_fold(lexicon: Lexicon, settings: Settings, fold: int, folder: Path) -> list[Judgement]:
    """Train in `folder`, going on where an earlier attempt stopped, and judge; raises KeyboardInterrupt on Ctrl-C."""
    from isotone.api.load import load

    rest, own = entries_of(lexicon, settings, fold)
    pairs = [entry.example for entry in rest]
    train_fold(lexicon, settings, pairs, folder, seed=settings.seed + fold)
    return judge_entries(load(folder), lexicon, pairs, own)


def train_fold(lexicon: Lexicon, settings: Settings, pairs: Sequence[Example], folder: Path, *, seed: int) -> None:
    """A model of these pairs, in `folder`."""
    from isotone.api.training import Asked, plan_job, run_job

    asked = Asked(
        task=lexicon.task,
        model=settings.model,
        recipe=settings.recipe(),
        size=settings.size,
        text=lexicon.texts,
        seed=seed,
        device="cpu",
        threads=1,
        changes={
            "dropout": settings.dropout,
            "query_dropout": settings.dropout,
            "copy_gate": settings.copy_gate,
        },
    )
    outcome = run_job(plan_job(asked, folder, train=pairs, dev=pairs[:DEV], mode="resume"))
    if outcome is not None and not outcome.finished:
        raise KeyboardInterrupt


def judge_entries(
    model: Transducer, lexicon: Lexicon, pairs: Sequence[Example], entries: Sequence[Entry]
) -> list[Judgement]:
    """What a model that was trained on `pairs` says about each of the entries."""
    judge = _Judge(model, lexicon, pairs)
    return [one for first in range(0, len(entries), BLOCK) for one in judge.block(entries[first : first + BLOCK])]


class _Judge:
    """A model, and what it was trained on."""

    def __init__(self, model: Transducer, lexicon: Lexicon, pairs: Sequence[Example]) -> None:
        self.model = model
        self._source, self._target = Segmenter(lexicon.texts.source), Segmenter(lexicon.texts.target)
        symbols = sum(len(self._target.split(example.target or "")) + 1 for example in pairs)
        self._never_seen = math.log(symbols + 1)
        self._shared = lexicon.copies
        self._language = NGrams(_strings(pairs, lexicon))
        counts = Counter(entry.example.tags for entry in lexicon.entries if entry.example.tags)
        self._bundles = [tags for tags, _ in counts.most_common()]

    def block(self, entries: Sequence[Entry]) -> list[Judgement]:
        """The judgements of some entries."""
        from isotone.decoding.decoders import Exact

        asked = [self._writable(entry.example) for entry in entries]
        scored = self.model.scores(asked, surprisal=True)
        predicted = self.model.predict(
            (Example(example.source, None, example.tags) for example in asked), Exact(n_best=ANSWERS, budget=BUDGET)
        )
        aligned = self.model.alignments(asked)
        together = zip(entries, scored, predicted, aligned, strict=True)
        found = [self._judged(entry, one, answer, alignment) for entry, one, answer, alignment in together]
        return self._with_other_tags(entries, found)

    def _writable(self, example: Example) -> Example:
        """The example without target symbols that the model has never seen: one of them makes all of it impossible."""
        if not self.model.unseen(example):
            return example
        known = [symbol for symbol in self._target.split(example.target or "") if symbol in self._alphabet]
        return replace(example, target=self._target.join(known))

    @property
    def _alphabet(self) -> frozenset[str]:
        return frozenset(self.model.vocabulary.target.symbols)

    def _judged(self, entry: Entry, scored: Scored, predicted: Prediction, aligned: Alignment) -> Judgement:
        unseen = self.model.unseen(entry.example)
        surprisal, path = list(scored.surprisal or ()), list(aligned.path)
        places = list(range(len(surprisal)))
        if unseen:
            copied = frozenset(aligned.source[1:-1]) if self._shared else frozenset()
            for place, symbol in enumerate(self._target.split(entry.target)):
                if symbol in unseen:
                    surprisal.insert(place, COPIED if symbol in copied else self._never_seen)
                    places = [other + (other >= place) for other in places]
                    if path:
                        path.insert(place, path[place])
        source = self._source.split(entry.example.source) if self._shared else None
        language = self._language.surprisals(self._target.split(entry.target), source)
        judged = Judgement(
            number=entry.number,
            surprisal=tuple(round(min(value, 1e6), 4) for value in surprisal),
            language=tuple(round(value, 4) for value in language),
            answers=tuple((one.target, round(one.logprob, 4)) for one in predicted.candidates),
            certified=bool(predicted.certified),
            path=tuple(path),
            coverage=_coverage(aligned),
            unseen=unseen,
        )
        if judged.log_ratio < SUSPICIOUS or aligned.posterior is None:
            return judged
        links = [
            (places[i], int(j), round(float(value), 4))
            for i, row in enumerate(aligned.posterior)
            for j, value in enumerate(row)
            if value >= FAINT
        ]
        return replace(judged, links=tuple(links))

    def _with_other_tags(self, entries: Sequence[Entry], judgements: list[Judgement]) -> list[Judgement]:
        """Try suspicious forms with other bundles of the same kind (N with N)."""
        tried: list[tuple[int, tuple[str, ...]]] = []
        for place, (entry, judged) in enumerate(zip(entries, judgements, strict=True)):
            own = entry.example.tags
            if own and judged.log_ratio >= SUSPICIOUS and not judged.unseen:
                alike = [tags for tags in self._bundles if tags[0] == own[0] and set(tags) != set(own)]
                tried += [(place, tags) for tags in alike[:BUNDLES]]
        scores = self.model.scores(replace(entries[place].example, tags=tags) for place, tags in tried)
        best: dict[int, tuple[float, tuple[str, ...]]] = {}
        for (place, tags), scored in zip(tried, scores, strict=True):
            best[place] = max(best.get(place, (-math.inf, ())), (scored.logprob, tags))
        for place, (logprob, tags) in best.items():
            if logprob > -math.inf:
                judgements[place] = replace(judgements[place], other_tags=tags, other_logprob=round(logprob, 4))
        return judgements


def _coverage(aligned: Alignment) -> tuple[float, ...]:
    if aligned.posterior is None:
        return ()
    return tuple(round(float(value), 3) for value in aligned.posterior.sum(0))


def _strings(pairs: Sequence[Example], lexicon: Lexicon) -> list[tuple[str, ...]]:
    """The targets, for a language model; with the sources where targets are made of their symbols."""
    source, target = Segmenter(lexicon.texts.source), Segmenter(lexicon.texts.target)
    targets = [target.split(example.target or "") for example in pairs]
    return targets + [source.split(example.source) for example in pairs] if lexicon.copies else targets
