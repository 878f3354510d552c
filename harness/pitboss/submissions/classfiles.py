"""Reads names and entry points from compiled Java classes (https://docs.oracle.com/javase/specs/jvms/se21/html/jvms-4.html)."""

from __future__ import annotations

from pathlib import Path

import msgspec

from pitboss.sandbox.files import beginning_of

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
