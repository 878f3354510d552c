"""Classes of git repositories: the files of a commit, and nothing that a repository names is run."""

import datetime
import os
import shutil
import subprocess

import pytest

from pitboss.errors import SessionError, UsageError
from pitboss.submissions.importers import git, gitrun
from pitboss.submissions.importers.importing import imported_class
from tests.importers.classes import of, put, rows
from tests.importers.left import not_understood

pytestmark = pytest.mark.needs("git")
HOUR = 3600
START = 1_700_000_000
ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@b",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@b",
}


def at(hours):
    return datetime.datetime.fromtimestamp(START + HOUR * hours, datetime.UTC)


def run(folder, *words, hours=0):
    date = f"@{START + int(HOUR * hours)} +0000"
    environment = {**ENVIRONMENT, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    done = subprocess.run(["git", "-C", folder, *words], env=environment, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def commit(folder, files, hours, *, begins=False):
    folder.mkdir(parents=True, exist_ok=True)
    if begins:
        run(folder, "init", "-q", "-b", "main")
    put(folder, files)
    run(folder, "add", "-A", "-f")
    run(folder, "commit", "-q", "-m", "x", hours=hours)
    return run(folder, "rev-parse", "HEAD")


@pytest.fixture
def ada(tmp_path):
    """A repository with two commits, an hour between them."""
    folder = tmp_path / "class" / "ada"
    commit(folder, {"deal.c": "1", ".hidden": "", "src/deck.h": "h"}, 0, begins=True)
    commit(folder, {"deal.c": "2"}, 1)
    return folder


def test_the_last_commit_is_taken_and_not_what_lies_beside_it(ada, two):
    (ada / "deal.c").write_text("never committed")
    put(ada.parent, {"bob/deal.c": "no repository", "notes.txt": ""})
    intake, found = rows(ada.parent, two)
    assert intake.kind == "git"
    assert found == {"ada": {"deal.c": "2", "src/deck.h": "h"}, "bob": {"deal.c": "no repository"}}
    one = of(intake, "ada")
    assert (one.at, one.notes, one.files) == (at(1), (), ("deal.c", "src/deck.h"))
    assert one.source == f"ada, commit {run(ada, 'rev-parse', 'HEAD')[:7]}"
    assert of(intake, "bob").notes == ("not a git repository: used as it is; the time of submission is unknown",)
    assert not_understood(intake) == ("notes.txt: no repository",)


@pytest.mark.parametrize(("hours", "content"), [(2, "2"), (1, "2"), (0.99, "1"), (0, "1")])
def test_until_an_instant_that_included(ada, two, hours, content):
    intake, found = rows(ada.parent, two, until=at(hours))
    assert found["ada"]["deal.c"] == content
    if content == "1":
        assert of(intake, "ada").at == at(0)
        assert of(intake, "ada").notes == (f"the commits after {at(hours):%Y-%m-%d %H:%M:%S} UTC are ignored",)


def test_nothing_until_then(ada, two):
    intake, found = rows(ada.parent, two, until=at(-1))
    assert found == {"ada": None}
    one = of(intake, "ada")
    assert (one.problem, one.notes) == ("", ("The repository has no commit until 2023-11-14 21:13:20 UTC.",))


def test_merged_branches_are_reported(ada, two):
    run(ada, "checkout", "-q", "-b", "other", "HEAD~1")
    commit(ada, {"other.h": "o"}, 2)
    run(ada, "checkout", "-q", "main")
    run(ada, "merge", "-q", "--no-ff", "-m", "m", "other", hours=5)
    main = run(ada, "rev-parse", "HEAD~1")
    intake, found = rows(ada.parent, two, until=at(3))
    assert found["ada"] == {"deal.c": "1", "other.h": "o", "src/deck.h": "h"}
    assert of(intake, "ada").notes[1] == (
        f"branches were merged, and the last commit of the main line is {main[:7]}: check which one to grade"
    )


def test_packed_shallow_bare_and_detached_ones_are_read(ada, two):
    name = run(ada, "rev-parse", "HEAD")
    run(ada.parent, "clone", "-q", "--bare", "ada", "bare.git")
    run(ada.parent, "clone", "-q", "--depth", "1", f"file://{ada}", "shallow")
    run(ada, "gc", "-q")
    run(ada, "pack-refs", "--all")
    shutil.copytree(ada, ada.parent / "detached")
    run(ada.parent / "detached", "checkout", "-q", name)
    _, found = rows(ada.parent, two)
    assert {who: files["deal.c"] for who, files in found.items()} == dict.fromkeys(
        ["ada", "bare", "detached", "shallow"], "2"
    )


def test_nothing_that_a_repository_names_is_run(ada, two, tmp_path):
    marks = tmp_path / "marks"
    marks.mkdir()

    def leaves(name):
        return f"touch {marks / name} #"

    put(ada, {".gitattributes": "*.c filter=evil diff=evil export-ignore\n*.h export-subst\n", "deal.c": "3"})
    commit(ada, {}, 2)
    for key, command in {
        "core.fsmonitor": leaves("fsmonitor"),
        "core.sshCommand": leaves("ssh"),
        "core.pager": leaves("pager"),
        "core.editor": leaves("editor"),
        "core.hooksPath": str(ada / ".git" / "hooks"),
        "filter.evil.smudge": leaves("smudge"),
        "filter.evil.clean": leaves("clean"),
        "filter.evil.required": "true",
        "diff.evil.textconv": leaves("textconv"),
        "diff.external": leaves("external"),
        "tar.tar.command": leaves("tar"),
        "uploadpack.packObjectsHook": leaves("pack"),
        "alias.rev-list": f"!{leaves('alias')}",
        "gpg.program": leaves("gpg"),
        "credential.helper": f"!{leaves('credential')}",
        "remote.origin.promisor": "true",
        "remote.origin.url": f"ext::sh -c 'touch% {marks}/ext'",
        "extensions.partialClone": "origin",
    }.items():
        with (ada / ".git" / "config").open("a") as config:
            section, _, last = key.rpartition(".")
            first, _, second = section.partition(".")
            quoted = command.replace("\\", "\\\\").replace('"', '\\"')
            config.write(f'[{first}{f" {chr(34)}{second}{chr(34)}" if second else ""}]\n\t{last} = "{quoted}"\n')
    for hook in ("post-checkout", "pre-auto-gc", "reference-transaction", "post-index-change", "fsmonitor-watchman"):
        path = ada / ".git" / "hooks" / hook
        path.write_text(f"#!/bin/sh\ntouch {marks}/{hook}\n")
        path.chmod(0o755)
    subprocess.run(["git", "-C", ada, "status"], capture_output=True, check=False, env=ENVIRONMENT)
    assert list(marks.iterdir()), "the trap works where git is asked in the repository itself"
    for mark in marks.iterdir():
        mark.unlink()
    before = sorted(str(path) for path in ada.rglob("*"))
    _, found = rows(ada.parent, two, until=at(3))
    assert found["ada"] == {"deal.c": "3", "src/deck.h": "h"}
    assert list(marks.iterdir()) == []
    assert sorted(str(path) for path in ada.rglob("*")) == before


def problem_of(folder, two):
    intake, found = rows(folder.parent, two)
    assert found[folder.name] is None
    return of(intake, folder.name).problem


def test_objects_of_others_are_not_read(ada, two):
    """Alternates lead to the repository of somebody else, and so may a link."""
    bob = ada.parent / "bob"
    run(ada.parent, "clone", "-q", "--shared", "ada", "bob")
    assert (bob / ".git" / "objects" / "info" / "alternates").exists()
    sentence = "The repository is damaged or incomplete: git cannot read it."
    assert problem_of(bob, two) == sentence
    shutil.rmtree(bob / ".git" / "objects")
    (bob / ".git" / "objects").symlink_to(ada / ".git" / "objects")
    assert problem_of(bob, two) == sentence


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("HEAD", "ref: refs/heads/../../../bob\n", "Its HEAD names no branch: clone the repository again."),
        ("HEAD", "nonsense\n", "Its HEAD names no branch: clone the repository again."),
        ("refs/heads/main", "f" * 40, "The repository is damaged or incomplete: git cannot read it."),
    ],
)
def test_one_with_a_wrong_head_is_reported(ada, two, name, content, sentence):
    (ada / ".git" / name).write_text(content)
    assert problem_of(ada, two) == sentence


def test_one_that_lies_elsewhere_is_reported(ada, two):
    put(ada.parent, {"bob/.git": f"gitdir: {ada}/.git\n"})
    assert problem_of(ada.parent / "bob", two) == "Its .git leads elsewhere: clone the repository again."


def test_links_and_submodules_are_left_out(ada, two):
    (ada / "passwd.c").symlink_to("/etc/passwd")
    commit(ada, {}, 2)
    intake, found = rows(ada.parent, two)
    assert "passwd.c" not in found["ada"]
    assert of(intake, "ada").notes == ("links and submodules are left out: 1",)


def test_one_without_a_commit_has_nothing(ada, two):
    bob = ada.parent / "bob"
    bob.mkdir()
    run(bob, "init", "-q", "-b", "main")
    intake, found = rows(ada.parent, two)
    assert found["bob"] is None
    assert of(intake, "bob").notes == ("The repository has no commit yet.",)


def test_one_that_is_too_large_is_reported(ada, two, monkeypatch):
    monkeypatch.setattr(git, "MAX_FILES", 1)
    assert problem_of(ada, two) == "The repository has more than 1 files or 64 MB: hand in only the programs."


def test_one_whose_files_are_too_large_together_is_reported(ada, two, monkeypatch):
    commit(ada, {"deal.c": "x" * 700, "src/deck.h": "x" * 700}, 2)
    monkeypatch.setattr(git, "MAX_BYTES", 1000)
    assert problem_of(ada, two).startswith("The repository has more than ")


def test_large_files_are_taken_whole(ada, two):
    files = {name: name * 20_000 for name in ("a.c", "m.h", "z.h")}
    commit(ada, files, 2)
    _, found = rows(ada.parent, two)
    assert {name: found["ada"][name] for name in files} == files


@pytest.fixture
def endless(ada):
    """A repository in which each level has the one below ten times: a listing has 10^20 files."""
    tree = run(ada, "rev-parse", "HEAD:src")
    for _ in range(20):
        listing = "".join(f"040000 tree {tree}\tf{number}\n" for number in range(10))
        done = subprocess.run(["git", "-C", ada, "mktree"], input=listing, text=True, capture_output=True, check=True)
        tree = done.stdout.strip()
    bomb = run(ada, "commit-tree", tree, "-m", "x")
    run(ada, "reset", "-q", "--soft", bomb)
    return ada


def test_a_tree_that_never_ends_is_reported(endless, two, monkeypatch):
    monkeypatch.setattr(git, "_MAX_TREE", 1 << 20)
    sentence = "The repository has more files than can be listed: hand in only the programs."
    assert problem_of(endless, two) == sentence


def test_one_that_takes_too_much_computing_is_reported(endless, two, monkeypatch):
    monkeypatch.setattr(git, "_MAX_TREE", 1 << 30)
    monkeypatch.setattr(gitrun, "_CPU_S", 1)
    assert problem_of(endless, two) == "The repository could not be read within 1 seconds of computing."


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("waits", "git has not read a repository within 0 seconds: is this machine busy?"),
        ("is killed", "git was killed while it read a repository: is this machine out of memory?"),
    ],
)
def test_a_git_that_waits_or_is_killed_is_our_fault(ada, two, tmp_path, monkeypatch, name, message):
    if name == "waits":
        monkeypatch.setattr(gitrun, "_MAX_WAIT_S", 0.0)
    else:
        put(tmp_path, {"bin/git": "#!/bin/sh\nkill -9 $$\n"})
        (tmp_path / "bin" / "git").chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    with pytest.raises(SessionError) as refused, imported_class(ada.parent, two):
        pass
    assert str(refused.value) == message


def test_without_git_that_is_reported(ada, two, monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(UsageError) as refused, imported_class(ada.parent, two):
        pass
    assert str(refused.value) == (
        f"{ada}: this is a git repository, and this machine has no git; on Debian: apt install git"
    )


def test_a_name_that_no_folder_takes_costs_only_its_own_student(ada, two):
    blob = run(ada, "rev-parse", "HEAD:deal.c")
    listing = f"100644 blob {blob}\t{'x' * 300}.c\n"
    done = subprocess.run(["git", "-C", ada, "mktree"], input=listing, text=True, capture_output=True, check=True)
    run(ada, "reset", "-q", "--soft", run(ada, "commit-tree", done.stdout.strip(), "-m", "x"))
    assert problem_of(ada, two) == "A file of the repository cannot be written: File name too long."


def test_a_file_whose_object_is_missing_is_reported(ada, two):
    blob = run(ada, "rev-parse", "HEAD:deal.c")
    (ada / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    assert problem_of(ada, two) == "The repository is damaged: a file of its last commit is missing."


def test_the_repository_of_an_only_student_is_not_the_student(tmp_path, two):
    commit(tmp_path / "class" / "ada" / "project", {"deal.c": "1"}, 0, begins=True)
    intake, _ = rows(tmp_path / "class", two)
    assert (intake.kind, [one.person.name for one in intake.handed]) == ("folders", ["ada"])


def test_repositories_in_a_folder_of_their_own_are_found(ada, two, tmp_path):
    commit(ada.parent / "bob", {"deal.c": "b"}, 0, begins=True)
    put(tmp_path, {"README.md": ""})
    intake, found = rows(tmp_path, two)
    assert (intake.kind, list(found), not_understood(intake)) == ("git", ["ada", "bob"], ("README.md",))


def test_one_with_longer_names_of_objects_is_read(tmp_path, two):
    folder = tmp_path / "class" / "ada"
    folder.mkdir(parents=True)
    run(folder, "init", "-q", "-b", "main", "--object-format=sha256")
    commit(folder, {"deal.c": "1"}, 0)
    _, found = rows(folder.parent, two, until=at(0).replace(tzinfo=None))
    assert found == {"ada": {"deal.c": "1"}}
