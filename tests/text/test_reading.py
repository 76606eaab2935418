"""Files, lines and the pass over them."""

import gzip
import io
import os
import sys
import tracemalloc
from itertools import islice
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from isotone.errors import DataError
from isotone.text import Example, Segmenter, TextConfig, columns, read
from isotone.text.readers import MAX_TEXT
from isotone.text.readers import lines as line_machinery

EXPECTED = [Example("äh", "ä h"), Example("b", "b")]
PLAIN = "äh\tä h\nb\tb\n".encode()
fields = st.text(st.characters(exclude_characters="\t\r\n", exclude_categories=["Cs"]), min_size=1, max_size=20)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data.tsv"


@pytest.mark.parametrize(
    "content",
    [
        PLAIN,
        PLAIN.removesuffix(b"\n"),
        PLAIN.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + PLAIN,
        b"\n\n" + PLAIN.replace(b"\n", b"\n \t\n"),
        gzip.compress(PLAIN),
        gzip.compress(PLAIN[:5]) + gzip.compress(PLAIN[5:]),
    ],
    ids=["plain", "no final line end", "CRLF", "BOM", "blank lines", "gzip", "gzip in two members"],
)
@pytest.mark.parametrize("stdin", [False, True])
def test_the_same_data_in_every_wrapping(
    content: bytes, stdin: bool, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_bytes(content)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert list(read("-" if stdin else path, "pairs")) == EXPECTED
    assert not sys.stdin.closed


def test_stdin_from_a_pipe_is_read_as_it_arrives(monkeypatch: pytest.MonkeyPatch) -> None:
    end, start = os.pipe()
    with os.fdopen(end) as stdin, os.fdopen(start, "wb", buffering=0) as pipe:
        monkeypatch.setattr(sys, "stdin", stdin)
        reading = iter(read("-", "pairs", targets=False))
        pipe.write(b"first\n")
        assert next(reading) == Example("first")
        pipe.write(b"second\n")
        assert next(reading) == Example("second")


def test_messages_name_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\n")))
    with pytest.raises(DataError, match=r"^<stdin>:1: expected 2 "):
        list(read("-", "pairs"))


@given(st.lists(st.tuples(fields, fields), min_size=1, max_size=5))
def test_any_text_survives_the_way_through_a_file(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]]
) -> None:
    assume(all((source + target).strip(" ") for source, target in pairs))  # such a line is blank
    path = tmp_path_factory.getbasetemp() / "any-text"
    path.write_bytes("".join(f"{source}\t{target}\n" for source, target in pairs).encode("utf-8-sig"))
    segmenter = Segmenter(TextConfig())
    found = list(read(path, "pairs"))
    assert [(e.source, e.target) for e in found] == pairs
    for example in found:
        assert segmenter.join(segmenter.split(example.source)) == normalize("NFC", example.source)


def fails(path: Path | str, message: str, **settings: bool) -> None:
    with pytest.raises(DataError) as caught:
        list(read(path, "pairs", **settings))
    assert str(caught.value) == message


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    fails(tmp_path / "absent", f"{tmp_path}/absent: no such file")
    fails(tmp_path, f"{tmp_path}: is a directory, expected a file")
    (tmp_path / "file").touch()
    fails(tmp_path / "file" / "below", f"{tmp_path}/file/below: cannot be read (Not a directory)")


def test_files_that_must_not_be_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    path.touch()
    monkeypatch.setattr(Path, "open", refuse)  # the superuser may read any file, so its mode would not do
    fails(path, f"{path}: permission denied")


def test_damaged_gzip(tmp_path: Path) -> None:
    path = tmp_path / "data.gz"
    path.write_bytes(gzip.compress(PLAIN * 100)[:-20])
    with pytest.raises(DataError, match=r"data\.gz: damaged gzip file"):
        list(read(path, "pairs"))
    path.write_bytes(PLAIN)
    with pytest.raises(DataError, match=r"data\.gz: damaged gzip file \(Not a gzipped file"):
        list(read(path, "pairs"))


def test_bytes_that_are_not_utf8(path: Path) -> None:
    path.write_bytes(PLAIN + "äö".encode() + b"\xff\tx\n")
    fails(path, f"{path}:3: not valid UTF-8 (byte 0xff at column 3)")
    path.write_bytes("a\tb\n".encode("utf-16"))
    fails(path, f"{path}:1: not valid UTF-8 (byte 0xff at column 1)")


def test_no_examples(path: Path) -> None:
    expected = "expected 2 tab-separated columns (source, target)"
    path.write_bytes(b"\n \n")
    fails(path, f"{path}: no examples found ({expected})")
    path.write_bytes(b"a\nb\n")
    first = f"{path}:1: {expected}, found 1"
    fails(path, f"{path}: no examples found ({expected}; 2 left out, first {first})", skip_bad=True)


def test_empty_xml_has_no_examples(path: Path) -> None:
    for text in ("", "<TransliterationCorpus/>"):
        path.write_text(text)
        with pytest.raises(DataError, match=r"no examples found \(expected NEWS XML"):
            list(read(path, "news"))


def test_bad_lines_are_left_out_and_counted(path: Path) -> None:
    path.write_bytes(b"a\n" + PLAIN + b"\xff\tx\n\n\tx\n")
    reading = read(path, "pairs", skip_bad=True)
    assert list(reading) == EXPECTED
    assert (reading.count, reading.skipped) == (2, 3)
    assert reading.first_skipped == f"{path}:1: expected 2 tab-separated columns (source, target), found 1"


def test_bad_names_are_left_out_but_broken_xml_ends_all(path: Path) -> None:
    name = "<Name><SourceName>A</SourceName><TargetName>B</TargetName></Name>"
    path.write_text(f"<c><Name/>\n{name}</c>")
    reading = read(path, "news", skip_bad=True)
    assert list(reading) == [Example("A", "B")]
    assert reading.skipped == 1
    path.write_text(f"<c>{name}\n")
    with pytest.raises(DataError, match=":2: not well-formed XML"):
        list(read(path, "news", skip_bad=True))


def test_the_longest_line(path: Path) -> None:
    limit = line_machinery.MAX_LINE
    longest = "𐍈" * (limit - 4)  # four bytes each
    path.write_bytes(b"\xef\xbb\xbf" + f"a\tx\t{longest}\r\n".encode())
    assert list(read(path, columns())) == [Example("a", "x")]
    path.write_bytes(PLAIN + f"a\tx\t{longest}a\r\nc\td\n".encode())
    with pytest.raises(DataError, match=":3: line longer than the limit of 1,000,000 characters"):
        list(read(path, columns()))
    assert list(read(path, columns(), skip_bad=True)) == [*EXPECTED, Example("c", "d")]


@pytest.mark.parametrize(("place", "name"), [(0, "source"), (1, "target")])
def test_the_longest_source_and_target(place: int, name: str, path: Path) -> None:
    pair = ["x", "x"]
    pair[place] = "ä" * MAX_TEXT
    path.write_text("\t".join(pair), encoding="utf-8")
    assert list(read(path, "pairs")) == [Example(*pair)]
    too_long = f"1: {name} of 20,001 characters, longer than the limit of 20,000"
    pair[place] += "ä"
    path.write_text("\t".join(pair) + "\nc\td\n", encoding="utf-8")
    fails(path, f"{path}:{too_long}")
    assert list(read(path, "pairs", skip_bad=True)) == [Example("c", "d")]
    names = [f"<SourceName>{s}</SourceName><TargetName>{t}</TargetName>" for s, t in (pair, ("c", "d"))]
    path.write_text("".join(["<c>", *(f"<Name>{each}</Name>" for each in names), "</c>"]), encoding="utf-8")
    with pytest.raises(DataError, match=f":{too_long}$"):
        list(read(path, "news"))
    assert list(read(path, "news", skip_bad=True)) == [Example("c", "d")]


def test_a_giant_line_is_not_held_in_memory(path: Path) -> None:
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(40):
            file.write(b"x" * 1_000_000)
        file.write(b"\tx\na\tb\n")
    tracemalloc.start()
    fails(path, f"{path}:1: line longer than the limit of 1,000,000 characters")
    assert list(read(path, "pairs", skip_bad=True)) == [Example("a", "b")]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000


@pytest.mark.parametrize(
    ("name", "record"),
    [("pairs", "a\tb\n"), ("news", "<Name><SourceName>a</SourceName><TargetName>b</TargetName></Name>\n")],
)
def test_reading_streams(name: str, record: str, path: Path) -> None:
    path.write_text(("<c>" if name == "news" else "") + record * 100_000 + "</c")  # wrong, but far away
    reading = read(path, name)
    assert iter(reading) is iter(reading), "one pass"
    assert list(islice(reading, 3)) == [Example("a", "b")] * 3
    assert reading.count == 3
