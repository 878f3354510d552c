"""Recorded sessions are written into spec files: they read back unchanged, and the rest of the file is preserved."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pitboss.assignments.recording import with_new_case, with_transcript
from pitboss.assignments.specfile import load_assignment
from pitboss.errors import SpecError
from pitboss.model.transcript import InputEnded, Paused, Shown, Typed, canonical

ASSIGNMENT = "title: Small\nseeded: no\nstages:\n  - name: one\n    reference: a.b:c\n"
SPEC = """# kept
program: one
cases:
  - name: first   # kept too
    transcript: |
      a

  # about the second
  - transcript: |2
       b
    name: second
    points: 2

  - name: third
    transcript: "c\\n"
"""
texts = st.one_of(st.binary(max_size=6), st.sampled_from([b" x\n", b"\n\n", b"\n", b"a\n\n\n", b" ", b"#", b"---\n"]))
events = (
    st.lists(
        st.one_of(
            texts.map(Shown),
            texts.filter(lambda text: b"\n" not in text).map(Typed),
            st.integers(1, 5000).map(Paused),
            st.just(InputEnded()),
        ),
        min_size=1,
        max_size=6,
    )
    .map(canonical)
    .filter(bool)
)


@pytest.fixture
def path(tmp_path):
    """The spec file of a small assignment."""
    (tmp_path / "assignment.yaml").write_text(ASSIGNMENT)
    (tmp_path / "one.yaml").write_text(SPEC)
    return tmp_path / "one.yaml"


def recorded_events(path):
    """The events of each recorded case in the spec file, by the name of the case."""
    return {case.name: case.session.events for case in load_assignment(path.parent).stages[0].spec.cases}


@pytest.mark.parametrize("name", ["first", "second", "third"])
def test_a_recorded_session_reads_back_and_nothing_else_changes(path, name):
    @settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(events)
    def check_session(session):
        path.write_text(SPEC)
        before = recorded_events(path)
        path.write_text(with_transcript(path, name, session))
        assert recorded_events(path) == {**before, name: session}
        assert {"# kept", "  # about the second"} <= set(path.read_text().splitlines())

    check_session()


@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(session=events, name=st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1))
def test_a_new_case_is_added_at_the_end(path, session, name):
    path.write_text(SPEC)
    before = recorded_events(path)
    if name in before:
        return
    path.write_text(with_new_case(path, name, session, rules=["a, b", "c: d"]))
    assert recorded_events(path) == {**before, name: session}
    assert path.read_text().startswith(SPEC)


def test_recording_the_same_session_again_changes_nothing(path):
    plain = SPEC.replace('"c\\n"', "|\n      c")
    path.write_text(plain)
    for name, session in recorded_events(path).items():
        path.write_text(with_transcript(path, name, session))
    assert path.read_text() == plain


def test_an_unknown_case_and_a_new_case_that_exists_are_reported(path):
    with pytest.raises(SpecError) as caught:
        with_transcript(path, "fourth", (Shown(b"x"),))
    assert str(caught.value) == f"{path}: there is no recorded case 'fourth'"
    with pytest.raises(SpecError) as caught:
        with_new_case(path, "third", (Shown(b"x"),))
    assert str(caught.value) == f"{path}:14: there is a case 'third' already — choose another name"


NEW_CASE = "  - name: new\n    transcript: |\n      x\n"
#: The text of a spec file before a case is added, and after.
FILES_BEFORE_AND_AFTER = {
    "an empty file": ("", f"program: one\ncases:\n{NEW_CASE}"),
    "comments alone": ("# mine\n", f"# mine\nprogram: one\ncases:\n{NEW_CASE}"),
    "no cases": ("# mine\nprogram: one", f"# mine\nprogram: one\ncases:\n{NEW_CASE}"),
    "cases without a value": ("cases: # none\nprogram: one\n", f"cases:  # none\n{NEW_CASE}program: one\n"),
    "an empty list": ("program: one\ncases: []  # none\n", f"program: one\ncases:  # none\n{NEW_CASE}"),
    "cases before the program": (
        "cases:\n  - name: old\n    transcript: a\n\n# what for\nprogram: one\n",
        f"cases:\n  - name: old\n    transcript: a\n{NEW_CASE}\n# what for\nprogram: one\n",
    ),
    "dashes that are not indented": (
        "program: one\ncases:\n- name: old\n  transcript: a\n",
        "program: one\ncases:\n- name: old\n  transcript: a\n- name: new\n  transcript: |\n    x\n",
    ),
}


@pytest.mark.parametrize("name", FILES_BEFORE_AND_AFTER)
def test_a_new_case_follows_the_layout_of_the_file(path, name):
    before, after = FILES_BEFORE_AND_AFTER[name]
    path.write_text(before)
    path.write_text(with_new_case(path, "new", (Shown(b"x\n"),)))
    assert path.read_text() == after
    assert recorded_events(path)["new"] == (Shown(b"x\n"),)


def test_no_case_is_added_to_cases_in_braces(path):
    path.write_text("{program: one, cases: [{name: old, transcript: a}]}\n")
    with pytest.raises(SpecError) as caught:
        with_new_case(path, "new", (Shown(b"x"),))
    sentence = ":1: the cases do not begin on a new line after `cases:` — write them there"
    assert str(caught.value) == f"{path}{sentence}"
