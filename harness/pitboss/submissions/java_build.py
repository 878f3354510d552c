"""Builds Java programs, in packages or not and in any folders, and finds the full name of the class to start.

The class to start is searched for among the compiled classes, which are in a separate folder:

    BUILDS/<stage>/__classes/bank/Bank.class
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Container
from pathlib import Path, PurePosixPath

import msgspec

from pitboss.sandbox.files import beginning_of
from pitboss.sessions.programs import Program
from pitboss.submissions.classfiles import ClassFile, class_in
from pitboss.submissions.compilers import Build, Run, command_and_output, failed_build, runtime_path
from pitboss.submissions.confined_commands import CommandOutcome
from pitboss.submissions.sources import MAX_BYTES, Source, files_below

_OUTPUT = "__classes"
_COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"?', re.DOTALL)
_PACKAGE = re.compile(r"\s*(?:@\w+\s+)*package\s+([\w.]+)\s*;")
#: javac's messages on a class that it does not find, because the file is not where the class's name implies.
_NOT_FOUND = re.compile(r"error: (?:cannot find symbol|package [\w.]+ does not exist|bad source file)")
#: javac's message on a file that is not named after its public class; the first group is the name of the class.
_MISNAMED = re.compile(r"error: \w+ (\w+) is public, should be declared in a file named \w+\.java")
_COMPILE = ("javac", "-J-Xmx512m", "-J-XX:CompressedClassSpaceSize=64m", "-encoding", "UTF-8")
_OPTIONS = ("-proc:none", "-d", _OUTPUT)
#: The serial collector, only the C1 compiler and the class archive: a short program starts in half the time.
#: `-UsePerfData`: collecting performance data would delay the end of the program.
_FAST_START = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-XX:-UsePerfData")
_ENCODING = ("-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8")


def package_in(text: str) -> str:
    """Returns the package that a source declares; empty if none.

    >>> package_in("/* of the bank */ package bank.main;")
    'bank.main'
    """
    package = _PACKAGE.match(_COMMENT_OR_STRING.sub(" ", text))
    return package[1] if package else ""


def with_packages(source: Source, folders: Container[Path]) -> Source:
    """Makes a source relative to the root folder of its packages (`src` for src/bank/Bank.java).

    The source is returned unchanged if its folder does not match its package, or if the root is not in `folders`.
    """
    package = package_in(_text_of(source.folder / source.file))
    names = tuple(package.split("."))
    if not package or source.folder.parts[-len(names) :] != names:
        return source
    root = source.folder.parents[len(names) - 1]
    if root not in folders:
        return source
    return msgspec.structs.replace(source, folder=root, file="/".join((*names, source.file)))


def build_java(source: Source, into: Path, run: Run) -> Build:
    """Builds a Java program; also compiles other submitted sources that javac needs but does not find."""
    shutil.rmtree(into / _OUTPUT, ignore_errors=True)
    _remove_stale_classes(into)
    for module in into.rglob("module-info.java"):  # without modules, the program may use all of Java's library
        module.unlink()
    file, outcome = _compile_under_class_name(source.file, into, run)
    if outcome.exit_code and _NOT_FOUND.search(outcome.output) and (others := _misplaced_sources(file, into)):
        # If javac rejects both, the messages of the second attempt are shown only if the file declares a package.
        second_outcome = run(*_COMPILE, *_OPTIONS, file, *others)
        is_rejected_twice = second_outcome.exit_code and not second_outcome.why_stopped
        outcome = outcome if is_rejected_twice and not package_in(_text_of(into / file)) else second_outcome
    outcome = msgspec.structs.replace(outcome, output=_with_submitted_name(outcome.output, file, source.file))
    argv = (*_COMPILE, "-d", ".", source.file)  # the command in reports, which the student can repeat
    failure = failed_build(outcome, argv, source.program, into)
    if failure:
        return failure
    class_path = f"{into / _OUTPUT}:{into}"  # `into` has the files that the program loads as resources
    run_command = (runtime_path("java"), *_FAST_START, *_ENCODING, "-cp", class_path, _main_class(file, into))
    build = Build(Program(run_command, into, has_runtime_threads=True), *command_and_output(outcome, argv, into))
    if file == source.file:
        return build
    submitted_name, new_name = PurePosixPath(source.file).name, PurePosixPath(file).name
    sentence = f"{submitted_name} was built as {new_name}, after its public class."
    return msgspec.structs.replace(build, made_with=sentence)


def _remove_stale_classes(into: Path) -> None:
    """Removes submitted classes whose sources exist: they may be outdated, or from another version of Java."""
    names = [PurePosixPath(name).name for name in files_below(into)]
    for path in into.rglob("*.class"):
        submitted_class = class_in(path)
        if submitted_class is None or submitted_class.source in names:
            path.unlink()


def _compile_under_class_name(file: str, into: Path, run: Run) -> tuple[str, CommandOutcome]:
    """Compiles a file, renamed to its public class if javac requires that; returns the file's name and the outcome."""
    outcome = run(*_COMPILE, *_OPTIONS, file)
    misnaming_messages = [
        message
        for message in _MISNAMED.finditer(outcome.output)
        if _is_message_about(file, outcome.output, message.start())
    ]
    target = PurePosixPath(file).with_name(f"{misnaming_messages[0][1]}.java") if len(misnaming_messages) == 1 else None
    if target is None or (into / target).exists():
        return file, outcome
    (into / file).rename(into / target)
    return str(target), run(*_COMPILE, *_OPTIONS, str(target))


def _is_message_about(file: str, output: str, position: int) -> bool:
    """Whether the message at this position of a compiler's output is about this file."""
    line = output[output.rfind("\n", 0, position) + 1 : position]
    return line.removeprefix("./").startswith(f"{file}:")


def _misplaced_sources(file: str, into: Path) -> list[str]:
    """Returns the other sources that javac may not find, since their path does not match their package or class."""
    main_path = PurePosixPath(file)
    package = package_in(_text_of(into / file))
    misplaced = []
    for name in sorted(files_below(into)):
        path = PurePosixPath(name)
        if path.suffix.lower() != ".java" or path == main_path:
            continue
        other_package = package_in(_text_of(into / name))
        # javac finds a class in the same folder and package only if the class is named like its file.
        is_beside = path.parent == main_path.parent and other_package == package
        if is_beside or (other_package and path.parent.parts != tuple(other_package.split("."))):
            misplaced.append(name)
    return misplaced


def _main_class(file: str, into: Path) -> str:
    """Returns the full name of the class to start: preferably the class named like the file, if it has a main."""
    stem, package = PurePosixPath(file).stem, package_in(_text_of(into / file))
    class_files = filter(None, map(class_in, sorted((into / _OUTPUT).rglob("*.class"))))
    classes = [class_ for class_ in class_files if class_.source == PurePosixPath(file).name]
    classes = [class_ for class_ in classes if class_.name.rpartition(".")[0] == package]
    text = _text_of(into / file)

    def preference(class_file: ClassFile) -> tuple[bool, bool, int]:
        """A sort key: classes with a main first, then the class named like the file, then by place in the file."""
        simple_name = class_file.name.rpartition(".")[2]
        return (not class_file.has_main, simple_name != stem, text.find(f" {simple_name}"))

    main_class = min(classes, key=preference, default=None)
    if main_class is not None and main_class.has_main:
        return main_class.name
    return f"{package}.{stem}" if package else stem  # main may be inherited; java reports a missing main


def _with_submitted_name(output: str, file: str, submitted_name: str) -> str:
    """Returns a compiler's messages with the submitted name in place of `file`, the name that it was compiled under."""
    if file == submitted_name:
        return output
    return re.sub(rf"(?m)^{re.escape(file)}(?=:\d)", lambda _: submitted_name, output)


def _text_of(path: Path) -> str:
    return beginning_of(path, MAX_BYTES).decode("utf-8-sig", "replace")
