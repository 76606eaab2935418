"""Changes to a format's own text settings, as the command line and sweep files make them."""

import pytest

from isotone.errors import ConfigError
from isotone.text import FORMATS, TextChanges, TextConfig, Texts

SPACED = FORMATS["g2p"].texts


def test_no_changes_keep_everything() -> None:
    assert SPACED.with_changes() == SPACED
    assert SPACED.with_changes(source=TextChanges(), target=TextChanges.of()) == SPACED


def test_normalization_alone_keeps_the_segmentation() -> None:
    changes = TextChanges.of(normalization="NFD")
    assert SPACED.with_changes(source=changes, target=changes) == Texts(
        source=TextConfig(normalization="NFD"),
        target=TextConfig(normalization="NFD", segmentation="separator"),
    )


@pytest.mark.parametrize(
    ("symbols", "segmentation", "separator"),
    [
        ("codepoints", "codepoints", None),
        ("graphemes", "graphemes", None),
        ("spaces", "separator", None),
        ("_", "separator", "_"),
        ("|", "separator", "|"),
        (" + ", "separator", " + "),
        ("SP", "separator", "SP"),
    ],
)
@pytest.mark.parametrize("own", [Texts(), SPACED, Texts(target=TextConfig(segmentation="separator", separator="-"))])
def test_symbols(symbols: str, segmentation: str, separator: str | None, own: Texts) -> None:
    changed = own.with_changes(target=TextChanges.of(symbols=symbols))
    assert changed.source == own.source
    assert (changed.target.segmentation, changed.target.separator) == (segmentation, separator)


@pytest.mark.parametrize(
    ("symbols", "hint"),
    [
        ("space", "did you mean spaces?"),
        ("Spaces", "did you mean spaces?"),
        ("grapheme", "did you mean graphemes?"),
        ("codepoint", "did you mean codepoints?"),
        ("code points", "did you mean codepoints?"),
        ("separator", "or the separator itself"),
    ],
)
def test_near_misses_of_a_name_are_not_separators(symbols: str, hint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        TextChanges.of(symbols=symbols)
    assert repr(symbols) in str(caught.value) and hint in str(caught.value)


def test_mistakes_are_config_errors() -> None:
    with pytest.raises(ConfigError, match=r"^normalization: Input should be 'NFC', "):
        TextChanges.of(normalization="nfc")
    with pytest.raises(ConfigError, match=r"^target: the separator is empty"):
        Texts().with_changes(target=TextChanges.of(symbols=""))
    with pytest.raises(ConfigError, match=r'^source: a separator needs segmentation "separator"'):
        Texts().with_changes(source=TextChanges(separator="_"))


def test_as_a_sweep_file_writes_them() -> None:
    changes = TextChanges.model_validate({"segmentation": "separator", "separator": "+"})
    assert changes.over(TextConfig(normalization="NFD")) == TextConfig(
        normalization="NFD", segmentation="separator", separator="+"
    )
