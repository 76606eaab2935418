"""The models: parts, and the one Network they are assembled into.

Names are imported on first use, so that tables and configurations can be read without torch.
"""

from typing import TYPE_CHECKING

from isotone.lazy import lazy_names

if TYPE_CHECKING:
    from isotone.models.aligners import ALIGNERS, AlignerPart
    from isotone.models.aligners.base import Aligner
    from isotone.models.config import Architecture, ModelConfig
    from isotone.models.encoders import ENCODERS, EncoderPart
    from isotone.models.encoders.base import Encoder
    from isotone.models.memory import Memory, State, Step
    from isotone.models.network import Network
    from isotone.models.parts import Options, Part
    from isotone.models.sizes import SIZES

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

__getattr__ = lazy_names(
    __name__,
    {
        ".aligners": ("ALIGNERS", "AlignerPart"),
        ".aligners.base": ("Aligner",),
        ".config": ("Architecture", "ModelConfig"),
        ".encoders": ("ENCODERS", "EncoderPart"),
        ".encoders.base": ("Encoder",),
        ".memory": ("Memory", "State", "Step"),
        ".network": ("Network",),
        ".parts": ("Options", "Part"),
        ".sizes": ("SIZES",),
    },
)
