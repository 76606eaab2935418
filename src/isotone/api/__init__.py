"""The one door for notebooks, the command line and the server: load a model, call it.

What needs torch is imported on first use.
"""

from typing import TYPE_CHECKING

from isotone.api.load import existing_folder, load
from isotone.lazy import lazy_names

if TYPE_CHECKING:
    from isotone.api.training import train
    from isotone.api.transducer import Transducer
    from isotone.decoding.decoders import decoder_named
    from isotone.decoding.lexicon import Lexicon

__all__ = ["Lexicon", "Transducer", "decoder_named", "existing_folder", "load", "train"]

__getattr__ = lazy_names(
    __name__,
    {
        ".training": ("train",),
        ".transducer": ("Transducer",),
        "isotone.decoding.decoders": ("decoder_named",),
        "isotone.decoding.lexicon": ("Lexicon",),
    },
)
