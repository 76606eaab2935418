"""The page of a report: sections, tables, figures and cards in the look of the alignment page, without a script."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from isotone.drawing.chart import STYLE as CHART_STYLE
from isotone.drawing.document import document
from isotone.drawing.page import THEME
from isotone.drawing.svg import STYLE as MAP_STYLE

__all__ = ["Section", "fold", "note", "report_page", "table"]

STYLE = (
    THEME
    + """
header,main{max-width:76rem;margin:0 auto;padding:1rem 1.5rem}
header{padding-bottom:0}
header p{margin:.2rem 0;color:var(--soft);overflow-wrap:anywhere}
nav{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;margin-top:.5rem}
a{color:#2f7de1}
section{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:1rem 1.2rem;margin:0 0 1rem}
h2{margin:0 0 .6rem;font-size:1.15rem}
h3{margin:1rem 0 .4rem;font-size:1rem;overflow-wrap:anywhere}
.wide{overflow-x:auto;margin:.4rem 0 1rem}
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
.charts{display:flex;flex-wrap:wrap;gap:1rem}
.charts>*{max-width:100%;margin:0}
.tables{display:flex;flex-wrap:wrap;gap:0 3rem}
.tables>*{max-width:100%}
.tables .note{max-width:26rem}
details{margin:.6rem 0}
summary{cursor:pointer;font-weight:600;overflow-wrap:anywhere}
.error{border-top:1px solid var(--line);padding:.9rem 0;content-visibility:auto;contain-intrinsic-size:auto 22rem}
.error h4{margin:0 0 .4rem;font-size:1rem;overflow-wrap:anywhere}
.sides{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:.5rem 1.5rem}
.sides p{margin:0;overflow-wrap:anywhere}
.differs{color:var(--hot);font-weight:600;text-decoration:underline;text-underline-offset:.2em}
@media(max-width:40rem){.sides{grid-template-columns:1fr}}
@media print{nav{display:none}section{border:0;padding:0}.error,.charts>*{break-inside:avoid;content-visibility:visible}
details::details-content{content-visibility:visible;block-size:auto}.wide,.map{overflow:visible}}
"""
)


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


def table(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], *, last: bool = False) -> str:
    """Rows of cells, all of them markup but the caption and the head; `last` sets the last row apart."""
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    lines = []
    for number, row in enumerate(rows, 1):
        cells = f'<th scope="row">{row[0]}</th>' + "".join(f"<td>{cell}</td>" for cell in row[1:])
        start = '<tr class="last">' if last and number == len(rows) else "<tr>"
        lines.append(f"{start}{cells}</tr>")
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return (
        f'<div class="wide"><table>{title}<thead><tr>{heads}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'
    )


def note(text: str) -> str:
    """A remark, from plain text."""
    return f'<p class="note">{escape(text)}</p>'


def fold(title: str, body: str, *, open: bool) -> str:
    """Markup under a title that opens and closes it."""
    start = '<details open="">' if open else "<details>"
    return f"{start}<summary>{escape(title)}</summary>{body}</details>"
