"""Submissions that teammates hand in with the same files are checked once."""

from pathlib import Path
from types import SimpleNamespace

from pitboss.checking.class_grading import ClassGrading, _submissions
from pitboss.submissions.importers.imported import ImportedSubmission, Person
from tests.gradebook.made import causes


def test_identical_submissions_of_a_team_are_checked_once():
    """Moodle has a folder for each member of a group."""
    team = [Person(name, name, team="red") for name in ("ada", "bob", "cy")]
    alone = [Person(name, name) for name in ("di", "eve")]
    pending = [
        *((ImportedSubmission(person, Path("/class", person.key)), causes("p1")) for person in (*team[:2], *alone)),
        (ImportedSubmission(team[2], Path("/class/cy")), causes("p2")),
    ]
    groups = [[submission.person.key for submission, _ in checked.people] for checked in _submissions(pending)]
    assert groups == [["ada", "bob"], ["di"], ["eve"], ["cy"]]
    unknown = [(submission, causes("not known: somewhere")) for submission, _ in pending[:2]]
    assert len(_submissions(unknown)) == 2


def test_each_of_two_students_of_one_name_is_listed_if_only_one_result_is_old():
    keys = {"a": "old", "b": "new"}
    grading = SimpleNamespace(
        _common=SimpleNamespace(assignment="new"),
        _book=SimpleNamespace(
            people=lambda: [Person("Ada Lovelace", key) for key in keys],
            causes=lambda key: SimpleNamespace(assignment=keys[key]),
        ),
    )
    assert ClassGrading.students_with_old_results(grading) == ["Ada Lovelace"]
