"""What `isotone serve` refuses and warns of, before it loads anything."""

import builtins
import socket
import sys

import pytest

import isotone.server
from cli.conftest import in_process
from isotone.cli.serve import _folders
from isotone.errors import ConfigError
from isotone.server.auth import read_token
from server.running import MIXTURE, SINGLE


@pytest.fixture
def served(monkeypatch):
    """What would be served: folders, settings, address, options."""
    asked = []
    monkeypatch.setattr(isotone.server, "serve", lambda *given, **options: asked.append((*given, options)))
    monkeypatch.delenv("ISOTONE_TOKEN", raising=False)
    yield asked
    for _, _, address, _ in asked:
        address.socket.close()


def test_names_and_folders(served):
    done = in_process("serve", f"a={SINGLE}", MIXTURE, "--port", 0, "--workers", 3, "--threads", 1, "--window", 5)
    assert done.code == 0 and done.out == ""
    ((folders, settings, address, options),) = served
    assert folders == {"a": [str(SINGLE)], "mixture": [str(MIXTURE)]}
    assert options == {"workers": 3, "threads": 1} and settings.window == 0.005 and settings.token is None
    assert address.loopback and address.port > 0
    assert done.err == f"isotone: serving a, mixture at {address.url} (Ctrl-C ends it)\n"


def test_mixtures_and_odd_names(tmp_path):
    odd = tmp_path / "x=y,z"
    odd.mkdir()
    assert _folders([str(odd)]) == {"x=y,z": [str(odd)]}
    assert _folders(["both=a/b,c/d"]) == {"both": ["a/b", "c/d"]}
    assert _folders(["a/b,c/d/"]) == {"b+d": ["a/b", "c/d/"]}
    with pytest.raises(ConfigError, match="two models are called b"):
        _folders(["a/b", "c/b"])


def test_mistakes_are_one_line(tmp_path, served):
    assert in_process("serve", tmp_path / "none").refused().endswith("none: no such model folder")
    assert "model.safetensors" in in_process("serve", tmp_path).refused()
    assert "no-such-host.invalid" in in_process("serve", SINGLE, "--host", "no-such-host.invalid").refused()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        message = in_process("serve", SINGLE, "--port", taken.getsockname()[1]).refused()
    assert "Address already in use" in message
    assert in_process("serve", SINGLE, "--token-file", tmp_path / "no").refused().endswith("No such file or directory")
    (tmp_path / "empty").write_text("\n")
    assert "the token is empty" in in_process("serve", SINGLE, "--token-file", tmp_path / "empty").refused()
    assert "is a directory" in in_process("serve", SINGLE, "--log-file", tmp_path).refused().lower()
    assert not served


def test_a_missing_extra_is_one_line(monkeypatch):
    real = builtins.__import__

    def without(name, *rest):
        if name.startswith("isotone.server") or name.split(".")[0] in ("fastapi", "starlette"):
            raise ModuleNotFoundError("No module named 'fastapi'", name="fastapi")
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    assert in_process("serve", SINGLE).refused() == "the server needs `pip install isotone[serve]` (fastapi is missing)"


def test_a_warning_beyond_loopback(served, monkeypatch):
    done = in_process("serve", SINGLE, "--host", "0.0.0.0", "--port", 0)
    assert "warning: anybody who can reach 0.0.0.0 may use this server" in done.err
    monkeypatch.setenv("ISOTONE_TOKEN", "secret\n")
    done = in_process("serve", SINGLE, "--host", "0.0.0.0", "--port", 0)
    assert "warning" not in done.err and served[-1][1].token == "secret"
    assert "secret" not in repr(served[-1][1])
    assert "warning" not in in_process("serve", SINGLE, "--host", "localhost", "--port", 0).err


def test_the_file_goes_before_the_environment(tmp_path):
    (tmp_path / "token").write_text(" from-file \n", encoding="utf-8")
    assert read_token(str(tmp_path / "token"), "from-environment") == "from-file"
    assert read_token(None, "from-environment") == "from-environment"
    assert read_token(None, None) is None
    for bad in ("two words", "tökén", ""):
        with pytest.raises(ConfigError):
            read_token(None, bad)


def test_refusals_load_no_torch():
    """As a fresh process would see it."""
    import subprocess

    code = "import isotone.server, isotone.cli.serve, sys; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
