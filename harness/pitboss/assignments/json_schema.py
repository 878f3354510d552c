"""The JSON Schemas of the files of an assignment, made from the keys that the loader reads."""

from __future__ import annotations

import json

from pitboss.assignments.keys import ASSIGNMENT, MISTAKE, MUTANT_FILE, SPEC, WORD_FILE, schema_of


def schema_files() -> dict[str, str]:
    """The text of each schema, by file name."""
    schemas = {
        "assignment.schema.json": schema_of(ASSIGNMENT, "a pitboss assignment"),
        "spec.schema.json": schema_of(SPEC, "a pitboss spec file"),
        "words.schema.json": schema_of(WORD_FILE, "the words of a pitboss assignment's known mistakes"),
        "mistake.schema.json": schema_of(MISTAKE, "the words of a pitboss assignment's known mistake in a folder"),
        "mutants.schema.json": schema_of(MUTANT_FILE, "the mutants of a pitboss assignment that no session can show"),
    }
    return {name: json.dumps(schema, indent=2) + "\n" for name, schema in schemas.items()}
