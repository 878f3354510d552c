import shutil

import pytest

from tests.checking.cluster.clusters import Cluster
from tests.conftest import ROOT, TOY

RIGHT = (ROOT / "tests" / "submissions" / "ACCEPTED" / "plain" / "teller.c").read_text()
WRONG = "#!/bin/sh\nprintf 'Opening balance: '; read x; echo Sorry.\n"


@pytest.fixture
def folder(tmp_path):
    """An assignment and a class of four: a correct program, one that does not compile, a wrong one, and no program."""
    shutil.copytree(TOY, tmp_path / "teller")
    for name, file, text in (
        ("ada", "teller.c", RIGHT),
        ("barbara", "teller.c", "int main(void) { return x; }\n"),
        ("charles", "teller.sh", WRONG),
        ("dennis", "notes.txt", "I was ill.\n"),
    ):
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / file).write_text(text)
    return tmp_path


@pytest.fixture
def larger_folder(folder):
    """The same folder with eight more submissions, each a different program: a class of twelve."""
    for number in range(8):
        (folder / "class" / f"s{number}").mkdir()
        (folder / "class" / f"s{number}" / "teller.c").write_text(f"/* {number} */\n{RIGHT}")
    return folder


@pytest.fixture
def cluster(reachable):
    """A scheduler that has no workers yet."""
    cluster = Cluster(reachable)
    yield cluster
    cluster.close()
