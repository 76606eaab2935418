import re
import time
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from isotone.drawing import alignments_page, heat_map
from isotone.results import END, START, Alignment

symbols = st.text(min_size=1, max_size=3)
SVG = "{http://www.w3.org/2000/svg}"


def diagonal(source, target, *, logprob=-1.0, certainty=0.9):
    size = len(source) + 2
    path = tuple(min(index + 1, size - 1) for index in range(len(target) + 1))
    posterior = np.full((len(path), size), (1 - certainty) / (size - 1))
    posterior[range(len(path)), path] = certainty
    return Alignment((START, *source, END), (*target, END), path, logprob, posterior)


def outline(page):
    """Names of all opening tags."""
    tags = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attributes: tags.append(tag)
    parser.feed(page)
    return tags


def test_a_heat_map_is_well_formed_and_says_what_it_shows():
    tree = ElementTree.fromstring(heat_map(diagonal("<&", ["'", '"'])))
    assert tree.attrib["role"] == "img"
    assert "log p = −1.00" in tree.findtext(f"{SVG}title")
    assert tree.findtext(f"{SVG}desc") == "<→'  &→\""
    tips = [node.text for node in tree.iterfind(f".//{SVG}rect/{SVG}title")]
    assert "\u2068<\u2069 → \u2068'\u2069: 90.0%" in tips
    assert len(tips) == 3 * 4  # every cell has at least 1 %


def test_cells_below_one_percent_are_not_drawn():
    tree = ElementTree.fromstring(heat_map(diagonal("abc", "abc", certainty=0.999)))
    assert len(tree.findall(f".//{SVG}rect/{SVG}title")) == 4
    assert len(tree.findall(f".//{SVG}circle")) == 4


@given(st.lists(symbols, max_size=5), st.lists(symbols, max_size=5))
def test_any_string_makes_a_well_formed_map_and_page(source, target):
    drawn = diagonal(source, target)
    ElementTree.fromstring(heat_map(drawn))
    assert heat_map(drawn) == heat_map(drawn)
    page = alignments_page([drawn], title="".join(source))
    page.encode("utf-8")
    # Whatever the letters, the tags are those of a page of harmless ones.
    harmless = alignments_page([diagonal("x" * len(source), "x" * len(target))], title="x")
    assert outline(page) == outline(harmless)


def test_the_page_escapes_markup():
    nasty = "</script><script>alert(1)</script>"
    page = alignments_page([diagonal(nasty, nasty), diagonal([nasty], [nasty, '" onload="x'])], title=nasty)
    assert page.count("<script>") == page.count("</script>") == 1
    assert "alert(1)" in page
    assert '" onload="' not in page


def test_the_page_needs_nothing_from_outside():
    page = alignments_page([diagonal("ab", "cd")], title="Pairs")
    addresses = set(re.findall(r"""(?:https?:)?//[^"'\s<]+""", page))
    assert addresses == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"\s(?:src|href)=|url\(|@import", page)
    assert "default-src 'none'" in page


def test_the_page_shows_every_pair_with_its_score_and_links():
    impossible = Alignment((START, "x", END), ("y", END), (), float("-inf"))
    page = alignments_page([diagonal("ab", ["AH", "B"], certainty=0.4), impossible], title="Two pairs")
    assert "<title>Two pairs</title>" in page
    assert "2 pairs" in page
    assert page.count("<article") == page.count("<svg") == 2
    assert "<bdi>ab</bdi>" in page
    assert "<bdi>AH B</bdi>" in page
    assert '<li class="doubt"><bdi>a</bdi>→<bdi>AH</bdi> <small>40%</small></li>' in page
    assert "log p = −1.00" in page
    assert "log p = −∞" in page
    assert "No alignment" in page


def test_the_end_of_both_strings_is_no_news():
    page = alignments_page([diagonal("ab", "AB"), diagonal("abc", "A", certainty=0.4)], title="t")
    chips = re.findall(r'<ol class="links">(.*?)</ol>', page)
    assert [re.findall("<bdi>(.*?)</bdi>→<bdi>(.*?)</bdi>", chip) for chip in chips] == [
        [("a", "A"), ("b", "B")],
        [("a", "A"), ("b", "end")],  # the target ends before the source does
    ]


def test_long_sources_span_the_page_shrink_and_then_scroll():
    page = alignments_page([diagonal("ab", "ab"), diagonal("a" * 13, "a"), diagonal("a" * 30, "a")], title="t")
    short, middle, long = page.split("<article")[1:]
    assert [' class="long"' in card for card in (short, middle, long)] == [False, False, True]
    assert ["tabindex" in card for card in (short, middle, long)] == [False, False, True]
    least = [int(re.search(r"--least:(\d+)px", card)[1]) for card in (short, middle, long)]
    assert least[1] < 300 < least[2]  # 13 letters fit a phone of 375 pixels
    assert "max-width:100%;min-width:min(var(--least),100rem)" in page
    assert "no-repeat local" in page  # the shade that says: there is more


def test_an_empty_page_says_so():
    assert "No pairs." in alignments_page([], title="none")


def test_two_thousand_pairs_take_seconds_not_minutes():
    pairs = [diagonal("transducer", "transducer", certainty=0.95)] * 2000
    start = time.process_time()
    page = alignments_page(pairs, title="many")
    assert time.process_time() - start < 10
    assert len(page) < 20_000_000
