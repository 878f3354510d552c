"""Patches: the output of diff is applied by patch(1), and a bad patch is an error with its file and line."""

import difflib
import re
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.errors import SpecError
from pitboss.experiments.programs.mistake_programs import NoFileError, texts_after_patch

PATH = Path("mistakes/late/change.patch")
ONE_TILL = {"reference/till.c": "int a;\nint b;\nint c;\n"}
TWO_TILLS = {**ONE_TILL, "reference/shop/till.c": "int d;\n", "reference/bag.c": "int e;\n"}
TILL_HEADER = "--- reference/till.c\n+++ till.c\n"

#: Lines of a text, some of which look like lines of a diff.
LINES = st.lists(
    st.sampled_from(["a", "b", "", "c d", "-x", "+y", " z", "--- q", "\tt", "@@ -1 +1 @@", "e\x0cf"]), max_size=12
)


def lines_of(text):
    """The lines of a text with their line ends; other line boundaries of `str.splitlines` are part of the line."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def diff_of(before, after, context):
    """The lines of `diff -u`, with this many lines of context."""
    for line in difflib.unified_diff(lines_of(before), lines_of(after), "till.c", "new.c", n=context):
        yield line
        if not line.endswith("\n"):
            yield "\n\\ No newline at end of file\n"


@given(LINES, LINES, st.booleans(), st.booleans(), st.integers(0, 3), st.sampled_from(["\n", "\r\n"]))
def test_the_output_of_diff_turns_one_text_into_the_other(
    old_lines, new_lines, old_ended, new_ended, context, line_end
):
    before, after = (
        "\n".join(lines) + "\n" * bool(lines and ended)
        for lines, ended in ((old_lines, old_ended), (new_lines, new_ended))
    )
    patch = "".join(diff_of(before, after, context))
    if "\n" in before:  # a text of one line does not tell which line end it uses
        before, after = before.replace("\n", line_end), after.replace("\n", line_end)
    if patch:
        assert texts_after_patch(patch, PATH, {"till.c": before}) == {"till.c": after}


@given(LINES, LINES, LINES)
def test_a_patch_still_applies_after_lines_were_inserted_above(old_lines, new_lines, inserted_lines):
    """The inserted lines are like no others: between two places that fit, the program `patch` takes the nearer one."""
    before, after = (
        "".join(f"{line}\n" for line in ["text 1", "text 2", "text 3", *lines, *"!?."])
        for lines in (old_lines, new_lines)
    )
    front = "".join(f"front {line}\n" for line in inserted_lines)
    patch = "".join(diff_of(before, after, 3))  # more context than this is not at both ends of each change
    if patch:
        assert texts_after_patch(patch, PATH, {"till.c": front + before}) == {"till.c": front + after}


def test_a_git_diff_is_applied_to_the_file_whose_path_ends_the_same():
    patch = (
        "diff --git a/specs/shop/reference/shop/till.c b/x.c\nindex 1..2 100644\n"
        "--- a/specs/shop/reference/shop/till.c\n+++ b/x.c\t2026-01-01\n@@ -1 +1 @@ int main(void)\n-int d;\n+int f;\n"
    )
    assert texts_after_patch(patch, PATH, TWO_TILLS) == {"reference/shop/till.c": "int f;\n"}


def test_a_patch_may_change_several_files_with_several_hunks():
    hunks = "@@ -1 +1 @@\n-int a;\n+int A;\n@@ -3 +3 @@\n-int c;\n+int C;\n"
    bag = "--- bag.c\n+++ bag.c\n@@ -1 +0,0 @@\n-int e;\n"
    assert texts_after_patch(f"{TILL_HEADER}{hunks}{bag}", PATH, {**ONE_TILL, "reference/bag.c": "int e;\n"}) == {
        "reference/till.c": "int A;\nint b;\nint C;\n",
        "reference/bag.c": "",
    }


def test_a_patch_may_call_the_only_file_anything():
    assert texts_after_patch("--- /tmp/x\n+++ /tmp/y\n@@ -1 +1 @@\n-int a;\n+long a;\n", PATH, ONE_TILL) == {
        "reference/till.c": "long a;\nint b;\nint c;\n"
    }


ADVICE = "make one with: diff -u FILE-OF-THE-REFERENCE CHANGED-FILE > change.patch"
BAD_PATCHES = {
    "empty": ("", ONE_TILL, f":1: this is not a unified diff: no lines --- and +++ name a file — {ADVICE}"),
    "a context diff": (
        "*** a.c\n--- b.c\n***************\n*** 1 ****\n",
        ONE_TILL,
        f":1: this is not a unified diff: no lines --- and +++ name a file — {ADVICE}",
    ),
    "no name": (
        "@@ -1 +1 @@\n-a\n+b\n",
        ONE_TILL,
        f":1: this is not a unified diff: no lines --- and +++ name a file — {ADVICE}",
    ),
    "cut off": (
        f"{TILL_HEADER}@@ -1,3 +1,3 @@\n int a;\n",
        ONE_TILL,
        f":5: the changes of reference/till.c cannot be read — {ADVICE}",
    ),
    "another text": (
        f"{TILL_HEADER}@@ -1,2 +1,2 @@\n int a;\n-int q;\n+int z;\n",
        ONE_TILL,
        ":3: the patch does not apply to reference/till.c — create it again from the current reference",
    ),
    "beyond the end": (
        f"{TILL_HEADER}@@ -9 +9 @@\n-int q;\n+int z;\n",
        ONE_TILL,
        ":3: the patch does not apply to reference/till.c — create it again from the current reference",
    ),
    "no such file": (
        "--- tail.c\n+++ tail.c\n@@ -1 +1 @@\n-int a;\n+int z;\n",
        {"till.c": "", "bag.c": ""},
        ":1: the reference has no file 'tail.c' — it has till.c, bag.c; did you mean 'till.c'?",
    ),
    "one of two": (
        "--- till.c\n+++ till.c\n@@ -1 +1 @@\n-int a;\n+int z;\n",
        TWO_TILLS,
        ":1: 'till.c' may be reference/till.c, reference/shop/till.c — write one of these paths",
    ),
    "a new file": (
        "--- /dev/null\n+++ more.c\n@@ -0,0 +1 @@\n+int z;\n",
        ONE_TILL,
        ":1: it adds or removes a file — a patch changes existing files",
    ),
    "nothing": (
        f"{TILL_HEADER}@@ -1 +1 @@\n-int a;\n+int a;\n",
        ONE_TILL,
        ":1: this patch leaves the reference unchanged — it must change something",
    ),
}


@pytest.mark.parametrize(("patch", "files", "sentence"), BAD_PATCHES.values(), ids=BAD_PATCHES)
def test_a_bad_patch_is_an_error_with_its_file_and_line(patch, files, sentence):
    with pytest.raises(SpecError) as error:
        texts_after_patch(patch, PATH, files)
    assert str(error.value) == f"{PATH}{sentence}"
    assert isinstance(error.value, NoFileError) == ("has no file" in sentence)


@given(st.text(alphabet="-+@ ,\\\n01a.c/", max_size=60))
def test_any_text_is_a_patch_or_an_error_with_its_file(text):
    try:
        texts_after_patch(text, PATH, ONE_TILL)
    except SpecError as error:
        assert str(error).startswith(f"{PATH}:")  # noqa: PT017


def test_a_machine_without_patch_is_named(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(SpecError, match=r"change\.patch: this machine has no program patch, .* apt install patch"):
        texts_after_patch(f"{TILL_HEADER}@@ -1 +1 @@\n-int a;\n+int z;\n", PATH, ONE_TILL)
