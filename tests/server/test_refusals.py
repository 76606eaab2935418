"""Bad requests get a clear 4xx, quickly, and the server goes on."""

import http.client
import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from server.running import PATIENCE, TOKEN

WORD = {"items": [{"source": "abc"}]}
JSON = {"Content-Type": "application/json"}


def refused(response, status, code):
    """It is refused in the one form that refusals have; the message."""
    assert response.status_code == status, response.text
    error = response.json()
    assert list(error) == ["error"] and list(error["error"]) == ["code", "message"]
    assert error["error"]["code"] == code, error
    return error["error"]["message"]


@pytest.fixture(autouse=True)
def _still_there(client):
    """After every test the server answers as before."""
    yield
    assert client.post("/v1/predict", json=WORD).status_code == 200


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b'{"items": [}', b"\xff\xfe", b'{"items": "\xff"}', b"[" * 100_000, b"1" * 100_000, b"1\0", b"no"],
    ids=["empty", "cut", "broken", "UTF-16", "not UTF-8", "deep", "a long number", "NUL", "no JSON"],
)  # fmt: skip
def test_broken_json(client, body):
    response = client.post("/v1/predict", content=body, headers=JSON)
    assert response.status_code in (400, 422), response.text
    assert response.json()["error"]["code"] in ("invalid_json", "invalid")


@pytest.mark.parametrize(
    "body, place",
    [
        ({}, "items"),
        ({"items": []}, "items"),
        ({"items": [{}]}, "items.0.source"),
        ({"items": [{"source": 1}]}, "items.0.source"),
        ({"items": [{"source": "a", "tags": "N;PL"}]}, "items.0.tags"),
        ({**WORD, "n_best": 0}, "n_best"),
        ({**WORD, "n_best": "2"}, "n_best"),
        ({**WORD, "mass": 2}, "mass"),
        ({**WORD, "nbest": 2}, "nbest"),
        ({"items": [{"source": "a" * 100_000}]}, "items.0.source"),
        ({"items": [{"source": "a", "tags": ["N"] * 1000}]}, "items.0.tags"),
        ({"items": [{"source": "abc"}] * 10_000}, "items"),
    ],
)
def test_bodies_that_do_not_fit(client, body, place):
    assert refused(client.post("/v1/predict", json=body), 422, "invalid").startswith(f"{place}: ")


def test_lone_surrogates_are_no_text(client):
    for body in (rb'{"items": [{"source": "\ud800"}]}', rb'{"items": [{"source": "a", "tags": ["\udfff"]}]}'):
        refused(client.post("/v1/predict", content=body, headers=JSON), 422, "invalid")
    refused(client.post("/v1/predict", content=rb'{"\ud800": 1, "items": []}', headers=JSON), 422, "invalid")
    body = rb'{"model": "\ud800", "items": [{"source": "a"}]}'
    refused(client.post("/v1/predict", content=body, headers=JSON), 422, "invalid")


def test_numbers_that_json_does_not_have(client):
    for value in ("NaN", "Infinity", "1e999"):
        body = f'{{"items": [{{"source": "a"}}], "mass": {value}}}'
        refused(client.post("/v1/predict", content=body, headers=JSON), 422, "invalid")


def test_options_that_do_not_go_together(client):
    message = refused(client.post("/v1/predict", json={**WORD, "decode": "greedy", "n_best": 2}), 422, "refused")
    assert message == "n_best: does not apply to greedy decoding (only to beam and exact)"
    refused(client.post("/v1/predict", json={**WORD, "decode": "magic"}), 422, "refused")
    refused(client.post("/v1/dictionary", json={**WORD, "style": "magic"}), 422, "refused")


def test_unknown_things(client):
    assert "toy, mix" in refused(client.post("/v1/predict", json={**WORD, "model": "<x>"}), 404, "unknown_model")
    refused(client.get("/nothing"), 404, "not_found")
    response = client.get("/v1/predict")
    refused(response, 405, "method_not_allowed")
    assert response.headers["allow"] == "POST"


def test_only_json_is_read(client):
    """Forms of other sites can send text, but not JSON."""
    response = client.post("/v1/predict", content=json.dumps(WORD), headers={"Content-Type": "text/plain"})
    refused(response, 422, "invalid")


def test_ten_megabytes(client):
    body = b'{"items": [{"source": "' + b"a" * 10_000_000 + b'"}]}'
    refused(client.post("/v1/predict", content=body, headers=JSON), 413, "body_too_large")
    pieces = (body[start : start + 65536] for start in range(0, len(body), 65536))
    refused(client.post("/v1/predict", content=pieces, headers=JSON), 413, "body_too_large")


def test_an_answer_that_would_be_too_large(client):
    pair = {"source": "a" * 200, "target": "a" * 200}
    message = refused(client.post("/v1/align", json={"items": [pair] * 10}), 413, "answer_too_large")
    assert "406,020 numbers" in message


def test_more_words_than_may_wait(server, client):
    """One request alone does not fill the queue; the one that finds it full is told so, not kept."""
    asked = {"items": [{"source": "abcdefg" * 4}] * 300, "decode": "greedy"}
    with ThreadPoolExecutor(6) as pool:
        responses = list(pool.map(lambda _: client.post("/v1/predict", json=asked), range(6)))
    busy = [response for response in responses if response.status_code == 503]
    assert busy and all(response.status_code in (200, 503) for response in responses)
    for response in busy:
        assert response.json()["error"]["code"] in ("busy", "timeout")
        assert int(response.headers["retry-after"]) > 0


def raw(server, start, *, pieces=(), pause=0.0):
    """What the server sends back to these bytes, until it closes the connection."""
    with socket.create_connection(server.address, timeout=PATIENCE) as connection:
        connection.sendall(start)
        received = b""
        for piece in pieces:
            time.sleep(pause)
            try:
                connection.sendall(piece)
            except OSError:  # closed by the server
                break
        try:
            while part := connection.recv(65536):
                received += part
        except ConnectionResetError:
            pass
        return received


HEAD = f"POST /v1/predict HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n"


def test_slow_senders(server):
    """A body that comes drop by drop gets 408; a head that does is closed."""
    start = f"{HEAD}Content-Length: 1000\r\n\r\n".encode()
    received = raw(server, start, pieces=[b" "] * 300, pause=0.05)
    assert received.startswith(b"HTTP/1.1 408") and b"body_too_slow" in received
    assert raw(server, HEAD.encode()) == b""
    assert raw(server, b"") == b""


def test_a_connection_in_use_is_not_slow(server):
    """The time for a head begins with each head, not with the connection."""
    connection = http.client.HTTPConnection(*server.address, timeout=PATIENCE)
    for _ in range(4):
        connection.request("GET", "/healthz")
        assert connection.getresponse().read() == b'{"status":"ok"}'
        time.sleep(0.8)  # together longer than --body-timeout
    connection.close()


def test_bytes_that_are_no_http(server):
    for bytes_ in (
        b"\0" * 100,
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc",
        b"GET " + b"a" * 200_000,
    ):
        assert raw(server, bytes_ + b"\r\n\r\n").startswith((b"HTTP/1.1 4", b""))
    lying = f"{HEAD}Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef".encode()
    assert raw(server, lying).startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize("path", ["/", "/docs", "/openapi.json", "/metrics", "/v1/models", "/static/docs.css", "/no"])
@pytest.mark.parametrize(
    "header", [None, "Bearer wrong", "Bearer", "Basic !!!", "Basic d3Jvbmc=", f"bearer{TOKEN}", "\xff"]
)
def test_without_the_token(server, path, header):
    headers = {} if header is None else {"Authorization": header.encode("latin-1")}
    response = httpx.get(f"{server.url}{path}", headers=headers, trust_env=False, timeout=PATIENCE)
    refused(response, 401, "unauthorized")
    assert response.headers.get_list("www-authenticate")[0].startswith("Basic ")


def test_with_the_token(server):
    """As a bearer, or as the password that a browser asks for; probes need none."""
    with httpx.Client(base_url=server.url, trust_env=False, timeout=PATIENCE) as anybody:
        assert anybody.get("/v1/models", headers={"Authorization": f"BEARER {TOKEN}"}).status_code == 200
        assert anybody.get("/", auth=("whoever", TOKEN)).status_code == 200
        assert anybody.post("/v1/predict", json=WORD, auth=("", TOKEN)).status_code == 200
        refused(anybody.post("/v1/predict", content=b"x" * 2_000_000), 401, "unauthorized")
        for path in ("/healthz", "/readyz"):
            assert anybody.get(path).status_code == 200
