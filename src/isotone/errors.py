"""Every error that Isotone raises on purpose.

IsotoneError            the user can do something about it; the command line prints one line and exits with 2
├── DataError           a data file does not fit: names the file, the line and what was expected
├── ConfigError         a setting or a combination of settings does not make sense
├── ModelError          a model folder is missing, damaged, or from another version
└── DivergedError       training has left the numbers: the rate is too high
"""

__all__ = ["ConfigError", "DataError", "DivergedError", "IsotoneError", "ModelError"]


class IsotoneError(Exception):
    """The root of the tree above."""


class DataError(IsotoneError):
    """A data file does not fit its format."""


class ConfigError(IsotoneError):
    """A setting does not make sense."""


class ModelError(IsotoneError):
    """A model folder cannot be used."""


class DivergedError(IsotoneError):
    """A gradient or what the weights give is infinite or not a number."""
