"""The optional packages that contain the data."""

import importlib
from types import ModuleType

from isotone.errors import ConfigError

__all__ = ["demo_package"]


def demo_package(name: str) -> ModuleType:
    """Imports a package of the `demo` extra; raises ConfigError saying how to install it."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ConfigError("the demo data needs `pip install isotone[demo]`") from error
