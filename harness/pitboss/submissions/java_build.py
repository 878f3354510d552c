"""Builds Java programs, in packages or not and in any folders, and finds the full name of the class to start.

That class is searched in the compiled classes, which are in a separate folder:

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
from pitboss.submissions.compilers import Build, Run, command_and_output, failed, program_path
from pitboss.submissions.confined_commands import CommandOutcome
from pitboss.submissions.sources import MAX_BYTES, Source, files_below

_OUTPUT = "__classes"
_COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"?', re.DOTALL)
_PACKAGE = re.compile(r"\s*(?:@\w+\s+)*package\s+([\w.]+)\s*;")
#: javac's messages on a class whose file is not where its name implies.
_NOT_FOUND = re.compile(r"error: (?:cannot find symbol|package [\w.]+ does not exist|bad source file)")
_MISNAMED = re.compile(r"error: \w+ (\w+) is public, should be declared in a file named \w+\.java")
_COMPILE = ("javac", "-J-Xmx512m", "-J-XX:CompressedClassSpaceSize=64m", "-encoding", "UTF-8")
_PLACES = ("-proc:none", "-d", _OUTPUT)
# The serial collector, only the C1 compiler and the class archive: a short program starts in half the time.
# -UsePerfData: collecting performance data would delay the end of the program.
_QUICK = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-XX:-UsePerfData")
_ENCODING = ("-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8")


def package_in(text: str) -> str:
    """The package that a source declares; empty if none.

    >>> package_in("/* of the bank */ package bank.main;")
    'bank.main'
    """
    package = _PACKAGE.match(_COMMENT_OR_STRING.sub(" ", text))
    return package[1] if package else ""


def with_packages(source: Source, folders: Container[Path]) -> Source:
    """The source relative to the root of its packages: `src` of src/bank/Bank.java, if that is one of `folders`."""
    package = package_in(_text(source.folder / source.file))
    names = tuple(package.split("."))
    if not package or source.folder.parts[-len(names) :] != names:
        return source
    above = source.folder.parents[len(names) - 1]
    if above not in folders:
        return source
    return msgspec.structs.replace(source, folder=above, file="/".join((*names, source.file)))


def by_java(source: Source, into: Path, run: Run) -> Build:
    """Build a Java program."""
    shutil.rmtree(into / _OUTPUT, ignore_errors=True)
    _remove_stale_classes(into)
    for module in into.rglob("module-info.java"):  # run without modules, so that the program may use all of Java
        module.unlink()
    file, outcome = _named_as_its_class(source.file, into, run)
    if outcome.exit_code and _NOT_FOUND.search(outcome.output) and (others := _misplaced(file, into)):
        again = run(*_COMPILE, *_PLACES, file, *others)
        outcome = again if again.is_ok or package_in(_text(into / file)) else outcome
    outcome = msgspec.structs.replace(outcome, output=_with_given_name(outcome.output, file, source.file))
    argv = (*_COMPILE, "-d", ".", source.file)
    failure = failed(outcome, argv, source.program, into)
    if failure:
        return failure
    places = f"{into / _OUTPUT}:{into}"  # also the folder itself, for files that the program loads as resources
    run_it = (program_path("java"), *_QUICK, *_ENCODING, "-cp", places, _main_class(file, into))
    build = Build(Program(run_it, into, reserves_memory=True), *command_and_output(outcome, argv, into))
    if file == source.file:
        return build
    names = PurePosixPath(source.file).name, PurePosixPath(file).name
    return msgspec.structs.replace(build, made_with=f"{names[0]} was built as {names[1]}, after its public class.")


def _remove_stale_classes(into: Path) -> None:
    """Remove submitted classes whose sources exist: they may be older, or of another version of Java."""
    names = [PurePosixPath(name).name for name in files_below(into)]
    for path in into.rglob("*.class"):
        handed_in = class_in(path)
        if handed_in is None or handed_in.source in names:
            path.unlink()


def _named_as_its_class(file: str, into: Path, run: Run) -> tuple[str, CommandOutcome]:
    """The result of compiling a file, and its name: it is renamed if javac requires the name of its public class."""
    outcome = run(*_COMPILE, *_PLACES, file)
    misnamed = [found for found in _MISNAMED.finditer(outcome.output) if _is_in(file, outcome.output, found.start())]
    target = PurePosixPath(file).with_name(f"{misnamed[0][1]}.java") if len(misnamed) == 1 else None
    if target is None or (into / target).exists():
        return file, outcome
    (into / file).rename(into / target)
    return str(target), run(*_COMPILE, *_PLACES, str(target))


def _is_in(file: str, output: str, place: int) -> bool:
    """Whether the message at this position of a compiler's output is about this file."""
    line = output[output.rfind("\n", 0, place) + 1 : place]
    return line.removeprefix("./").startswith(f"{file}:")


def _misplaced(file: str, into: Path) -> list[str]:
    """The other sources that javac does not find itself, since their path does not match their class."""
    first = PurePosixPath(file)
    package = package_in(_text(into / file))
    others = []
    for name in sorted(files_below(into)):
        path = PurePosixPath(name)
        if path.suffix.lower() != ".java" or path == first:
            continue
        own = package_in(_text(into / name))
        is_beside = path.parent == first.parent and own == package
        if is_beside or (own and path.parent.parts != tuple(own.split("."))):
            others.append(name)
    return others


def _main_class(file: str, into: Path) -> str:
    """The full name of the class to start: the one named like the file, else another of the file with a main."""
    stem, package = PurePosixPath(file).stem, package_in(_text(into / file))
    compiled = filter(None, map(class_in, sorted((into / _OUTPUT).rglob("*.class"))))
    classes = [class_ for class_ in compiled if class_.source == PurePosixPath(file).name]
    classes = [class_ for class_ in classes if class_.name.rpartition(".")[0] == package]
    text = _text(into / file)

    def preference(file: ClassFile) -> tuple[bool, bool, int]:
        simple = file.name.rpartition(".")[2]
        return (not file.has_main, simple != stem, text.find(f" {simple}"))

    best = min(classes, key=preference, default=None)
    if best is not None and best.has_main:
        return best.name
    return f"{package}.{stem}" if package else stem  # its main may be inherited; if there is none, java will say so


def _with_given_name(output: str, file: str, given: str) -> str:
    """A compiler's messages with the file's submitted name."""
    if file == given:
        return output
    return re.sub(rf"(?m)^{re.escape(file)}(?=:\d)", lambda _: given, output)


def _text(path: Path) -> str:
    return beginning_of(path, MAX_BYTES).decode("utf-8-sig", "replace")
