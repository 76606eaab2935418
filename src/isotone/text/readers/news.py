"""NEWS shared tasks on transliteration: XML, each `<Name>` one `<SourceName>` and its `<TargetName>`s.

Read with expat itself and not iterparse, because only expat says on which line an element stands.
"""

from collections.abc import Iterator
from typing import IO
from xml.parsers import expat

from isotone.text.example import Example
from isotone.text.readers import lines
from isotone.text.readers.format import Format
from isotone.text.readers.lines import MisfitError, OnMisfit

__all__ = ["NEWS"]

_CHUNK = 1 << 16


class _Names:
    """Collects the names of a document while expat walks through it."""

    def __init__(self) -> None:
        self.ready: list[tuple[int, list[str], list[str]]] = []  # line, sources, targets
        self._line = 0
        self._fields: dict[str, list[str]] = {}
        self._text: list[str] | None = None
        self._length = 0
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.EntityDeclHandler = self._entity

    def feed(self, chunk: bytes) -> None:
        """Reads on; an empty chunk ends the document."""
        try:
            self.parser.Parse(chunk, not chunk)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise MisfitError(f"not well-formed XML ({reason}, column {error.offset + 1})", error.lineno) from None
        except (LookupError, ValueError) as error:  # an encoding that Python does not know
            raise MisfitError(f"not readable as XML ({error})", self.parser.CurrentLineNumber) from None

    def _start(self, tag: str, _: dict[str, str]) -> None:
        if tag == "Name":
            self._line = self.parser.CurrentLineNumber
            self._fields = {"SourceName": [], "TargetName": []}
        elif tag in self._fields:
            self._text, self._length = [], 0

    def _characters(self, text: str) -> None:
        if self._text is None:
            return
        self._length += len(text)
        if self._length > lines.MAX_LINE:
            reason = f"name longer than the limit of {lines.MAX_LINE:,} characters"
            raise MisfitError(reason, self.parser.CurrentLineNumber)
        self._text.append(text)

    def _end(self, tag: str) -> None:
        if tag == "Name":
            self.ready.append((self._line, self._fields["SourceName"], self._fields["TargetName"]))
            self._fields = {}
        elif tag in self._fields and self._text is not None:
            self._fields[tag].append("".join(self._text).strip())
            self._text = None

    def _entity(self, *_: object) -> None:
        # No corpus declares entities; files that do mean to read other files or to fill the memory.
        raise MisfitError("XML entity declarations are not accepted", self.parser.CurrentLineNumber)


def _parse(stream: IO[bytes], targets: bool, on_misfit: OnMisfit) -> Iterator[Example]:
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
    """The examples of the names that are complete by now: one for each target, or one for prediction."""
    ready, names.ready = names.ready, []
    for line, sources, found in ready:
        if len(sources) != 1:
            on_misfit(line, f"expected one <SourceName> in <Name>, found {len(sources)}")
        elif not sources[0]:
            on_misfit(line, "empty <SourceName>")
        elif not targets:
            yield Example(sources[0])
        elif not found:
            on_misfit(line, "expected at least one <TargetName> in <Name>, found 0")
        elif "" in found:
            on_misfit(line, "empty <TargetName>")
        else:
            yield from (Example(sources[0], target) for target in found)


NEWS = Format(name="news", expected="NEWS XML with <Name>, <SourceName> and <TargetName>", parser=_parse)
