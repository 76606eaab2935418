"""What goes wrong: a table of edits, accuracy by tag, length and novelty, and two models head to head."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from isotone.errors import DataError
from isotone.evaluation.edits import edits_between, nearest
from isotone.evaluation.metrics import METRICS
from isotone.evaluation.significance import mcnemar, paired_permutation_test
from isotone.evaluation.tasks import task_named
from isotone.results.errors import Edit, ErrorReport, ExampleJson, Group, HeadToHead, PairedTestJson
from isotone.results.report import Judged

__all__ = ["Seen", "analyse", "compare_models", "wilson"]

LENGTHS = ((1, 4), (5, 8), (9, 12), (13, 16), (17, None))
"""Source lengths that are counted together."""
Z = 1.959963984540054
"""Standard deviations that a 95 % interval spans on either side."""
Split = Callable[[str], Sequence[str]]


@dataclass(frozen=True)
class Seen:
    """The sources and the sets of tags that a model was trained on."""

    sources: frozenset[tuple[str, ...]]
    tag_sets: frozenset[frozenset[str]]

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, Sequence[str]]], split: Split) -> Seen:
        """From (source, tags); `split` gives a source's symbols, normalised as the model reads them."""
        listed = [(tuple(split(source)), frozenset(tags)) for source, tags in pairs]
        return cls(frozenset(source for source, _ in listed), frozenset(tags for _, tags in listed))


def analyse(
    items: Sequence[Judged],
    task: str,
    *,
    split: Split = list,
    separator: str = "",
    seen: Seen | None = None,
    examples: int = 3,
) -> ErrorReport:
    """Everything about one model; `split` gives a source's symbols, `separator` joins target symbols for people.

    Without `seen` nothing is said about new sources. Up to `examples` sources are listed with each kind of edit.
    """
    if not items:
        raise DataError("there is nothing to analyse")
    found = [nearest(item) for item in items]
    changes = [edits_between(item.prediction, best) for item, (best, _) in zip(items, found, strict=True)]
    counts, sources = Counter(c for own in changes for c in own), Counter(c for own in changes for c in set(own))
    listed: dict[tuple[str | None, str | None], list[ExampleJson]] = {}
    for item, (best, _), own in zip(items, found, changes, strict=True):
        for change in dict.fromkeys(own):
            if len(listed.setdefault(change, [])) < examples:
                listed[change].append(_example(item, best, separator))
    ranked = sorted(counts, key=lambda change: (-counts[change], change[0] or "", change[1] or ""))
    edits = tuple(Edit(*change, counts[change], sources[change], tuple(listed[change])) for change in ranked)
    distances = tuple(distance for _, distance in found)
    return ErrorReport(
        task=task,
        edits=edits,
        groups=tuple(_groups(items, distances, split, seen)),
        items=tuple(items),
        distances=distances,
        item_edits=tuple("  ".join(str(Edit(*change, 1, 1, ())) for change in own) for own in changes),
        separator=separator,
        train="" if seen else "the training pairs are not known",
    )


def compare_models(report: ErrorReport, others: Sequence[Judged], *, resamples: int = 9_999) -> ErrorReport:
    """The report with another model's predictions of the same sources beside its own."""
    if [(item.source, item.tags) for item in others] != [(item.source, item.tags) for item in report.items]:
        raise DataError("two models can only be compared on the same sources")
    names = {(True, True): "both right", (True, False): "fixed", (False, True): "broken", (False, False): "both wrong"}
    outcomes = tuple(names[a.right, b.right] for a, b in zip(report.items, others, strict=True))
    distances = tuple(nearest(item)[1] for item in others)
    tests = {"edit_distance": _test(report.distances, distances, resamples)}
    for name in task_named(report.task).metrics:
        if name == "mld":  # the mean of the edit distances, so the same test
            continue
        best = METRICS[name].best
        own, other = ([best(i.prediction, i.references) for i in items] for items in (report.items, others))
        tests[name] = _test(own, other, resamples)
    return replace(
        report,
        against=HeadToHead(
            outcomes,
            mcnemar(outcomes.count("fixed"), outcomes.count("broken")),
            tests,
            tuple(others),
            distances,
        ),
    )


def wilson(right: int, n: int) -> tuple[float, float]:
    """95 % interval of a proportion, in percent: Wilson's, which stays within 0…100 and works for small counts."""
    share, weight = right / n, Z * Z / n
    middle = (share + weight / 2) / (1 + weight)
    half = Z * math.sqrt(share * (1 - share) / n + weight / (4 * n)) / (1 + weight)
    return 100 * max(middle - half, 0.0), 100 * min(middle + half, 1.0)


def _test(own: Sequence[float], other: Sequence[float], resamples: int) -> PairedTestJson:
    done = paired_permutation_test(own, other, resamples=resamples)
    return {"difference": done.difference, "p_value": done.p_value, "exact": done.exact}


def _example(item: Judged, best: Sequence[str], separator: str) -> ExampleJson:
    return {
        "source": item.source,
        "tags": list(item.tags),
        "prediction": separator.join(item.prediction),
        "reference": separator.join(best),
    }


def _groups(items: Sequence[Judged], distances: Sequence[int], split: Split, seen: Seen | None) -> Iterator[Group]:
    """All groups: the most frequent first within tags, in their natural order otherwise."""
    members: dict[str, dict[str, list[int]]] = {}
    for place, item in enumerate(items):
        for by, key in _labels(item, tuple(split(item.source)), seen):
            members.setdefault(by, {}).setdefault(key, []).append(place)
    for by in ("tag", "tags", "length", "source", "tag set", "source and tag set"):
        keys = members.get(by, {})
        order = (
            sorted(keys, key=lambda key: (-len(keys[key]), key)) if by.startswith("tag") else sorted(keys, key=_first)
        )
        for key in order:
            places = keys[key]
            right = sum(items[place].right for place in places)
            mean = sum(distances[place] for place in places) / len(places)
            yield Group(by, key, len(places), right, *wilson(right, len(places)), mean)


def _labels(item: Judged, symbols: tuple[str, ...], seen: Seen | None) -> Iterator[tuple[str, str]]:
    """The groups that a source belongs to."""
    for tag in dict.fromkeys(item.tags):
        yield "tag", tag
    if item.tags:
        yield "tags", ";".join(item.tags)
    for low, high in LENGTHS:
        if max(len(symbols), 1) >= low and (high is None or len(symbols) <= high):
            yield "length", f"{low}–{high}" if high else f"{low} or more"
    if seen is not None:
        source = "seen" if symbols in seen.sources else "unseen"
        yield "source", source
        if item.tags:
            tags = "seen" if frozenset(item.tags) in seen.tag_sets else "unseen"
            yield "tag set", tags
            yield "source and tag set", f"{source}, {tags}"


def _first(key: str) -> tuple[int, str]:
    """Lengths by number, anything else by name."""
    digits = key.partition("–")[0].partition(" ")[0]
    return int(digits) if digits.isdigit() else 0, key
