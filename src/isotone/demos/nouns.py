"""German nouns in their cases, from Wiktionary (the `german-nouns` package).

Only the package's CSV is read, because its own look-up builds a slow index. Each noun appears with one cell of its
paradigm, so 6,000 examples cover 6,000 nouns, and no noun is in two splits. Compounds may share a head across splits
("Haus" in test, "Gasthaus" in train), as new words usually do.
"""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from importlib import resources

from isotone.demos.corpus import Corpus
from isotone.demos.packages import demo_package
from isotone.demos.splits import Key, Sizes, draw, shuffled, split
from isotone.text.example import Example

__all__ = ["load_nouns"]

Tags = tuple[str, ...]
Row = Sequence[str]

SHOWCASE: tuple[Key, ...] = (
    ("Haus", ("N", "DAT", "PL")),
    ("Apfel", ("N", "NOM", "PL")),
    ("Tochter", ("N", "DAT", "PL")),
    ("Museum", ("N", "NOM", "PL")),
    ("Student", ("N", "ACC", "SG")),
    ("Name", ("N", "GEN", "SG")),
    ("Kenntnis", ("N", "ACC", "PL")),
    ("Lehrerin", ("N", "GEN", "PL")),
)
CASES = {"nominativ": "NOM", "genitiv": "GEN", "dativ": "DAT", "akkusativ": "ACC"}
NUMBERS = {"singular": "SG", "plural": "PL"}
# A cell's forms stand in up to six columns: one main form, or numbered ones, and a rarer one with a star.
SUFFIXES = ("", " 1", " 2", " 3", " 4", "*")
# One plain word: leaves out "Hot Dog", "die Ofenschwärze", "Schmalhans’", "—".
WORD = re.compile(r"[A-ZÄÖÜ][a-zäöüß]+")
LEMMA_CELL: Tags = ("N", "NOM", "SG")


def load_nouns(*, train_size: int = 6_000, dev_size: int = 500, test_size: int = 500, seed: int = 0) -> Corpus:
    """A uniform sample of nouns, each in one cell other than the lemma's: "Haus" + N, DAT, PL → "Häusern"."""
    sizes = Sizes(train_size, dev_size, test_size)
    header, rows = _rows_by_lemma()
    columns = _columns(header)
    references: dict[Key, list[str]] = {}
    for lemma in shuffled(rows.keys() - {lemma for lemma, _ in SHOWCASE}, seed=seed):
        if len(references) == sizes.total:
            break
        cells = _paradigm(lemma, rows[lemma], columns)
        if cells:
            tags = sorted(cells)[draw(f"cell of {lemma}", seed=seed) % len(cells)]
            references[lemma, tags] = cells[tags]
    shown = {lemma: _paradigm(lemma, rows.get(lemma, ()), columns) for lemma, _ in SHOWCASE}
    return Corpus(
        name="german-nouns",
        task="inflection",
        title="German noun inflection (Wiktionary)",
        **split(references, sizes),
        format="conll2017",
        recipe="demo-inflection",
        licence="CC BY-SA 4.0 (Wiktionary)",
        showcase=tuple(Example(lemma, shown[lemma][tags][0], tags) for lemma, tags in SHOWCASE if tags in shown[lemma]),
    )


def _rows_by_lemma() -> tuple[Row, dict[str, list[Row]]]:
    """The CSV's header, and its rows of common nouns; homonyms ("Bank") have several rows."""
    rows: dict[str, list[Row]] = {}
    table = resources.files(demo_package("german_nouns")) / "nouns.csv"
    with table.open("rb") as file:
        reader = csv.reader(io.TextIOWrapper(file, encoding="utf-8", newline=""))
        header = next(reader)
        lemma, kind = header.index("lemma"), header.index("pos")
        for row in reader:
            # Not names, abbreviations, or adjectives used as nouns, whose forms depend on the article.
            if row[kind] == "Substantiv" and WORD.fullmatch(row[lemma]):
                rows.setdefault(row[lemma], []).append(row)
    return header, rows


def _columns(header: Row) -> dict[Tags, list[int]]:
    """Where the forms of each cell stand, the main form first."""
    return {
        ("N", case_tag, number_tag): [
            header.index(f"{case} {number}{suffix}") for suffix in SUFFIXES if f"{case} {number}{suffix}" in header
        ]
        for case, case_tag in CASES.items()
        for number, number_tag in NUMBERS.items()
    }


def _paradigm(lemma: str, rows: Sequence[Row], columns: Mapping[Tags, Sequence[int]]) -> dict[Tags, list[str]]:
    """The distinct forms of each filled cell, but the lemma's own, over all homonyms."""
    cells: dict[Tags, list[str]] = {}
    for row in rows:
        forms = {tags: [row[column].strip() for column in places] for tags, places in columns.items()}
        if lemma not in forms.pop(LEMMA_CELL):
            continue  # plural-only, or the forms of another word: "Insidertipp" lists those of "Geheimtipp"
        for tags, found in forms.items():
            known = cells.setdefault(tags, [])
            known.extend(form for form in dict.fromkeys(found) if WORD.fullmatch(form) and form not in known)
    return {tags: found for tags, found in cells.items() if found}
