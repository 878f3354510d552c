"""Patches: what diff writes is applied as patch(1) would, and what does not fit is an error with its place."""

import difflib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.errors import SpecError
from pitboss.experiments.programs.patches import NoFileError, lines_of, with_changes

PATH = Path("mistakes/late/change.patch")
ONE = {"reference/till.c": "int a;\nint b;\nint c;\n"}
TWO = {**ONE, "reference/shop/till.c": "int d;\n", "reference/bag.c": "int e;\n"}
HEAD = "--- reference/till.c\n+++ till.c\n"

LINES = st.lists(
    st.sampled_from(["a", "b", "", "c d", "-x", "+y", " z", "--- q", "\tt", "@@ -1 +1 @@", "e\x0cf"]), max_size=12
)


def diff_of(before, after, context):
    for line in difflib.unified_diff(lines_of(before), lines_of(after), "till.c", "new.c", n=context):
        yield line
        if not line.endswith("\n"):
            yield "\n\\ No newline at end of file\n"


@given(LINES, LINES, st.booleans(), st.booleans(), st.integers(0, 3), st.sampled_from(["\n", "\r\n"]))
def test_what_diff_writes_makes_the_other_text(one, other, ends, other_ends, context, end):
    before, after = ("\n".join(lines) + "\n" * bool(lines and has) for lines, has in ((one, ends), (other, other_ends)))
    patch = "".join(diff_of(before, after, context))
    if "\n" in before:  # else nothing says how its lines end
        before, after = before.replace("\n", end), after.replace("\n", end)
    if patch:
        assert with_changes(patch, PATH, {"till.c": before}) == {"till.c": after}


@given(LINES, LINES, LINES)
def test_lines_that_were_put_in_front_meanwhile_move_a_patch(one, other, more):
    before, after, front = ("".join(f"{line}\n" for line in ["#", *lines, "!"]) for lines in (one, other, more))
    patch = "".join(diff_of(before, after, 30))
    if patch:
        assert with_changes(patch, PATH, {"till.c": front + before})["till.c"] in (front + after, after + front)


def test_what_git_writes_is_taken_and_the_file_is_found_by_the_end_of_its_path():
    patch = (
        "diff --git a/specs/shop/reference/shop/till.c b/x.c\nindex 1..2 100644\n"
        "--- a/specs/shop/reference/shop/till.c\n+++ b/x.c\t2026-01-01\n@@ -1 +1 @@ int main(void)\n-int d;\n+int f;\n"
    )
    assert with_changes(patch, PATH, TWO) == {"reference/shop/till.c": "int f;\n"}


def test_several_files_are_changed_and_one_by_several_hunks():
    hunks = "@@ -1 +1 @@\n-int a;\n+int A;\n@@ -3 +3 @@\n-int c;\n+int C;\n"
    bag = "--- bag.c\n+++ bag.c\n@@ -1 +0,0 @@\n-int e;\n"
    assert with_changes(f"{HEAD}{hunks}{bag}", PATH, {**ONE, "reference/bag.c": "int e;\n"}) == {
        "reference/till.c": "int A;\nint b;\nint C;\n",
        "reference/bag.c": "",
    }


def test_the_only_file_may_be_called_anything():
    assert with_changes("--- /tmp/x\n+++ /tmp/y\n@@ -1 +1 @@\n-int a;\n+long a;\n", PATH, ONE) == {
        "reference/till.c": "long a;\nint b;\nint c;\n"
    }


HOW = "make one with: diff -u FILE-OF-THE-REFERENCE CHANGED-FILE > change.patch"
BAD = {
    "empty": ("", ONE, f":1: this is not a unified diff: no line with --- names a file — {HOW}"),
    "a context diff": (
        "*** a.c\n--- b.c\n***************\n*** 1 ****\n",
        ONE,
        f":1: this is not a unified diff: no line with --- names a file — {HOW}",
    ),
    "no name": ("@@ -1 +1 @@\n-a\n+b\n", ONE, f":1: no lines with --- and +++ name the file to change — {HOW}"),
    "no change": (HEAD, ONE, f":1: no change follows (a line that begins with @@) — {HOW}"),
    "cut off": (
        f"{HEAD}@@ -1,3 +1,3 @@\n int a;\n",
        ONE,
        f":5: the hunk on line 3 has fewer lines than it says — {HOW}",
    ),
    "another text": (
        f"{HEAD}@@ -1,2 +1,2 @@\n int a;\n-int q;\n+int z;\n",
        ONE,
        ":3: the patch does not apply to reference/till.c: on line 2 there is 'int b;', and the patch expects "
        "'int q;' — create it again from the current reference",
    ),
    "beyond the end": (
        f"{HEAD}@@ -9 +9 @@\n-int q;\n+int z;\n",
        ONE,
        ":3: the patch does not apply to reference/till.c: on line 9 the file has ended, and the patch expects "
        "'int q;' — create it again from the current reference",
    ),
    "no such file": (
        "--- tail.c\n+++ tail.c\n@@ -1 +1 @@\n-int a;\n+int z;\n",
        {"till.c": "", "bag.c": ""},
        ":1: the reference has no file 'tail.c' — it has till.c, bag.c; did you mean 'till.c'?",
    ),
    "one of two": (
        "--- till.c\n+++ till.c\n@@ -1 +1 @@\n-int a;\n+int z;\n",
        TWO,
        ":1: 'till.c' may be reference/till.c, reference/shop/till.c — write the one that is meant",
    ),
    "a new file": (
        "--- /dev/null\n+++ more.c\n@@ -0,0 +1 @@\n+int z;\n",
        ONE,
        ":1: it adds or removes a file — a patch changes existing files",
    ),
    "nothing": (
        f"{HEAD}@@ -1 +1 @@\n-int a;\n+int a;\n",
        ONE,
        ":1: this patch leaves the reference unchanged — it must change something",
    ),
}


@pytest.mark.parametrize(("patch", "files", "sentence"), BAD.values(), ids=BAD)
def test_a_patch_that_does_not_fit_is_an_error_with_its_place(patch, files, sentence):
    with pytest.raises(SpecError) as error:
        with_changes(patch, PATH, files)
    assert str(error.value) == f"{PATH}{sentence}"
    assert isinstance(error.value, NoFileError) == ("has no file" in sentence)


@given(st.text(alphabet="-+@ ,\\\n01a.c/", max_size=60))
def test_whatever_stands_there_is_a_patch_or_a_sentence_with_its_place(text):
    try:
        with_changes(text, PATH, ONE)
    except SpecError as error:
        assert str(error).startswith(f"{PATH}:")  # noqa: PT017
