"""Makes docs/images/studio.png and docs/images/alignment.png: python docs/screenshots.py [MODEL [OTHER MODEL]]

Serves the models on a free port of this machine, opens the studio in chromium, and photographs it in light mode.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import threading
from pathlib import Path
from urllib.parse import urlencode

IMAGES = Path(__file__).parent / "images"
COLOURS = 256
"""Of the palette: flat colours and grey edges of letters need no more, and files are a third of the size."""


def main() -> None:
    """Reads the arguments; a word and its candidate can be chosen for the models at hand."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", default=["en-us"], help="one model or two, to be compared")
    parser.add_argument("--word", default="Greenwich", help="the word on the pictures")
    parser.add_argument("--long", default="characterization", help="the word whose alignment is drawn")
    parser.add_argument("--tags", default="", help="tags of both words, with ; between them")
    given = parser.parse_args()
    browser = os.environ.get("ISOTONE_CHROMIUM") or shutil.which("chromium")
    if browser is None:
        sys.exit("screenshots need chromium (apt install chromium)")
    url, names = serve(given.models[:2])
    IMAGES.mkdir(exist_ok=True)
    studio = {"model": names[0], "source": given.word, "tags": given.tags, "n": "5"}
    photograph(browser, f"{url}/#word?{urlencode(studio)}", IMAGES / "studio.png", ".top, main", padding=0)
    shown = {"model": names[0], "with": names[1] if len(names) > 1 else "", "source": given.long, "tags": given.tags}
    photograph(
        browser, f"{url}/#word?{urlencode({**shown, 'n': '3'})}", IMAGES / "alignment.png", ".panels", padding=24
    )


def serve(folders: list[str]) -> tuple[str, list[str]]:
    """Starts a server in a thread that ends with this program; its address and the models' names."""
    import uvicorn

    import isotone
    from isotone.server import Address
    from isotone.server.app import create_app

    models = {name(Path(folder)): isotone.load(folder) for folder in folders}
    address = Address.bind("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(create_app(models), log_config=None, lifespan="on", ws="none"))
    threading.Thread(target=server.run, args=([address.socket],), daemon=True).start()
    return address.url, list(models)


def name(folder: Path) -> str:
    """The folder's own name; that of the folder around it for a demo's, which are all called model."""
    here = folder.resolve()
    return here.parent.name.removeprefix("isotone-") if here.name == "model" else here.name


def photograph(browser: str, url: str, path: Path, parts: str, *, padding: int) -> None:
    """The part of the page that holds everything `parts` matches, once its drawings are there."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = chromium.new_page(
            viewport={"width": 1100, "height": 900},
            device_scale_factor=2,
            color_scheme="light",
            reduced_motion="reduce",
        )
        page.goto(url)
        panels = page.locator(".panel")
        panels.first.wait_for(timeout=60_000)
        for place in range(panels.count()):
            panels.nth(place).locator("figure.alignment").wait_for(timeout=60_000)
        page.wait_for_timeout(1000)
        boxes = [box for part in page.locator(parts).all() if (box := part.bounding_box())]
        left, top = min(box["x"] for box in boxes), min(box["y"] for box in boxes)
        right, bottom = (
            max(box[side] + box[size] for box in boxes) for side, size in (("x", "width"), ("y", "height"))
        )
        clip = {"x": left - padding, "y": top - padding, "width": right - left + 2 * padding}
        page.screenshot(path=path, full_page=True, clip={**clip, "height": bottom - top + 2 * padding})
        chromium.close()
    compress(path)


def compress(path: Path) -> None:
    """With a palette in place of true colours."""
    from PIL import Image  # comes with matplotlib, of the extra `plot`

    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    small.save(path, optimize=True)
    sys.stderr.write(f"{path}: {path.stat().st_size // 1024} KB\n")


if __name__ == "__main__":
    main()
