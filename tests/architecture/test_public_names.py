"""What every module of the package offers: named in `__all__`, in order, there, and explained."""

import ast
import importlib
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "isotone"
MODULES = [path for path in sorted(PACKAGE.rglob("*.py")) if path.name != "__main__.py"]
LONGEST = 400
EXTRAS = {"ray", "matplotlib", "tensorboard", "fastapi", "starlette", "uvicorn", "prometheus_client"}

every_module = pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def definitions(tree: ast.Module) -> list[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """Public functions and classes at the top level."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return [node for node in tree.body if isinstance(node, kinds) and not node.name.startswith("_")]


def declared(tree: ast.Module) -> list[str] | None:
    """The module's `__all__`, or None."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["__all__"]:
            names: list[str] = ast.literal_eval(node.value)
            return names
    return None


def order(name: str) -> tuple[int, list[str | int]]:
    """Ruff's RUF022: CONSTANTS, then Classes, then the rest; numbers inside names count as numbers."""
    group = 0 if len(name) > 1 and name.isupper() else 1 if name[0].isupper() else 2
    return group, [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


@every_module
def test_all_names_the_public_definitions_in_order(path: Path) -> None:
    tree = parse(path)
    names, public = declared(tree), {node.name for node in definitions(tree)}
    assert names is not None or not public, f"no __all__, but public: {sorted(public)}"
    assert sorted(names or [], key=order) == (names or [])
    assert len(set(names or [])) == len(names or [])
    assert public <= set(names or []), "public, but not in __all__: give it an underscore or list it"


@every_module
def test_every_name_in_all_exists(path: Path) -> None:
    parts = ("isotone", *path.relative_to(PACKAGE).with_suffix("").parts)
    try:
        module = importlib.import_module(".".join(part for part in parts if part != "__init__"))
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in EXTRAS:
            raise
        pytest.skip(f"needs the extra {error.name}")
    assert not [name for name in getattr(module, "__all__", ()) if not hasattr(module, name)]


@every_module
def test_everything_public_is_explained(path: Path) -> None:
    tree = parse(path)
    assert ast.get_docstring(tree), "the module has no docstring"
    assert not [node.name for node in definitions(tree) if not ast.get_docstring(node)]


@every_module
def test_files_are_small(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").count("\n")
    assert lines <= LONGEST, f"{lines} lines: split it"
