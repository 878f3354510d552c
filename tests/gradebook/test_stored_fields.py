"""The names under which gradebooks store the fields of structs: a gradebook of an earlier version has these names.

If a stored field goes, or means something else, gradebooks must be upgraded: see harness/pitboss/gradebook/database.py. A field
that is only renamed keeps its stored name: `msgspec.field(name="…")`. `python -m tests.gradebook.test_stored_fields` writes the
list again after a field was added.
"""

import enum
import typing
from pathlib import Path

import msgspec

from pitboss.compare.results import Report
from pitboss.gradebook.grades import Grade
from pitboss.gradebook.people import HandedIn, SourceFile
from pitboss.submissions.importers.imported import Person

STORED_TYPES = (Report, Person, HandedIn, SourceFile, Grade)
LIST = Path(__file__).parent / "stored_fields.txt"


def stored_names(stored_types):
    """A line for each struct or enumeration in these types: the names of its stored fields, or its values."""
    lines, waiting = {}, list(reversed(stored_types))
    while waiting:
        kind = waiting.pop()
        waiting += reversed(typing.get_args(kind))
        if kind in lines or not isinstance(kind, type):
            continue
        if issubclass(kind, msgspec.Struct):
            tag = f"{kind.__struct_config__.tag}: " if kind.__struct_config__.tag else ""
            lines[kind] = tag + " ".join(kind.__struct_encode_fields__)
            hints = typing.get_type_hints(kind)
            waiting += [hints[field] for field in reversed(kind.__struct_fields__)]
        elif issubclass(kind, enum.Enum):
            lines[kind] = "one of " + ", ".join(str(member.value) for member in kind)
    return "".join(f"{line}\n" for line in lines.values())


def test_stored_fields_keep_their_names():
    assert stored_names(STORED_TYPES) == LIST.read_text(encoding="utf-8")


def test_a_renamed_field_may_keep_its_stored_name():
    class Renamed(msgspec.Struct):
        new_name: int = msgspec.field(default=0, name="old_name")

    assert stored_names((Renamed,)) == "old_name\n"


if __name__ == "__main__":
    LIST.write_text(stored_names(STORED_TYPES), encoding="utf-8")
