"""What people do with the studio, in a real browser, against what the models themselves say."""

import json
import re

import pytest

import toy
from isotone.text.example import Example

for package in ("fastapi", "uvicorn", "prometheus_client"):
    pytest.importorskip(package, reason="the studio is served by the extra `serve`")
expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect


def pressed(page):
    return page.locator(".candidate[aria-pressed=true] .target")


def drawn(page):
    """The target of the alignment on screen, as its figure names it."""
    return page.locator("figure.alignment")


def test_a_word_is_typed_and_its_candidates_have_true_probabilities(open_page, studio):
    page = open_page("word?model=toy&tags=N;PL")
    expect(page.locator("#word-tags .chip[aria-pressed=true]")).to_have_text(["N", "PL"])
    page.get_by_label("Word", exact=True).fill("cab")
    expect(pressed(page)).to_have_text(toy.transduce("cab", ("N", "PL")))
    expected = studio.models["toy"]("cab", tags="N;PL", n_best=5)
    expect(page.locator(".candidate .target")).to_have_text([candidate.target for candidate in expected.candidates])
    shown = page.locator(".candidate .figure").all_inner_texts()
    wanted = [100 * candidate.probability for candidate in expected.candidates]
    assert [float(text.strip("< %")) for text in shown] == pytest.approx(wanted, abs=0.06)
    widths = page.locator(".candidate .bar span").evaluate_all(
        "nodes => nodes.map(node => node.clientWidth / node.parentNode.clientWidth * 100)"
    )
    assert widths[0] == pytest.approx(wanted[0], abs=2) and widths == sorted(widths, reverse=True)
    expect(page.locator(".certified")).to_contain_text("no other string is more probable")


def test_a_click_draws_the_alignment_of_that_candidate(open_page, studio):
    page = open_page("word?model=toy&source=cab&tags=N;PL")
    best, second = studio.models["toy"]("cab", tags="N;PL", n_best=2).candidates
    expect(drawn(page)).to_have_attribute("aria-label", f"Alignment of c a b with {' '.join(best.target)}")
    page.locator(".candidate").nth(1).click()
    expect(drawn(page)).to_have_attribute("aria-label", f"Alignment of c a b with {' '.join(second.target)}")
    expect(pressed(page)).to_have_text(second.target)
    alignment = studio.models["toy"].align("cab", second.target, tags="N;PL")
    expect(page.locator(".heat circle")).to_have_count(len(second.target) + 1)
    expect(page.locator(".heat .cell")).to_have_count(int((alignment.posterior >= 0.01).sum()))
    expect(page.locator(".ribbon .best")).to_have_count(len(second.target))
    page.get_by_text("Links in numbers").click()
    expect(page.locator(".links li").first).to_contain_text("c → c")
    above, below = (page.locator(".ribbon text").nth(place).bounding_box()["y"] for place in (0, -1))
    assert above < below  # source above, target below


def test_tags_of_the_model_are_switched_by_clicks(open_page):
    page = open_page("word?model=toy&source=cab&tags=N;SG")
    expect(pressed(page)).to_have_text("caab")
    page.get_by_role("button", name="SG", exact=True).click()
    page.get_by_role("button", name="PL", exact=True).click()
    expect(pressed(page)).to_have_text("caabs")
    assert "tags=N;PL" in page.url


def test_two_models_stand_side_by_side(open_page, studio):
    page = open_page("word?model=toy&source=cab&tags=N;PL&n=3")
    page.get_by_label("Compare with").select_option("twin")
    expect(page.locator(".panel h2")).to_have_text(["toy", "twin"])
    expect(page.locator("figure.alignment")).to_have_count(2)
    for place, name in enumerate(("toy", "twin")):
        found = studio.models[name]("cab", tags="N;PL", n_best=3).candidates
        expect(page.locator(".panel").nth(place).locator(".target")).to_have_text([each.target for each in found])
    boxes = [page.locator(".panel").nth(place).bounding_box() for place in (0, 1)]
    assert boxes[0]["y"] == boxes[1]["y"] and boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]


def test_symbols_never_seen_are_marked(open_page):
    page = open_page("word?model=phones&source=ca7b")
    expect(page.locator("mark.unseen")).to_have_text("7")
    expect(page.locator(".unseen-note")).to_contain_text("never seen in training: 7")
    expect(page.locator(".ribbon .unseen text")).to_have_text("7")


def test_a_pair_shows_where_it_is_surprising(open_page, studio):
    page = open_page("pair?model=phones")
    page.get_by_label("Source").fill("cab")
    page.get_by_label("Target").fill("K AH G")
    (scored,) = studio.models["phones"].scores([Example("cab", "K AH G")], surprisal=True)
    expect(page.locator(".surprise .figure")).to_have_text([f"{value:.2f}" for value in scored.surprisal])
    expect(page.locator(".surprise.worst bdi")).to_have_text("G")
    colours = page.locator(".surprise").evaluate_all("all => all.map(one => getComputedStyle(one).backgroundColor)")
    assert colours[2] != colours[0]
    expect(page.locator("#pair-answer")).to_contain_text("Most surprising: G, written at b")
    page.get_by_role("button", name="Score that").click()
    expect(page.get_by_label("Target")).to_have_value("K AH B")
    expect(page.locator("#pair-answer")).to_contain_text("what the model itself would write")
    page.get_by_label("Target").fill("K ZZ")
    expect(page.locator("#pair-answer")).to_contain_text("The model cannot write ZZ here.")
    expect(page.locator(".verdict")).to_contain_text("−∞")


def saved(page, name):
    with page.expect_download() as started:
        page.get_by_role("button", name=name, exact=True).click()
    path = started.value.path()
    return started.value.suggested_filename, path.read_text(encoding="utf-8")


def test_a_list_is_pasted_and_downloaded(open_page, studio):
    page = open_page("list?model=phones&n=3")
    words = ["cab", "deaf", "cab", "two words"]
    page.locator("#list-text").fill("\n".join(words) + "\n\n")
    page.get_by_role("button", name="Predict").click()
    expect(page.locator("#list-answer tbody tr")).to_have_count(4)
    model = studio.models["phones"]
    expected = list(model.predict(words, n_best=3))
    name, text = saved(page, "JSON")
    assert name == "phones.json"
    for got, wanted in zip(json.loads(text), expected, strict=True):
        assert [each["target"] for each in got["predictions"]] == [each.target for each in wanted.candidates]
        assert got["source"] == wanted.source and got["certified"] is wanted.certified
    name, text = saved(page, "TSV")
    rows = [line.split("\t") for line in text.splitlines()]
    assert rows[0] == ["source", "tags", "rank", "target", "probability"] and len(rows) == 1 + 4 * 3
    assert rows[1][:4] == ["cab", "", "1", expected[0].target]
    name, text = saved(page, "CMUdict")
    assert name == "phones-cmudict.dict" and f"cab  {expected[0].target}\n" in text
    assert text.count("cab  ") == 1 and "cab(2)  " in text and "two words" not in text
    expect(page.locator("#status")).to_contain_text("1 words do not fit")
    assert f"cab\t1.0\t{expected[0].target}\n" in saved(page, "MFA dictionary")[1]


def test_tags_of_a_list_come_after_a_tab(open_page):
    page = open_page("list?model=toy")
    page.locator("#list-text").fill("cab\tN;PL\nda\tN;SG")
    page.get_by_role("button", name="Predict").click()
    expect(page.locator("#list-answer tbody td:nth-child(2) bdi")).to_have_text(["caabs", "daa"])
    expect(page.get_by_role("button", name="CMUdict")).to_have_count(0)  # no phones, no dictionary


def test_the_address_shows_the_same_again(open_page, studio):
    page = open_page("word?model=toy", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_label("Word", exact=True).fill("cab&é")
    page.get_by_label("Compare with").select_option("twin")
    page.locator(".panel").nth(0).locator(".candidate").nth(1).click()
    target = pressed(page).first.inner_text()
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#status")).to_contain_text("clipboard")
    link = page.evaluate("navigator.clipboard.readText()")
    other = open_page(link.split("#")[1])
    expect(other.get_by_label("Word", exact=True)).to_have_value("cab&é")
    expect(pressed(other).first).to_have_text(target)
    expect(other.locator(".panel h2")).to_have_text(["toy", "twin"])
    page.get_by_role("link", name="Pair").click()
    expect(page.get_by_label("Source")).to_have_value("cab&é")
    page.go_back()
    expect(page.get_by_label("Word", exact=True)).to_be_visible()
    listed = open_page("list?model=phones&text=cab%0Adeaf")
    expect(listed.locator("#list-answer tbody tr")).to_have_count(2)


def test_the_keyboard_is_enough(open_page, studio):
    page = open_page("word?model=toy&tags=N;PL")
    expect(page.get_by_label("Word", exact=True)).to_be_focused()
    page.keyboard.type("cab")
    expect(pressed(page)).to_have_text("caabs")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    second = page.locator(".candidate").nth(1)
    expect(second).to_be_focused()
    assert second.evaluate("node => getComputedStyle(node).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    expect(pressed(page)).to_have_text(studio.models["toy"]("cab", tags="N;PL", n_best=2).candidates[1].target)
    page.keyboard.press("Home")
    expect(page.locator(".candidate").first).to_be_focused()
    reached = []
    page.locator("body").evaluate("document.activeElement.blur()")
    for _ in range(30):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()"))
    order = ["Word", "Pair", "List", "share", "word-source", "word-model", "word-with", "word-n", "N"]
    places = [reached.index(name) for name in order]
    assert places == sorted(places)
    assert any(name.startswith("Links in numbers") for name in reached)


@pytest.mark.parametrize("place", ["word?model=toy&with=twin&source=" + "abcdefg" * 4, "pair?source=cab&target=caab",
                                   "list?text=cab%0A" + "abc" * 20])  # fmt: skip
def test_nothing_is_cropped_on_a_phone(open_page, place):
    page = open_page(place, width=375)
    page.wait_for_load_state("networkidle")
    expect(page.locator("figure.alignment, tbody tr").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 375
    for box in page.locator(".scroll").all():  # what is wider scrolls in its box, by keyboard too
        if box.evaluate("node => node.scrollWidth > node.clientWidth + 1"):
            expect(box).to_have_attribute("tabindex", "0")


def test_dark_and_light(open_page):
    lightness = {}
    for scheme in ("light", "dark"):
        page = open_page("word?model=toy&source=cab", color_scheme=scheme)
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        lightness[scheme] = sum(map(int, re.findall(r"\d+", colour)[:3])) / 3
    assert lightness["light"] > 230 and lightness["dark"] < 40


def test_arabic_runs_the_right_way_and_the_drawing_says_so(open_page, studio):
    page = open_page("word?model=arabic")
    field = page.get_by_label("Word", exact=True)
    field.fill("م\u064eد")
    assert field.evaluate("node => node.matches(':dir(rtl)')")
    expect(pressed(page)).to_have_text(studio.models["arabic"]("م\u064eد").target)
    expect(page.locator(".heat text").nth(2)).to_have_text("◌\u064e")  # a mark has something to sit on
    expect(page.locator(".note.script")).to_have_text(
        "Letters run from left to right in the order in which they are read. "
        "Each stands in its isolated form; in running text they join. ◌ stands for the letter that a mark sits on."
    )
