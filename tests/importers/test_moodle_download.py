from hypothesis import example, given
from hypothesis import strategies as st

from pitboss.submissions.importers.platforms import MoodleName, parse_moodle_name
from tests.handed_in import zip_same_text
from tests.importers.classes import C, import_and_read, submission_of, write_class_files
from tests.importers.omitted import omitted_file_lines

NAMES = st.text(st.characters(exclude_characters="/\0_", exclude_categories=["Cs"]), min_size=1, max_size=30)
FILES = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), max_size=30)


@given(NAMES, st.integers(0, 10**9), FILES)
@example("Ada Lovelace", 123456, "")
@example("Ada", 1, "Bob_2_assignsubmission_file_x.c")
def test_a_moodle_name_is_split_into_its_parts(name, participant, file):
    moodle_name = f"{name}_{participant}_assignsubmission_file_{file}"
    assert parse_moodle_name(moodle_name) == MoodleName(name, str(participant), "file", file)


def test_names_of_another_form_are_not_moodle_names():
    assert [parse_moodle_name(name) for name in ("Ada Lovelace", "a_1_2_deal.c", "Ada_x_assignsubmission_file_")] == [
        None
    ] * 3


def test_a_download_with_a_folder_for_each_participant_is_imported(tmp_path, two_stages):
    write_class_files(
        tmp_path,
        {
            "Ada Lovelace_123_assignsubmission_file_/src/deal.c": C,
            "Ada Lovelace_123_assignsubmission_onlinetext_/onlinetext.html": "see my files",
            "Group A-Bob Berg_124_assignsubmission_file/shuffle.c": C,  # some versions leave out the last _
            "Participant 4711_125_assignsubmission_onlinetext_/onlinetext.html": "no time",
            "Ada Lovelace_123_assignfeedback_file_/remarks.txt": "good",
            "grades.csv": "",
        },
    )
    intake, files_by_student = import_and_read(tmp_path, two_stages)
    assert intake.kind == "moodle"
    assert files_by_student == {
        "Ada Lovelace": {"src/deal.c": C},
        "Group A-Bob Berg": {"shuffle.c": C},
        "Participant 4711": None,
    }
    ada = submission_of(intake, "Ada Lovelace")
    assert (ada.person.key, ada.person.ids, ada.at, ada.is_late) == ("123", (("moodle", "123"),), None, None)
    assert ada.notes == ("a text was handed in on the page; it is not a program",)
    assert submission_of(intake, "Participant 4711").notes == ada.notes
    assert omitted_file_lines(intake) == (
        "Ada Lovelace_123_assignfeedback_file_: feedback, not a submission",
        "grades.csv: not named like a Moodle submission",
    )


def test_a_download_with_all_files_in_one_folder_is_imported(tmp_path, two_stages):
    write_class_files(
        tmp_path,
        {
            "Müller, Jörg_7_assignsubmission_file_deal.c": "1",
            "Müller, Jörg_7_assignsubmission_file_shuffle.c": "2",
            "Müller, Jörg_7_assignsubmission_onlinetext_onlinetext.html": "3",
        },
    )
    zip_same_text(tmp_path / "Ada_8_assignsubmission_file_hw_final.zip", "deal.c")
    intake, files_by_student = import_and_read(tmp_path, two_stages)
    assert files_by_student["Jörg Müller"] == {"deal.c": "1", "shuffle.c": "2"}
    assert list(files_by_student["Ada"]) == ["hw_final.zip"]
    assert submission_of(intake, "Ada").files == ("deal.c",)


def test_files_with_equal_names_leave_the_download_unchanged(tmp_path, two_stages):
    write_class_files(
        tmp_path,
        {"Ada_1_assignsubmission_file_/deal.c": "in a folder", "Ada_1_assignsubmission_file_deal.c": "beside it"},
    )
    _, files_by_student = import_and_read(tmp_path, two_stages)
    assert files_by_student == {"Ada": {"deal.c": "in a folder"}}
    assert (tmp_path / "Ada_1_assignsubmission_file_" / "deal.c").read_text() == "in a folder"
    assert (tmp_path / "Ada_1_assignsubmission_file_deal.c").read_text() == "beside it"


def test_a_file_that_would_have_the_name_of_the_parent_folder_keeps_its_whole_name(tmp_path, two_stages):
    write_class_files(tmp_path, {"Ada_1_assignsubmission_file_deal.c": C, "Bob_2_assignsubmission_file_..": "x"})
    _, files_by_student = import_and_read(tmp_path, two_stages)
    assert files_by_student == {"Ada": {"deal.c": C}, "Bob": {"Bob_2_assignsubmission_file_..": "x"}}
