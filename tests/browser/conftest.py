"""Chromium, and a real server with tiny models: two of one task with tags, one of phones, one of Arabic."""

import contextlib
import os
import shutil
import threading
from dataclasses import dataclass
from pathlib import Path

import pytest

import isotone
import toy
from browser import scripts
from quick import TINY


@dataclass(frozen=True)
class Studio:
    """A running server and its models."""

    url: str
    models: dict


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    """Where `models` are, by their names."""
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="session")
def models(folders):
    """By name. `twin` is a second model for the task of `toy`."""
    tagged = toy.examples(220)
    words = scripts.spelled(scripts.PHONES, 150, separator=" ", seed=1)
    names = scripts.spelled(scripts.ARABIC, 150, separator="", seed=2)

    def train(name, pairs, task, model, **more):
        options = {**TINY, "epochs": 6, "task": task, "model": model, **more}
        return name, isotone.train(train=pairs[20:], dev=pairs[:20], out=folders / name, **options)

    return dict(
        [
            train("toy", tagged, "inflection", "1-mono", unknown=30.0),
            train("twin", tagged, "inflection", "0-mono", epochs=2),
            train("phones", words, "g2p", "1-mono"),
            train("arabic", names, "transliteration", "0-mono"),
        ]
    )


@contextlib.contextmanager
def serving(models, **settings):
    """The address of a server in a thread of this process."""
    import uvicorn

    from isotone.server import Address, ServerSettings
    from isotone.server.app import create_app

    address = Address.bind("127.0.0.1", 0)
    config = uvicorn.Config(create_app(models, ServerSettings(**settings)), log_config=None, lifespan="on", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([address.socket],), daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        thread.join(0.05)
    yield address.url
    server.should_exit = True
    thread.join(20)


@pytest.fixture(scope="session")
def studio(models):
    with serving(models) as url:
        yield Studio(url, models)


@pytest.fixture(scope="session")
def chromium():
    """Debian's browser; playwright's own is not downloaded."""
    path = os.environ.get("ISOTONE_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("chromium is not installed (apt install chromium)")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=20_000)  # machines of CI are busy
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=["--no-sandbox"])  # CI runs as root
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium, studio):
    """Opens addresses behind the #; every page is watched: no script error, no request to another origin."""
    contexts, problems = [], []

    def opened(place="", *, url=studio.url, width=1100, **options):
        context = chromium.new_context(viewport={"width": width, "height": 900}, locale="en", **options)
        context.set_default_timeout(20_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(f"script: {error}"))
        page.on("console", lambda said: problems.append(said.text) if "Content Security Policy" in said.text else None)
        page.on(
            "request", lambda asked: problems.append(asked.url) if not asked.url.startswith((url, "blob:")) else None
        )
        page.goto(f"{url}/#{place}")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not problems


@pytest.fixture(scope="session")
def axe():
    """The text of axe-core, which is no part of this repository."""
    path = os.environ.get("ISOTONE_AXE")
    if not path or not Path(path).is_file():
        pytest.skip("ISOTONE_AXE does not name axe.min.js (npm install --prefix DIR axe-core)")
    return Path(path).read_text(encoding="utf-8")
