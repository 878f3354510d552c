import datetime
import os
import shutil
import subprocess

import pytest

from pitboss.errors import SessionError, UsageError
from pitboss.submissions.importers import git
from pitboss.submissions.importers.importing import imported_class
from tests.importers.classes import import_and_read, submission_of, write_class_files
from tests.importers.omitted import omitted_file_lines

pytestmark = pytest.mark.needs("git")
HOUR = 3600
#: When the first commit is made, in seconds since 1970.
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


def hours_after_start(hours):
    return datetime.datetime.fromtimestamp(START + HOUR * hours, datetime.UTC)


def run_git(folder, *arguments, hours=0):
    """Run git in a folder and return its output; commits are dated this many hours after START."""
    date = f"@{START + int(HOUR * hours)} +0000"
    environment = {**ENVIRONMENT, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    completed = subprocess.run(
        ["git", "-C", folder, *arguments], env=environment, check=True, capture_output=True, text=True
    )
    return completed.stdout.strip()


def commit(folder, files, hours, *, init=False):
    """Commit these files, this many hours after START, and return the commit's name; `init` creates the repository."""
    folder.mkdir(parents=True, exist_ok=True)
    if init:
        run_git(folder, "init", "-q", "-b", "main")
    write_class_files(folder, files)
    run_git(folder, "add", "-A", "-f")
    run_git(folder, "commit", "-q", "-m", "x", hours=hours)
    return run_git(folder, "rev-parse", "HEAD")


@pytest.fixture
def ada(tmp_path):
    """A repository with two commits, an hour between them."""
    folder = tmp_path / "class" / "ada"
    commit(folder, {"deal.c": "1", ".hidden": "", "src/deck.h": "h"}, 0, init=True)
    commit(folder, {"deal.c": "2"}, 1)
    return folder


def test_the_last_commit_is_used_and_not_the_working_tree(ada, two_stages):
    (ada / "deal.c").write_text("never committed")
    write_class_files(ada.parent, {"bob/deal.c": "no repository", "notes.txt": ""})
    intake, files_by_student = import_and_read(ada.parent, two_stages)
    assert intake.kind == "git"
    assert files_by_student == {"ada": {"deal.c": "2", "src/deck.h": "h"}, "bob": {"deal.c": "no repository"}}
    row = submission_of(intake, "ada")
    assert (row.at, row.notes, row.files) == (hours_after_start(1), (), ("deal.c", "src/deck.h"))
    assert row.source == f"ada, commit {run_git(ada, 'rev-parse', 'HEAD')[:7]}"
    assert submission_of(intake, "bob").notes == (
        "not a git repository: used as it is; the time of submission is unknown",
    )
    assert omitted_file_lines(intake) == ("notes.txt: no repository",)


@pytest.mark.parametrize(("hours", "content"), [(2, "2"), (1, "2"), (0.99, "1"), (0, "1")])
def test_until_includes_a_commit_at_that_instant(ada, two_stages, hours, content):
    intake, files_by_student = import_and_read(ada.parent, two_stages, until=hours_after_start(hours))
    assert files_by_student["ada"]["deal.c"] == content
    if content == "1":
        assert submission_of(intake, "ada").at == hours_after_start(0)
        assert submission_of(intake, "ada").notes == (
            f"the commits after {hours_after_start(hours):%Y-%m-%d %H:%M:%S} UTC are ignored",
        )


def test_a_repository_whose_commits_are_all_after_until_has_no_files(ada, two_stages):
    intake, files_by_student = import_and_read(ada.parent, two_stages, until=hours_after_start(-1))
    assert files_by_student == {"ada": None}
    row = submission_of(intake, "ada")
    assert (row.problem, row.notes) == ("", ("The repository has no commit until 2023-11-14 21:13:20 UTC.",))


def test_merged_branches_are_reported(ada, two_stages):
    run_git(ada, "checkout", "-q", "-b", "other", "HEAD~1")
    commit(ada, {"other.h": "o"}, 2)
    run_git(ada, "checkout", "-q", "main")
    run_git(ada, "merge", "-q", "--no-ff", "-m", "m", "other", hours=5)
    main = run_git(ada, "rev-parse", "HEAD~1")
    intake, files_by_student = import_and_read(ada.parent, two_stages, until=hours_after_start(3))
    assert files_by_student["ada"] == {"deal.c": "1", "other.h": "o", "src/deck.h": "h"}
    assert submission_of(intake, "ada").notes[1] == (
        f"branches were merged, and the last commit of the main line is {main[:7]}: check which one to grade"
    )


def test_packed_shallow_bare_and_detached_repositories_are_read(ada, two_stages):
    name = run_git(ada, "rev-parse", "HEAD")
    run_git(ada.parent, "clone", "-q", "--bare", "ada", "bare.git")
    run_git(ada.parent, "clone", "-q", "--depth", "1", f"file://{ada}", "shallow")
    run_git(ada, "gc", "-q")
    run_git(ada, "pack-refs", "--all")
    shutil.copytree(ada, ada.parent / "detached")
    run_git(ada.parent / "detached", "checkout", "-q", name)
    _, files_by_student = import_and_read(ada.parent, two_stages)
    assert {student: files["deal.c"] for student, files in files_by_student.items()} == dict.fromkeys(
        ["ada", "bare", "detached", "shallow"], "2"
    )


def config_entry(key, value):
    """An entry of a git configuration file; the key is `section.variable` or `section.subsection.variable`."""
    section_path, _, variable = key.rpartition(".")
    section, _, subsection = section_path.partition(".")
    header = f'[{section} "{subsection}"]' if subsection else f"[{section}]"
    escaped_value = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'{header}\n\t{variable} = "{escaped_value}"\n'


def test_commands_configured_in_a_repository_are_never_run(ada, two_stages, tmp_path):
    marker_folder = tmp_path / "markers"
    marker_folder.mkdir()

    def touch_command(name):
        """A command that creates a marker with this name; `#` turns the arguments that git adds into a comment."""
        return f"touch {marker_folder / name} #"

    write_class_files(
        ada, {".gitattributes": "*.c filter=evil diff=evil export-ignore\n*.h export-subst\n", "deal.c": "3"}
    )
    commit(ada, {}, 2)
    entries = {
        "core.fsmonitor": touch_command("fsmonitor"),
        "core.sshCommand": touch_command("ssh"),
        "core.pager": touch_command("pager"),
        "core.editor": touch_command("editor"),
        "core.hooksPath": str(ada / ".git" / "hooks"),
        "filter.evil.smudge": touch_command("smudge"),
        "filter.evil.clean": touch_command("clean"),
        "filter.evil.required": "true",
        "diff.evil.textconv": touch_command("textconv"),
        "diff.external": touch_command("external"),
        "tar.tar.command": touch_command("tar"),
        "uploadpack.packObjectsHook": touch_command("pack"),
        "alias.rev-list": f"!{touch_command('alias')}",
        "gpg.program": touch_command("gpg"),
        "credential.helper": f"!{touch_command('credential')}",
        "remote.origin.promisor": "true",
        "remote.origin.url": f"ext::sh -c 'touch% {marker_folder}/ext'",
        "extensions.partialClone": "origin",
    }
    with (ada / ".git" / "config").open("a") as config:
        config.writelines(config_entry(key, value) for key, value in entries.items())
    for hook in ("post-checkout", "pre-auto-gc", "reference-transaction", "post-index-change", "fsmonitor-watchman"):
        path = ada / ".git" / "hooks" / hook
        path.write_text(f"#!/bin/sh\ntouch {marker_folder}/{hook}\n")
        path.chmod(0o755)
    subprocess.run(["git", "-C", ada, "status"], capture_output=True, check=False, env=ENVIRONMENT)
    assert list(marker_folder.iterdir()), "git itself, run in this repository, must run one of the commands"
    for marker in marker_folder.iterdir():
        marker.unlink()
    before = sorted(str(path) for path in ada.rglob("*"))
    _, files_by_student = import_and_read(ada.parent, two_stages, until=hours_after_start(3))
    assert files_by_student["ada"] == {"deal.c": "3", "src/deck.h": "h"}
    assert list(marker_folder.iterdir()) == []
    assert sorted(str(path) for path in ada.rglob("*")) == before


def problem_of(folder, two_stages):
    """The problem with which a repository is imported, without any files."""
    intake, files_by_student = import_and_read(folder.parent, two_stages)
    assert files_by_student[folder.name] is None
    return submission_of(intake, folder.name).problem


def test_objects_outside_the_repository_are_not_read(ada, two_stages):
    """Alternates and a linked objects folder both lead to somebody else's repository."""
    bob = ada.parent / "bob"
    run_git(ada.parent, "clone", "-q", "--shared", "ada", "bob")
    assert (bob / ".git" / "objects" / "info" / "alternates").exists()
    sentence = "The repository is damaged or incomplete: git cannot read it."
    assert problem_of(bob, two_stages) == sentence
    shutil.rmtree(bob / ".git" / "objects")
    (bob / ".git" / "objects").symlink_to(ada / ".git" / "objects")
    assert problem_of(bob, two_stages) == sentence


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("HEAD", "ref: refs/heads/../../../bob\n", "Its HEAD names no branch: clone the repository again."),
        ("HEAD", "nonsense\n", "Its HEAD names no branch: clone the repository again."),
        ("refs/heads/main", "f" * 40, "The repository is damaged or incomplete: git cannot read it."),
    ],
)
def test_a_head_without_a_valid_commit_is_reported(ada, two_stages, name, content, sentence):
    (ada / ".git" / name).write_text(content)
    assert problem_of(ada, two_stages) == sentence


def test_a_git_file_pointing_to_another_repository_is_reported(ada, two_stages):
    write_class_files(ada.parent, {"bob/.git": f"gitdir: {ada}/.git\n"})
    assert problem_of(ada.parent / "bob", two_stages) == (
        "Its .git is not a folder, but leads to a folder elsewhere: clone the repository again."
    )


def test_links_are_left_out(ada, two_stages):
    (ada / "passwd.c").symlink_to("/etc/passwd")
    commit(ada, {}, 2)
    intake, files_by_student = import_and_read(ada.parent, two_stages)
    assert "passwd.c" not in files_by_student["ada"]
    assert submission_of(intake, "ada").notes == ("links and submodules are left out: 1",)


def test_a_repository_without_commits_has_no_files(ada, two_stages):
    bob = ada.parent / "bob"
    bob.mkdir()
    run_git(bob, "init", "-q", "-b", "main")
    intake, files_by_student = import_and_read(ada.parent, two_stages)
    assert files_by_student["bob"] is None
    assert submission_of(intake, "bob").notes == ("The repository has no commit yet.",)


def test_a_repository_with_too_many_files_is_reported(ada, two_stages, monkeypatch):
    monkeypatch.setattr(git, "MAX_FILES", 1)
    assert problem_of(ada, two_stages) == "The repository has more than 1 files or 64 MB: hand in only the programs."


def test_a_repository_with_too_many_bytes_is_reported(ada, two_stages, monkeypatch):
    commit(ada, {"deal.c": "x" * 700, "src/deck.h": "x" * 700}, 2)
    monkeypatch.setattr(git, "MAX_BYTES", 1000)
    assert problem_of(ada, two_stages).startswith("The repository has more than ")


def test_large_files_are_imported_completely(ada, two_stages):
    files = {name: name * 20_000 for name in ("a.c", "m.h", "z.h")}
    commit(ada, files, 2)
    _, files_by_student = import_and_read(ada.parent, two_stages)
    assert {name: files_by_student["ada"][name] for name in files} == files


@pytest.fixture
def huge_tree(ada):
    """A repository whose listing has 10^20 files: each folder on 20 levels has ten names for the same subfolder."""
    tree = run_git(ada, "rev-parse", "HEAD:src")
    for _ in range(20):
        listing = "".join(f"040000 tree {tree}\tf{number}\n" for number in range(10))
        completed = subprocess.run(
            ["git", "-C", ada, "mktree"], input=listing, text=True, capture_output=True, check=True
        )
        tree = completed.stdout.strip()
    huge_commit = run_git(ada, "commit-tree", tree, "-m", "x")
    run_git(ada, "reset", "-q", "--soft", huge_commit)
    return ada


def test_a_repository_with_a_huge_file_listing_is_reported(huge_tree, two_stages, monkeypatch):
    monkeypatch.setattr(git, "_MAX_TREE_BYTES", 1 << 20)
    sentence = "The repository has too many or too large files: hand in only the programs."
    assert problem_of(huge_tree, two_stages) == sentence


def test_a_repository_that_takes_too_much_cpu_time_is_reported(huge_tree, two_stages, monkeypatch):
    monkeypatch.setattr(git, "_MAX_TREE_BYTES", 1 << 30)
    monkeypatch.setattr(git, "_CPU_S", 1)
    assert problem_of(huge_tree, two_stages) == "The repository could not be read within 1 seconds of computing."


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("waits", "git has not read a repository within 0 seconds: is this machine busy?"),
        ("is killed", "git was killed while it read a repository: is this machine out of memory?"),
    ],
)
def test_a_hanging_or_killed_git_is_a_session_error(ada, two_stages, tmp_path, monkeypatch, name, message):
    if name == "waits":
        monkeypatch.setattr(git, "_MAX_WAIT_S", 0.0)
    else:
        write_class_files(tmp_path, {"bin/git": "#!/bin/sh\nkill -9 $$\n"})
        (tmp_path / "bin" / "git").chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    with pytest.raises(SessionError) as error, imported_class(ada.parent, two_stages):
        pass
    assert str(error.value) == message


def test_a_missing_git_is_reported(ada, two_stages, monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(UsageError) as error, imported_class(ada.parent, two_stages):
        pass
    assert str(error.value) == (
        f"{ada}: this is a git repository, and this machine has no git; on Debian: apt install git"
    )


def test_a_too_long_file_name_is_reported_for_its_student(ada, two_stages):
    blob = run_git(ada, "rev-parse", "HEAD:deal.c")
    listing = f"100644 blob {blob}\t{'x' * 300}.c\n"
    completed = subprocess.run(["git", "-C", ada, "mktree"], input=listing, text=True, capture_output=True, check=True)
    run_git(ada, "reset", "-q", "--soft", run_git(ada, "commit-tree", completed.stdout.strip(), "-m", "x"))
    assert problem_of(ada, two_stages) == "A file of the repository cannot be written: File name too long."


def test_a_file_whose_object_is_missing_is_reported(ada, two_stages):
    blob = run_git(ada, "rev-parse", "HEAD:deal.c")
    (ada / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    assert problem_of(ada, two_stages) == "The repository is damaged: a file of its last commit is missing."


def test_a_repository_inside_a_students_folder_is_not_a_student(tmp_path, two_stages):
    commit(tmp_path / "class" / "ada" / "project", {"deal.c": "1"}, 0, init=True)
    intake, _ = import_and_read(tmp_path / "class", two_stages)
    assert (intake.kind, [row.person.name for row in intake.submissions]) == ("folders", ["ada"])


def test_repositories_in_a_subfolder_are_found(ada, two_stages, tmp_path):
    commit(ada.parent / "bob", {"deal.c": "b"}, 0, init=True)
    write_class_files(tmp_path, {"README.md": ""})
    intake, files_by_student = import_and_read(tmp_path, two_stages)
    assert (intake.kind, list(files_by_student), omitted_file_lines(intake)) == ("git", ["ada", "bob"], ("README.md",))


def test_a_repository_with_sha256_object_names_is_read(tmp_path, two_stages):
    folder = tmp_path / "class" / "ada"
    folder.mkdir(parents=True)
    run_git(folder, "init", "-q", "-b", "main", "--object-format=sha256")
    commit(folder, {"deal.c": "1"}, 0)
    _, files_by_student = import_and_read(folder.parent, two_stages, until=hours_after_start(0).replace(tzinfo=None))
    assert files_by_student == {"ada": {"deal.c": "1"}}
