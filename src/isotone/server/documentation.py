"""The page at /docs, made from the OpenAPI schema: plain HTML, since FastAPI's own pages load scripts from a CDN."""

from __future__ import annotations

import json
from html import escape
from typing import Any

__all__ = ["documentation"]


def documentation(schema: dict[str, Any]) -> str:
    """A page with every operation, its fields, its answers and a command to try."""
    operations = [
        _operation(schema, path, method, operation)
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    ]
    title = f"{escape(schema['info']['title'])} {escape(schema['info']['version'])}"
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}: HTTP API</title>
<link rel="stylesheet" href="/static/docs.css">
</head>
<body>
<main>
<h1>{title}: HTTP API</h1>
<p>{escape(schema["info"].get("description", ""))}</p>
<p><a href="/">The studio</a> · <a href="/openapi.json">OpenAPI schema</a></p>
{"".join(operations)}
</main>
</body>
</html>
"""


def _operation(schema: dict[str, Any], path: str, method: str, operation: dict[str, Any]) -> str:
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    asked = f"<h3>Request</h3>{_fields(schema, body)}" if body else ""
    example = f" -H 'Content-Type: application/json' -d '{json.dumps(_example(schema, body))}'" if body else ""
    rows = "".join(
        f"<tr><td><code>{escape(status)}</code></td><td>{escape(answer['description'])}</td></tr>"
        for status, answer in operation["responses"].items()
    )
    good = operation["responses"].get("200", {}).get("content", {}).get("application/json", {}).get("schema")
    result = f"<h3>Response</h3>{_fields(schema, good)}" if good else ""
    return f"""<section>
<h2><code>{escape(method.upper())} {escape(path)}</code></h2>
<p>{escape(operation.get("description") or operation.get("summary", ""))}</p>
{asked}{result}
<h3>Answers</h3>
<table>{rows}</table>
<h3>Try it</h3>
<pre>curl http://127.0.0.1:8000{escape(path)}{escape(example)}</pre>
</section>
"""


def _fields(schema: dict[str, Any], part: dict[str, Any]) -> str:
    """A table of the fields of an object, those of its parts below it."""
    shape = _resolved(schema, part)
    if "properties" not in shape:
        return f"<p>{escape(_kind(schema, part))}</p>"
    required = shape.get("required", [])
    rows = "".join(
        f"<tr><td><code>{escape(name)}</code></td><td>{escape(_kind(schema, field))}</td>"
        f"<td>{'required' if name in required else escape(_default(field))}</td>"
        f"<td>{escape(field.get('description', ''))}</td></tr>"
        for name, field in shape["properties"].items()
    )
    inner = [
        f"<h4>{escape(name)}: each</h4>{_fields(schema, field['items'])}"
        for name, field in shape["properties"].items()
        if field.get("type") == "array" and "properties" in _resolved(schema, field["items"])
    ]
    return f"<table><tr><th>field</th><th>type</th><th>default</th><th></th></tr>{rows}</table>{''.join(inner)}"


def _kind(schema: dict[str, Any], field: dict[str, Any]) -> str:
    """A field's type and limits in words."""
    if "enum" in field:
        return " or ".join(json.dumps(value) for value in field["enum"])
    if "anyOf" in field:
        return " or ".join(dict.fromkeys(_kind(schema, choice) for choice in field["anyOf"]))
    if "$ref" in field:
        return "object"
    kind = str(field.get("type", "anything"))
    if kind == "array":
        kind = f"list of {_kind(schema, field.get('items', {}))}"
    limits = {"minItems": "≥ {}", "maxItems": "≤ {}", "maxLength": "≤ {} characters", "minimum": "≥ {}"}
    limits |= {"maximum": "≤ {}", "exclusiveMinimum": "> {}"}
    said = [text.format(_number(field[name])) for name, text in limits.items() if name in field]
    return f"{kind} ({', '.join(said)})" if said else kind


def _number(value: float) -> str:
    return f"{int(value):,}" if float(value).is_integer() else str(value)


def _default(field: dict[str, Any]) -> str:
    return json.dumps(field["default"]) if field.get("default") is not None else ""


def _example(schema: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    """The smallest request: what is required, nothing else."""
    shape = _resolved(schema, part)
    found: dict[str, Any] = {}
    for name in shape.get("required", []):
        field = shape["properties"][name]
        found[name] = [_example(schema, field["items"])] if field.get("type") == "array" else "knight"
    return found


def _resolved(schema: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in part:
        return part
    found: dict[str, Any] = schema["components"]["schemas"][part["$ref"].rpartition("/")[2]]
    return found
