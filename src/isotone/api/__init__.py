"""The one door for notebooks, the command line and the server: load a model, call it."""

import isotone.drawing  # noqa: F401  registers how results show themselves
from isotone.api.entry import load, train
from isotone.api.transducer import Transducer

__all__ = ["Transducer", "load", "train"]
