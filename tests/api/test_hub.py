"""Folders and the Hugging Face Hub: there and back over HTTP, against a small hub on this machine."""

import base64
import json
import os
import subprocess
import sys
import threading
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

import pytest

import isotone
from isotone.errors import ModelError
from isotone.store.hub import check_inside

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Hub(BaseHTTPRequestHandler):
    """The few endpoints that uploading and downloading a model need; every file is small enough for a commit."""

    files: dict[str, bytes]
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, body=b"", status=200, **headers):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), "X-Repo-Commit": COMMIT, **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def json(self, value, status=200, **headers):
        self.answer(json.dumps(value).encode(), status, Content_Type="application/json", **headers)

    def do_GET(self):
        if self.path.startswith("/api/models/me/toy"):
            siblings = [{"rfilename": name} for name in self.files]
            tree = [{"type": "file", "path": n, "size": len(b), "oid": COMMIT} for n, b in self.files.items()]
            info = {"id": "me/toy", "modelId": "me/toy", "sha": COMMIT, "siblings": siblings, "tags": []}
            return self.json(tree if "/tree/" in self.path else info)
        name = unquote(self.path).removeprefix(f"/me/toy/resolve/{COMMIT}/")
        if self.path.startswith("/me/toy/resolve/") and name in self.files:
            body = self.files[name]
            return self.answer(body, ETag=f'"{sha256(body).hexdigest()}"', Accept_Ranges="none")
        return self.json({"error": "Repository not found"}, 404, X_Error_Code="RepoNotFound")

    do_HEAD = do_GET  # noqa: N815

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/api/validate-yaml":
            return self.json({"warnings": [], "errors": []})
        if self.headers.get("Authorization") != "Bearer secret":
            return self.json({"error": "Invalid username or password."}, 401)
        if self.path == "/api/repos/create":
            return self.json({"url": f"http://{self.headers['Host']}/me/toy", "id": "me/toy"})
        if "/preupload/" in self.path:
            names = [file["path"] for file in json.loads(body)["files"]]
            return self.json({"files": [{"path": n, "uploadMode": "regular", "shouldIgnore": False} for n in names]})
        if "/commit/" in self.path:
            for line in map(json.loads, body.splitlines()):
                if line["key"] == "file":
                    self.files[line["value"]["path"]] = base64.b64decode(line["value"]["content"])
            url = f"http://{self.headers['Host']}/me/toy/commit/{COMMIT}"
            return self.json({"commitUrl": url, "commitOid": COMMIT, "hookOutput": ""})
        return self.json({"error": self.path}, 404)


@pytest.fixture
def hub():
    handler = type("OneHub", (Hub,), {"files": {}})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", handler.files
    server.shutdown()
    thread.join()
    server.server_close()


def python(code, endpoint, home, **environment):
    """Run code in a fresh interpreter: the client reads its settings when it is imported."""
    settings = {"HF_ENDPOINT": endpoint, "HF_HOME": str(home), "HF_HUB_DISABLE_TELEMETRY": "1", **environment}
    settings |= {"HF_HUB_DISABLE_PROGRESS_BARS": "1", "HF_HUB_DISABLE_XET": "1", "NO_PROXY": "127.0.0.1"}
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("HF_")}
    return subprocess.run(
        [sys.executable, "-c", code], env={**inherited, **settings}, capture_output=True, text=True, timeout=120
    )


def test_up_and_down_again(hub, folders, tmp_path):
    endpoint, files = hub
    code = f"""import isotone
print(isotone.load({str(folders["1-mono"])!r}).push_to_hub("me/toy", token="secret"))"""
    done = python(code, endpoint, tmp_path)
    assert done.stdout == f"{endpoint}/me/toy\n", done.stderr
    copies = ["README.md", "config.json", "metrics.json", "run.json", "vocabulary.json"]
    assert sorted(files) == sorted([*copies, "model.safetensors"])
    assert files["README.md"].startswith(b"---\nlibrary_name: isotone\n") and b"| acc |" in files["README.md"]
    code = """import isotone
model = isotone.Transducer.from_pretrained("me/toy")
print(model("abc", tags="N;PL").target, repr(model.score("abc", "aabc")), model.metrics.pairs)"""
    model = isotone.load(folders["1-mono"])
    for offline in ("0", "1"):  # from the hub, and from the cache
        done = python(code, endpoint, tmp_path, HF_HUB_OFFLINE=offline)
        target, score, pairs = done.stdout.split()
        assert (target, pairs) == (model("abc", tags="N;PL").target, "300"), done.stderr
        assert float(score) == pytest.approx(model.score("abc", "aabc"), rel=1e-6), "another process"


def test_a_mixture_up_and_down_again(hub, folders, tmp_path):
    endpoint, files = hub
    code = f"""import isotone
model = isotone.load({str(folders["soft"])!r}, {str(folders["1-mono"])!r}, weights=[1, 3])
model.push_to_hub("me/toy", token="secret")"""
    done = python(code, endpoint, tmp_path)
    assert done.returncode == 0, done.stderr
    inside = ["README.md", "config.json", "model.safetensors", "vocabulary.json"]
    members = [f"{member}/{name}" for member in ("member-0", "member-1") for name in inside]
    assert sorted(files) == ["README.md", *members, "mixture.json"]
    files["notes/private.txt"] = b"not a model's"
    code = """import isotone
from isotone.store.hub import fetch
print(repr(isotone.Transducer.from_pretrained("me/toy").score("abc", "aabc")))
print(*sorted(path.name for path in fetch("me/toy").iterdir()))"""
    expected = isotone.load(folders["soft"], folders["1-mono"], weights=[1, 3]).score("abc", "aabc")
    done = python(code, endpoint, tmp_path)
    score, listed = done.stdout.splitlines()
    assert listed == "README.md member-0 member-1 mixture.json", done.stderr
    assert float(score) == pytest.approx(expected, rel=1e-6)


def test_a_repository_cannot_write_outside_its_folder(hub, folders, tmp_path):
    endpoint, files = hub
    for path in folders["1-mono"].iterdir():
        files[path.name] = path.read_bytes()
    files["../../../../escaped/config.json"] = b"{}"
    code = """from isotone.errors import ModelError
from isotone.store.hub import fetch
try:
    print(fetch("me/toy"))
except ModelError as error:
    print(error)"""
    python(code, endpoint, tmp_path / "home")
    outside = [path for path in tmp_path.rglob("config.json") if "models--me--toy" not in path.parts]
    assert not outside


def test_links_in_a_downloaded_folder_stay_in_the_cache(tmp_path):
    snapshot, blobs = tmp_path / "models--me--toy" / "snapshots" / COMMIT, tmp_path / "models--me--toy" / "blobs"
    for folder in (snapshot / "member-0", blobs):
        folder.mkdir(parents=True)
    (blobs / "1").write_text("{}")
    (snapshot / "config.json").symlink_to(blobs / "1")
    check_inside(snapshot, "me/toy")
    (tmp_path / "secret").write_text("{}")
    (snapshot / "member-0" / "config.json").symlink_to(tmp_path / "secret")
    with pytest.raises(ModelError, match=r"me/toy: member-0/config\.json leads out of the downloaded folder"):
        check_inside(snapshot, "me/toy")


WRONG = """import isotone
from isotone.errors import ModelError
model, get = isotone.load({folder!r}), isotone.Transducer.from_pretrained
for call in ({calls}):
    try:
        print(call())
    except ModelError as error:
        print(error)"""


@pytest.mark.parametrize(
    ("calls", "environment", "messages"),
    [
        (["get('me/toy')"], {"HF_HUB_OFFLINE": "1"}, ["me/toy: neither a model folder here nor one on the hub ("]),
        (["get('me/toy')"], {"HF_ENDPOINT": "http://127.0.0.1:9"}, ["me/toy: neither a model folder here nor one on"]),
        (
            [
                "get('me/absent')",
                "get('no/such/folder')",
                "model.push_to_hub('me/toy', token='wrong')",
                "model.push_to_hub('a/b/c', token='secret')",
            ],
            {},
            [
                "me/absent: neither",
                "no/such/folder: neither",
                "me/toy: could not upload (",
                "a/b/c: could not upload (",
            ],
        ),
    ],
    ids=["offline", "unreachable", "refused"],
)
def test_what_fails_says_so_in_one_line(hub, folders, tmp_path, calls, environment, messages):
    endpoint, _ = hub
    code = WRONG.format(folder=str(folders["1-mono"]), calls=", ".join(f"lambda: {call}" for call in calls) + ",")
    done = python(code, endpoint, tmp_path, **environment)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == len(messages)
    assert all(line.startswith(message) for line, message in zip(lines, messages, strict=True)), lines


def test_save_pretrained_writes_a_folder_that_loads(folders, tmp_path):
    model = isotone.Transducer.from_pretrained(folders["0-mono"])
    model.save_pretrained(tmp_path / "copy")
    assert sorted(path.name for path in (tmp_path / "copy").iterdir()) == [
        "README.md",
        "config.json",
        "metrics.json",
        "model.safetensors",
        "run.json",
        "vocabulary.json",
    ]
    again = isotone.Transducer.from_pretrained(str(tmp_path / "copy"))
    assert again.score("abc", "aabc") == pytest.approx(model.score("abc", "aabc"), rel=1e-6)
    assert again.metrics == model.metrics
    (tmp_path / "copy" / "metrics.json").unlink()
    assert isotone.load(tmp_path / "copy").metrics == model.metrics, "metrics.json is a copy"


def test_no_such_folder(tmp_path):
    with pytest.raises(ModelError, match="no such model folder"):
        isotone.load(tmp_path / "absent")
