"""How a result shows itself in a terminal and in a notebook: `isotone.drawing` registers a drawing for each kind.

Results stand below drawing, so they cannot import it. Everything that hands out results (`isotone.api`) has.
"""

from __future__ import annotations

from functools import singledispatch
from html import escape

__all__ = ["to_html", "to_text"]


@singledispatch
def to_text(result: object) -> str:
    """Plain text for a terminal."""
    return repr(result)


@singledispatch
def to_html(result: object) -> str:
    """A self-contained piece of HTML for a notebook."""
    return f"<pre>{escape(to_text(result))}</pre>"
