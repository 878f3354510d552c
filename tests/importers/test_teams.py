"""Teams of a roster: each member has what one of them handed in, from every platform, and nobody else has it."""

import datetime

import msgspec
import pytest

from pitboss.submissions.importers.imported import ImportedSubmission, Person
from pitboss.submissions.importers.roster import read_roster
from pitboss.submissions.importers.teams import share_in_teams
from tests.importers.classes import C, of, put, rows
from tests.importers.test_git import commit

ROSTER = """name,canvas_user_id,login,team
Ada Lovelace,1,ada,Team Rocket
Bob Berg,2,bob,Team Rocket
Cy Young,3,cy,Blue
Di Prima,4,di,Blue
Eve Alone,5,eve,
"""
NOON = datetime.datetime(2026, 9, 4, 12, tzinfo=datetime.UTC)


@pytest.fixture
def roster(tmp_path):
    (tmp_path / "roster.csv").write_text(ROSTER)
    return read_roster(tmp_path / "roster.csv")


def test_the_members_of_a_group_of_canvas_have_what_one_of_them_handed_in(tmp_path, two, roster):
    folder = put(tmp_path / "canvas", {"lovelaceada_LATE_1_10_deal.c": C, "aloneeve_5_11_deal.c": "e"})
    intake, found = rows(folder, two, roster=roster)
    assert found["Ada Lovelace"] == found["Bob Berg"] == {"deal.c": C}
    assert (found["Cy Young"], found["Di Prima"], found["Eve Alone"]) == (None, None, {"deal.c": "e"})
    assert of(intake, "Bob Berg").is_late is of(intake, "Ada Lovelace").is_late is True
    assert of(intake, "Bob Berg").notes == ("handed in together with Ada Lovelace, as team Team Rocket",)
    assert of(intake, "Ada Lovelace").notes == ("handed in together with Bob Berg, as team Team Rocket",)
    assert of(intake, "Ada Lovelace").path == of(intake, "Bob Berg").path
    assert len(intake.handed) == 5


def test_a_group_as_canvas_exports_it(tmp_path):
    (tmp_path / "groups.csv").write_text(
        "name,canvas_user_id,user_id,login_id,sections,group_name,canvas_group_id,group_id\n"
        "Ada Lovelace,1,S1,ada,A,Rockets,70,\n"
    )
    (person,) = read_roster(tmp_path / "groups.csv").people
    assert (person.team, person.section, person.login, person.ids) == ("Rockets", "A", "ada", (("canvas", "1"),))


@pytest.mark.parametrize("name", ["Team Rocket", "team-rocket", "hw1-team-rocket"])
def test_a_folder_that_is_called_as_a_team_is_everybodys_of_it(tmp_path, two, roster, name):
    folder = put(tmp_path / "class", {f"{name}/deal.c": C, "eve/deal.c": "e", "stranger/deal.c": "s"})
    intake, found = rows(folder, two, roster=roster)
    assert found["Ada Lovelace"] == found["Bob Berg"] == {"deal.c": C}
    assert "stranger" in found and name not in found
    assert of(intake, "stranger").notes == ("not on the roster roster.csv",)
    assert of(intake, "Bob Berg").notes == ("handed in together with Ada Lovelace, as team Team Rocket",)


def test_so_is_a_repository_of_a_team(tmp_path, two, roster):
    for name in ("hw1-team-rocket", "hw1-eve"):
        commit(tmp_path / "class" / name, {"deal.c": name}, 0, begins=True)
    intake, found = rows(tmp_path / "class", two, roster=roster)
    assert intake.kind == "git"
    assert found["Ada Lovelace"] == found["Bob Berg"] == {"deal.c": "hw1-team-rocket"}
    assert of(intake, "Ada Lovelace").at == of(intake, "Bob Berg").at is not None


def test_of_moodle_each_member_has_a_folder_of_their_own(tmp_path, two, roster):
    files = {
        f"Team Rocket-{name}_{number}_assignsubmission_file_/deal.c": C
        for name, number in (("Ada Lovelace", 7), ("Bob Berg", 8))
    }
    _, found = rows(put(tmp_path / "moodle", files), two, roster=roster)
    assert found["Ada Lovelace"] == found["Bob Berg"] == {"deal.c": C}


def test_whom_gradescope_does_not_name_has_what_the_team_handed_in(tmp_path, two, roster):
    metadata = (
        "submission_1:\n  :submitters:\n  - :name: Ada Lovelace\n    :sid: x\n  :created_at: 2026-09-01 12:00:00 Z\n"
    )
    folder = put(tmp_path / "gradescope", {"submission_metadata.yml": metadata, "submission_1/deal.c": C})
    intake, found = rows(folder, two, roster=roster)
    assert found["Bob Berg"] == {"deal.c": C}
    assert of(intake, "Bob Berg").at == of(intake, "Ada Lovelace").at is not None


RED = [Person(name, name, team="red") for name in ("ada", "bob", "cy")]


def handed(person, path, **more):
    return ImportedSubmission(person, path, **more)


def test_who_has_handed_in_something_of_their_own_keeps_it_and_others_have_the_last(tmp_path):
    first = handed(RED[0], tmp_path / "a", at=NOON)
    second = handed(RED[1], tmp_path / "b", at=NOON + datetime.timedelta(hours=1))
    found = {one.person.key: one for one in share_in_teams([first, second, handed(RED[2], None)], RED)}
    assert (found["ada"], found["bob"].path, found["cy"].path) == (first, second.path, second.path)
    undated = [msgspec.structs.replace(one, at=None) for one in (first, second)]
    found = {one.person.key: one for one in share_in_teams([*undated, handed(RED[2], None)], RED)}
    assert found["cy"].path is None
    assert found["cy"].notes == ("2 of team red have handed in, so it is unclear which submission is the team's",)


def test_what_cannot_be_taken_is_the_teams_too_and_nothing_is_nobodys():
    broken = handed(RED[0], None, problem="a.zip is damaged.")
    assert [one.problem for one in share_in_teams([broken, handed(RED[1], None)], RED[:2])] == ["a.zip is damaged."] * 2
    nothing = [handed(person, None) for person in RED]
    assert share_in_teams(nothing, RED) == nothing


def test_a_person_of_a_platform_is_not_taken_for_a_team(tmp_path):
    somebody = handed(Person("red", "red", ids=(("canvas", "9"),)), tmp_path)
    assert share_in_teams([somebody, *(handed(person, None) for person in RED)], RED)[0] == somebody
