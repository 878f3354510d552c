import json
import re

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.errors import HarnessError

ASSIGNMENT = {
    "title": "A bank teller",
    "seeded": "no",
    "language": "C",
    "limits": {"idle_s": "2", "memory_mb": "128"},
    "draws": {"values": ["1", "2", "3"], "bag": "3"},
    "compare": {"pauses": "ignored", "alternatives": [["a", "b"]]},
    "mistakes": "teller:mistakes",
    "players": {"a saver": [{"prompt": "Amount: ", "answers": ["100"]}], "a function": "teller:player"},
    "stages": [
        {
            "name": "first",
            "title": "first of two",
            "reference": "teller:main",
            "submitted_as": ["one"],
            "is_optional": "no",
        },
        {
            "name": "second",
            "needs": ["first"],
            "reference": {"command": ["./teller"]},
            "reader": "teller:read",
            "tolerated": {"another": "teller:other"},
            "rules": {"a rule": "^A one", "another rule": "^A two"},
            "required": ["a rule"],
            "most_sessions": "10",
            "given": "given",
            "spec": "second.yaml",
        },
    ],
}
SPEC = {
    "program": "first",
    "cases": [
        {
            "name": "recorded",
            "transcript": "Amount: <<1>>\n<pause 1s>ok\n",
            "exit": "1",
            "points": "2",
            "visibility": "hidden",
            "covers": ["a rule"],
            "compare": {"letter_case": "ignored"},
        },
        {"name": "typed", "answers": ["1", "2"]},
        {"name": "played", "player": "a saver", "sessions": "3"},
    ],
}
LONG_VALUES = [
    pytest.param("x" * 1000, id="letters"),
    pytest.param("\n".join("y" * 200), id="lines"),
    pytest.param("<<" + "z" * 1000 + ">> more", id="typed"),
    pytest.param("7" * 1000, id="digits", marks=pytest.mark.slow),
    pytest.param("<" + "pause" * 200 + ">", id="mark", marks=pytest.mark.slow),
    pytest.param("ü\t" * 500, id="tabs", marks=pytest.mark.slow),
]


def edited_copies(node, long):
    """Yields copies of a node of a file, each with the long text at a different place.

    There the text, or a list or mapping of it, replaces a value; or the text replaces a key, or is added as a key.
    """
    if isinstance(node, str):
        yield long
        yield [long]
        yield {long: long}
    elif isinstance(node, list):
        yield long
        for index, item in enumerate(node):
            yield from ([*node[:index], new, *node[index + 1 :]] for new in edited_copies(item, long))
    else:
        yield long
        for key, value in node.items():
            yield from ({**node, key: new} for new in edited_copies(value, long))
            yield {**{name: old for name, old in node.items() if name != key}, long: value}
        yield {**node, long: long}


@pytest.mark.parametrize("long", LONG_VALUES)
def test_no_message_quotes_a_long_value_whole(tmp_path, long):
    (tmp_path / "given").mkdir()
    messages = set()
    second = {**SPEC, "program": "second"}
    for assignment, spec in (
        *((edited_assignment, SPEC) for edited_assignment in edited_copies(ASSIGNMENT, long)),
        *((ASSIGNMENT, edited_spec) for edited_spec in edited_copies(SPEC, long)),
    ):
        (tmp_path / "assignment.yaml").write_text(json.dumps(assignment))
        (tmp_path / "first.yaml").write_text(json.dumps(spec))
        (tmp_path / "second.yaml").write_text(json.dumps(second))
        try:
            load_assignment(tmp_path)
        except HarnessError as error:
            messages.add(re.sub(r"^\S+/", "", str(error)))
        except (OSError, ValueError) as error:  # pragma: no cover
            pytest.fail(f"{type(error).__name__}: {error} for {assignment} {spec}"[:2000])
    assert len(messages) > 20
    for message in messages:
        assert len(message) < 600, message
        assert "\n" not in message
        assert not re.search(r"(.)\1{99}", message), message  # no character a hundred times in a row


def test_a_long_value_is_quoted_in_part_with_its_length(tmp_path):
    (tmp_path / "assignment.yaml").write_text(json.dumps({**ASSIGNMENT, "seeded": "x" * 1000}))
    with pytest.raises(HarnessError) as raised:
        load_assignment(tmp_path)
    assert str(raised.value) == (
        f"{tmp_path}/assignment.yaml:1: seeded is '{'x' * 60}'… (1,000 characters) — it must be yes, no, true or false"
    )


def test_a_list_of_known_names_is_cut_after_thirty(tmp_path):
    players = {f"player {number}": "teller:player" for number in range(200)}
    spec = {**SPEC, "cases": [{"name": "played", "player": "nobody"}]}
    (tmp_path / "assignment.yaml").write_text(json.dumps({**ASSIGNMENT, "players": players}))
    (tmp_path / "first.yaml").write_text(json.dumps(spec))
    with pytest.raises(HarnessError) as raised:
        load_assignment(tmp_path)
    names = ", ".join(f"player {number}" for number in range(30))
    assert str(raised.value) == (
        f"{tmp_path}/first.yaml:1: there is no player 'nobody' — known are {names} and 170 more"
    )
