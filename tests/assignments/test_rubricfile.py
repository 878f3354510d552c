"""Rubric files: how they are read, and how mistakes in them are reported."""

import pytest

from pitboss.assignments.gradingfile import RubricItem, read_rubric
from pitboss.errors import SpecError


def test_a_rubric_is_a_list_of_key_text_and_points(tmp_path):
    (tmp_path / "rubric.yaml").write_text(
        "- {key: names, text: Good names., points: 2.5}\n"
        "- key: comments\n  text: |\n    There are no\n    comments.\n  points: -5\n"
        "- {key: seen, text: Read.}\n"
    )
    assert read_rubric(tmp_path / "rubric.yaml") == (
        RubricItem("names", "Good names.", "5/2"),
        RubricItem("comments", "There are no comments.", "-5"),
        RubricItem("seen", "Read.", "0"),
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("names: 2\n", ":1: a rubric is a mapping — it must be a list"),
        ("- names\n", ":1: an item of a rubric is 'names' — it must be a mapping with key, text, points"),
        ("- {key: a}\n", ":1: an item of a rubric lacks the key 'text': the comment for the student"),
        (
            "- {key: a, text: b, point: 1}\n",
            ":1: an item of a rubric has no key 'point' — allowed are key, text, points; did you mean 'points'?",
        ),
        (
            "- {key: 2 a, text: b}\n",
            ":1: key is '2 a' — it must be a word of at most 40 letters, digits, _ and -, which begins with a letter",
        ),
        ("- {key: a, text: b, points: few}\n", ":1: points is 'few' — it must be a number such as -5, 2 or 0.5"),
        ("- {key: a, text: ' '}\n", ":1: text is empty — give the comment for the student"),
        ("- {key: a, text: b}\n- {key: a, text: c}\n", ":2: the key 'a' is used twice — each item needs its own key"),
        ("[]\n", ":1: the rubric has 0 items — it must have from 1 to 60"),
    ],
)
def test_a_mistake_in_a_rubric_is_reported_with_its_place(tmp_path, text, sentence):
    (tmp_path / "rubric.yaml").write_text(text)
    with pytest.raises(SpecError) as caught:
        read_rubric(tmp_path / "rubric.yaml")
    assert str(caught.value) == f"{tmp_path}/rubric.yaml{sentence}"
