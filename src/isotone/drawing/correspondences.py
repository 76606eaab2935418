"""What source symbols turn into, as lines of text and as a page: a heat map, and a card for each symbol."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from isotone.drawing.document import document
from isotone.drawing.page import THEME
from isotone.drawing.symbols import display_width, visible
from isotone.results.correspondences import Correspondences, Emission, SourceSymbol
from isotone.results.display import to_html, to_text

__all__ = ["DEEPEST", "correspondence_map", "correspondence_rows", "correspondences_page", "correspondences_text"]

SHOWN = 0.01
"""Targets below this rate per occurrence are not shown to people; JSON and TSV have them."""
FEW = 6
"""Targets in a line of text, at most."""
DEEPEST, DEEPEST_SILENT = 0.78, 0.55
"""Opacity of the deepest cells: numbers in the page's own colour can be read on them, on light and on dark pages."""

STYLE = (
    THEME
    + """
header,main{max-width:80rem;margin:0 auto;padding:1rem}
header{padding-bottom:0}
header p{margin:.2rem 0;color:var(--soft)}
section{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:1rem;margin:0 0 1rem}
h2{margin:0 0 .6rem;font-size:1.1rem}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(15rem,100%),1fr));gap:.8rem}
.cards div{border:1px solid var(--line);border-radius:10px;padding:.6rem .8rem;break-inside:avoid}
.cards h3{margin:0;font-size:1.15rem}
.cards h3 small{font-weight:400;font-size:.8rem}
.cards ul{margin:.3rem 0 0;padding:0;list-style:none;font-variant-numeric:tabular-nums}
.cards li{display:grid;grid-template-columns:3.4rem 3.6rem minmax(0,1fr);gap:.4rem;align-items:baseline}
.cards li small{overflow-wrap:anywhere}
.cards .silent{color:var(--hot)}
.context{overflow-x:auto}
@media print{.wide,.context{overflow:visible}}
"""
)
MAP_STYLE = """
.isotone-counts{overflow:auto;max-height:85vh}
.isotone-counts table{border-collapse:separate;border-spacing:1px;font:14px ui-sans-serif,system-ui,sans-serif}
.isotone-counts th{font-weight:600;padding:.1rem .35rem;text-align:center;white-space:nowrap}
.isotone-counts thead th{position:sticky;top:0;background:var(--card,Canvas)}
.isotone-counts th[scope=row]{position:sticky;left:0;background:var(--card,Canvas)}
.isotone-counts td{min-width:2.1rem;padding:.1rem .2rem;text-align:center;font-size:.75rem;border-radius:3px;
background:rgb(127 127 127/.07);font-variant-numeric:tabular-nums}
.isotone-counts td.silent{border:1px solid #f08c1d66}
"""


@to_text.register
def correspondences_text(found: Correspondences) -> str:
    """One line for each source symbol: how often, how often silent, and what it turns into."""
    rows = [["source", "occurs", "silent", "emits", "targets"], *correspondence_rows(found.sources)]
    widths = [max(display_width(row[column]) for row in rows) for column in range(4)]
    lines = []
    for row in rows:
        first = row[0] + " " * (widths[0] - display_width(row[0]))
        numbers = [" " * (width - display_width(text)) + text for text, width in zip(row[1:4], widths[1:], strict=True)]
        lines.append("  ".join([first, *numbers, row[4]]).rstrip())
    return "\n".join(lines)


def correspondence_rows(sources: Sequence[SourceSymbol]) -> list[list[str]]:
    """Rows for a table: symbol (in its context), occurrences, share silent, symbols emitted per occurrence, targets."""
    return [
        [
            _in_context(source),
            f"{source.occurrences:,}",
            "–" if source.silent is None else f"{source.silent / source.occurrences:.1%}",
            f"{source.emitted / source.occurrences:.2f}",
            "  ".join(f"{_written(e)} {e.expected / source.occurrences:.1%}" for e in _shown(source, FEW)),
        ]
        for source in sources
        if _speaks(source)
    ]


@to_html.register
def correspondence_map(found: Correspondences, *, style: bool = True) -> str:
    """Source symbols as rows, target symbols as columns, the rate per occurrence as depth of colour."""
    sources = [source for source in found.sources if _speaks(source)]
    rates = [
        {emission.target[0]: emission.expected / source.occurrences for emission in source.targets}
        for source in sources
    ]
    targets = _columns(sources, rates)
    silent = any(source.silent is not None for source in sources)
    heads = "".join(f'<th scope="col"><bdi>{escape(visible(target))}</bdi></th>' for target in targets)
    rows = []
    for source, row in zip(sources, rates, strict=True):
        name = escape(visible(source.symbol))
        cells = "".join(_cell(row.get(target, 0.0), f"{source.symbol} → {target}") for target in targets)
        if silent:
            share = 0.0 if source.silent is None else source.silent / source.occurrences
            cells = _cell(share, f"{source.symbol}: silent", kind="silent") + cells
        rows.append(f'<tr><th scope="row"><bdi>{name}</bdi></th>{cells}</tr>')
    first = '<th scope="col" title="silent">∅</th>' if silent else ""
    table = f"<table><thead><tr><td></td>{first}{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    sheet = f"<style>{MAP_STYLE}</style>" if style else ""
    return f'{sheet}<div class="isotone-counts wide" role="region" aria-label="Heat map" tabindex="0">{table}</div>'


def correspondences_page(found: Correspondences, *, title: str) -> str:
    """A page of its own: the heat map, then each source symbol with its targets, runs and an example of each."""
    left_out = f"; {found.impossible:,} of probability 0 left out" if found.impossible else ""
    lead = (
        f"Expected counts over {found.pairs:,} pairs{left_out}, from exact posteriors. Numbers are per occurrence "
        "of the source symbol, in percent; ∅: the symbol emits nothing."
    )
    parts = [
        f"<header><h1>{escape(title)}</h1><p>{escape(lead)}</p></header>\n<main>\n",
        f"<section><h2>Heat map</h2>{correspondence_map(found, style=False)}</section>\n",
        f'<section><h2>Source symbols</h2><div class="cards">{"".join(map(_card, found.sources))}</div></section>\n',
    ]
    if found.contexts:
        cards = "".join(map(_card, found.contexts))
        parts.append(f'<section><h2>In context</h2><div class="cards">{cards}</div></section>\n')
    return document(title, "".join([*parts, "</main>\n"]), style=STYLE + MAP_STYLE)


def _card(source: SourceSymbol) -> str:
    if not _speaks(source):
        return ""
    items = [_item(_written(e), e.expected / source.occurrences, e) for e in _shown(source, None)]
    if source.silent is not None and source.silent / source.occurrences >= SHOWN:
        share = f"{source.silent / source.occurrences:.1%}"
        items.append(f'<li class="silent"><span>∅</span><span>{share}</span><small>silent</small></li>')
    name = escape(_in_context(source))
    count = f"{source.occurrences:,} ×, {source.emitted / source.occurrences:.2f} symbols each"
    return f"<div><h3><bdi>{name}</bdi> <small>{count}</small></h3><ul>{''.join(items)}</ul></div>"


def _item(written: str, rate: float, emission: Emission) -> str:
    example = "" if emission.example is None else f"{emission.example[0]} → {emission.example[1]}"
    return f"<li><bdi>{escape(written)}</bdi><span>{rate:.1%}</span><small><bdi>{escape(example)}</bdi></small></li>"


def _speaks(source: SourceSymbol) -> bool:
    """Is it a symbol of the data, or a boundary that emits something worth showing?"""
    return not source.boundary or source.emitted / source.occurrences >= SHOWN


def _shown(source: SourceSymbol, most: int | None) -> list[Emission]:
    """The targets and the runs worth showing, the frequent ones first."""
    frequent = [e for e in (*source.targets, *source.runs) if e.expected / source.occurrences >= SHOWN]
    return sorted(frequent, key=lambda emission: -emission.expected)[:most]


def _written(emission: Emission) -> str:
    return "+".join(map(visible, emission.target))


def _in_context(source: SourceSymbol) -> str:
    if source.left is None or source.right is None:
        return visible(source.symbol)
    left, right = (" ".join(map(visible, side)) for side in (source.left, source.right))
    return f"{left} [{visible(source.symbol)}] {right}".strip()


def _columns(sources: Sequence[SourceSymbol], rates: Sequence[dict[str, float]]) -> list[str]:
    """Target symbols worth a column, each behind those of earlier rows, so that the map runs along a diagonal."""
    best: dict[str, tuple[float, int]] = {}
    for row, (source, own) in enumerate(zip(sources, rates, strict=True)):
        for target, rate in own.items():
            expected = rate * source.occurrences
            if rate >= SHOWN and expected > best.get(target, (0.0, 0))[0]:
                best[target] = (expected, row)
    return sorted(best, key=lambda target: (best[target][1], -best[target][0], target))


def _cell(rate: float, tip: str, kind: str = "") -> str:
    name = f' class="{kind}"' if kind else ""
    if rate < SHOWN / 2:
        return f"<td{name}></td>"
    deepest, colour = (DEEPEST_SILENT, "240 140 29") if kind else (DEEPEST, "47 125 225")
    depth = min(rate, 1.0) * deepest
    return (
        f'<td{name} style="background:rgb({colour}/{depth:.2f})" title="{escape(tip)} {rate:.1%}">{rate * 100:.0f}</td>'
    )
