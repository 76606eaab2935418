"""The pages that commands write, opened from disk: nothing is cropped, nothing is fetched, everybody can use them."""

from pathlib import Path

import pytest

import toy
from browser import scripts
from isotone.drawing import alignments_page, audit_page, correspondences_page, errors_page
from isotone.experiments.report import assess, build_page, find_runs
from isotone.results import Audit, Finding, Reason, Verdict
from isotone.text.example import Example

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
LONG = "abcdefg" * 4
HOSTILE = "<img src=x onerror=a()>"
CROPPED = """() => [...document.querySelectorAll("body, body *")].filter((node) => {
  const style = getComputedStyle(node), drawn = node.closest("svg");
  if (drawn && drawn !== node) return false;
  return node.scrollWidth > node.clientWidth + 1 && node.clientWidth > 0 && style.overflowX !== "visible"
    && style.display !== "inline";
}).map((node) => ({
  html: node.outerHTML.slice(0, 120), cue: getComputedStyle(node).backgroundImage.includes("gradient"),
  reached: node.tabIndex === 0,
}))"""
"""Boxes that hold more than they show."""
BEYOND = """(width) => [...document.querySelectorAll("body *")].filter(
  (node) => node.getBoundingClientRect().right > width && !node.closest(".wide, .map, svg *")
).map((node) => node.outerHTML.slice(0, 120))"""
"""What makes the page itself wider than its window."""


@pytest.fixture(scope="session")
def pages(models, folders, tmp_path_factory):
    """Each page as a file, by name."""
    folder = tmp_path_factory.mktemp("pages")
    drawn = {
        "alignments": alignments_page(list(_aligned(models)), title="Alignments"),
        "audit": audit_page(_audit(models["phones"])),
        "correspondences": correspondences_page(
            models["toy"].correspondences(toy.examples(40), context=1), title="Correspondences"
        ),
        "errors": errors_page(_errors(models), title="Errors", model="toy", other="twin"),
        "report": _report(folders, folder),
    }
    for name, text in drawn.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in drawn}


def _aligned(models):
    pairs = [*toy.examples(4, seed=3), Example(LONG, toy.transduce(LONG), ("N", "SG")), Example("abcdefgabcdef", "a")]
    yield from models["toy"].alignments(pairs)
    yield from models["arabic"].alignments(scripts.spelled(scripts.ARABIC, 3, separator="", seed=2))


def _audit(model):
    """One finding with an alignment, one about characters, one with markup in it."""
    pair = Example("cab" * 5, "K AH G " * 4 + "B")
    (aligned,), (scored,) = model.alignments([pair]), model.scores([pair], surprisal=True)
    verdict = Verdict(surprisal=scored.surprisal, z=9.0, segment=(2, 3), source_segment=(2, 3), best="K AH B",
                      best_logprob=-0.1, certified=True, alignment=aligned)  # fmt: skip
    listed = [
        (pair, (Reason("improbable", "the model prefers K AH B"),), verdict),
        (Example("dab", "D AH G"), (Reason("characters", "g looks like ɡ"), Reason("improbable", "G")), None),
        (Example(HOSTILE, "B"), (Reason("characters", HOSTILE),), None),
    ]
    findings = tuple(
        Finding(
            rank=rank,
            line=rank,
            score=9.0 - rank,
            source=one.source,
            target=one.target,
            tags=(),
            source_symbols=tuple(one.source),
            target_symbols=tuple(one.target.split()),
            reasons=reasons,
            verdict=verdict,
        )
        for rank, (one, reasons, verdict) in enumerate(listed, 1)
    )
    return Audit("words.tsv", findings, (9.0, 8.0, 7.0, 0.0), folds=2)


def _errors(models):
    test = [*toy.examples(40, seed=11), Example(LONG, "g" * 30, ("N", "SG")), Example(HOSTILE, HOSTILE, ("N", "PL"))]
    return models["twin"].errors(test, against=models["toy"], train=toy.examples(220))


def _report(folders, folder):
    test = folder / "test.tsv"
    wrong = [Example(LONG, "g" * 20, ("N", "SG")), Example("cab", "ggaabg", ("N", "SG"))]
    lines = [f"{e.source}\t{e.target}\t{';'.join(e.tags)}\n" for e in [*toy.examples(30, seed=11), *wrong]]
    test.write_text("".join(lines), encoding="utf-8")
    runs = find_runs([folders / "toy", folders / "twin"], test)
    return build_page(runs, [assess(run, errors=5) for run in runs], title="Report")


@pytest.fixture
def open_file(chromium, pages):
    """Opens pages by name; no script error, no request but for the file itself."""
    contexts, problems = [], []

    def opened(name, *, width=1000, **options):
        context = chromium.new_context(viewport={"width": width, "height": 900}, locale="en", **options)
        contexts.append(context)
        page, url = context.new_page(), pages[name].as_uri()
        page.on("pageerror", lambda error: problems.append(f"script: {error}"))
        page.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
        page.on("request", lambda asked: None if asked.url.startswith((url, "blob:")) else problems.append(asked.url))
        page.goto(url)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not problems


def unfolded(page):
    """Everything that can be opened, open."""
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    return page


NAMES = ("alignments", "audit", "correspondences", "errors", "report")


@pytest.mark.parametrize("width", [375, 1000])
@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_cropped(open_file, name, width):
    page = unfolded(open_file(name, width=width))
    assert page.evaluate("document.documentElement.scrollWidth") == width, page.evaluate(BEYOND, width)
    for box in page.evaluate(CROPPED):  # what is wider scrolls in its box, which shows that, and by keyboard too
        assert box["cue"] and box["reached"], box


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", NAMES)
def test_axe_finds_nothing_serious(open_file, axe, name, scheme):
    page = unfolded(open_file(name, width=375, color_scheme=scheme))
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    serious = [
        (each["id"], [(node["html"][:150], node["failureSummary"]) for node in each["nodes"][:3]])
        for each in found
        if each["impact"] in ("serious", "critical")
    ]
    assert not serious


@pytest.mark.parametrize("name", NAMES)
def test_data_stays_data(open_file, name):
    page = open_file(name)
    assert page.evaluate("[document.querySelectorAll('img').length, typeof hacked]") == [0, "undefined"]


def test_the_audit_is_filtered_and_searched(open_file):
    page = open_file("audit")
    cards, count = page.locator("article:visible"), page.locator("#count")
    expect(count).to_have_text("3 of 3 findings")
    page.get_by_label("improbable (2)").uncheck()
    expect(cards).to_have_count(2)  # one of them has another kind too
    page.get_by_label("characters (2)").uncheck()
    expect(count).to_have_text("0 of 3 findings")
    page.get_by_label("improbable (2)").check()
    expect(cards).to_have_count(2)
    page.get_by_label("Find entries").fill("DAB")
    expect(cards).to_have_count(1)
    expect(cards.locator("h2")).to_contain_text("dab")


def test_the_audit_draws_alignments_and_keeps_decisions(open_file):
    page = open_file("audit")
    card = page.locator("article").first
    expect(card.locator("svg")).to_be_hidden()
    card.get_by_text("alignment", exact=True).click()
    expect(card.locator("svg circle")).to_have_count(14)  # 13 symbols and the end
    expect(card.locator("h2 u").nth(1)).to_have_text("G")
    card.get_by_role("button", name="reject").click()
    card.get_by_label("Replacement").fill("K AH B")
    with page.expect_download() as started:
        page.get_by_role("button", name="Download rejected.tsv").click()
    lines = Path(started.value.path()).read_text(encoding="utf-8").splitlines()
    assert started.value.suggested_filename == "rejected.tsv"
    assert lines[1].split("\t") == ["cab" * 5, "K AH G " * 4 + "B", "", "K AH B"]


def test_alignments_are_searched_and_ordered(open_file):
    page = open_file("alignments")
    links = page.locator(".links li").all_inner_texts()
    assert links and not any("⟨/s⟩ → ⟨/s⟩" in text for text in links)
    page.get_by_label("Find pairs").fill(LONG)
    expect(page.locator("article:visible")).to_have_count(1)
    page.get_by_label("Find pairs").fill("")
    page.get_by_label("Order").select_option("p")
    first = page.evaluate(
        "[...document.querySelectorAll('article')].sort((a, b) => a.style.order - b.style.order)[0].dataset.p"
    )
    every = page.evaluate("[...document.querySelectorAll('article')].map((one) => one.dataset.p)")
    assert float(first) == min(map(float, every))


def test_letters_of_long_sources_can_be_read(open_file):
    """A map shrinks with the page, but its letters stay 10 pixels or taller."""
    for width in (375, 1000):
        page = open_file("alignments", width=width)
        scales = page.locator(".map svg").evaluate_all(
            "all => all.map((one) => one.clientWidth / one.viewBox.baseVal.width)"
        )
        assert min(scales) * 15 >= 10


def test_the_report_shows_the_edit_first_and_the_grid_on_demand(open_file):
    page = open_file("report")
    mistake = page.locator("details.error").first
    expect(mistake.locator("summary .differs").first).to_be_visible()
    expect(mistake.locator("svg").first).to_be_hidden()
    assert mistake.bounding_box()["height"] < 100
    mistake.locator("summary").click()
    expect(mistake.locator("svg").first).to_be_visible()
    text = page.locator("body").inner_text()
    assert "/tmp" not in text and str(Path.home()) not in text  # no raw paths
    section = page.locator("#curves").bounding_box()["width"]
    spans = [box.bounding_box() for box in page.locator("#curves svg").all()]
    assert max(box["x"] + box["width"] for box in spans) - min(box["x"] for box in spans) > 0.85 * section


def test_the_errors_page_has_all_its_tables(open_file):
    page = open_file("errors")
    for title in ("Head to head", "Confusions", "By tag, length and novelty", "Mistakes"):
        expect(page.get_by_role("heading", name=title)).to_be_visible()
    counted = page.locator(".confusions tbody td").all_inner_texts()
    assert sum(int(text.replace(",", "")) for text in counted if text) > 0
    captions = page.locator("#groups caption").all_inner_texts()
    assert captions[:3] == ["By tag", "By bundle of tags", "By length"] and len(captions) == 6
    broken = page.locator("#against details").last
    expect(broken.locator("table")).to_be_hidden()
    broken.locator("summary").click()
    expect(broken.locator("tbody tr").first).to_be_visible()
