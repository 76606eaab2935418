"""A whole HTML file in one string: nothing is fetched, whatever the data says."""

from html import escape

__all__ = ["document"]


def document(title: str, body: str, *, style: str, script: str = "") -> str:
    """`body` (markup) as a page; it can always be encoded, lone surrogates become question marks."""
    scripts = "; script-src 'unsafe-inline'" if script else ""
    parts = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
        '<meta http-equiv="Content-Security-Policy"',
        f" content=\"default-src 'none'; style-src 'unsafe-inline'{scripts}\">\n",
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n",
        body,
        f"<script>{script}</script>\n" if script else "",
        "</body>\n</html>\n",
    ]
    return "".join(parts).encode("utf-8", "replace").decode("utf-8")
