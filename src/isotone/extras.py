"""Optional packages: one clear line where something needs an extra that is not installed. Imports none of them."""

from importlib.util import find_spec

from isotone.errors import MissingExtraError

__all__ = ["is_installed", "require", "require_torch", "require_training"]

_NAMES = {"torch": "PyTorch", "lightning_fabric": "Lightning Fabric", "scipy": "SciPy", "onnx": "ONNX"}
"""What people call a package, where that is not the name of its module."""


def is_installed(module: str) -> bool:
    """Can this top-level module be imported? It is only looked for: importing torch takes seconds."""
    return find_spec(module) is not None


def require(*modules: str, extra: str, what: str, otherwise: str = "") -> None:
    """Raise MissingExtraError unless all modules are installed: what needs which package, and how to get it.

    `otherwise` is another way out, as an end of the sentence: ", or export the model on a machine that has it".
    """
    for module in modules:
        if not is_installed(module):
            name = _NAMES.get(module, module)
            raise MissingExtraError(f'{what} needs {name}: pip install "isotone[{extra}]"{otherwise}')


def require_training() -> None:
    """For `isotone train` and whatever else trains."""
    require("torch", "lightning_fabric", "safetensors", extra="train", what="training")


def require_torch(folder: object) -> None:
    """For a model folder with torch's weights in it, as training leaves it."""
    otherwise = ", or load what `isotone export` makes of it on a machine that has it"
    require("torch", "safetensors", extra="train", what=f"{folder}: this model", otherwise=otherwise)
