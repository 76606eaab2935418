"""The addresses of a server, and that its JSON is the command line's."""

import json
import re

import pytest

from cli.conftest import in_process
from isotone.cli.main import COMMANDS
from server.running import MIXTURE, SINGLE, run_async, wait_until

WORDS = ["abc", "", "qaqe", "Zürich", "abcdefgabcdefg", "a\u0308", "<b>&amp;</b>"]


def items(path):
    """The lines of a file in the format conll2017, as items of a request."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return [{"source": source, "target": target, "tags": tags.split(";")} for source, target, tags in rows]


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    """Possible pairs and impossible ones."""
    file = tmp_path_factory.mktemp("pairs") / "pairs.tsv"
    file.write_text("abc\taabc\tN;SG\nqaqe\taaees\tN;PL\nbad\tbÄd\tN;PL\n<b>\t<b>s\tN;WHAT\n", encoding="utf-8")
    return file


@pytest.mark.parametrize("name, folder", [("toy", SINGLE), ("mix", MIXTURE)])
@pytest.mark.parametrize(
    "path, arguments, options",
    [
        ("predict", ["predict", "--n-best", "3"], {"n_best": 3}),
        ("predict", ["predict", "--decode", "greedy"], {"decode": "greedy"}),
        ("predict", ["predict", "--decode", "beam", "--beam", "7"], {"decode": "beam", "beam": 7}),
        ("score", ["score"], {}),
        ("score", ["score", "--surprisal"], {"surprisal": True}),
        ("align", ["align", "--posterior"], {}),
    ],
)  # fmt: skip
def test_results_are_the_lines_of_the_command_line(client, pairs, name, folder, path, arguments, options):
    command, *flags = arguments
    done = in_process(command, folder, pairs, "--json", "--format", "conll2017", *flags)
    assert done.code == 0, done.err
    asked = items(pairs)
    if path == "predict":
        asked = [{key: item[key] for key in ("source", "tags")} for item in asked]
    response = client.post(f"/v1/{path}", json={"model": name, "items": asked, **options})
    assert response.status_code == 200, response.text
    text, numbers = taken_apart(response.text)
    expected, known = taken_apart(f'{{"model": "{name}", "results": [{", ".join(done.lines)}]}}\n')
    assert text == expected and numbers == pytest.approx(known, abs=1e-5)


def taken_apart(line):
    """The text with its numbers left out, and the numbers.

    Two processes need not agree in the last bits: the arithmetic depends on the number of threads.
    """
    number = r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
    return re.sub(number, "#", line), [float(found) for found in re.findall(number, line)]


def test_any_string_is_a_word(client):
    asked = [*WORDS, "a\0b", "a\tb\nc", "\u202eabc", "👩‍👩‍👧", "a" * 256]
    response = client.post("/v1/predict", json={"items": [{"source": word} for word in asked], "decode": "greedy"})
    assert response.status_code == 200, response.text
    assert [result["source"] for result in response.json()["results"]] == asked


def test_models(client):
    listed = client.get("/v1/models").json()["models"]
    assert [(model["name"], model["default"]) for model in listed] == [("toy", True), ("mix", False)]
    toy, mix = listed
    assert (toy["task"], toy["model"], toy["tags"]) == ("inflection", "1-mono", ["N", "PL", "SG"])
    assert toy["parameters"] == 12367 and toy["source_symbols"] == toy["target_symbols"] == 8
    assert [member["share"] for member in mix["members"]] == [0.5, 0.5]
    assert sum(member["parameters"] for member in mix["members"]) == mix["parameters"]
    assert client.post("/v1/predict", json={"items": [{"source": "a"}]}).json()["model"] == "toy"


def test_dictionary(client):
    asked = {"items": [{"source": "abc"}, {"source": "ab c"}], "n_best": 2}
    found = client.post("/v1/dictionary", json=asked)
    predictions = client.post("/v1/predict", json=asked).json()["results"][0]["predictions"]
    first, second = (" ".join(candidate["target"]) for candidate in predictions)
    assert found.text == f"abc  {first}\nabc(2)  {second}\n"
    assert found.headers["X-Isotone-Left-Out"] == "1"
    assert found.headers["content-type"] == "text/plain; charset=utf-8"
    table = client.post("/v1/dictionary", json={**asked, "style": "tsv"}).text.splitlines()
    assert table[0].startswith("word\t") and len(table) == 5


def test_pages_load_nothing_from_elsewhere(client):
    for path in ("/", "/docs", "/static/docs.css"):
        page = client.get(path)
        assert page.status_code == 200
        policy = page.headers["content-security-policy"]
        assert "default-src 'self'" in policy and "unsafe" not in policy
        assert page.headers["x-content-type-options"] == "nosniff"
    docs = client.get("/docs").text
    assert all(path in docs for path in json.loads(client.get("/openapi.json").text)["paths"])
    assert "<script" not in docs and "://" not in docs.replace("http://127.0.0.1:8000", "")


def test_probes_may_ask_for_heads(client):
    for path in ("/", "/healthz", "/readyz"):
        response = client.head(path)
        assert response.status_code == 200 and response.content == b""


def test_files_outside_the_static_folder_are_not_served(client):
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static//etc/passwd", "/static/..%5capp.py"):
        assert client.get(path).status_code == 404


def test_metrics(client):
    client.post("/v1/predict", json={"items": [{"source": "abc"}]})
    client.get("/an/address/that/nobody/knows")
    text = client.get("/metrics").text
    assert 'isotone_requests_total{method="POST",path="/v1/predict",status="200"}' in text
    assert 'path="other",status="404"' in text and "nobody" not in text
    for name in ("request_seconds_bucket", "batch_size_count", "queue_depth", "requests_in_flight"):
        assert f"isotone_{name}" in text
    assert 'isotone_model_info{aligner="1-mono",model="toy",task="inflection"} 1.0' in text
    assert "process_resident_memory_bytes" in text


def test_the_access_log_has_no_words_in_it(server, client):
    client.post("/v1/predict?secret=query", json={"items": [{"source": "gagagaga"}] * 17, "model": "mix"})
    (line,) = wait_until(lambda: [line for line in server.requests() if line.get("items") == 17])
    assert (line["path"], line["status"], line["model"]) == ("/v1/predict", 200, "mix")
    assert line["method"] == "POST" and line["ms"] > 0 and line["client"] == "127.0.0.1"
    assert not any("gagagaga" in line or "secret" in line for line in server.lines)


def test_mounted_in_another_application():
    """Where the lifespan of a mounted application does not run; here with a model in this process."""
    import httpx
    from starlette.applications import Starlette
    from starlette.routing import Mount

    import isotone
    from isotone.server import create_app

    async def ask():
        outer = Starlette(routes=[Mount("/inner", create_app({"toy": isotone.load(SINGLE)}))])
        async with httpx.AsyncClient(transport=httpx.ASGITransport(outer), base_url="http://test") as local:
            return await local.post("/inner/v1/predict", json={"items": [{"source": "abc"}]})

    assert run_async(ask()).json()["results"][0]["source"] == "abc"


def test_the_command_is_listed():
    assert "serve" in COMMANDS
