import pytest

from tests.docs.pages import DOCS
from tests.docs.walking import Walk

WALKS = (
    "tutorial-first.md",
    "tutorial-unseeded.md",
    "tutorial-tolerant.md",
    "authoring.md",
    pytest.param("cookbook.md", marks=[pytest.mark.slow, pytest.mark.needs("Java")]),
)


@pytest.mark.parametrize("name", WALKS)
def test_commands_and_files_of_a_page_are_as_it_says(name, tmp_path):
    assert "\n".join(Walk(DOCS / name, tmp_path).differences()) == ""


def test_a_command_or_file_that_differs_from_its_page_is_reported(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        'Write it:\n\n```text title="here.txt"\none\ntwo\n```\n\n```console\n$ cat here.txt\none\n…\n$ cat here.txt\n'
        'one\n$ cat nowhere.txt\n…\n$ echo $HOME $PWD | sed "s|$(dirname "$PWD")|.|g"\n./home ./here\n$ exit 2\n```\n\n'
        '```text title="here.txt, as it is now"\ntwo\n```\n'
    )
    assert Walk(page, tmp_path).differences() == [
        "page.md:12: $ cat here.txt (exit code 0)\none\ntwo\n",
        "page.md:18: $ exit 2 (exit code 2)\n",
        "page.md:22: here.txt is\none\ntwo\n",
    ]
