"""The models: parts, and the one Network they are assembled into.

Names are imported on first use, so that `isotone.models.config` can be read without torch.
"""

from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from isotone.models.aligners import ALIGNERS, Aligner, AlignerSizes
    from isotone.models.config import SIZES, Architecture, ModelConfig
    from isotone.models.memory import Memory, State, Step
    from isotone.models.network import Network

_HOMES = {
    **dict.fromkeys(("ALIGNERS", "Aligner", "AlignerSizes"), "isotone.models.aligners"),
    **dict.fromkeys(("SIZES", "Architecture", "ModelConfig"), "isotone.models.config"),
    **dict.fromkeys(("Memory", "State", "Step"), "isotone.models.memory"),
    "Network": "isotone.models.network",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'isotone.models' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
