"""Decisions are remembered, and a fixed lexicon differs in rejected entries alone, byte for byte."""

import gzip

import pytest

from isotone.auditing.decisions import key_of, read_decisions
from isotone.auditing.entries import read_lexicon
from isotone.auditing.fix import fixed_content
from isotone.auditing.run import plan_audit, run_audit
from isotone.errors import ConfigError, DataError
from isotone.results import FINDING_COLUMNS, Finding, Reason, tsv_line
from isotone.results.finding import safe_cell

WORDS = "\ufeffcat\tk æ t\r\n\r\ndog\td ɒ  g\ne\u0301té\te t e \r\ncat\tk æ t\nlast\tl a s t".encode()
NASTY = ["=1+1", "+x", "-x", "@x", "'", "''x", "'=x", "a\\tb", "\\", "r\\_<", 'say "hi"', "a;b,c", "\tx", "x'"]


def lexicon(tmp_path, content=WORDS, name="words.tsv", format="g2p"):
    (tmp_path / name).write_bytes(content)
    return read_lexicon(tmp_path / name, format=format)


def decisions(tmp_path, text, name="d.tsv"):
    (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    return read_decisions(tmp_path / name)


def test_removing_and_replacing_touch_nothing_else(tmp_path):
    rejected = decisions(tmp_path, "source\ttarget\treplacement\ndog\td ɒ  g\td ɒ ɡ\nlast\tl a s t\t\n")
    content, replaced, removed = fixed_content(lexicon(tmp_path), rejected)
    assert (replaced, removed) == (1, 1)
    assert content == WORDS.replace(b"d \xc9\x92  g", "d ɒ ɡ".encode()).replace(b"last\tl a s t", b"")


def test_all_copies_of_a_rejected_entry_go_and_the_mark_at_the_beginning_stays(tmp_path):
    content, _, removed = fixed_content(lexicon(tmp_path), decisions(tmp_path, "source\ttarget\ncat\tk æ t\n"))
    assert removed == 2 and content == b"\xef\xbb\xbf" + WORDS.split(b"\n", 1)[1].replace(b"cat\tk \xc3\xa6 t\n", b"")


def test_nothing_rejected_nothing_changed(tmp_path):
    assert fixed_content(lexicon(tmp_path), {}) == (WORDS, 0, 0)
    assert fixed_content(lexicon(tmp_path), decisions(tmp_path, "source\ttarget\nno\tn o\n"))[0] == WORDS


CASES = [
    ("cmudict", b";;; K AE T\nCAT  K AE  T # K AE T\nCAT(2)  K AA T\n", ("CAT", "K AE T", ()), "K EH T",
     b";;; K AE T\nCAT  K EH T # K AE T\nCAT(2)  K AA T\n"),
    ("conll2017", b"a\ta\tN;SG\na\tas\tN;PL\n", ("a", "a", ("N", "SG")), "aa", b"a\taa\tN;SG\na\tas\tN;PL\n"),
    ("sigmorphon2023", b"N\tN;SG\tN\n", ("N", "N", ("N", "SG")), "Ns", b"N\tN;SG\tNs\n"),
    ("pairs", b"aa\ta\n", ("aa", "a", ()), "b", b"aa\tb\n"),
]  # fmt: skip


@pytest.mark.parametrize(("format", "content", "key", "replacement", "expected"), CASES, ids=[c[0] for c in CASES])
def test_only_the_target_is_exchanged(tmp_path, format, content, key, replacement, expected):
    source, target, tags = key
    text = f"source\ttarget\ttags\treplacement\n{source}\t{target}\t{';'.join(tags)}\t{replacement}\n"
    assert fixed_content(lexicon(tmp_path, content, format=format), decisions(tmp_path, text))[0] == expected


@pytest.mark.parametrize(
    ("format", "line", "replacement"), [("g2p", b"CAT\tK AE T\n", "x\\ty"), ("cmudict", b"CAT  K AE T\n", "# no")]
)
def test_a_replacement_that_does_not_fit_is_refused(tmp_path, format, line, replacement):
    cells = {"source": "CAT", "target": "K AE T", "replacement": replacement}
    table = "\t".join(FINDING_COLUMNS) + "\n" + "\t".join(cells.get(column, "") for column in FINDING_COLUMNS) + "\n"
    with pytest.raises(DataError, match=r"d.tsv:2: .* does not fit into line 1"):
        fixed_content(lexicon(tmp_path, line, format=format), decisions(tmp_path, table))


@pytest.mark.parametrize("text", NASTY)
def test_cells_survive_the_spreadsheet(tmp_path, text):
    cell = safe_cell(text)
    assert cell[:1] not in {"=", "+", "-", "@"} and "\t" not in cell and "\n" not in cell
    finding = Finding(
        rank=1, line=None, score=1.0, source=text, target="x", tags=(), source_symbols=(), target_symbols=(),
        reasons=(Reason("characters", text),),
    )  # fmt: skip
    assert list(decisions(tmp_path, tsv_line(FINDING_COLUMNS) + tsv_line(finding.row()))) == [(text, "x", ())]


def test_tables_of_spreadsheets_are_read(tmp_path):
    expected = {("a,b", "c", ("N", "SG"))}
    for text in (
        'source,target,tags\n"a,b",c,SG;N\n',
        'target;note;source;tags\r\nc;;a,b;"SG;N"\r\n',
        '\ufeffsource\ttarget\ttags\n"a,b"\tc\tN;SG\n\n',
    ):
        assert decisions(tmp_path, text).keys() == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"cat\tk t\n", "1: expected a line that names the columns"),
        (b"", "1: expected a line that names the columns"),
        (b"source\ttarget\ncat\n", "2: expected 2 columns, found 1"),
        (b"source\ttarget\nc\xe4t\tx\n", "not valid UTF-8"),
    ],
)
def test_other_tables_are_refused(tmp_path, content, message):
    (tmp_path / "d").write_bytes(content)
    with pytest.raises(DataError, match=message):
        read_decisions(tmp_path / "d")


def test_the_next_audit_shows_only_what_is_new(tmp_path):
    (tmp_path / "w.tsv").write_bytes(b"cat\tk t\ncat\tk t\ndog\td g\ndog\td g\n")
    accepted = tmp_path / "a.tsv"
    accepted.write_text("source\ttarget\ndog\td g\n")
    first = run_audit(plan_audit(tmp_path / "w.tsv", folds=0, format="g2p"))
    second = run_audit(plan_audit(tmp_path / "w.tsv", folds=0, format="g2p", accept=accepted))
    assert [finding.source for finding in first] == ["cat", "dog"] and first.decided == 0
    assert [finding.source for finding in second] == ["cat"] and second.decided == 1
    assert key_of(read_lexicon(tmp_path / "w.tsv", format="g2p").entries[0]) == ("cat", "k t", ())


def test_fix_writes_before_anything_is_trained_and_never_over_the_lexicon(tmp_path):
    (tmp_path / "w.tsv").write_bytes(WORDS)
    (tmp_path / "r.tsv").write_text("source\ttarget\nlast\tl a s t\n")
    names = {"folds": 0, "format": "g2p", "reject": tmp_path / "r.tsv"}
    counts = []
    plan = plan_audit(tmp_path / "w.tsv", **names, fix=tmp_path / "fixed.tsv.gz")
    run_audit(plan, on_fixed=lambda *found: counts.append(found))
    assert counts == [(0, 1)]
    assert gzip.decompress((tmp_path / "fixed.tsv.gz").read_bytes()) == WORDS.replace(b"last\tl a s t", b"")
    for wrong, message in (({"fix": tmp_path / "w.tsv"}, "is the lexicon itself"), ({"reject": None}, "--reject")):
        with pytest.raises(ConfigError, match=message):
            plan_audit(tmp_path / "w.tsv", **{**names, "fix": tmp_path / "x.tsv", **wrong})
    with pytest.raises(ConfigError, match="one entry per line"):
        plan_audit([("a", "b")], folds=0, reject=tmp_path / "r.tsv", fix=tmp_path / "x.tsv")
    with pytest.raises(ConfigError, match="is also accepted"):
        plan_audit(tmp_path / "w.tsv", **names, accept=tmp_path / "r.tsv")
    assert (tmp_path / "w.tsv").read_bytes() == WORDS
