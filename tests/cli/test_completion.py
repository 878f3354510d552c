import os
import re
import shlex
import sys

import pexpect
import pytest

from pitboss.cli.main import COMMANDS, exit_code_of
from tests.conftest import ROOT

STAGES = ["shuffle", "deal", "play", "betting", "errors", "extra"]
DOCUMENT = (ROOT / "docs" / "completion.md").read_text()


@pytest.fixture
def completions_of(monkeypatch, capfd):
    """A function that lists the completions of the last word, as bash receives them: pairs of type and value."""

    def complete(*words):
        monkeypatch.setenv("_PITBOSS_COMPLETE", "bash_complete")
        monkeypatch.setenv("COMP_WORDS", shlex.join(["pitboss", *words]))
        monkeypatch.setenv("COMP_CWORD", str(len(words)))
        with pytest.raises(SystemExit):
            exit_code_of([])
        output = capfd.readouterr()
        assert output.err == ""
        return [tuple(line.split(",", 1)) for line in output.out.splitlines() if line]

    return complete


def plain_items(*names):
    """The completions that are just these words, not paths, as `completions_of` returns them."""
    return [("plain", name) for name in names]


@pytest.mark.parametrize(
    ("words", "paths", "names"),
    [
        (["gra"], [], ["grade", "gradescope"]),
        ([""], [], COMMANDS),
        (["chek", ""], [], COMMANDS),  # after an unknown command
        (["check", "--sandbox", "b"], [], ["bubblewrap"]),
        *(
            ([*words, "b"], ["b"], ["bjm0", "blackjack"])
            for words in (["check", "-a"], ["starter"], ["gradescope"], ["workflow"])
        ),
        (["check", "-a", "./b"], ["./b"], []),
        (["verify", "-a", "blackjack", ""], [], STAGES),
        (["check", "-a", "blackjack", ""], [""], STAGES),
        (["check", "-a", "blackjack", ".", "deal", "e"], [], ["errors", "extra"]),
        (["check", "-a", "blackjack", ".", "errors", "e"], [], ["extra"]),
        (["play", "-a", f"{ROOT}/specs/blackjack", "s"], [], ["shuffle"]),
        (["verify", "-a", "blakjack", ""], [], []),
        (["verify", "-a", "./nowhere", ""], [], []),
        (["check", "play", "-a", "blackjack", "--case", "player b"], [], ["player busts"]),
        (["record", "shuffle", "-a", "blackjack", "--case", "seed 1"], [], ["seed 1"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_the_last_word_is_completed(completions_of, words, paths, names):
    assert completions_of(*words) == [*(("dir", path) for path in paths), *plain_items(*names)]


@pytest.fixture
def small_assignment(tmp_path, monkeypatch):
    """A correct assignment, small, beside a broken one and one whose name has a newline, all in PITBOSS_SPECS."""
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


def test_hidden_cases_are_offered_only_by_record_or_with_hidden(small_assignment, completions_of):
    words = ("one", "-a", "small", "--case", "")
    assert completions_of("check", *words) == plain_items("open")
    assert completions_of("check", "--hidden", *words) == plain_items("open", "secret")
    assert completions_of("explain", *words) == plain_items("open")
    assert completions_of("record", *words) == plain_items("open", "secret")


def test_unreadable_specs_and_untypable_names_are_skipped_silently(small_assignment, completions_of):
    assert completions_of("check", "-a", "w") == [("dir", "w"), *plain_items("wrong")]
    assert completions_of("check", "-a", "t") == [("dir", "t"), *plain_items("tournament")]
    assert completions_of("verify", "-a", "wrong", "") == []
    assert ("plain", "one") in completions_of("verify", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_documented_variable_prints_each_shell_s_script(pitboss, shell):
    assert f"_PITBOSS_COMPLETE={shell}_source pitboss" in DOCUMENT
    output = pitboss(_PITBOSS_COMPLETE=f"{shell}_source")
    assert (output.code, output.err) == (0, "")
    assert f"_PITBOSS_COMPLETE={shell}_complete" in output.out


@pytest.fixture(scope="module")
def bash(tmp_path_factory):
    """An interactive bash with completion, in which `pitboss` prints its arguments."""
    folder = tmp_path_factory.mktemp("bash")
    script = f"""#!/bin/bash
[ -z "${{_PITBOSS_COMPLETE:-}}" ] || exec env PYTHONPATH="{ROOT}/harness" "{sys.executable}" -m pitboss "$@"
printf 'called:'; printf '<%s>' "$@"; echo
"""
    (folder / "pitboss").write_text(script)
    (folder / "pitboss").chmod(0o755)
    (folder / "here").mkdir()
    environment = {"PATH": f"{folder}:{os.environ['PATH']}", "TERM": "dumb", "PS1": "", "HOME": str(folder)}
    options = ["--norc", "--noprofile", "-i"]
    shell = pexpect.spawn(
        "bash", options, cwd=folder / "here", env=environment, encoding="utf-8", timeout=60, dimensions=(24, 200)
    )
    setup = re.search(r"eval .*", DOCUMENT)[0]
    # Because of the quotes, `ready` is in the output, but not in the echo of this line.
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
def test_bash_inserts_a_completion_as_one_word(bash, typed, called):
    bash.sendline(f"pitboss {typed}")
    bash.expect(r"called:(\S[^\r\n]*)")
    assert bash.match[1] == called
