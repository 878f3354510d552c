import datetime

import msgspec
import pytest

from pitboss.submissions.importers.imported import ImportedSubmission, Person
from pitboss.submissions.importers.roster import read_roster, share_in_teams
from tests.importers.classes import C, import_and_read, submission_of, write_class_files
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


def test_a_canvas_submission_counts_for_each_team_member(tmp_path, two_stages, roster):
    folder = write_class_files(tmp_path / "canvas", {"lovelaceada_LATE_1_10_deal.c": C, "aloneeve_5_11_deal.c": "e"})
    intake, files_by_student = import_and_read(folder, two_stages, roster=roster)
    assert files_by_student["Ada Lovelace"] == files_by_student["Bob Berg"] == {"deal.c": C}
    assert (files_by_student["Cy Young"], files_by_student["Di Prima"], files_by_student["Eve Alone"]) == (
        None,
        None,
        {"deal.c": "e"},
    )
    assert submission_of(intake, "Bob Berg").is_late is submission_of(intake, "Ada Lovelace").is_late is True
    assert submission_of(intake, "Bob Berg").notes == ("handed in together with Ada Lovelace, as team Team Rocket",)
    assert submission_of(intake, "Ada Lovelace").notes == ("handed in together with Bob Berg, as team Team Rocket",)
    assert submission_of(intake, "Ada Lovelace").path == submission_of(intake, "Bob Berg").path
    assert len(intake.submissions) == 5


def test_a_canvas_group_export_is_read_as_a_roster(tmp_path):
    (tmp_path / "groups.csv").write_text(
        "name,canvas_user_id,user_id,login_id,sections,group_name,canvas_group_id,group_id\n"
        "Ada Lovelace,1,S1,ada,A,Rockets,70,\n"
    )
    (person,) = read_roster(tmp_path / "groups.csv").people
    assert (person.team, person.section, person.login, person.ids) == ("Rockets", "A", "ada", (("canvas", "1"),))


@pytest.mark.parametrize("name", ["Team Rocket", "team-rocket", "hw1-team-rocket"])
def test_a_folder_named_after_a_team_counts_for_each_member(tmp_path, two_stages, roster, name):
    folder = write_class_files(tmp_path / "class", {f"{name}/deal.c": C, "eve/deal.c": "e", "stranger/deal.c": "s"})
    intake, files_by_student = import_and_read(folder, two_stages, roster=roster)
    assert files_by_student["Ada Lovelace"] == files_by_student["Bob Berg"] == {"deal.c": C}
    assert "stranger" in files_by_student and name not in files_by_student
    assert submission_of(intake, "stranger").notes == ("not on the roster roster.csv",)
    assert submission_of(intake, "Bob Berg").notes == ("handed in together with Ada Lovelace, as team Team Rocket",)


@pytest.mark.needs("git")
def test_a_team_repository_counts_for_each_member(tmp_path, two_stages, roster):
    for name in ("hw1-team-rocket", "hw1-eve"):
        commit(tmp_path / "class" / name, {"deal.c": name}, 0, init=True)
    intake, files_by_student = import_and_read(tmp_path / "class", two_stages, roster=roster)
    assert intake.kind == "git"
    assert files_by_student["Ada Lovelace"] == files_by_student["Bob Berg"] == {"deal.c": "hw1-team-rocket"}
    assert submission_of(intake, "Ada Lovelace").at == submission_of(intake, "Bob Berg").at is not None


def test_moodle_has_a_folder_for_each_member(tmp_path, two_stages, roster):
    files = {
        f"Team Rocket-{name}_{number}_assignsubmission_file_/deal.c": C
        for name, number in (("Ada Lovelace", 7), ("Bob Berg", 8))
    }
    _, files_by_student = import_and_read(write_class_files(tmp_path / "moodle", files), two_stages, roster=roster)
    assert files_by_student["Ada Lovelace"] == files_by_student["Bob Berg"] == {"deal.c": C}


def test_a_member_missing_in_gradescope_gets_the_team_submission(tmp_path, two_stages, roster):
    metadata = (
        "submission_1:\n  :submitters:\n  - :name: Ada Lovelace\n    :sid: x\n  :created_at: 2026-09-01 12:00:00 Z\n"
    )
    folder = write_class_files(tmp_path / "gradescope", {"submission_metadata.yml": metadata, "submission_1/deal.c": C})
    intake, files_by_student = import_and_read(folder, two_stages, roster=roster)
    assert files_by_student["Bob Berg"] == {"deal.c": C}
    assert submission_of(intake, "Bob Berg").at == submission_of(intake, "Ada Lovelace").at is not None


RED_TEAM = [Person(name, name, team="red") for name in ("ada", "bob", "cy")]


def submission_by(person, path, **fields):
    return ImportedSubmission(person, path, **fields)


def test_own_submissions_stay_and_other_members_get_the_latest(tmp_path):
    by_ada = submission_by(RED_TEAM[0], tmp_path / "a", at=NOON)
    by_bob = submission_by(RED_TEAM[1], tmp_path / "b", at=NOON + datetime.timedelta(hours=1))
    nothing_by_cy = submission_by(RED_TEAM[2], None)
    ada, bob, cy = share_in_teams([by_ada, by_bob, nothing_by_cy], RED_TEAM)
    assert (ada, bob.path, cy.path) == (by_ada, by_bob.path, by_bob.path)
    undated = [msgspec.structs.replace(submission, at=None) for submission in (by_ada, by_bob)]
    *_, cy = share_in_teams([*undated, nothing_by_cy], RED_TEAM)
    assert (cy.person, cy.path) == (RED_TEAM[2], None)
    assert cy.notes == ("2 of team red have handed in, so it is unclear which submission is the team's",)


def test_a_team_shares_a_problem_and_may_have_no_submission():
    damaged = submission_by(RED_TEAM[0], None, problem="a.zip is damaged.")
    shared = share_in_teams([damaged, submission_by(RED_TEAM[1], None)], RED_TEAM[:2])
    assert [submission.problem for submission in shared] == ["a.zip is damaged."] * 2
    nothing = [submission_by(person, None) for person in RED_TEAM]
    assert share_in_teams(nothing, RED_TEAM) == nothing


def test_a_person_named_like_a_team_is_not_a_team(tmp_path):
    by_person_red = submission_by(Person("red", "red", ids=(("canvas", "9"),)), tmp_path)
    nothing_by_team = [submission_by(person, None) for person in RED_TEAM]
    assert share_in_teams([by_person_red, *nothing_by_team], RED_TEAM) == [by_person_red, *nothing_by_team]
