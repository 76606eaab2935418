"""The rooms of src/isotone: which may import which, and where torch lives. The layer test enforces this table, and
CONTRIBUTING.md shows it: `python tests/architecture/house.py` draws it there again."""

from dataclasses import dataclass
from pathlib import Path

CONTRIBUTING = Path(__file__).parents[2] / "CONTRIBUTING.md"
BEGIN, END = "<!-- the house -->\n", "<!-- end of the house -->\n"

GROUND = ("errors", "extras", "files", "lazy", "shapes", "threads")
"""Any room may import these; they import nothing but each other."""


@dataclass(frozen=True)
class Room:
    """A folder of src/isotone."""

    name: str
    holds: str
    torch: str
    """"no", "yes", or the only files that may import it."""
    only: tuple[str, ...] | None = None
    """The rooms it may import; None: all before it."""


ROOMS = (
    Room("dp", "semirings, transitions, the forward pass, queries: pure tensors", "yes", ()),
    Room("text", "examples, segmentation, vocabularies, the codec, readers of data files", "no", ()),
    Room("results", "predictions, alignments, scores, reports, and their JSON and TSV forms", "no", ("text",)),
    Room("drawing", "results as text, SVG and HTML; charts", "no", ("results",)),
    Room("decoding", "greedy, beam, exact, samples, mixtures, over numpy arrays", "no", ("text", "results")),
    Room("evaluation", "metrics, tasks, intervals, significance", "no", ("text", "results")),
    Room("demos", "corpora that come as packages", "no", ("text",)),
    Room("data", "encoded examples → batches", "yes"),
    Room("models", "parts (encoders, aligners, emission, decoder, tags) → one Network", "yes"),
    Room("store", "the model folder: files, metrics, card, lock, mixture, Hub, upgrades", "weights only"),
    Room("training", "the request, recipes, the loop, its state", "yes"),
    Room("runtime", "export to ONNX graphs, and the engine that runs them with numpy only", "export only"),
    Room("api", "Transducer, load, train: the one door for everything above", "lazily"),
    Room("experiments", "sweeps on Ray, comparisons, reports", "lazily"),
    Room("auditing", "lexicon audits: folds, judgements, kinds of findings, decisions, fixes", "lazily"),
    Room("integrations", "bulk prediction and callables for other people's pipelines, on Ray Data", "lazily"),
    Room("server", "models over HTTP: routes, batching, limits, the studio's files", "no"),
    Room("cli", "the command line: parses, calls api, prints", "no"),
)

CLI_MAY_IMPORT = ("results", "drawing", "demos", "api", "experiments", "auditing", "integrations", "server")
"""What the command line talks to; tables of names (for help texts) it reads in `cli/choices.py` alone."""


def draw() -> str:
    """The table for CONTRIBUTING.md, and the way of the data through it."""
    rows = []
    for place, room in enumerate(ROOMS):
        only = CLI_MAY_IMPORT if room.name == "cli" else room.only
        above = ROOMS[place - 1].name if place else ""
        imports = f"everything up to `{above}`" if only is None else ", ".join(f"`{name}`" for name in only) or "–"
        rows.append(f"| `{room.name}` | {room.holds} | {imports} | {room.torch} |")
    return "\n".join(
        [
            "```mermaid",
            "flowchart LR",
            "  file([file]) --> Example --> Batch --> Network --> Chain --> query[dp query]",
            "  query --> loss & results",
            "  Example --> search[decoding] --> results",
            "  Network -. numpy .-> search",
            "  results --> JSON & TSV & drawing",
            "```",
            "",
            "| room | holds | may import | torch |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )


def main() -> None:
    """Put the drawing into CONTRIBUTING.md."""
    text = CONTRIBUTING.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    CONTRIBUTING.write_text(before + BEGIN + draw() + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
