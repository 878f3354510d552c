"""Any file of an assignment is loaded, or refused by a SpecError that begins with the file: never another exception."""

import random
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.assignments.specfile import load_assignment
from pitboss.errors import SpecError, UsageError
from tests.conftest import ROOT

#: Folders of assignments that are no games but the first, and small.
FOLDERS = (
    ROOT / "specs" / "csc101",
    *sorted(path.parent for path in (ROOT / "tests" / "toy").glob("*/assignment.yaml")),
)
#: What is put in place of something else: values of another kind, YAML's own marks, numbers that are none.
JUNK = (
    *(
        "",
        " ",
        "yes",
        "no",
        "~",
        "null",
        "0",
        "-1",
        "1e999",
        ".nan",
        "0x7fffffffffffffff",
        "9" * 400,
        "1..0",
        "1..99999999999",
    ),
    *(
        "[]",
        "{}",
        "[[[]]]",
        "{a: {b: c}}",
        "- x",
        "? y",
        "&a [*a]",
        "*b",
        "!!python/object:os.system x",
        "<<: {}",
        "|",
        ">-",
    ),
    *(
        '"',
        "'",
        "#",
        ": ",
        "---",
        "...",
        "%YAML 9",
        "\t",
        "\x00",
        "\ufeff",
        "\u2028",
        "\ud7ff",
        "é",
        "a:b:c",
        "/",
        "../..",
        "(",
        "(a+)+$",
    ),
)
KEYS = (
    "title",
    "stages",
    "name",
    "reference",
    "cases",
    "transcript",
    "seeds",
    "compare",
    "limits",
    "points",
    "program",
    "players",
    "draws",
)


def changed(text, chance):
    """A file with a few mechanical changes, of lines, of words and of bytes."""
    for _ in range(chance.choice((1, 1, 2, 5))):
        lines = text.split("\n")
        at = chance.randrange(len(lines))
        line = lines[at]
        match chance.randrange(9):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, chance.choice(lines))
            case 2:
                lines[at] = " " * chance.randrange(4) + line.lstrip()
            case 3:
                key, colon, _ = line.partition(":")
                lines[at] = f"{key}{colon or ':'} {chance.choice(JUNK)}"
            case 4:
                lines[at] = line.replace(line.strip().partition(":")[0] or "x", chance.choice(KEYS), 1)
            case 5:
                cut = chance.randrange(len(line) + 1)
                lines[at] = line[:cut] + chance.choice(JUNK) + line[cut:]
            case 6:
                other = chance.randrange(len(lines))
                lines[at], lines[other] = lines[other], lines[at]
            case 7:
                words = line.split(" ")
                words[chance.randrange(len(words))] = chance.choice(JUNK)
                lines[at] = " ".join(words)
            case 8:
                lines = lines[: at + 1]
        text = "\n".join(lines)
    return text


def refusal_of(folder):
    """With what words an assignment is refused; empty where it is not."""
    try:
        load_assignment(folder)
    except (SpecError, UsageError) as error:
        return str(error)
    return ""


@pytest.fixture(scope="module")
def copies(tmp_path_factory):
    """The folders, where their files may be changed."""
    into = tmp_path_factory.mktemp("specs")
    return [shutil.copytree(folder, into / folder.name) for folder in FOLDERS]


@given(st.data(), st.integers(0, 2**32))
def test_a_changed_file_is_loaded_or_refused_with_its_place(copies, data, number):
    folder = data.draw(st.sampled_from(copies))
    path = data.draw(st.sampled_from(sorted(folder.glob("*.yaml"))))
    before = path.read_text()
    text = changed(before, random.Random(number))
    try:
        path.write_text(text, errors="surrogatepass")
        assert refusal_of(folder).startswith(str(folder)) or not refusal_of(folder)
    finally:
        path.write_text(before)


@given(
    st.data(),
    st.one_of(st.binary(max_size=40), st.text(max_size=40).map(lambda text: text.encode("utf-8", "surrogatepass"))),
)
def test_so_is_a_file_of_anything(copies, data, content):
    folder = copies[-1]
    path = data.draw(st.sampled_from(sorted(folder.glob("*.yaml"))))
    before = path.read_bytes()
    try:
        path.write_bytes(content)
        assert refusal_of(folder).startswith(str(folder))
    finally:
        path.write_bytes(before)


def test_the_changes_do_both():
    text = (FOLDERS[-1] / "assignment.yaml").read_text()
    assert len({changed(text, random.Random(number)) for number in range(50)}) > 40
