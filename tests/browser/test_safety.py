"""The page escapes everything, asks nobody else, stands behind a token, and can be used by everybody."""

import pytest

from browser.conftest import serving
from isotone.drawing import visible

for package in ("fastapi", "uvicorn", "prometheus_client"):
    pytest.importorskip(package, reason="the studio is served by the extra `serve`")
expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
HOSTILE = "<svg onload=a()>"


@pytest.mark.parametrize("view", ["word", "pair", "list"])
def test_hostile_words_stay_text(open_page, view):
    page = open_page(f"{view}?model=toy&tags={'<b>'}")
    page.add_init_script("window.a = () => { window.hacked = 1; }")
    page.reload()
    fields = {"word": ["#word-source"], "pair": ["#pair-source", "#pair-target"], "list": ["#list-text"]}[view]
    for field in fields:
        page.locator(field).fill(HOSTILE)
    if view == "list":
        page.get_by_role("button", name="Predict").click()
    answer = page.locator({"word": ".unseen-note", "pair": "#pair-answer .drawing", "list": "tbody th"}[view]).first
    expect(answer).to_contain_text({"word": "<svg␣onload", "pair": "No alignment", "list": HOSTILE}[view])
    page.wait_for_load_state("networkidle")
    safe = "[typeof hacked, document.querySelectorAll('[onload]').length, document.scripts.length]"
    assert page.evaluate(safe) == ["undefined", 0, 1]
    page.reload()  # from the address, too
    expect(answer).to_be_visible()
    assert page.evaluate(safe) == ["undefined", 0, 1]


def test_every_answer_forbids_other_origins_and_inline_scripts(open_page, studio):
    page = open_page()
    policy = page.request.get(studio.url).headers["content-security-policy"]
    assert "default-src 'self'" in policy and "unsafe" not in policy


def test_a_token_is_asked_for_once_and_kept_in_this_tab(chromium, models):
    with serving({"toy": models["toy"]}, token="secret-token") as url:
        # A password that the server refuses: without any, a browser would ask before the page can.
        context = chromium.new_context(http_credentials={"username": "", "password": "wrong"})
        page = context.new_page()
        # The page itself comes with the header, as from a proxy that knows the token; the API's requests do not.
        signed = {"authorization": "Bearer secret-token"}
        for pattern in (f"{url}/", f"{url}/static/**"):
            page.route(pattern, lambda route: route.continue_(headers={**route.request.headers, **signed}))
        page.goto(f"{url}/#word?source=cab&tags=N;PL")
        for attempt in ("wrong", "secret-token"):
            expect(page.get_by_role("dialog")).to_be_visible()
            page.locator("#token-value").fill(attempt)
            page.locator("#token-value").press("Enter")
        expect(page.locator(".candidate .target").first).to_have_text("caabs")
        assert page.evaluate("[sessionStorage.length, localStorage.length, document.cookie]") == [1, 0, ""]
        assert "secret" not in page.url
        context.close()


def test_refusals_are_shown_in_the_servers_words(open_page):
    page = open_page("word?model=toy&source=" + "a" * 300)
    expect(page.get_by_role("alert")).to_contain_text("256")
    page.get_by_label("Word", exact=True).fill("cab")
    expect(page.locator(".candidate").first).to_be_visible()


SYMBOLS = ["a", "AH0", " ", "", "\u0301", "e\u0301", "\u1112", "\u1161", "\u11ab", "م", "\u064e", "\u202e", "\x00",
           "\u200d", "👩\u200d🚀", "\u00a0", "東", "ش\u0651", "\u2028", "\u0378", "⟨/s⟩"]  # fmt: skip


def test_symbols_look_as_in_the_other_drawings(open_page, studio):
    page = open_page()
    shown = page.evaluate(
        f"async symbols => (await import('{studio.url}/static/symbols.js')).visible && "
        f"symbols.map((await import('{studio.url}/static/symbols.js')).visible)",
        SYMBOLS,
    )
    assert shown == [visible(symbol) for symbol in SYMBOLS]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "place",
    [
        "word?model=toy&with=twin&source=ca7b&tags=N",
        "pair?model=phones&source=cab&target=K+AH+G",
        "list?model=phones&text=cab%0Ac7b",
    ],
)
def test_axe_finds_nothing_serious(open_page, axe, place, scheme):
    page = open_page(place, color_scheme=scheme, reduced_motion="reduce")
    expect(page.locator("figure.alignment, tbody tr").first).to_be_visible()
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(600)  # a busy panel is dimmed, and comes back within half a second
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    serious = [
        (each["id"], [node["html"] for node in each["nodes"]])
        for each in found
        if each["impact"] in ("serious", "critical")
    ]
    assert not serious
