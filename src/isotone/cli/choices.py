"""Help texts made from the tables, so that a new line in a table is in the help at once. Imports no torch.

A command writes `help="{tasks}"`; the tables are read when the help is shown, and a refusal need not wait for them.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["aligners", "decoders", "filled", "formats", "recipes", "sizes", "styles", "tasks"]


def filled(help: str) -> str:
    """The help text with `{tasks}` and the other names of this module replaced by what the tables say."""
    texts = {"aligners": aligners, "decoders": decoders, "formats": formats}
    texts |= {"recipes": recipes, "sizes": sizes, "styles": styles, "tasks": tasks}
    make = texts.get(help.removeprefix("{").removesuffix("}")) if help.startswith("{") else None
    return make() if make else help


def tasks() -> str:
    """For `--task`."""
    from isotone.evaluation.tasks import TASKS

    return f"{_either(TASKS)}; transduction by default."


def aligners() -> str:
    """For `--model`."""
    from isotone.models.aligners import ALIGNERS

    return f"{_either(ALIGNERS)}; several with commas make a mixture; 0-mono by default, or what the recipe names."


def recipes() -> str:
    """For `--recipe`."""
    from isotone.training.recipe import RECIPES

    shown = [name for name in RECIPES if not name.startswith("demo-")]
    return f"{_either(shown)}; by default task and number of training pairs decide."


def sizes() -> str:
    """For `--size`."""
    from isotone.models.sizes import SIZES

    return f"{_either(SIZES)}, in place of the recipe's."


def decoders() -> str:
    """For `--decode`."""
    from isotone.decoding.decoders import DECODERS, DEFAULT

    lines = [
        f"{name}{' (default)' if name == DEFAULT else ''}: {decoder.summary}" for name, decoder in DECODERS.items()
    ]
    return f"{'; '.join(lines)}."


def formats() -> str:
    """For `--format`."""
    from isotone.text.readers import FORMATS

    return f"{_either(FORMATS)}; guessed where only one is possible. See docs/formats.md."


def styles() -> str:
    """For `--style`."""
    from isotone.results.dictionary import STYLES

    return "; ".join(f"{name}: {style.summary}" for name, style in STYLES.items()) + "."


def _either(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last
