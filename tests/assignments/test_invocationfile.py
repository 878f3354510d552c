"""Arguments, files and judged lines of a stage or a case: how they are read, and the sentence on each mistake."""

import errno
import os
from pathlib import Path

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.errors import SpecError
from pitboss.model.invocation import File, Invocation, Output

ASSIGNMENT = "title: Small\nseeded: no\nstages:\n  - name: one\n    reference: somewhere.one:main\n"
SPEC = "program: one\ncases:\n  - name: a\n    answers: [x]\n"


def load_stage(folder, stage_lines="", case_lines="", spec=SPEC, more=""):
    """The only stage of an assignment, with these lines added to the stage, to its case, and to the assignment."""
    lines = "".join(f"    {line}\n" for line in stage_lines.splitlines())
    (folder / "assignment.yaml").write_text(ASSIGNMENT + lines + more)
    (folder / "one.yaml").write_text(spec + "".join(f"    {line}\n" for line in case_lines.splitlines()))
    (stage,) = load_assignment(folder).stages
    return stage


def test_a_stage_without_arguments_or_files_has_the_default_invocation(tmp_path):
    stage = load_stage(tmp_path)
    assert stage.invocation == stage.spec.cases[0].invocation == Invocation()


def test_files_are_texts_or_files_of_the_assignment(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "in.bin").write_bytes(b"\xff\0\n")
    stage = load_stage(
        tmp_path,
        "files:\n  a.txt: |\n    one\n    two\n  b/c.bin: {file: data/in.bin, may_be_submitted: yes}\nexpected_files: [o.txt]\nstderr: ignored",
        "arguments: [-v, two words]\nfiles: {a.txt: ''}\nexpected_files: {p.txt: text, q: {file: data/in.bin}}",
    )
    binary_file = File("b/c.bin", b"\xff\0\n", may_be_submitted=True)
    assert stage.invocation == Invocation(
        (), (File("a.txt", b"one\ntwo\n"), binary_file), (Output("o.txt"),), "ignored"
    )
    assert stage.spec.cases[0].invocation == Invocation(
        ("-v", "two words"),
        (File("a.txt", b""), binary_file),
        (Output("o.txt"), Output("p.txt", b"text"), Output("q", b"\xff\0\n")),
        "ignored",
    )


@pytest.mark.parametrize("name", ["x" * 256, "é" * 200])
def test_a_file_name_that_is_too_long_is_refused_with_its_place(tmp_path, name):
    with pytest.raises(SpecError) as caught:
        load_stage(tmp_path, case_lines=f"files: {{a.txt: {{file: {name}}}}}")
    prefix = f"{tmp_path}/one.yaml:5: file is {name[:60]!r}… ({len(name)} characters)"
    assert str(caught.value) == f"{prefix} — it cannot be used: File name too long"


def test_if_a_case_has_files_or_arguments_its_stage_has_empty_ones_in_place_of_none(tmp_path):
    """None would mean that no case of the stage has any."""
    stage = load_stage(tmp_path, case_lines="files: {a: b}\narguments: [c]")
    assert stage.invocation == Invocation((), ())


def test_a_case_adds_to_not_judged_and_replaces_judged_from(tmp_path):
    stage = load_stage(
        tmp_path,
        "compare: {judged_from: ^Go, not_judged: [^a], free_lines: [b]}",
        "compare: {judged_from: '', not_judged: [^c]}",
    )
    assert (stage.policy.begins, stage.policy.not_judged, stage.policy.free_lines) == ("^Go", ("^a",), ("b",))
    policy = stage.spec.cases[0].policy
    assert (policy.begins, policy.not_judged, policy.free_lines) == ("", ("^a", "^c"), ("b",))


NAME = "it must be a name such as scores.txt or data/scores.txt, in the program's folder"
#: By test id: a line of the stage, and the sentence that is reported, after the file's path. A sentence that ends in
#: ", " is only the beginning of the one reported.
STAGE_MISTAKES = {
    "a path out of the folder": ("files: {../x: a}", f":6: files names '../x' — {NAME}"),
    "an absolute path": ("files: {/etc/x: a}", f":6: files names '/etc/x' — {NAME}"),
    "an empty part": ("expected_files: [a//b]", f":6: expected_files names 'a//b' — {NAME}"),
    "an empty name": ("expected_files: ['']", f":6: expected_files names '' — {NAME}"),
    "a null character": (
        'environment: {MODE: "a\\0b"}',
        r":6: the variable MODE is 'a\x00b' — it must be text of at most 4096 bytes, without \0",
    ),
    "a list of files": ("files: [a]", ":6: files is a list — it must be a mapping with names as keys"),
    "a list for a file": ("files: {a: [b]}", ":6: file 'a' is a list — give its text, or a mapping with file"),
    "no file": ("files: {a: {file: b}}", ":6: file is 'b' — there is no such file in {folder}"),
    "another key": (
        "files: {a: {fil: b}}",
        ":6: file 'a' has no key 'fil' — allowed are file, may_be_submitted; did you mean 'file'?",
    ),
    "may be submitted, perhaps": (
        "files: {a: {file: one.yaml, may_be_submitted: maybe}}",
        ":6: may_be_submitted is 'maybe' — it must be yes, no, true or false",
    ),
    "a file in a file": (
        "files: {a: b}\nexpected_files: [a/c]",
        ":6: 'a/c' is below 'a' — a file cannot contain another file",
    ),
    "a file that is written and submitted": (
        "expected_files: {a: {file: one.yaml, may_be_submitted: yes}}",
        ":6: file 'a' has no key 'may_be_submitted' — allowed are file, is_absent",
    ),
    "stderr": ("stderr: hidden", ":6: stderr is 'hidden' — it must be shown, ignored or compared"),
    "arguments of a stage": ("arguments: [a]", ":6: a stage has no key 'arguments' — allowed are name, title, "),
    "no pattern": (
        "compare: {not_judged: ['(']}",
        ":6: an item of not_judged is '(' — it is no regular expression: missing ), unterminated subpattern at position 0",
    ),
    "a pattern for all": (
        "compare: {not_judged: ['.*']}",
        ":6: an item of not_judged is '.*' — it matches an empty line, and so every line; write how those lines begin",
    ),
    "a list to begin from": (
        "compare: {judged_from: [a]}",
        ":6: judged_from is a list — it must be text",
    ),
}
#: The same for a line of the case.
CASE_MISTAKES = {
    "arguments that are no list": ("arguments: x", ":5: arguments is 'x' — it must be a list"),
    "an argument with a null": (
        'arguments: ["a\\0"]',
        r":5: an item of arguments is 'a\x00' — it must be text of at most 4096 bytes, without \0",
    ),
    "stderr of a case": ("stderr: ignored", ":5: a case has no key 'stderr' — allowed are name, transcript, "),
}


@pytest.mark.parametrize("name", [*STAGE_MISTAKES, *CASE_MISTAKES])
def test_a_mistake_is_reported_as_one_sentence(tmp_path, name):
    lines, sentence = {**STAGE_MISTAKES, **CASE_MISTAKES}[name]
    with pytest.raises(SpecError) as caught:
        load_stage(tmp_path, *([lines] if name in STAGE_MISTAKES else ["", lines]))
    file = "assignment.yaml" if name in STAGE_MISTAKES else "one.yaml"
    message = str(caught.value)
    expected_message = f"{tmp_path / file}{sentence.replace('{folder}', str(tmp_path))}"
    if sentence.endswith(", "):
        assert message.startswith(expected_message)
    else:
        assert message == expected_message


NOTHING_IS_TYPED = (
    "its one session reads the input_file, and nothing is typed: write all lines into the file, even a seed, or remove "
    "input_file"
)
#: By test id: lines of a case without answers, and what is reported, after the file's path.
INPUT_MISTAKES = {
    "missing": ("input_file: in.txt", ":4: input_file is 'in.txt' — there is no such file in {folder}"),
    "elsewhere": (
        "input_file: ../in.txt",
        ":4: input_file names '../in.txt' — it must be a name such as scores.txt or data/scores.txt, beside the spec file",
    ),
    "too large": ("input_file: large", ":4: input_file is 'large' — it is larger than 16 MB"),
    "unreadable": ("input_file: bad", ":4: input_file is 'bad' — it cannot be read: Input/output error"),
    "a typed line": (
        "input_file: bad\ntranscript: |\n  Name? <<ada>>\n",
        f":5: a case has a typed line or <eof> in its transcript — {NOTHING_IS_TYPED}",
    ),
    "the end of input": (
        "input_file: bad\ntranscript: |\n  Name? <eof>\n",
        f":5: a case has a typed line or <eof> in its transcript — {NOTHING_IS_TYPED}",
    ),
    **{
        key: (f"input_file: bad\n{key}: {value}", f":5: a case has {key} — {NOTHING_IS_TYPED}")
        for key, value in (("answers", "[x]"), ("player", "p"), ("seeds", "7"), ("sessions", "2"))
    },
}


@pytest.mark.parametrize("name", INPUT_MISTAKES)
def test_a_mistake_in_an_input_file_is_reported_as_one_sentence(tmp_path, monkeypatch, name):
    def read_bytes(path, read=Path.read_bytes):
        if path.name == "bad":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", read_bytes)
    lines, sentence = INPUT_MISTAKES[name]
    (tmp_path / "bad").touch()
    with (tmp_path / "large").open("w") as file:
        file.truncate((16 << 20) + 1)
    with pytest.raises(SpecError) as caught:
        load_stage(tmp_path, case_lines=lines, spec=SPEC.replace("    answers: [x]\n", ""))
    assert str(caught.value) == f"{tmp_path}/one.yaml{sentence.replace('{folder}', str(tmp_path))}"


def test_a_stage_with_a_reader_has_no_input_file(tmp_path):
    (tmp_path / "in.txt").touch()
    with pytest.raises(SpecError, match=r"one\.yaml:3: the stage has a reader, and the case has input_file — "):
        load_stage(
            tmp_path,
            "reader: a.b:c",
            "input_file: in.txt",
            spec=SPEC.replace("    answers: [x]\n", ""),
            more="draws: {values: [1..6]}\n",
        )
