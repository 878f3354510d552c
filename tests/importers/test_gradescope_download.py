import datetime

import pytest

from pitboss.errors import UsageError
from pitboss.submissions.importers.importing import imported_class
from pitboss.submissions.importers.instants import parse_instant
from tests.importers.classes import C, import_and_read, submission_of, write_class_files
from tests.importers.omitted import omitted_file_lines

METADATA = """---
submission_101:
  :submitters:
  - :name: Ada Lovelace
    :sid: '0900123'
    :email: ada@example.edu
  - :name: Bob Berg
    :sid: '0900124'
    :email: bob@example.edu
  :created_at: &1 2024-09-01 17:03:11.123456789 -04:00
  :score: 10.0
  :status: processed
  :results: !ruby/hash:ActiveSupport::HashWithIndifferentAccess
    output: "\\e[31mx"
  :history:
  - :id: 99
    :created_at: 2024-09-01 12:00:00.000000000 Z
    :score: 2.0
  - :id: 101
    :created_at: *1
submission_102:
  :submitters:
  - :name: "Curie, Marie"
    :sid:
    :email: marie@example.edu
  :created_at: 2024-09-01 10:00:00
  :history:
  - :created_at: 2024-09-01 11:00:00
submission_103:
  :submitters:
  - :name: Di
    :sid: ''
    :email: ''
  :created_at: yesterday
submission_104:
  :submitters: []
  :results: {a: 1, a: 2}
submission_105:
"""


def test_an_export_gives_submitters_their_files_times_and_notes(tmp_path, two_stages):
    write_class_files(
        tmp_path / "assignment_7_export",
        {
            "submission_metadata.yml": METADATA,
            "submission_101/deal.c": "101",
            "submission_102/src/deal.c": "102",
            "submission_104/deal.c": "104",
            "submission_105/deal.c": "105",
            "notes.txt": "",
        },
    )
    write_class_files(tmp_path, {"README": ""})
    intake, files_by_student = import_and_read(tmp_path, two_stages)
    assert intake.kind == "gradescope"
    assert files_by_student == {
        "Ada Lovelace": {"deal.c": "101"},
        "Bob Berg": {"deal.c": "101"},
        "Di": None,
        "Marie Curie": {"src/deal.c": "102"},
        "submission_104": {"deal.c": "104"},
        "submission_105": {"deal.c": "105"},
    }
    ada, bob, marie = (submission_of(intake, name) for name in ("Ada Lovelace", "Bob Berg", "Marie Curie"))
    assert ada.path == bob.path
    assert ada.at == datetime.datetime(2024, 9, 1, 21, 3, 11, 123456, datetime.UTC)
    assert (ada.attempt, ada.other_attempts, ada.is_late, ada.source) == (2, 1, None, "submission_101")
    assert ada.notes == ("handed in together with Bob Berg",)
    assert (ada.person.key, ada.person.email) == ("0900123", "ada@example.edu")
    assert ada.person.ids == (("sis", "0900123"), ("gradescope", "submission_101"))
    assert marie.person.key == "marie@example.edu"
    assert marie.at == datetime.datetime(2024, 9, 1, 10, tzinfo=datetime.UTC)
    assert marie.notes == (
        "the platform states no time zone: UTC assumed",
        "there is a later submission, but this one was selected on Gradescope",
    )
    assert submission_of(intake, "Di").notes == (
        "the time of submission cannot be read: yesterday",
        "listed in submission_metadata.yml, but its folder submission_103 is missing",
    )
    assert submission_of(intake, "submission_105").notes == ("submission_metadata.yml lists no submitters",)
    assert omitted_file_lines(intake) == ("notes.txt: not listed in submission_metadata.yml", "README")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- a\n", "it is not the submission_metadata.yml of Gradescope"),
        ("a: b\n", "it is not the submission_metadata.yml of Gradescope"),
        ("submission_1: *2\n", "*2 refers to no earlier anchor"),
        ("submission_1: &2 {a: *2}\n", "*2 refers to no earlier anchor"),
    ],
)
def test_malformed_metadata_is_reported(tmp_path, two_stages, text, message):
    write_class_files(tmp_path, {"submission_metadata.yml": text, "submission_1/deal.c": C})
    with pytest.raises(UsageError) as error, imported_class(tmp_path, two_stages):
        pass
    location = f"{tmp_path}/submission_metadata.yml" + (":1" if "*" in text else "")
    assert str(error.value) == f"{location}: {message}; download the export again"


@pytest.mark.parametrize("text", ["", "now", "2024-13-01 00:00", "2024-01-01 00:00 +99:00", "0001-01-01 00:00 +05:00"])
def test_text_that_is_no_time_gives_no_instant(text):
    assert parse_instant(text) == (None, False)
