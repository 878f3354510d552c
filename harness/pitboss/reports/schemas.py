"""The JSON Schemas of all JSON output, generated from the Python types of the output."""

from __future__ import annotations

import json

import msgspec

from pitboss.reports import shapes

#: The Python type, the version and the title of each format, by its name.
_FORMATS: dict[str, tuple[object, str, str]] = {
    "check": (shapes.Checked[shapes.ReportedResult], shapes.CHECK_FORMAT, "what `pitboss check --json` writes"),
    "grade": (shapes.ReportedClass, shapes.GRADE_FORMAT, "what `pitboss grade --json` writes"),
    "scores": (shapes.Scores, shapes.SCORES_FORMAT, "what `pitboss scores --json` writes"),
    "similarity": (shapes.Similarity, shapes.SIMILARITY_FORMAT, "what `pitboss similar --json` writes"),
}


def report_schemas() -> dict[str, str]:
    """Returns the text of the JSON Schema of each format, by file name."""
    return {f"{name}.schema.json": _schema(*arguments) for name, arguments in _FORMATS.items()}


def _schema(json_type: object, version: str, title: str) -> str:
    schema = msgspec.json.schema(json_type)
    definition = schema["$defs"][schema["$ref"].rpartition("/")[2]]
    definition["properties"]["schema"] = {"const": version}
    definition["required"] = sorted({*definition["required"], "schema"}, key=list(definition["properties"]).index)
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    return json.dumps({**head, **schema}, indent=2) + "\n"
