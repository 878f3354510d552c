"""Builds Java programs, in packages or not and in any folders, and finds the full name of the class to start.

The class to start is searched for among the compiled classes, which are in a separate folder:

    BUILDS/<stage>/__classes/bank/Bank.class

Names and entry points are read from the compiled classes
(https://docs.oracle.com/javase/specs/jvms/se21/html/jvms-4.html).
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Container
from pathlib import Path, PurePosixPath

import msgspec

from pitboss.machine.files import beginning_of
from pitboss.sessions.programs import Program
from pitboss.submissions.compilers import Build, Run, command_and_output, failed_build, runtime_path
from pitboss.submissions.confined_commands import CommandOutcome
from pitboss.submissions.sources import MAX_BYTES, Source, files_below

_MAGIC = 0xCAFEBABE
_MAX_BYTES = 1 << 20
#: The size in bytes of a constant, without its tag, by tag. A text is missing here, since it begins with its size.
_SIZES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}
#: The tags of a text and of a class.
_TEXT, _CLASS = 1, 7
#: The tags of a long and a double: such a constant takes two indexes.
_TWO_INDEXES = (5, 6)
#: The types of main methods: main(String[]), and since Java 25 main() as well.
_MAINS = ("([Ljava/lang/String;)V", "()V")


class ClassFile(msgspec.Struct, frozen=True):
    """A compiled class."""

    #: The full name of the class, as passed to `java`: bank.Bank.
    name: str
    #: The name of the source file; empty if the class file does not state it.
    source: str
    #: Whether the class has a main method.
    has_main: bool


def class_in(path: Path) -> ClassFile | None:
    """Returns the class in a file; None if the file is not a class file."""
    try:
        return _ClassFileReader(beginning_of(path, _MAX_BYTES)).read()
    except (OSError, ValueError, KeyError):
        return None


class _ClassFileReader:
    """Reads a class file from its beginning to its end."""

    def __init__(self, content: bytes) -> None:
        self._content, self._offset = content, 0
        #: The constants that are texts, by index.
        self._texts: dict[int, str] = {}
        #: For the index of each constant that is a class: the index of the class's name in `_texts`.
        self._name_index_by_class: dict[int, int] = {}

    def read(self) -> ClassFile:
        if self._read_number(4) != _MAGIC:
            raise ValueError("not a class file")
        self._read_number(4)  # skips the version
        self._read_constants()
        self._read_number(2)  # skips the access flags
        name = self._texts[self._name_index_by_class[self._read_number(2)]].replace("/", ".")
        self._read_number(2)  # skips the superclass
        interface_count = self._read_number(2)
        self._read_bytes(2 * interface_count)  # skips the interfaces, of two bytes each
        self._read_members()  # skips the fields
        methods = self._read_members()
        has_main = any(method_name == "main" and method_type in _MAINS for method_name, method_type in methods)
        source_index = self._read_attributes().get("SourceFile", 0)  # no constant has the index 0
        return ClassFile(name, self._texts.get(source_index, ""), has_main)

    def _read_constants(self) -> None:
        count, index = self._read_number(2), 1
        while index < count:
            tag = self._read_number(1)
            if tag == _TEXT:
                size = self._read_number(2)
                self._texts[index] = self._read_bytes(size).decode("utf-8", "replace")
            elif tag == _CLASS:
                self._name_index_by_class[index] = self._read_number(2)
            else:
                self._read_bytes(_SIZES[tag])
            index += 2 if tag in _TWO_INDEXES else 1

    def _read_members(self) -> list[tuple[str, str]]:
        """Reads the fields or methods that come next; returns their names and types."""
        members = []
        for _ in range(self._read_number(2)):
            self._read_number(2)  # skips the access flags
            name = self._texts[self._read_number(2)]
            type_ = self._texts[self._read_number(2)]
            members.append((name, type_))
            self._read_attributes()  # skips the attributes
        return members

    def _read_attributes(self) -> dict[str, int]:
        """Reads the attributes that come next; returns the first two bytes of each as a number, by attribute name."""
        attributes = {}
        for _ in range(self._read_number(2)):
            name = self._texts[self._read_number(2)]
            content = self._read_bytes(self._read_number(4))
            attributes[name] = int.from_bytes(content[:2], "big")
        return attributes

    def _read_number(self, size: int) -> int:
        return int.from_bytes(self._read_bytes(size), "big")

    def _read_bytes(self, size: int) -> bytes:
        data = self._content[self._offset : self._offset + size]
        if len(data) < size:
            raise ValueError("the file ends too early")
        self._offset += size
        return data


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
