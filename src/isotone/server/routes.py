"""The addresses under /v1 that ask models."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request, Security
from fastapi.security import HTTPBearer
from starlette.responses import PlainTextResponse, Response

from isotone.decoding.decoders import Decoder, decoder_named
from isotone.results import Prediction, dictionary_lines, json_line, style_named
from isotone.server.batching import Batcher
from isotone.server.describe import describe_models
from isotone.server.problems import ProblemError, ProblemResponse
from isotone.server.questions import Align, Look, Predict, Question, Score
from isotone.server.requests import Alignments, Models, Predictions, Scores, forms
from isotone.server.settings import ServerSettings
from isotone.text.example import Example

if TYPE_CHECKING:
    from isotone.api import Transducer

__all__ = ["REFUSALS", "api_routes", "decoder_for"]

REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": ProblemResponse, "description": meaning}
    for status, meaning in {
        400: "The body is no JSON.",
        401: "The token is missing or wrong.",
        404: "No such model or page.",
        405: "No such method here.",
        408: "The body came too slowly.",
        413: "The body or what would be written is too large.",
        422: "The request does not fit, or is too hard to decode in the time allowed.",
        503: "Too much is waiting already, or the server did not get to it in time; try again later.",
    }.items()
}
PLAIN_TEXT = {"description": "The dictionary.", "content": {"text/plain": {"schema": {"type": "string"}}}}
OPTIONS = ("n_best", "beam", "mass", "min_probability", "max_length")


def api_routes(models: Mapping[str, "Transducer"], settings: ServerSettings, batcher: Batcher) -> APIRouter:
    """The routes of a server; the first model is the default."""
    documented = [Security(HTTPBearer(auto_error=False))] if settings.token else []  # `Auth` is what checks it
    router = APIRouter(prefix="/v1", responses=REFUSALS, dependencies=documented)
    default = next(iter(models))
    described = json_line({"models": describe_models(models)})
    bodies = forms(settings)

    def model_named(name: str | None) -> str:
        if name is not None and name not in models:
            raise ProblemError(404, "unknown_model", f"no model {name!r}: expected one of {', '.join(models)}")
        return name or default

    async def ask(request: Request, question: Question, items: Sequence[Any]) -> list[Any]:
        request.scope["state"]["asked"] = {"model": question.model, "items": len(items)}
        return await batcher.ask(question, list(map(_example, items)))

    async def answers(request: Request, question: Question, items: Sequence[Any]) -> Response:
        """The JSON of the command line, a result for each item, and the model that was asked."""
        found = await ask(request, question, items)
        start = json_line({"model": question.model}).removesuffix("}\n")
        return Response(f'{start}, "results": [{", ".join(found)}]}}\n', media_type="application/json")

    @router.get("/models", response_model=Models, summary="The models of this server")
    async def list_models() -> Response:
        """Name, task, size, alphabets and tags of every model, as `isotone info` prints them."""
        return Response(described, media_type="application/json")

    @router.post("/predict", response_model=Predictions, summary="Predict targets")
    async def predict(asked: bodies.predict, request: Request) -> Response:  # type: ignore[name-defined]
        """For each item the object that `isotone predict --json` prints."""
        return await answers(request, Predict(model_named(asked.model), decoder_for(asked, settings)), asked.items)

    @router.post("/score", response_model=Scores, summary="Score pairs")
    async def score(asked: bodies.score, request: Request) -> Response:  # type: ignore[name-defined]
        """For each item the object that `isotone score --json` prints, with `--surprisal` where asked for."""
        return await answers(request, Score(model_named(asked.model), asked.surprisal), asked.items)

    @router.post("/align", response_model=Alignments, summary="Align pairs")
    async def align(asked: bodies.align, request: Request) -> Response:  # type: ignore[name-defined]
        """For each item the object that `isotone align --json --posterior` prints."""
        cells = sum((len(pair.source) + 2) * (len(pair.target) + 1) for pair in asked.items)
        if cells > settings.max_cells:
            message = f"the posteriors have {cells:,} numbers, more than {settings.max_cells:,}; ask for fewer pairs"
            raise ProblemError(413, "answer_too_large", message)
        return await answers(request, Align(model_named(asked.model)), asked.items)

    @router.post(
        "/dictionary", response_class=Response, responses={200: PLAIN_TEXT}, summary="Write a pronunciation dictionary"
    )
    async def dictionary(asked: bodies.dictionary, request: Request) -> Response:  # type: ignore[name-defined]
        """What `isotone dictionary` writes. Words that do not fit the format are left out; a header counts them."""
        style_named(asked.style)  # before the work
        found = await ask(request, Look(model_named(asked.model), decoder_for(asked, settings)), asked.items)
        left_out: list[Prediction] = []
        lines = dictionary_lines(found, asked.style, on_left_out=lambda prediction, _: left_out.append(prediction))
        return PlainTextResponse("".join(lines), headers={"X-Isotone-Left-Out": str(len(left_out))})

    return router


def decoder_for(asked: Any, settings: ServerSettings) -> Decoder:
    """The decoder that a request asks for; no list of candidates is longer than `max_candidates`."""
    options = {name: getattr(asked, name) for name in OPTIONS}
    endless = asked.mass is not None or asked.min_probability is not None
    if endless and asked.n_best is None:
        options["n_best"] = settings.max_candidates
    return decoder_named(asked.decode, **options)


def _example(item: Any) -> Example:
    return Example(item.source, getattr(item, "target", None), tuple(item.tags or ()))
