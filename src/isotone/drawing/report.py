"""The page of a report: sections, tables, figures and cards in the look of the alignment page, without a script."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from isotone.drawing.chart import STYLE as CHART_STYLE
from isotone.drawing.document import document
from isotone.drawing.page import THEME
from isotone.drawing.svg import STYLE as MAP_STYLE

__all__ = ["Section", "charts", "fold", "note", "report_page", "table"]

STYLE = (
    THEME
    + """
header,main{max-width:76rem;margin:0 auto;padding:1rem 1.5rem}
header{padding-bottom:0}
header p{margin:.2rem 0;color:var(--soft);overflow-wrap:anywhere}
nav{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;margin-top:.5rem}
a{color:var(--link)}
section{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:1rem 1.2rem;margin:0 0 1rem}
h2{margin:0 0 .6rem;font-size:1.15rem}
h3{margin:1rem 0 .4rem;font-size:1rem;overflow-wrap:anywhere}
.wide{margin:.4rem 0 1rem}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--soft);font-size:.85rem;padding-bottom:.2rem;white-space:nowrap}
th,td{padding:.2rem .7rem;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
th:first-child{text-align:left;padding-left:0}
thead th{border-bottom:2px solid var(--line)}
tbody th{font-weight:400}
tr.last>*{border-top:2px solid var(--line)}
.wide table{margin-right:1.5rem}
sup{position:absolute;line-height:1;font-size:.7rem}
.note{color:var(--soft);font-size:.85rem;margin:.3rem 0}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(22rem,100%),1fr));gap:1rem 2rem;align-items:start}
.charts .isotone-chart{width:100%;max-width:44rem}
.tables{display:flex;flex-wrap:wrap;gap:0 3rem}
.tables>*{max-width:100%}
.tables .note{max-width:26rem}
details{margin:.6rem 0}
summary{cursor:pointer;font-weight:600;overflow-wrap:anywhere}
.error{border-top:1px solid var(--line);margin:0}
.error summary{display:grid;grid-template-columns:1rem minmax(6rem,14rem) repeat(2,minmax(0,1fr));gap:.1rem 1.2rem;
padding:.55rem 0;font-weight:400;align-items:baseline;list-style:none}
.error summary::-webkit-details-marker{display:none}
.error summary::before{content:"▸";color:var(--soft)}
.error[open] summary::before{content:"▾"}
.error summary:hover{background:color-mix(in srgb,var(--soft) 8%,transparent)}
summary:focus-visible,a:focus-visible{outline:2px solid #2f7de1;outline-offset:2px;border-radius:4px}
.error .word{font-weight:600}
.sides{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:.5rem 1.5rem;padding:.2rem 0 1rem 1rem}
.sides p{margin:0 0 .3rem;overflow-wrap:anywhere}
.differs{color:var(--hot);font-weight:600;text-decoration:underline;text-underline-offset:.2em}
.beside .wide{margin-top:1.2rem}
.confusions td{text-align:center;padding:.1rem .35rem;border:0}.confusions th{text-align:center;font-weight:600}
.many{display:block;min-width:14rem;white-space:normal;overflow-wrap:anywhere;text-align:left}
.share{display:inline-block;width:5rem;height:.6rem;border-radius:1rem;background:#2f7de126}
.share span{display:block;height:100%;border-radius:1rem;background:#2f7de1}
@media(max-width:40rem){.sides{grid-template-columns:minmax(0,1fr);padding-left:0}
.error summary{grid-template-columns:1rem minmax(0,1fr)}.error summary>*{grid-column:2}
header,main{padding-left:.8rem;padding-right:.8rem}section{padding:.9rem}
.charts .isotone-chart{font-size:17px}th,td{padding:.2rem .45rem}
.stacked,.stacked tbody,.stacked tr,.stacked th,.stacked td{display:block;text-align:left;white-space:normal}
.stacked table,.stacked tbody{display:block}.stacked thead{display:none}
.stacked tr{padding:.4rem 0;border-bottom:1px solid var(--line)}
.stacked th,.stacked td{border:0;padding:.1rem 0}.stacked tbody th{font-weight:600;overflow-wrap:anywhere}
.stacked td{display:flex;flex-wrap:wrap;gap:0 .5rem;align-items:baseline}
.stacked td::before{content:attr(data-head);color:var(--soft);margin-right:auto}}
@media print{nav{display:none}section{border:0;padding:0}.error,.charts>*{break-inside:avoid}
details::details-content{content-visibility:visible;block-size:auto}.wide,.map{overflow:visible}}
"""
)

_PHONE, _DESK = 40, 100
"""Characters that a row has room for on a phone, and in half of a laptop's screen."""
_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True)
class Section:
    """A part of the report; `body` is markup."""

    name: str
    """The end of its address."""
    title: str
    body: str


def report_page(title: str, lead: Sequence[str], sections: Sequence[Section]) -> str:
    """The whole page; `lead` is plain text, a line each."""
    links = "".join(f'<a href="#{section.name}">{escape(section.title)}</a>' for section in sections)
    lines = "".join(f"<p>{escape(line)}</p>" for line in lead)
    parts = [f'<header><h1>{escape(title)}</h1>{lines}<nav aria-label="Sections">{links}</nav></header>\n<main>\n']
    for section in sections:
        heading = f'<h2 id="{section.name}-title">{escape(section.title)}</h2>'
        start = f'<section id="{section.name}" aria-labelledby="{section.name}-title">'
        parts.append(f"{start}{heading}{section.body}</section>\n")
    return document(title, "".join([*parts, "</main>\n"]), style=STYLE + MAP_STYLE + CHART_STYLE)


def table(
    caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], *, last: bool = False, stacked: bool = False
) -> str:
    """Rows of cells, all of them markup but the caption and the head; `last` sets the last row apart.

    `stacked`: on a phone each row becomes a list of its cells with their heads, so that nothing is cropped.
    """
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    lines = []
    for number, row in enumerate(rows, 1):
        named = (
            f'<td data-head="{escape(name)}">{cell}</td>' if stacked else f"<td>{cell}</td>"
            for name, cell in zip(head[1:], row[1:], strict=True)
        )
        cells = f'<th scope="row">{row[0]}</th>' + "".join(named)
        start = '<tr class="last">' if last and number == len(rows) else "<tr>"
        lines.append(f"{start}{cells}</tr>")
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    kind = "wide stacked" if stacked else "wide"
    body = f"<thead><tr>{heads}</tr></thead><tbody>{''.join(lines)}</tbody>"
    reach = ""
    if _characters([head, *rows]) > (_DESK if stacked else _PHONE):  # what may have to be scrolled, by keyboard too
        reach = f' tabindex="0" role="group" aria-label="{escape(caption or "table: " + head[0])}"'
    return f'<div class="{kind}"{reach}><table>{title}{body}</table></div>'


def _characters(rows: Sequence[Sequence[str]]) -> int:
    """About as many characters as the widest row of a table takes, gaps included."""
    return sum(3 + max(len(_TAG.sub("", row[place])) for row in rows) for place in range(len(rows[0])))


def charts(drawn: Sequence[str]) -> str:
    """Charts, and what belongs beside them, in as many columns as fit; they share the width."""
    return f'<div class="charts">{"".join(drawn)}</div>'


def note(text: str) -> str:
    """A remark, from plain text."""
    return f'<p class="note">{escape(text)}</p>'


def fold(title: str, body: str, *, open: bool) -> str:
    """Markup under a title that opens and closes it."""
    start = '<details open="">' if open else "<details>"
    return f"{start}<summary>{escape(title)}</summary>{body}</details>"
