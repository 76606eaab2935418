"""The bodies of requests and responses, with the limits of a server in their JSON Schema."""

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from isotone.decoding.decoders import DECODERS, DEFAULT
from isotone.results import STYLES, AlignmentJson, PredictionJson, ScoredJson
from isotone.server.settings import ServerSettings

__all__ = ["Alignments", "Forms", "Models", "Predictions", "Scores", "forms"]

STRICT = ConfigDict(extra="forbid", strict=True, frozen=True)


class Predictions(TypedDict):
    """Predictions in the order of the items."""

    model: str
    results: list[PredictionJson]


class Scores(TypedDict):
    """Scores in the order of the items."""

    model: str
    results: list[ScoredJson]


class Alignments(TypedDict):
    """Alignments in the order of the items."""

    model: str
    results: list[AlignmentJson]


class Models(TypedDict):
    """The models of this server."""

    models: list[dict[str, Any]]


@dataclass(frozen=True)
class Forms:
    """The request types of one server."""

    predict: Any
    score: Any
    align: Any
    dictionary: Any


def forms(settings: ServerSettings) -> Forms:
    """Request types that refuse what is over the limits."""
    string = Annotated[str, Field(max_length=settings.max_string)]
    tag_list = Annotated[list[string], Field(max_length=settings.max_tags)]
    some = Field(min_length=1, max_length=settings.max_items)
    few = Field(default=None, ge=1, le=settings.max_candidates)

    class Word(BaseModel):
        """What to predict from."""

        model_config = STRICT
        source: string = Field(description="The string to transduce: a spelling, a lemma, a name.")
        tags: tag_list | None = Field(default=None, description="Tags of the model; unknown ones are ignored.")

    class Pair(BaseModel):
        """What to score or align."""

        model_config = STRICT
        source: string
        target: string
        tags: tag_list | None = None

    class Asking(BaseModel):
        """What all requests may have."""

        model_config = STRICT
        model: string | None = Field(default=None, description="A name from /v1/models; the default model without.")

    class Decoding(Asking):
        """How to decode; options that the decoder does not have are refused."""

        decode: Annotated[str | None, Field(json_schema_extra={"enum": [*DECODERS, None]})] = Field(
            default=None, description=f"The decoder; {DEFAULT} by default."
        )
        n_best: int | None = few
        beam: int | None = few
        mass: float | None = Field(default=None, gt=0, le=1, allow_inf_nan=False)
        min_probability: float | None = Field(default=None, gt=0, le=1, allow_inf_nan=False)
        max_length: int | None = Field(default=None, ge=0, le=10 * settings.max_string)

    class PredictRequest(Decoding):
        """Words to predict."""

        items: list[Word] = some

    class DictionaryRequest(Decoding):
        """Words for a pronunciation dictionary."""

        style: str = Field(
            default="cmudict",
            description="; ".join(f"{style.name}: {style.summary}" for style in STYLES.values()),
            json_schema_extra={"enum": [*STYLES]},
        )
        items: list[Word] = some

    class ScoreRequest(Asking):
        """Pairs to score."""

        items: list[Pair] = some
        surprisal: bool = Field(default=False, description="Also how surprising each target symbol is.")

    class AlignRequest(Asking):
        """Pairs to align."""

        items: list[Pair] = some

    return Forms(PredictRequest, ScoreRequest, AlignRequest, DictionaryRequest)
