"""The one door for notebooks, the command line and the server: load a model, call it.

What needs torch is imported on first use.
"""

from typing import TYPE_CHECKING, Any

from isotone.api.load import existing_folder, load

if TYPE_CHECKING:
    from isotone.api.training import train
    from isotone.api.transducer import Transducer
    from isotone.decoding.decoders import decoder_named
    from isotone.decoding.lexicon import Lexicon

__all__ = ["Lexicon", "Transducer", "decoder_named", "existing_folder", "load", "train"]

_HOMES = {
    "Lexicon": "isotone.decoding.lexicon",
    "Transducer": "isotone.api.transducer",
    "decoder_named": "isotone.decoding.decoders",
    "train": "isotone.api.training",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'isotone.api' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
