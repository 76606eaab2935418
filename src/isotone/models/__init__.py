"""The models: parts, and the one Transducer they are assembled into."""

from isotone.models.aligners import ALIGNERS, Aligner, AlignerSizes
from isotone.models.config import SIZES, Architecture, ModelConfig
from isotone.models.memory import Memory, State, Step
from isotone.models.store import Bundle, load_bundle, save_bundle
from isotone.models.transducer import Transducer

__all__ = [
    "ALIGNERS",
    "SIZES",
    "Aligner",
    "AlignerSizes",
    "Architecture",
    "Bundle",
    "Memory",
    "ModelConfig",
    "State",
    "Step",
    "Transducer",
    "load_bundle",
    "save_bundle",
]
