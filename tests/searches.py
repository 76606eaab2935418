"""The searches over all that a model can write, idle copies included: what enumeration goes through, too."""

from isotone.decoding import Beam, Exact, SearchSpace
from isotone.decoding.beam import beam_search as beam_in
from isotone.decoding.exact import exact_search as exact_in
from isotone.decoding.greedy import greedy_search as greedy_in


def space(model, sources, *, max_length=None, constraint=None, idle_copies=True):
    """The sources, encoded."""
    encoded = model.encode(sources)
    return SearchSpace(model, sources, encoded, max_length=max_length, constraint=constraint, idle_copies=idle_copies)


def greedy_search(model, sources, *, max_length=None, constraint=None):
    return greedy_in(space(model, sources, max_length=max_length, constraint=constraint))


def beam_search(model, sources, *, max_length=None, constraint=None, **options):
    return beam_in(space(model, sources, max_length=max_length, constraint=constraint), Beam(**options))


def exact_search(model, sources, *, max_length=None, constraint=None, width=4, **options):
    given = space(model, sources, max_length=max_length, constraint=constraint)
    return exact_in(given, Exact(**options), width=width)
