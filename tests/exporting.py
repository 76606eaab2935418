"""Exported engines of tiny random models, and encoded pairs to ask them."""

import torch

import tiny
from isotone.runtime.engine import Graph
from isotone.runtime.export import graphs_of
from isotone.runtime.session import OnnxModel
from isotone.text.example import Example

TAGS = ("N", "PL")
PAIRS = (
    ("abcd", "xyz", ("N",)),
    ("a", "", ("PL",)),
    ("abcdabcdq", "xxyyzz", ()),
    ("", "z", ("N", "PL")),
    ("bb", "xqy", ("N", "PL")),
    ("cacb", "xdy", ()),
)
"""The last two targets have a symbol that only a copy gate can write, from its own source or not at all."""


def member(aligner, *, tags=TAGS, scale=2.0, **changes):
    """A random model in evaluation mode, with weights large enough to make distributions uneven."""
    made = tiny.bundle(aligner, tags=tags, **changes)
    with torch.no_grad():
        for parameter in made.network.parameters():
            parameter.mul_(scale)
    made.network.eval()
    return made


def exported(made, *, int8=False, shortcuts=True):
    """The engine of its graphs, with or without the greedy one."""
    graphs = graphs_of(made.network, made.config.architecture.aligner.name, int8=int8)
    opened = {name: Graph(content, name) for name, content in graphs.items() if shortcuts or name != "greedy"}
    return OnnxModel(made.config.architecture, made.vocabulary, **opened)


def encoded(made, pairs=PAIRS):
    known = set(made.vocabulary.tags)
    examples = [Example(source, target, tuple(t for t in tags if t in known)) for source, target, tags in pairs]
    return [made.codec.encode(example) for example in examples]
