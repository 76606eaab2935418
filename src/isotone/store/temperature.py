"""temperature.json: the temperature of a model's symbols, how it was found, and what it did to held-out data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from isotone.errors import ModelError, first_problem

__all__ = ["Temperature", "parse_temperature"]


class Temperature(BaseModel):
    """A temperature and, where it was fitted and measured, the figures; None where it was not."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    value: float = Field(gt=0, le=1000, allow_inf_nan=False)
    """p_T(symbol | prefix) ∝ p(symbol | prefix)^(1/T)."""
    fitted_on: int | None = None
    """Sources it was fitted on."""
    fitted_nll_before: float | None = None
    """Mean −log p of their references, in nats, without the temperature."""
    fitted_nll_after: float | None = None
    """The same with it."""
    measured_on: int | None = None
    """Other sources, on which the following was measured."""
    measured_nll_before: float | None = None
    measured_nll_after: float | None = None
    measured_ece_before: float | None = None
    """Expected calibration error of the predictions' probabilities without the temperature."""
    measured_ece_after: float | None = None
    """The same with it."""
    bins: int | None = None
    """Equal-width bins of the calibration error."""

    def to_json(self) -> dict[str, Any]:
        """What temperature.json holds: what was not measured is left out."""
        return {name: value for name, value in self.model_dump(mode="json").items() if value is not None}


def parse_temperature(raw: Any, path: Path) -> Temperature | None:
    """As read from the JSON of `path`; None where there is none. Probabilities depend on it, so damage is an error."""
    if raw is None:
        return None
    try:
        return Temperature.model_validate(raw)
    except ValidationError as error:
        raise ModelError(f"{path}: temperature: {first_problem(error)}") from error
