"""isotone audit on the command line, and its page."""

import json
import re
from html.parser import HTMLParser

import pytest

from cli.conftest import in_process as isotone
from isotone.drawing import audit_page, finding_line
from isotone.results import FINDING_COLUMNS, Audit, Finding, Reason, Verdict


@pytest.fixture
def words(tmp_path):
    path = tmp_path / "words.tsv"
    path.write_bytes("cat\tk æ t\r\ncat\tk æ t\r\nd\u200bog\td ɒ ɡ\r\n".encode())
    return path


def test_a_table_on_stdout_and_a_summary_on_stderr(words):
    done = isotone("audit", words, "--folds", 0)
    assert done.code == 0 and done.lines[0].split("\t") == list(FINDING_COLUMNS)
    rows = [dict(zip(FINDING_COLUMNS, line.split("\t"), strict=True)) for line in done.lines[1:]]
    assert [(row["line"], row["kinds"]) for row in rows] == [("3", "characters"), ("2", "duplicate")]
    assert "2 of 3 entries are suspicious (1 characters, 1 duplicate)" in done.err


def test_json_lines(words):
    done = isotone("audit", words, "--folds", 0, "--json")
    values = [json.loads(line) for line in done.lines]
    assert values[1]["reasons"] == [{"kind": "duplicate", "text": "same as line 1"}] and values[0]["verdict"] is None


def test_files_decisions_and_fix(words, tmp_path):
    out, page, fixed = tmp_path / "out.tsv", tmp_path / "audit.html", tmp_path / "fixed.tsv"
    done = isotone("audit", words, "--folds", 0, "--out", out, "--report", page)
    assert (done.code, done.out) == (0, "") and "line 2: cat" in done.err and "<article" in page.read_text()
    head, first, second = out.read_text(encoding="utf-8").splitlines()
    (tmp_path / "rejected.tsv").write_text(f"{head}\n{first}d ɔ ɡ\n", encoding="utf-8")
    (tmp_path / "accepted.tsv").write_text(f"{head}\n{second}\n", encoding="utf-8")
    decided = ["--accept", tmp_path / "accepted.tsv", "--reject", tmp_path / "rejected.tsv", "--fix", fixed]
    done = isotone("audit", words, "--folds", 0, *decided)
    assert done.code == 0 and len(done.lines) == 1 and "2 decided before" in done.err
    assert f"{fixed}: 1 entries replaced, 0 removed" in done.err
    assert fixed.read_bytes() == words.read_bytes().replace("d ɒ ɡ".encode(), "d ɔ ɡ".encode())


def test_mistakes_are_one_line_and_nothing_is_written(words, tmp_path):
    for options, message in (
        (["--out", words], "is the lexicon itself"),
        (["--report", tmp_path / "no" / "x.html"], "there is no folder"),
        (["--out", tmp_path], "is a folder"),
        (["--out", tmp_path / "x", "--report", tmp_path / "x"], "the same file twice"),
        (["--fix", tmp_path / "x"], "--reject"),
        (["--accept", tmp_path / "no.tsv"], "no.tsv: no such file"),
        (["--folds", 1], "folds: expected 0"),
        (["--folds", 3], "2 different words cannot be split into 3 folds"),
        (["--task", "poetry"], "poetry"),
        (["--size", "huge", "--folds", 2], "unknown size 'huge'"),
        (["--format", "poem"], "unknown format 'poem'"),
    ):
        assert message in isotone("audit", words, *options).refused()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["words.tsv"]
    assert "no such file" in isotone("audit", tmp_path / "none.tsv").refused()


def test_standard_input_needs_a_format(words):
    assert "--format" in isotone("audit", "-", "--folds", 0, stdin=words.read_bytes()).refused()
    done = isotone("audit", "-", "--folds", 0, "--format", "g2p", stdin=words.read_bytes())
    assert done.code == 0 and len(done.lines) == 3


class Elements(HTMLParser):
    """What a browser would see."""

    def __init__(self):
        super().__init__()
        self.seen, self.attributes = [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.attributes += attrs


HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>\u202e\ud800&amp;"


def hostile():
    verdict = Verdict(
        surprisal=(1.0, 9.0), z=4.0, segment=(0, 1), source_segment=(0, 1), best=HOSTILE, best_logprob=-0.1,
        certified=False, rescued=HOSTILE,
    )  # fmt: skip
    return Finding(
        rank=1, line=3, score=9.0, source=HOSTILE, target=HOSTILE, tags=(HOSTILE,), source_symbols=tuple(HOSTILE),
        target_symbols=(HOSTILE,), reasons=(Reason("improbable", HOSTILE),), verdict=verdict,
    )  # fmt: skip


def test_nothing_in_a_lexicon_is_taken_for_markup():
    audit = Audit(HOSTILE, (hostile(),), (9.0,), folds=5)
    page = audit_page(audit)
    for markup in (page, audit._repr_html_()):
        elements = Elements()
        elements.feed(markup)
        assert "img" not in elements.seen and elements.seen.count("script") == (1 if markup is page else 0)
        assert not [name for name, _ in elements.attributes if name.startswith("on") and name != "onsubmit"]
    assert "default-src 'none'" in page and not re.search(r"https?://(?!www\.w3\.org)", page)
    page.encode("utf-8")
    shown = re.sub(r'data-(words|entry)="[^"]*"', "", page).split("</h1>")[1]
    assert "\u202e" not in shown  # it would turn the rest of the line around
    assert finding_line(hostile()).count("\n") == 0
    assert "\u202e" not in finding_line(hostile()).split("model:")[0]


def test_the_page_has_filters_alignments_and_decisions(audited):
    page = audit_page(audited)
    elements = Elements()
    elements.feed(page)
    assert elements.seen.count("article") == len(audited) and "details" in elements.seen and "svg" in elements.seen
    kinds = {dict(elements.attributes).get("value")} | {value for name, value in elements.attributes if name == "value"}
    assert {"improbable", "accept", "reject"} <= kinds
    entries = [json.loads(value) for name, value in elements.attributes if name == "data-entry"]
    assert [entry[:2] for entry in entries] == [[finding.source, finding.target] for finding in audited]
    assert "Nothing suspicious" in audit_page(Audit("empty", (), ()))


def test_a_line_marks_the_segment(audited):
    worst = audited[0]
    line = finding_line(worst)
    assert f"line {worst.line}: " in line and "[" in line and f"model: {worst.verdict.best}" in line
