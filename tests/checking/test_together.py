"""What is handed in together is checked once."""

from pathlib import Path

from pitboss.checking.class_grading import _submissions
from pitboss.submissions.importers.imported import ImportedSubmission, Person
from tests.gradebook.made import causes


def test_a_team_that_has_its_files_in_several_places_is_checked_once():
    """Moodle has a folder for each member of a group."""
    team = [Person(name, name, team="red") for name in ("ada", "bob", "cy")]
    alone = [Person(name, name) for name in ("di", "eve")]
    left = [
        *((ImportedSubmission(person, Path("/class", person.key)), causes("p1")) for person in (*team[:2], *alone)),
        (ImportedSubmission(team[2], Path("/class/cy")), causes("p2")),
    ]
    found = [[one.person.key for one, _ in submission.people] for submission in _submissions(left)]
    assert found == [["ada", "bob"], ["di"], ["eve"], ["cy"]]
    unknown = [(one, causes("not known: somewhere")) for one, _ in left[:2]]
    assert len(_submissions(unknown)) == 2
