"""Windows and macOS, from here: no POSIX-only call outside a guarded place, and consoles that are not UTF-8."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src" / "isotone").rglob("*.py"))
POSIX_MODULES = {"crypt", "fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
POSIX_CALLS = {
    *("os.fork", "os.forkpty", "os.getuid", "os.geteuid", "os.getgid", "os.killpg", "os.setsid", "os.mkfifo"),
    *("os.fchmod", "os.chown", "os.sched_getaffinity", "os.sysconf", "os.uname", "os.getpgid", "os.statvfs"),
    *("signal.SIGKILL", "signal.SIGHUP", "signal.SIGALRM", "signal.alarm", "signal.pthread_sigmask"),
}


def guarded(tree: ast.Module) -> set[ast.AST]:
    """Everything inside an `if` about the platform, or about what a module has."""
    choices = [node for node in ast.walk(tree) if isinstance(node, ast.If | ast.IfExp)]
    tests = [node for node in choices if any(word in ast.unparse(node.test) for word in ("platform", "hasattr("))]
    return {inner for node in tests for inner in ast.walk(node)}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_posix_only_calls_outside_guarded_places(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    safe = guarded(tree)
    for node in ast.walk(tree):
        if node in safe:
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            assert not POSIX_MODULES & set(names), f"{path.name}:{node.lineno}"
        if isinstance(node, ast.Attribute):
            assert ast.unparse(node) not in POSIX_CALLS, f"{path.name}:{node.lineno}"


def test_text_files_are_opened_with_their_encoding():
    """Windows would take cp1252."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name | ast.Attribute):
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            modes = [value.value for value in node.args if isinstance(value, ast.Constant)]
            binary = any(isinstance(mode, str) and "b" in mode for mode in modes)
            needs = name in {"read_text", "write_text"} or (name == "open" and any(m in {"r", "w"} for m in modes))
            if needs and not binary:
                assert any(k.arg == "encoding" for k in node.keywords), f"{path}:{node.lineno}"


def test_a_cp1252_console_shows_what_it_can(tmp_path):
    """Messages with letters that the console does not have do not end the command with a traceback."""
    words = tmp_path / "списък.tsv"
    words.write_bytes("дума\td u m a\r\n".encode())
    done = subprocess.run(
        [sys.executable, "-m", "isotone", "predict", str(tmp_path / "няма"), str(words)],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"},
    )
    assert done.returncode == 2 and b"Traceback" not in done.stderr and b"no such model folder" in done.stderr


def test_ci_runs_make_check_everywhere():
    text = (ROOT / ".github" / "workflows" / "check.yml").read_text(encoding="utf-8")
    for word in ("ubuntu-latest", "macos-latest", "windows-latest", '"3.11"', '"3.12"', '"3.13"', "make check"):
        assert word in text
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "Windows_NT" in makefile and "Scripts" in makefile
