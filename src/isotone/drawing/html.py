"""Many alignments as one self-contained page, readable without its script and searchable with it."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from isotone.drawing.document import document
from isotone.drawing.page import LEGEND, SCRIPT, STYLE
from isotone.drawing.svg import STYLE as MAP_STYLE
from isotone.drawing.svg import scrolling_map
from isotone.drawing.symbols import spelled, visible
from isotone.drawing.text import log_probability
from isotone.results.alignment import Alignment, Link

__all__ = ["alignments_page"]

_DOUBTFUL = 0.5
_LONG = 19
"""Source symbols, boundaries included, from which a card spans the page: more would be too small in half of it."""


def alignments_page(alignments: Iterable[Alignment], *, title: str) -> str:
    """A page with, for each pair, its heat map, log-probability and best path link by link."""
    cards = [_card(alignment, number) for number, alignment in enumerate(alignments)]
    body = [
        f"<header><h1>{escape(title)}</h1>{_controls(len(cards))}</header>\n<main>\n",
        "\n".join(cards) or '<p class="none">No pairs.</p>',
        "\n</main>\n",
    ]
    return document(title, "".join(body), style=STYLE + MAP_STYLE, script=SCRIPT)


def _controls(count: int) -> str:
    return (
        '<form role="search" onsubmit="return false">'
        '<input id="find" type="search" placeholder="Find a source or target …" aria-label="Find pairs">'
        '<select id="order" aria-label="Order"><option value="n">as given</option>'
        '<option value="p">least probable first</option><option value="c">least certain link first</option>'
        f'</select><output id="count">{count:,} pairs</output></form>{LEGEND}'
    )


def _card(alignment: Alignment, number: int) -> str:
    source, target = spelled(alignment.source[1:-1]), spelled(alignment.target[:-1])
    links = _telling(alignment)
    certainties = [link.probability for link in links if link.probability is not None]
    weakest = min(certainties, default=1.0)
    words = escape(f"{source} {target}".lower())
    wide = ' class="long"' if len(alignment.source) > _LONG else ""
    return (
        f'<article{wide} data-n="{number}" data-p="{alignment.logprob:.6g}" data-c="{weakest:.4g}"'
        f' data-words="{words}">'
        f'<h2><bdi>{escape(source)}</bdi> <span class="arrow">→</span> <bdi>{escape(target)}</bdi></h2>'
        f'<p class="score">log p = {log_probability(alignment.logprob)}</p>'
        f"{scrolling_map(alignment)}{_list(alignment, links)}</article>"
    )


def _telling(alignment: Alignment) -> list[Link]:
    """The links without the last one, unless the target ends before the source does."""
    links = alignment.links()
    return links[:-1] if links and links[-1].source_index == len(alignment.source) - 1 else links


def _list(alignment: Alignment, links: list[Link]) -> str:
    if not alignment.path:
        return '<p class="none">No alignment: this pair has probability 0.</p>'
    last = len(alignment.target) - 1
    return f'<ol class="links">{"".join(_item(link, end=link.target_index == last) for link in links)}</ol>'


def _item(link: Link, *, end: bool) -> str:
    doubtful = link.probability is not None and link.probability < _DOUBTFUL
    kind = ' class="doubt"' if doubtful else ""
    certainty = "" if link.probability is None else f" <small>{link.probability:.0%}</small>"
    source, target = escape(visible(link.source)), "end" if end else escape(visible(link.target))
    return f"<li{kind}><bdi>{source}</bdi>→<bdi>{target}</bdi>{certainty}</li>"
