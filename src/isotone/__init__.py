"""Isotone: exact hard monotonic attention for character transduction.

    import isotone
    model = isotone.load("folder")
    model("knight").target

Everything is imported on first use, so that `import isotone` is quick.
"""

from typing import TYPE_CHECKING

from isotone.lazy import lazy_names

__version__ = "0.1.0"

__all__ = ["Beam", "Exact", "Example", "Greedy", "Lexicon", "Transducer", "__version__", "audit", "load", "train"]

if TYPE_CHECKING:
    from isotone.api import Transducer, train
    from isotone.api.load import load
    from isotone.auditing import audit
    from isotone.decoding.decoders import Beam, Exact, Greedy
    from isotone.decoding.lexicon import Lexicon
    from isotone.text.example import Example

__getattr__ = lazy_names(
    __name__,
    {
        ".api": ("Transducer", "load", "train"),
        ".auditing": ("audit",),
        ".decoding.decoders": ("Beam", "Exact", "Greedy"),
        ".decoding.lexicon": ("Lexicon",),
        ".text.example": ("Example",),
    },
)
