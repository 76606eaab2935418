"""The models: parts, and the one Network they are assembled into."""

from isotone.models.aligners import ALIGNERS, Aligner, AlignerSizes
from isotone.models.config import SIZES, Architecture, ModelConfig
from isotone.models.memory import Memory, State, Step
from isotone.models.network import Network

__all__ = [
    "ALIGNERS",
    "SIZES",
    "Aligner",
    "AlignerSizes",
    "Architecture",
    "Memory",
    "ModelConfig",
    "Network",
    "State",
    "Step",
]
