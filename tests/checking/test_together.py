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
    groups = [[handed_in.person.key for handed_in, _ in group.people] for group in _submissions(pending)]
    assert groups == [["ada", "bob"], ["di"], ["eve"], ["cy"]]
    without_digests = [(submission, causes("not known: somewhere")) for submission, _ in pending[:2]]
    assert len(_submissions(without_digests)) == 2


def test_a_student_with_an_old_result_is_listed_even_if_a_namesake_has_a_new_one():
    versions_by_key = {"a": "old", "b": "new"}
    grading = SimpleNamespace(
        _common=SimpleNamespace(assignment="new"),
        _book=SimpleNamespace(
            people=lambda: [Person("Ada Lovelace", key) for key in versions_by_key],
            causes=lambda key: SimpleNamespace(assignment=versions_by_key[key]),
        ),
    )
    assert ClassGrading.students_with_old_results(grading) == ["Ada Lovelace"]
