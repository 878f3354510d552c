"""Completion: what is offered where, and that a real bash puts it on the line as one word."""

import os
import re
import shlex
import sys

import pexpect
import pytest

from pitboss.cli.commands import COMMANDS
from pitboss.cli.main import exit_code_of
from tests.conftest import ROOT

STAGES = ["shuffle", "deal", "play", "betting", "errors", "extra"]
DOCUMENT = (ROOT / "docs" / "completion.md").read_text()


@pytest.fixture
def offered(monkeypatch, capfd):
    """What is offered for the last of these words, as bash is answered: (type, value)."""

    def ask(*words):
        monkeypatch.setenv("_PITBOSS_COMPLETE", "bash_complete")
        monkeypatch.setenv("COMP_WORDS", shlex.join(["pitboss", *words]))
        monkeypatch.setenv("COMP_CWORD", str(len(words)))
        with pytest.raises(SystemExit):
            exit_code_of([])
        output = capfd.readouterr()
        assert output.err == ""
        return [tuple(line.split(",", 1)) for line in output.out.splitlines() if line]

    return ask


def plain(*names):
    return [("plain", name) for name in names]


def test_commands_are_offered(offered):
    assert offered("gra") == plain("grade", "gradescope")
    assert offered("") == plain(*COMMANDS)


def test_values_of_options_are_offered(offered):
    assert offered("check", "--sandbox", "b") == plain("bubblewrap")


def test_assignments_are_offered(offered):
    for words in (("check", "-a"), ("starter",), ("gradescope",), ("workflow",)):
        assert offered(*words, "b") == [("dir", "b"), *plain("bjm0", "blackjack")]


def test_a_path_is_completed_as_one(offered):
    assert offered("check", "-a", "./b") == [("dir", "./b")]


def test_stages_of_the_assignment_that_is_named_are_offered(offered):
    assert offered("verify", "-a", "blackjack", "") == plain(*STAGES)
    assert offered("check", "-a", "blackjack", "") == [("dir", ""), *plain(*STAGES)]
    assert offered("check", "-a", "blackjack", ".", "deal", "e") == plain("errors", "extra")
    assert offered("check", "-a", "blackjack", ".", "errors", "e") == plain("extra")
    assert offered("play", "-a", f"{ROOT}/specs/blackjack", "s") == plain("shuffle")


def test_of_no_assignment_nothing_is_offered(offered):
    assert offered("verify", "-a", "blakjack", "") == []
    assert offered("verify", "-a", "./nowhere", "") == []


def test_cases_of_the_stages_that_are_named_are_offered(offered):
    assert offered("check", "play", "-a", "blackjack", "--case", "player b") == plain("player busts")
    assert ("plain", "seed 1") in offered("record", "shuffle", "-a", "blackjack", "--case", "")


@pytest.fixture
def small(tmp_path, monkeypatch):
    """An assignment of our own, and one that is wrong, where pitboss is called."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PITBOSS_SPECS", str(tmp_path / "specs"))
    folder = tmp_path / "specs" / "small"
    folder.mkdir(parents=True)
    (folder / "assignment.yaml").write_text("title: A b\nstages: [{name: one, title: X y, reference: a.b:c}]\n")
    cases = ["{name: open, seeds: 1, answers: []}", "{name: secret, visibility: hidden, seeds: 2, answers: []}"]
    (folder / "one.yaml").write_text(f"program: one\ncases: [{', '.join(cases)}]\n")
    (tmp_path / "specs" / "wrong").mkdir()
    (tmp_path / "specs" / "wrong" / "assignment.yaml").write_text("titel: x\n")
    (tmp_path / "specs" / "two\nlines").mkdir()
    (tmp_path / "specs" / "two\nlines" / "assignment.yaml").write_text("title: x\n")
    return folder


def test_hidden_cases_are_offered_to_their_authors_only(small, offered):
    asked = ("one", "-a", "small", "--case", "")
    assert offered("check", *asked) == plain("open")
    assert offered("check", "--hidden", *asked) == plain("open", "secret")
    assert offered("explain", *asked) == plain("open")
    assert offered("record", *asked) == plain("open", "secret")


def test_what_cannot_be_read_or_typed_is_left_out_without_a_word(small, offered):
    assert offered("check", "-a", "w") == [("dir", "w"), *plain("wrong")]
    assert offered("check", "-a", "t") == [("dir", "t"), *plain("tournament")]
    assert offered("verify", "-a", "wrong", "") == []
    assert ("plain", "one") in offered("verify", "")


def test_a_wrong_command_is_left_to_the_person(offered):
    assert offered("chek", "") == plain(*COMMANDS)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_the_script_that_is_documented(pitboss, shell):
    assert f"_PITBOSS_COMPLETE={shell}_source pitboss" in DOCUMENT
    output = pitboss(_PITBOSS_COMPLETE=f"{shell}_source")
    assert (output.code, output.err) == (0, "")
    assert f"_PITBOSS_COMPLETE={shell}_complete" in output.out


@pytest.fixture(scope="module")
def bash(tmp_path_factory):
    """A bash with completion, in which `pitboss` tells the words that it is called with."""
    folder = tmp_path_factory.mktemp("bash")
    output = f"""#!/bin/bash
[ -z "${{_PITBOSS_COMPLETE:-}}" ] || exec env PYTHONPATH="{ROOT}/harness" "{sys.executable}" -m pitboss "$@"
printf 'called:'; printf '<%s>' "$@"; echo
"""
    (folder / "pitboss").write_text(output)
    (folder / "pitboss").chmod(0o755)
    (folder / "here").mkdir()
    environment = {"PATH": f"{folder}:{os.environ['PATH']}", "TERM": "dumb", "PS1": "", "HOME": str(folder)}
    with_history = ["--norc", "--noprofile", "-i"]
    shell = pexpect.spawn(
        "bash", with_history, cwd=folder / "here", env=environment, encoding="utf-8", timeout=60, dimensions=(24, 200)
    )
    setup = re.search(r"eval .*", DOCUMENT)[0]
    shell.sendline(f"bind 'set enable-bracketed-paste off'; set +o history; {setup}; echo re''ady")
    shell.expect("ready")
    yield shell
    shell.close(force=True)


@pytest.mark.parametrize(
    ("typed", "called"),
    [
        ("regr\t", "<regrade>"),
        ("check -a black\t --hid\t", "<check><-a><blackjack><--hidden>"),
        ("check -a blackjack play --case player\\ b\t", "<check><-a><blackjack><play><--case><player busts>"),
        ("check -a blackjack play --case 'player b\t", "<check><-a><blackjack><play><--case><player busts>"),
    ],
    ids=["command", "assignment-and-option", "case", "case-in-quotes"],
)
def test_a_bash_puts_it_on_the_line_as_one_word(bash, typed, called):
    bash.sendline(f"pitboss {typed}")
    bash.expect(r"called:(\S[^\r\n]*)")
    assert bash.match[1] == called
