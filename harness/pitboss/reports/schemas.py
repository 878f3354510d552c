"""The JSON Schemas of all JSON output, generated from its types."""

from __future__ import annotations

import json

import msgspec

from pitboss.reports import shapes

_FORMATS: dict[str, tuple[object, str, str]] = {
    "check": (shapes.Checked[shapes.ReportedResult], shapes.CHECK_FORMAT, "what `pitboss check --json` writes"),
    "grade": (shapes.ReportedClass, shapes.GRADE_FORMAT, "what `pitboss grade --json` writes"),
    "scores": (shapes.Scores, shapes.SCORES_FORMAT, "what `pitboss scores --json` writes"),
    "similarity": (shapes.Similarity, shapes.SIMILARITY_FORMAT, "what `pitboss similar --json` writes"),
}


def report_schemas() -> dict[str, str]:
    """The text of the JSON Schema of each format, by file name."""
    return {f"{name}.schema.json": _schema(*arguments) for name, arguments in _FORMATS.items()}


def _schema(kind: object, version: str, title: str) -> str:
    schema = msgspec.json.schema(kind)
    definition = schema["$defs"][schema["$ref"].rpartition("/")[2]]
    definition["properties"]["schema"] = {"const": version}
    definition["required"] = sorted({*definition["required"], "schema"}, key=list(definition["properties"]).index)
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    return json.dumps({**head, **schema}, indent=2) + "\n"
