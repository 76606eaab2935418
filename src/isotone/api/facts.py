"""A model in a few words, for its notebook form."""

from __future__ import annotations

from collections.abc import Sequence

from isotone.api.member import AnyMember
from isotone.evaluation import measure_named, measures
from isotone.store.metrics import Metrics

__all__ = ["model_facts"]

SHOWN = 60
"""Symbols of an alphabet that are listed."""


def model_facts(members: Sequence[AnyMember], weights: Sequence[float], metrics: Metrics | None) -> dict[str, str]:
    """Names and values: what the model is for, how large it is, its alphabets, and what it reached on dev data."""
    first = members[0]
    kinds = [member.config.architecture.aligner.name for member in members]
    shares = [f"{kind} ({weight:.0%})" for kind, weight in zip(kinds, weights, strict=True)]
    parameters = sum(member.parameters for member in members)
    vocabulary = first.vocabulary
    facts = {
        "task": first.config.task,
        "model": kinds[0] if len(members) == 1 else ", ".join(shares),
        "parameters": f"{parameters:,}",
        "source symbols": _listed(vocabulary.source.symbols),
        "target symbols": _listed(vocabulary.target.symbols),
    }
    if vocabulary.tags:
        facts["tags"] = _listed(vocabulary.tags)
    if metrics is not None:
        known = [(name, value) for name in measures() if (value := metrics.dev.get(name)) is not None]
        facts["on dev"] = ", ".join(f"{name.upper()} {measure_named(name).show(value)}" for name, value in known)
    return facts


def _listed(symbols: Sequence[str]) -> str:
    more = " …" if len(symbols) > SHOWN else ""
    return f"{len(symbols)}: {' '.join(symbols[:SHOWN])}{more}"
