"""Nobody waits for what a submission has left where a file should be: a pipe, a link to a device, a folder."""

import os
import signal

import pytest

from pitboss.checking.check import check
from pitboss.compare.verdicts import Verdict
from pitboss.errors import UsageError
from pitboss.sandbox import files
from pitboss.sandbox.files import REGULAR, beginning_of, left_in, text_of
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.binaries import refusal_of
from pitboss.sessions.drivers import Conditions, find_conditions
from pitboss.sessions.job import Job
from pitboss.submissions.build import build
from pitboss.submissions.comments import top_comment
from pitboss.submissions.sources import Source, find_source

LANDLOCK = Sandbox(Level.LANDLOCK)
HELLO = '#include <stdio.h>\nint main(void) { puts("hello"); return 0; }\n'


@pytest.fixture(autouse=True)
def in_time():
    """Whoever opens a pipe to read it waits for ever: then a test fails, and does not wait as well."""

    def late(*_):
        raise AssertionError("it waits for ever")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def built(folder, makefile, sandbox=LANDLOCK):
    (folder / "handed").mkdir()
    (folder / "handed" / "Makefile").write_text(makefile)
    (folder / "handed" / "play.c").write_text(HELLO)
    return build(
        Source(folder / "handed", "make", "Makefile", "play"), folder / "built", Conditions("watched", sandbox)
    )


#: What a makefile makes, and what is said of it.
PRODUCTS = {
    "a pipe": ("mkfifo play", "make succeeded, but play is not an ordinary file, so it is not a program."),
    "a link to a pipe": (
        "mkfifo p; ln -s p play",
        "make succeeded, but play is not an ordinary file, so it is not a program.",
    ),
    "a link to a device": (
        "ln -s /dev/zero play",
        "make succeeded, but play is not an ordinary file, so it is not a program.",
    ),
    "a link to nothing": ("ln -s nothing play", "make succeeded, but did not create a program named play."),
    "a link to itself": ("ln -s play play", "make succeeded, but did not create a program named play."),
    "a folder": ("mkdir play", "make succeeded, but play is a folder, not a program."),
    "nothing to be seen": ("chmod 000 .", "make succeeded, but did not create a program named play."),
}


@pytest.mark.parametrize("what", PRODUCTS)
@pytest.mark.parametrize("sandbox", [Level.LANDLOCK, Level.BUBBLEWRAP], ids=lambda level: level.value)
def test_what_a_makefile_makes_instead_of_a_program(reachable, what, sandbox):
    does, output = PRODUCTS[what]
    made = built(reachable, f"play:\n\t{does}\n", Sandbox(sandbox))
    assert (made.program, made.reason) == (None, output)


def test_a_link_to_a_program_is_a_program(reachable):
    made = built(reachable, "play: play.c\n\tcc -o main play.c && ln -s main play\n")
    assert made.reason == ""
    assert made.program is not None


def test_pipes_beside_a_program_do_no_harm(toy, tmp_path):
    """With the names of sources, of object files and of whatever a session may read."""
    names = "helper.c helper.h helper.o data.txt core a.out"
    (tmp_path / "teller.c").write_text(HELLO)
    (tmp_path / "Makefile").write_text(f"teller: teller.c\n\tmkfifo {names}; cc -o teller teller.c\n")
    job = Job(toy, toy.stages, find_conditions("watched", "landlock"), "teller", remarks_on_memory=True)
    report = check(job, tmp_path, count=1)
    assert report.faults == ()
    assert report.stages[0].verdict is Verdict.WRONG_ANSWER


@pytest.mark.parametrize("name", ["play.c", "Makefile", "play.py", "play.zip"])
@pytest.mark.parametrize("what", ["a pipe", "a link to a pipe", "a folder"])
def test_what_was_handed_in_as_no_file_is_not_handed_in(blackjack, tmp_path, name, what):
    if what == "a folder":
        (tmp_path / name).mkdir()
    else:
        place = tmp_path / ("pipe" if "link" in what else name)
        os.mkfifo(place)
        if "link" in what:
            (tmp_path / name).symlink_to(place)
    assert find_source(tmp_path, blackjack.stage("play")) is None
    job = Job(blackjack, (blackjack.stage("play"),), find_conditions("watched", "landlock"), "blackjack")
    with pytest.raises(UsageError, match="no program is here"):
        check(job, tmp_path, count=1)


def test_a_folder_with_the_name_of_a_source_is_none(reachable):
    """A linker that misses something has the other sources looked at, and make its own object files."""
    folder = reachable / "handed"
    for name in ("more.c", "main.o"):
        (folder / name).mkdir(parents=True)
    (folder / "main.c").write_text("int other(void); int main(void) { return other(); }\n")
    made = build(Source(folder, "c", "main.c", "main"), reachable / "built", Conditions("watched", LANDLOCK))
    assert made.program is None
    assert "undefined reference" in made.reason
    (folder / "Makefile").write_text("main:\n\tfalse\n")
    made = build(Source(folder, "make", "Makefile", "main"), reachable / "made", Conditions("watched", LANDLOCK))
    assert made.reason.startswith("make could not build main: ")


def test_a_comment_is_read_of_the_students_own_file_alone(tmp_path):
    (tmp_path / "secret.c").write_text("// the solution\nint main;\n")
    (tmp_path / "play.c").symlink_to(tmp_path / "secret.c")
    assert top_comment(Source(tmp_path, "c", "play.c", "play")) == ""
    assert top_comment(Source(tmp_path, "c", "secret.c", "play")) == "the solution"


def test_of_a_regular_file_the_beginning_is_read(tmp_path):
    (tmp_path / "file").write_bytes(b"one\r\ntwo\rthree\xff")
    assert beginning_of(tmp_path / "file", 5) == b"one\r\n"
    assert text_of(tmp_path / "file", 100) == "one\ntwo\nthree�"
    assert text_of(tmp_path / "file", 5) == "one\nt"
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, "/dev/zero"):
        with pytest.raises(OSError, match="it is not an ordinary file"):
            beginning_of(path, 5)
    assert refusal_of(tmp_path / "pipe") == "pipe is not an ordinary file, so it is not a program."


@pytest.mark.parametrize("what", ["a link", "a pipe"])
def test_what_takes_the_place_of_a_folder_once_it_was_looked_at_is_not_opened(tmp_path, monkeypatch, what):
    """As a process does that is still there: nobody may follow it, and nobody waits."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "scores.txt").write_text("100\n")
    (tmp_path / "session" / "out").mkdir(parents=True)
    (tmp_path / "session" / "out" / "scores.txt").write_text("1\n")
    look = files._kind

    def looked_at_too_early(name, here):
        kind = look(name, here)
        if name == "out":
            (tmp_path / "session" / "out").rename(tmp_path / "session" / "before")
            if what == "a pipe":
                os.mkfifo(tmp_path / "session" / "out")
            else:
                (tmp_path / "session" / "out").symlink_to(tmp_path / "secret")
        return kind

    assert left_in(str(tmp_path / "session"), ["out/scores.txt"], 100) == [("out/scores.txt", REGULAR, b"1\n")]
    monkeypatch.setattr(files, "_kind", looked_at_too_early)
    with pytest.raises(OSError, match="Not a directory"):
        left_in(str(tmp_path / "session"), ["out/scores.txt"], 100)
