"""A comparison as Markdown, LaTeX or CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Collection, Sequence

from isotone.experiments.compare import MARKS, SIGNIFICANT, Comparison

__all__ = ["STYLES", "cells", "legend", "p_values"]

TEX_MARKS = dict(
    zip(MARKS, (r"\star", r"\times", r"\dagger", r"\ddagger", r"\mathsection", r"\mathparagraph"), strict=True)
)
TEX = str.maketrans({sign: "\\" + sign for sign in "&%$#_{}"} | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}"})


def cells(
    comparison: Comparison, *, bold: Callable[[str], str], mark: Callable[[str], str], empty: str = ""
) -> list[list[str]]:
    """Rows of text: each data set, then (of several) the average, with their markers; the best of each row is bold."""
    rows = []
    for name in comparison.data:
        texts = _texts(comparison, comparison.row(name), bold, empty)
        marks = [comparison.word_mark(name, model) for model in comparison.models]
        rows.append([name, *(text + mark(signs) for text, signs in zip(texts, marks, strict=True))])
    averages = comparison.averages
    if averages and len(comparison.data) > 1:
        texts = _texts(comparison, averages, bold, empty)
        marked = [text + mark(comparison.mark(model)) for model, text in zip(comparison.models, texts, strict=True)]
        rows.append(["average", *marked])
    return rows


def p_values(comparison: Comparison, *, bold: Callable[[str], str] = str) -> list[list[str]]:
    """A square of p-values; those below 0.05 are bold in the row of the better model."""
    known = {(contest.model, contest.other): contest for contest in comparison.contests}
    rows = []
    for model in comparison.models:
        row = [model]
        for other in comparison.models:
            contest = known.get((model, other))
            text = "" if contest is None else f"{contest.test.p_value:.4f}"
            row.append(bold(text) if contest and contest.won else text)
        rows.append(row)
    return rows


def legend(comparison: Comparison, mark: Callable[[str], str] = str) -> str:
    """What the markers mean; empty where there are none."""
    averages = {sign for model in comparison.models for sign in comparison.mark(model)}
    rows = {
        sign for name in comparison.data for model in comparison.models for sign in comparison.word_mark(name, model)
    }
    pairs = [(sign, model) for sign, model in zip(MARKS, comparison.models, strict=False) if sign in averages | rows]
    if not pairs:
        return ""
    listed = ", ".join(f"{mark(sign)} than {model}" for sign, model in pairs)
    return f"significantly better {listed} (p < {SIGNIFICANT}{_tests(comparison, averages=averages, rows=rows)})"


def _tests(comparison: Comparison, *, averages: Collection[str], rows: Collection[str]) -> str:
    """Which tests the markers come from."""
    parts = []
    if averages:
        parts.append("averages: paired permutation test over data sets")
    if rows:
        kinds = {test.paired for test in comparison.word_tests}
        paired, unpaired = "word by word (McNemar, or permutations over seeds)", "by the number of words (Fisher)"
        known = [text for kind, text in ((True, paired), (False, unpaired)) if kind in kinds]
        parts.append(f"data sets: {', else '.join(known)}")
    return "".join(f"; {part}" for part in parts)


def _texts(comparison: Comparison, values: dict[str, float], bold: Callable[[str], str], empty: str) -> list[str]:
    best = comparison.best(values)
    shown = {model: comparison.show(value) for model, value in values.items()}
    return [bold(shown[model]) if model in best else shown.get(model, empty) for model in comparison.models]


def _markdown(comparison: Comparison) -> str:
    def table(head: str, rows: Sequence[Sequence[str]]) -> list[str]:
        lines = [[head, *comparison.models], ["---", *["--:"] * len(comparison.models)], *rows]
        return ["| " + " | ".join(text.replace("|", "\\|") for text in line) + " |" for line in lines]

    def bold(text: str) -> str:
        return f"**{text}**"

    parts = table(comparison.metric.upper(), cells(comparison, bold=bold, mark=str))
    if note := legend(comparison):
        parts += ["", note]
    if comparison.contests:
        parts += ["", *table("p-values", p_values(comparison, bold=bold))]
    return "\n".join(parts) + "\n"


def _latex(comparison: Comparison) -> str:
    def bold(text: str) -> str:
        return rf"\textbf{{{text}}}"

    def mark(signs: str) -> str:
        return "$^{" + " ".join(TEX_MARKS[sign] for sign in signs) + "}$" if signs else ""

    def tabular(head: str, rows: Sequence[Sequence[str]], *, rule: bool) -> list[str]:
        lines = [" & ".join(row) + r" \\" for row in rows]
        if rule:
            lines.insert(-1, r"\midrule")
        models = [rf"\textsc{{{model.translate(TEX)}}}" for model in comparison.models]
        start = [rf"\begin{{tabular}}{{l{'r' * len(models)}}} \toprule", " & ".join([head, *models]) + r" \\ \midrule"]
        return [*start, *lines, r"\bottomrule", r"\end{tabular}"]

    rows = [[row[0].translate(TEX), *row[1:]] for row in cells(comparison, bold=bold, mark=mark)]
    parts = tabular(rf"\textbf{{{comparison.metric.upper()}}}", rows, rule=bool(comparison.averages) and len(rows) > 1)
    if note := legend(comparison, mark):
        parts.append(f"% {note}")
    if comparison.contests:
        square = [[rf"\textsc{{{row[0].translate(TEX)}}}", *row[1:]] for row in p_values(comparison, bold=bold)]
        parts += ["", *tabular("$p$", square, rule=False)]
    return "\n".join(parts) + "\n"


def _csv(comparison: Comparison) -> str:
    """One table: `score` rows (n seeds), `average` rows (n data sets), and two kinds of tests.

    `test` rows have the difference over n data sets, `word test` rows that over the n words of one of them.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["row", "data", "model", "other", "metric", "value", "n", "p"])
    for (name, model), value in comparison.means.items():
        writer.writerow(
            ["score", name, model, "", comparison.metric, _number(value), comparison.seeds[name, model], ""]
        )
    for model, value in comparison.averages.items():
        writer.writerow(["average", "", model, "", comparison.metric, _number(value), len(comparison.complete), ""])
    for contest in comparison.contests:
        test, pair = contest.test, (contest.model, contest.other)
        value = _number(test.difference)
        writer.writerow(["test", "", *pair, comparison.metric, value, test.n, f"{test.p_value:.6g}"])
    for each in comparison.word_tests:
        names = (each.data, each.model, each.other)
        value = _number(each.difference)
        writer.writerow(["word test", *names, comparison.metric, value, each.n, f"{each.p_value:.6g}"])
    return file.getvalue()


def _number(value: float) -> float:
    """Without the noise of the last bits."""
    return round(value, 9)


STYLES: dict[str, Callable[[Comparison], str]] = {"markdown": _markdown, "latex": _latex, "csv": _csv}
"""What `--style` takes besides table, which is for a terminal."""
