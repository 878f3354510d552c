import unicodedata

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from pitboss.submissions.importers.importing import imported_class
from pitboss.submissions.importers.platforms import CanvasName, parse_canvas_name, without_number
from pitboss.submissions.submission import program_count
from tests.handed_in import zip_same_text
from tests.importers.classes import C, import_and_read, submission_of, write_class_files
from tests.importers.omitted import omitted_file_lines

NAMES = st.text(st.characters(categories=["Ll", "Lo", "Nd"]), min_size=1, max_size=20)
NUMBERS = st.integers(10, 10**9)
FILES = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=30)


@given(NAMES, st.booleans(), NUMBERS, NUMBERS, FILES)
@example("lovelaceada", True, 12, 34, "_1_2_deal-1.c")
@example("r2d2", False, 12, 34, "text.html")
@example("x", False, 12, 34, "LATE_1_2_x")
def test_the_name_of_a_canvas_file_is_parsed(name, is_late, user, upload, file):
    assume(name != "anon")
    file_name = "_".join([name, *(["LATE"] if is_late else []), str(user), str(upload), file])
    assert parse_canvas_name(file_name) == CanvasName(name, str(user), upload, file, is_late)


@given(st.from_regex("[A-Za-z0-9]{5}", fullmatch=True), st.booleans(), st.booleans(), st.integers(10000, 10**9))
def test_the_name_of_an_anonymous_canvas_file_is_parsed(code, is_late, repeats_code, upload):
    file_name = f"anon_{code}{'_LATE' * is_late}{f'_{code}' * repeats_code}_{upload}_deal.c"
    assert parse_canvas_name(file_name) == CanvasName(f"anon_{code}", code, upload, "deal.c", is_late, True)


@given(st.from_regex(r"[a-z]{1,8}", fullmatch=True), st.integers(1, 999), st.sampled_from([".c", ".py", "", ".tar.gz"]))
def test_the_number_that_canvas_adds_is_removed(stem, number, suffix):
    assert without_number(f"{stem}-{number}{suffix}") == (f"{stem}{suffix}", number)
    assert without_number(f"{stem}{suffix}") == (f"{stem}{suffix}", 0)


@pytest.mark.parametrize("name", ["deal.c", "ada_12_deal.c", "1_2_x", "README.md", "ada_x_2_deal.c", "ada_1_2_"])
def test_other_file_names_are_not_parsed_as_canvas_names(name):
    assert parse_canvas_name(name) is None


def test_a_canvas_download_is_imported_with_attempts_and_notes(tmp_path, two_stages):
    write_class_files(
        tmp_path,
        {
            "lovelaceada_101_9001_shuffle.c": "first",
            "lovelaceada_LATE_101_9005_shuffle-2.c": "third",
            "lovelaceada_101_9003_shuffle-1.c": "second",
            "lovelaceada_LATE_101_9006_deck.h": "header",
            "núñezobriensiân_102_9010_deal.c": C,
            "hopper3grace_103_text.html": "I could not",
            "curiemarie_104_9030_deal.c": "older",
            "curiemarie_104_9031_deal.c": "newer",
            "README.md": "from the instructor",
            ".DS_Store": "",
            "__MACOSX/._x": "",
        },
    )
    zip_same_text(tmp_path / "zusekonrad_105_9040_hw-1.zip", "shuffle.c")
    intake, files_by_name = import_and_read(tmp_path, two_stages)
    assert intake.kind == "canvas"
    assert files_by_name == {
        "curiemarie": {"deal.c": "newer"},
        "hopper3grace": None,
        "lovelaceada": {"deck.h": "header", "shuffle.c": "third"},
        "núñezobriensiân": {"deal.c": C},
        "zusekonrad": {"hw.zip": files_by_name["zusekonrad"]["hw.zip"]},
    }
    ada = submission_of(intake, "lovelaceada")
    assert (ada.person.key, ada.person.ids) == ("101", (("canvas", "101"),))
    assert (ada.is_late, ada.attempt, ada.other_attempts, ada.at, ada.notes) == (True, 3, 2, None, ())
    assert ada.files == ("deck.h", "shuffle.c")
    assert submission_of(intake, "curiemarie").is_late is False
    assert submission_of(intake, "curiemarie").notes == ("deal.c was handed in 2 times; the last upload is used",)
    assert submission_of(intake, "hopper3grace").notes == ("a text was handed in on the page; it is not a program",)
    assert submission_of(intake, "zusekonrad").files == ("shuffle.c",)
    assert submission_of(intake, "zusekonrad").attempt == 2
    assert omitted_file_lines(intake) == (
        ".DS_Store: hidden, or made by a system or a tool",
        "__MACOSX: hidden, or made by a system or a tool",
        "README.md: not named like a Canvas submission",
    )


def test_numbers_that_students_gave_their_files_are_not_removed(tmp_path, two_stages):
    """A number stays if another file mentions the whole name (a), or several numbered files have no stage's name (b).

    Neither is so for the third student (c): the numbers of deal-1.c and notes-1.txt are removed.
    """
    write_class_files(
        tmp_path,
        {
            "a_1_10_deal.c": '#include "deck-1.h"\n',
            "a_1_11_deck-1.h": "h",
            "b_2_20_part-1.txt": "1",
            "b_2_21_part-2.txt": "2",
            "b_2_22_deal.c": C,
            "c_3_30_deal-1.c": C,
            "c_3_31_notes-1.txt": "n",
        },
    )
    intake, files_by_name = import_and_read(tmp_path, two_stages)
    assert set(files_by_name["a"]) == {"deal.c", "deck-1.h"}
    assert set(files_by_name["b"]) == {"deal.c", "part-1.txt", "part-2.txt"}
    assert set(files_by_name["c"]) == {"deal.c", "notes.txt"}
    assert [(submission.attempt, submission.other_attempts) for submission in intake.submissions] == [
        (1, 0),
        (1, 0),
        (2, 0),
    ]


def test_a_higher_number_on_an_earlier_upload_is_reported(tmp_path, two_stages):
    write_class_files(tmp_path, {"a_1_20_deal.c": "1", "a_1_10_deal-1.c": "2"})
    intake, files_by_name = import_and_read(tmp_path, two_stages)
    assert files_by_name == {"a": {"deal.c": "2"}}
    assert submission_of(intake, "a").notes == (
        "a_1_10_deal-1.c is used because of its number, although another deal.c was uploaded later",
    )


def test_one_file_of_any_name_is_the_program_if_one_stage_is_graded(tmp_path, two_stages):
    write_class_files(tmp_path, {"a_1_10_main-1.c": "2", "a_1_9_main.c": "1", "b_2_20_my program.py": "3"})
    one_stage_class, files_by_name = import_and_read(tmp_path, two_stages[:1])
    assert files_by_name == {"a": {"main.c": "2"}, "b": {"my program.py": "3"}}
    assert all(submission.files for submission in one_stage_class.submissions)


def test_an_anonymous_download_is_imported(tmp_path, two_stages):
    write_class_files(
        tmp_path,
        {"anon_aB3xZ_60001_deal.c": "1", "anon_aB3xZ_LATE_60002_shuffle.c": "2", "anon_Qq111_60003_deal.c": "3"},
    )
    intake, files_by_name = import_and_read(tmp_path, two_stages)
    assert files_by_name == {"anon_aB3xZ": {"deal.c": "1", "shuffle.c": "2"}, "anon_Qq111": {"deal.c": "3"}}
    assert submission_of(intake, "anon_aB3xZ").person.ids == (("canvas-anonymous", "aB3xZ"),)
    assert submission_of(intake, "anon_aB3xZ").is_late is True


def test_names_decomposed_by_macos_are_composed_again(tmp_path, two_stages):
    write_class_files(tmp_path, {unicodedata.normalize("NFD", "müllerjörg_7_8_deal.c"): "1"})
    _, files_by_name = import_and_read(tmp_path, two_stages)
    assert files_by_name == {"müllerjörg": {"deal.c": "1"}}


def test_a_link_is_not_followed(tmp_path, two_stages):
    write_class_files(tmp_path, {"class/a_1_10_deal.c": "1", "secret.c": "s"})
    (tmp_path / "class" / "b_2_20_deal.c").symlink_to(tmp_path / "secret.c")
    intake, files_by_name = import_and_read(tmp_path / "class", two_stages)
    assert files_by_name == {"a": {"deal.c": "1"}}
    assert omitted_file_lines(intake) == ("b_2_20_deal.c: a link, which is not followed",)


@pytest.mark.parametrize("name", ["..", ".", "..-1", ".-1"])
def test_a_file_named_like_a_dot_folder_affects_no_other_student(tmp_path, two_stages, name):
    write_class_files(tmp_path, {f"a_1_10_{name}": "x", "b_2_20_deal.c": C})
    _, files_by_name = import_and_read(tmp_path, two_stages)
    assert files_by_name == {"a": {f"a_1_10_{name}": "x"}, "b": {"deal.c": C}}


def test_one_file_with_a_canvas_name_among_others_makes_no_canvas_download(tmp_path, two_stages):
    write_class_files(tmp_path, {"ada.c": C, "bob.c": C, "team_1_2_x.c": C})
    intake, files_by_name = import_and_read(tmp_path, two_stages[:1])
    assert (intake.kind, list(files_by_name)) == ("folders", ["ada", "bob", "team_1_2_x"])


def test_a_program_that_a_text_mentions_is_stored_under_both_names(tmp_path, two_stages):
    """Unlike other mentioned files, a program is needed under the name that has no number: the name of its stage."""
    write_class_files(tmp_path, {"a_1_10_deal-1.c": C, "a_1_11_notes.txt": "see deal-1.c", "b_2_20_part-1.c": C})
    _, files_by_name = import_and_read(tmp_path, two_stages)
    assert set(files_by_name["a"]) == {"deal.c", "deal-1.c", "notes.txt"}


def test_an_imported_submission_has_the_same_programs_as_a_checked_one(tmp_path, two_stages):
    """Programs in an imported submission are found as in a folder or an archive given to `pitboss check`."""
    write_class_files(tmp_path, {"a_1_10_deal-1.c": C, "b_2_20_shuffle.c": C, "b_2_21_deal.py": "", "c_3_30_x.c": C})
    zip_same_text(tmp_path / "d_4_40_hw-2.zip", "hw/deal.c", "hw/shuffle.c")
    with imported_class(tmp_path, two_stages) as intake:
        assert [program_count(submission.path, two_stages) for submission in intake.submissions] == [1, 2, 0, 2]
    with imported_class(tmp_path, two_stages[1:]) as intake:
        assert [program_count(submission.path, two_stages[1:]) for submission in intake.submissions] == [1, 1, 1, 1]
