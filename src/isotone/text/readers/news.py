"""NEWS shared tasks on transliteration: XML, each `<Name>` one `<SourceName>` and its `<TargetName>`s.

Read with expat rather than iterparse, because only expat reports the line of an element. Every limit is there so that a
small compressed file can take neither much time nor much memory.
"""

from collections.abc import Iterator
from typing import IO
from xml.parsers import expat

from isotone.text.example import Example
from isotone.text.readers.lines import MisfitError, OnMisfit, too_long

__all__ = ["parse_news"]

_CHUNK = 1 << 16
_MAX_DEPTH = 64
_MAX_NAME = 1 << 20
"""Bytes from the end of one `<Name>` to the end of the next. expat reads a tag again for each chunk until it is whole,
so the time for a long attribute grows with the square of its length."""


class _Names:
    """Collects the names of a document while expat walks through it."""

    def __init__(self) -> None:
        self.ready: list[tuple[int, list[str], list[str]]] = []  # line, sources, targets
        self._line = 0
        self._depth = 0
        self._since_name = 0
        self._fields: dict[str, list[str]] = {}
        self._text: list[str] | None = None
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.StartDoctypeDeclHandler = self._doctype

    def feed(self, chunk: bytes) -> None:
        """Parses one more chunk; an empty one ends the document."""
        try:
            self.parser.Parse(chunk, not chunk)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise MisfitError(f"not well-formed XML ({reason}, column {error.offset + 1})", error.lineno) from None
        except (LookupError, ValueError) as error:  # an encoding that Python does not know
            raise MisfitError(f"not readable as XML ({error})", self.parser.CurrentLineNumber) from None
        self._since_name = 0 if self.ready else self._since_name + len(chunk)
        if self._since_name > _MAX_NAME:
            raise self._refusal(f"no complete <Name> within {_MAX_NAME >> 20} MB")

    def _start(self, tag: str, _: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise self._refusal(f"elements nested more than {_MAX_DEPTH} deep")
        if tag == "Name":
            self._line = self.parser.CurrentLineNumber
            self._fields = {"SourceName": [], "TargetName": []}
        elif tag in self._fields:
            self._text = []

    def _characters(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def _end(self, tag: str) -> None:
        self._depth -= 1
        if tag == "Name":
            self.ready.append((self._line, self._fields["SourceName"], self._fields["TargetName"]))
            self._fields = {}
        elif tag in self._fields and self._text is not None:
            self._fields[tag].append("".join(self._text).strip())
            self._text = None

    def _doctype(self, name: str, system_id: str | None, public_id: str | None, has_declarations: bool) -> None:
        # No corpus declares entities or default attributes; files that do read other files or fill the memory.
        if has_declarations:
            raise self._refusal("a DOCTYPE with declarations is not accepted")

    def _refusal(self, reason: str) -> MisfitError:
        return MisfitError(reason, self.parser.CurrentLineNumber)


def parse_news(stream: IO[bytes], targets: bool, on_misfit: OnMisfit) -> Iterator[Example]:
    """The examples of a document, while it is read; an empty stream has none."""
    names = _Names()
    empty = True
    while chunk := stream.read(_CHUNK):
        empty = False
        names.feed(chunk)
        yield from _examples(names, targets, on_misfit)
    if not empty:
        names.feed(b"")
        yield from _examples(names, targets, on_misfit)


def _examples(names: _Names, targets: bool, on_misfit: OnMisfit) -> Iterator[Example]:
    """The examples of the names that are complete by now: one per target, or one per name for prediction."""
    ready, names.ready = names.ready, []
    for line, sources, found in ready:
        if len(sources) != 1:
            on_misfit(line, f"expected one <SourceName> in <Name>, found {len(sources)}")
        elif not sources[0]:
            on_misfit(line, "empty <SourceName>")
        elif targets and not found:
            on_misfit(line, "expected at least one <TargetName> in <Name>, found 0")
        elif targets and "" in found:
            on_misfit(line, "empty <TargetName>")
        else:
            examples = [Example(sources[0], target) for target in (found if targets else [None])]
            if reason := next(filter(None, map(too_long, examples)), None):
                on_misfit(line, reason)
            else:
                yield from examples
