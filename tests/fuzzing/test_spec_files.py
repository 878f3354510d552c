import random
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.assignments.specfile import load_assignment
from pitboss.errors import SpecError, UsageError
from tests.conftest import ROOT

#: Folders of small assignments, whose files are mutated: csc101 and the toy assignments of the tests.
FOLDERS = (
    ROOT / "specs" / "csc101",
    *sorted(path.parent for path in (ROOT / "tests" / "toy").glob("*/assignment.yaml")),
)
#: Texts that a mutation inserts: values of another type, YAML syntax, malformed numbers.
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
#: Keys that a mutation puts in place of another key.
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


def mutate(text, rng):
    """The text with a few random changes of lines, words and characters."""
    for _ in range(rng.choice((1, 1, 2, 5))):
        lines = text.split("\n")
        index = rng.randrange(len(lines))
        line = lines[index]
        match rng.randrange(9):
            case 0:
                del lines[index]
            case 1:
                lines.insert(index, rng.choice(lines))
            case 2:
                lines[index] = " " * rng.randrange(4) + line.lstrip()
            case 3:
                key, colon, _ = line.partition(":")
                lines[index] = f"{key}{colon or ':'} {rng.choice(JUNK)}"
            case 4:
                lines[index] = line.replace(line.strip().partition(":")[0] or "x", rng.choice(KEYS), 1)
            case 5:
                cut = rng.randrange(len(line) + 1)
                lines[index] = line[:cut] + rng.choice(JUNK) + line[cut:]
            case 6:
                other = rng.randrange(len(lines))
                lines[index], lines[other] = lines[other], lines[index]
            case 7:
                words = line.split(" ")
                words[rng.randrange(len(words))] = rng.choice(JUNK)
                lines[index] = " ".join(words)
            case 8:
                lines = lines[: index + 1]
        text = "\n".join(lines)
    return text


def load_error(folder):
    """The message with which an assignment is refused, or an empty text if it is loaded."""
    try:
        load_assignment(folder)
    except (SpecError, UsageError) as error:
        return str(error)
    return ""


@pytest.fixture(scope="module")
def copies(tmp_path_factory):
    """Copies of the folders, whose files may be changed."""
    copies_folder = tmp_path_factory.mktemp("specs")
    return [shutil.copytree(folder, copies_folder / folder.name) for folder in FOLDERS]


@given(st.data(), st.integers(0, 2**32))
def test_a_mutated_file_is_loaded_or_refused_with_its_path(copies, data, seed):
    folder = data.draw(st.sampled_from(copies))
    path = data.draw(st.sampled_from(sorted(folder.glob("*.yaml"))))
    before = path.read_text()
    text = mutate(before, random.Random(seed))
    try:
        path.write_text(text, errors="surrogatepass")
        message = load_error(folder)
        assert message == "" or message.startswith(str(folder))
    finally:
        path.write_text(before)


@given(
    st.data(),
    st.one_of(st.binary(max_size=40), st.text(max_size=40).map(lambda text: text.encode("utf-8", "surrogatepass"))),
)
def test_a_file_of_arbitrary_content_is_refused_with_its_path(copies, data, content):
    folder = copies[-1]
    path = data.draw(st.sampled_from(sorted(folder.glob("*.yaml"))))
    before = path.read_bytes()
    try:
        path.write_bytes(content)
        assert load_error(folder).startswith(str(folder))
    finally:
        path.write_bytes(before)


def test_mutate_returns_many_different_texts():
    text = (FOLDERS[-1] / "assignment.yaml").read_text()
    assert len({mutate(text, random.Random(seed)) for seed in range(50)}) > 40
