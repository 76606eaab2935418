"""Isotone: exact hard monotonic attention for character transduction.

    import isotone
    model = isotone.load("folder")
    model("knight").target

Everything is imported on first use, so that `import isotone` is quick.
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

__all__ = ["Beam", "Exact", "Example", "Greedy", "Lexicon", "Transducer", "__version__", "audit", "load", "train"]

if TYPE_CHECKING:
    from isotone.api import Transducer, train
    from isotone.api.load import load
    from isotone.auditing import audit
    from isotone.decoding.decoders import Beam, Exact, Greedy
    from isotone.decoding.lexicon import Lexicon
    from isotone.text.example import Example

_HOMES = {
    "Beam": "isotone.decoding.decoders",
    "Exact": "isotone.decoding.decoders",
    "Example": "isotone.text.example",
    "Greedy": "isotone.decoding.decoders",
    "Lexicon": "isotone.decoding.lexicon",
    "Transducer": "isotone.api",
    "audit": "isotone.auditing",
    "load": "isotone.api",
    "train": "isotone.api",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'isotone' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
