"""The models: parts, and the one Network they are assembled into.

Names are imported on first use, so that tables and configurations can be read without torch.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isotone.models.aligners import ALIGNERS, AlignerPart
    from isotone.models.aligners.base import Aligner
    from isotone.models.config import SIZES, Architecture, ModelConfig
    from isotone.models.encoders import ENCODERS, EncoderPart
    from isotone.models.encoders.base import Encoder
    from isotone.models.memory import Memory, State, Step
    from isotone.models.network import Network
    from isotone.models.parts import Options, Part

__all__ = [
    "ALIGNERS",
    "ENCODERS",
    "SIZES",
    "Aligner",
    "AlignerPart",
    "Architecture",
    "Encoder",
    "EncoderPart",
    "Memory",
    "ModelConfig",
    "Network",
    "Options",
    "Part",
    "State",
    "Step",
]

_HOMES = {
    "ALIGNERS": "aligners",
    "ENCODERS": "encoders",
    "SIZES": "config",
    "Aligner": "aligners.base",
    "AlignerPart": "aligners",
    "Architecture": "config",
    "Encoder": "encoders.base",
    "EncoderPart": "encoders",
    "Memory": "memory",
    "ModelConfig": "config",
    "Network": "network",
    "Options": "parts",
    "Part": "parts",
    "State": "memory",
    "Step": "memory",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'isotone.models' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"isotone.models.{_HOMES[name]}"), name)
