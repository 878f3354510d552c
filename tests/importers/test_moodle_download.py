"""A download of Moodle: folders for each participant, or all files in one."""

from hypothesis import example, given
from hypothesis import strategies as st

from pitboss.submissions.importers.moodle_download import MoodleName, parse_moodle_name
from tests.handed_in import packed
from tests.importers.classes import C, of, put, rows
from tests.importers.left import not_understood

NAMES = st.text(st.characters(exclude_characters="/\0_", exclude_categories=["Cs"]), min_size=1, max_size=30)
FILES = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), max_size=30)


@given(NAMES, st.integers(0, 10**9), FILES)
@example("Ada Lovelace", 123456, "")
@example("Ada", 1, "Bob_2_assignsubmission_file_x.c")
def test_a_name_is_read_as_it_was_written(name, participant, file):
    written = f"{name}_{participant}_assignsubmission_file_{file}"
    assert parse_moodle_name(written) == MoodleName(name, str(participant), "file", file)


def test_other_names_are_none_of_moodle():
    assert [parse_moodle_name(name) for name in ("Ada Lovelace", "a_1_2_deal.c", "Ada_x_assignsubmission_file_")] == [
        None
    ] * 3


def test_a_class_with_a_folder_for_each(tmp_path, two):
    put(
        tmp_path,
        {
            "Ada Lovelace_123_assignsubmission_file_/src/deal.c": C,
            "Ada Lovelace_123_assignsubmission_onlinetext_/onlinetext.html": "see my files",
            "Group A-Bob Berg_124_assignsubmission_file/shuffle.c": C,
            "Participant 4711_125_assignsubmission_onlinetext_/onlinetext.html": "no time",
            "Ada Lovelace_123_assignfeedback_file_/remarks.txt": "good",
            "grades.csv": "",
        },
    )
    intake, found = rows(tmp_path, two)
    assert intake.kind == "moodle"
    assert found == {"Ada Lovelace": {"src/deal.c": C}, "Group A-Bob Berg": {"shuffle.c": C}, "Participant 4711": None}
    ada = of(intake, "Ada Lovelace")
    assert (ada.person.key, ada.person.ids, ada.at, ada.is_late) == ("123", (("moodle", "123"),), None, None)
    assert ada.notes == ("a text was handed in on the page; it is not a program",)
    assert of(intake, "Participant 4711").notes == ada.notes
    assert not_understood(intake) == (
        "Ada Lovelace_123_assignfeedback_file_: feedback, not a submission",
        "grades.csv: not named like a Moodle submission",
    )


def test_a_class_with_all_files_in_one_folder(tmp_path, two):
    put(
        tmp_path,
        {
            "Müller, Jörg_7_assignsubmission_file_deal.c": "1",
            "Müller, Jörg_7_assignsubmission_file_shuffle.c": "2",
            "Müller, Jörg_7_assignsubmission_onlinetext_onlinetext.html": "3",
        },
    )
    packed(tmp_path / "Ada_8_assignsubmission_file_hw_final.zip", "deal.c")
    intake, found = rows(tmp_path, two)
    assert found["Jörg Müller"] == {"deal.c": "1", "shuffle.c": "2"}
    assert list(found["Ada"]) == ["hw_final.zip"]
    assert of(intake, "Ada").files == ("deal.c",)


def test_two_files_of_one_name_do_not_touch_what_was_downloaded(tmp_path, two):
    put(
        tmp_path,
        {
            "Ada_1_assignsubmission_file_/deal.c": "in a folder",
            "Ada_1_assignsubmission_file_deal.c": "beside it",
            "Bob_2_assignsubmission_file_..": "x",
        },
    )
    _, found = rows(tmp_path, two)
    assert found == {"Ada": {"deal.c": "in a folder"}, "Bob": {"Bob_2_assignsubmission_file_..": "x"}}
    assert (tmp_path / "Ada_1_assignsubmission_file_" / "deal.c").read_text() == "in a folder"
    assert (tmp_path / "Ada_1_assignsubmission_file_deal.c").read_text() == "beside it"
