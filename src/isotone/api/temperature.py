"""Where a temperature is stored: in the model's own folder, or with a copy of the model in a new one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from isotone.errors import ConfigError

if TYPE_CHECKING:
    from isotone.api.transducer import Transducer

__all__ = ["check_destination", "store"]


def check_destination(names: str, out: str | None) -> Path:
    """The folder to save into, checked before anything is loaded."""
    from isotone.store.layout import is_vacant
    from isotone.store.shipped import SHIPPED, folder_named

    if out is None:
        if folder_named(names).parent == SHIPPED:
            raise ConfigError(f"{names} comes with Isotone and stays as it is: name a new folder with --out")
        if not Path(names).is_dir():
            raise ConfigError("several models have no folder in common: name a new one with --out")
        return Path(names)
    if not is_vacant(Path(out)):
        raise ConfigError(f"{out}: is not empty; choose another folder")
    return Path(out)


def store(model: Transducer, folder: Path, *, own: bool) -> None:
    """Save the model, or (`own`) only change the temperature of the model in its own folder."""
    from isotone.store.folder import set_temperature

    if own:
        set_temperature(folder, model.temperature)
    else:
        model.save_pretrained(folder)
