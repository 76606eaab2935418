"""The one door for notebooks, the command line and the server: load a model, call it."""

from isotone.api.entry import load, train
from isotone.api.transducer import Transducer

__all__ = ["Transducer", "load", "train"]
