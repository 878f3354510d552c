"""Builds Java programs, in packages or not and in any folders, and finds the full name of the class to start.

It searches the compiled classes, which are in a separate folder, for that class:

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
from pitboss.submissions.compilers import Build, Run, command_and_output, failed_build, program_path
from pitboss.submissions.confined_commands import CommandOutcome
from pitboss.submissions.sources import MAX_BYTES, Source, files_below

_OUTPUT = "__classes"
_COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"?', re.DOTALL)
_PACKAGE = re.compile(r"\s*(?:@\w+\s+)*package\s+([\w.]+)\s*;")
#: javac's messages on a class whose file is not where its name implies.
_NOT_FOUND = re.compile(r"error: (?:cannot find symbol|package [\w.]+ does not exist|bad source file)")
_MISNAMED = re.compile(r"error: \w+ (\w+) is public, should be declared in a file named \w+\.java")
_COMPILE = ("javac", "-J-Xmx512m", "-J-XX:CompressedClassSpaceSize=64m", "-encoding", "UTF-8")
_OPTIONS = ("-proc:none", "-d", _OUTPUT)
# The serial collector, only the C1 compiler and the class archive: a short program starts in half the time.
# -UsePerfData: collecting performance data would delay the end of the program.
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
    """Makes a source relative to the root of its packages (`src` for src/bank/Bank.java), if that is in `folders`."""
    package = package_in(_text_of(source.folder / source.file))
    names = tuple(package.split("."))
    if not package or source.folder.parts[-len(names) :] != names:
        return source
    root = source.folder.parents[len(names) - 1]
    if root not in folders:
        return source
    return msgspec.structs.replace(source, folder=root, file="/".join((*names, source.file)))


def build_java(source: Source, into: Path, run: Run) -> Build:
    """Builds a Java program."""
    shutil.rmtree(into / _OUTPUT, ignore_errors=True)
    _remove_stale_classes(into)
    for module in into.rglob("module-info.java"):  # run without modules, so that the program may use all of Java
        module.unlink()
    file, outcome = _compile_under_class_name(source.file, into, run)
    if outcome.exit_code and _NOT_FOUND.search(outcome.output) and (others := _misplaced_sources(file, into)):
        second = run(*_COMPILE, *_OPTIONS, file, *others)
        outcome = second if second.is_ok or package_in(_text_of(into / file)) else outcome
    outcome = msgspec.structs.replace(outcome, output=_with_given_name(outcome.output, file, source.file))
    argv = (*_COMPILE, "-d", ".", source.file)
    failure = failed_build(outcome, argv, source.program, into)
    if failure:
        return failure
    class_path = f"{into / _OUTPUT}:{into}"  # also the folder itself, for files that the program loads as resources
    run_command = (program_path("java"), *_FAST_START, *_ENCODING, "-cp", class_path, _main_class(file, into))
    build = Build(Program(run_command, into, reserves_memory=True), *command_and_output(outcome, argv, into))
    if file == source.file:
        return build
    names = PurePosixPath(source.file).name, PurePosixPath(file).name
    return msgspec.structs.replace(build, made_with=f"{names[0]} was built as {names[1]}, after its public class.")


def _remove_stale_classes(into: Path) -> None:
    """Removes submitted classes whose sources exist: they may be outdated, or from another version of Java."""
    names = [PurePosixPath(name).name for name in files_below(into)]
    for path in into.rglob("*.class"):
        submitted_class = class_in(path)
        if submitted_class is None or submitted_class.source in names:
            path.unlink()


def _compile_under_class_name(file: str, into: Path, run: Run) -> tuple[str, CommandOutcome]:
    """Compiles a file, renamed if javac requires the name of its public class; returns its name and the outcome."""
    outcome = run(*_COMPILE, *_OPTIONS, file)
    misnamed = [
        message for message in _MISNAMED.finditer(outcome.output) if _is_in(file, outcome.output, message.start())
    ]
    target = PurePosixPath(file).with_name(f"{misnamed[0][1]}.java") if len(misnamed) == 1 else None
    if target is None or (into / target).exists():
        return file, outcome
    (into / file).rename(into / target)
    return str(target), run(*_COMPILE, *_OPTIONS, str(target))


def _is_in(file: str, output: str, position: int) -> bool:
    """Whether the message at this position of a compiler's output is about this file."""
    line = output[output.rfind("\n", 0, position) + 1 : position]
    return line.removeprefix("./").startswith(f"{file}:")


def _misplaced_sources(file: str, into: Path) -> list[str]:
    """Returns the other sources that javac does not find, since their path does not match their package or class."""
    first = PurePosixPath(file)
    package = package_in(_text_of(into / file))
    others = []
    for name in sorted(files_below(into)):
        path = PurePosixPath(name)
        if path.suffix.lower() != ".java" or path == first:
            continue
        own_package = package_in(_text_of(into / name))
        is_beside = path.parent == first.parent and own_package == package
        if is_beside or (own_package and path.parent.parts != tuple(own_package.split("."))):
            others.append(name)
    return others


def _main_class(file: str, into: Path) -> str:
    """Returns the full name of the class to start: preferably the class named like the file, if it has a main."""
    stem, package = PurePosixPath(file).stem, package_in(_text_of(into / file))
    compiled = filter(None, map(class_in, sorted((into / _OUTPUT).rglob("*.class"))))
    classes = [class_ for class_ in compiled if class_.source == PurePosixPath(file).name]
    classes = [class_ for class_ in classes if class_.name.rpartition(".")[0] == package]
    text = _text_of(into / file)

    def preference(file: ClassFile) -> tuple[bool, bool, int]:
        simple = file.name.rpartition(".")[2]
        return (not file.has_main, simple != stem, text.find(f" {simple}"))

    main_class = min(classes, key=preference, default=None)
    if main_class is not None and main_class.has_main:
        return main_class.name
    return f"{package}.{stem}" if package else stem  # its main may be inherited; if not, java reports the lack


def _with_given_name(output: str, file: str, given: str) -> str:
    """Returns a compiler's messages with the file's submitted name."""
    if file == given:
        return output
    return re.sub(rf"(?m)^{re.escape(file)}(?=:\d)", lambda _: given, output)


def _text_of(path: Path) -> str:
    return beginning_of(path, MAX_BYTES).decode("utf-8-sig", "replace")
