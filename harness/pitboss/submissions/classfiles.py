"""Reads names and entry points from compiled Java classes (https://docs.oracle.com/javase/specs/jvms/se21/html/jvms-4.html)."""

from __future__ import annotations

from pathlib import Path

import msgspec

from pitboss.sandbox.files import beginning_of

_MAGIC = 0xCAFEBABE
_MAX_BYTES = 1 << 20
#: Sizes of constants without their tag, by tag; a text states its own, and a long or double takes two numbers.
_SIZES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}
_TEXT, _CLASS, _TWO_NUMBERS = 1, 7, (5, 6)
#: main(String[]), and since Java 25 main() as well.
_MAINS = ("([Ljava/lang/String;)V", "()V")


class ClassFile(msgspec.Struct, frozen=True):
    """A compiled class."""

    #: Its full name, as `java` takes it: bank.Bank.
    name: str
    #: The name of the file that it was compiled from; empty if it does not state that.
    source: str
    #: Whether it has a main method.
    has_main: bool


def class_in(path: Path) -> ClassFile | None:
    """The class in a file; None if that is not a class file."""
    try:
        return _ClassFileReader(beginning_of(path, _MAX_BYTES)).read()
    except (OSError, ValueError, KeyError):
        return None


class _ClassFileReader:
    """Reads a class file from its beginning."""

    def __init__(self, content: bytes) -> None:
        self._content, self._place = content, 0
        self._texts: dict[int, str] = {}
        self._classes: dict[int, int] = {}

    def read(self) -> ClassFile:
        if self._number(4) != _MAGIC:
            raise ValueError("this is no class file")
        self._number(4)
        self._read_constants()
        self._number(2)
        name = self._texts[self._classes[self._number(2)]].replace("/", ".")
        self._number(2)
        self._skip(2 * self._number(2))
        self._members()
        has_main = any(method[0] == "main" and method[1] in _MAINS for method in self._members())
        return ClassFile(name, self._texts.get(self._attributes().get("SourceFile", 0), ""), has_main)

    def _read_constants(self) -> None:
        count, number = self._number(2), 1
        while number < count:
            tag = self._number(1)
            if tag == _TEXT:
                size = self._number(2)
                self._texts[number] = self._skip(size).decode("utf-8", "replace")
            elif tag == _CLASS:
                self._classes[number] = self._number(2)
            else:
                self._skip(_SIZES[tag])
            number += 2 if tag in _TWO_NUMBERS else 1

    def _members(self) -> list[tuple[str, str]]:
        """The names and types of the fields or methods that come next."""
        found = []
        for _ in range(self._number(2)):
            self._number(2)
            found.append((self._texts[self._number(2)], self._texts[self._number(2)]))
            self._attributes()
        return found

    def _attributes(self) -> dict[str, int]:
        """The attributes that come next, by name, each with the number that it begins with."""
        found = {}
        for _ in range(self._number(2)):
            name = self._texts[self._number(2)]
            content = self._skip(self._number(4))
            found[name] = int.from_bytes(content[:2], "big")
        return found

    def _number(self, size: int) -> int:
        return int.from_bytes(self._skip(size), "big")

    def _skip(self, size: int) -> bytes:
        found = self._content[self._place : self._place + size]
        if len(found) < size:
            raise ValueError("the file ends too early")
        self._place += size
        return found
