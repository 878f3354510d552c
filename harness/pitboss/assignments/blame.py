"""Describes where and how an assignment's own code failed, in phrases for a message."""

from __future__ import annotations

import functools
import sysconfig
import traceback
from pathlib import Path
from types import CodeType

from pitboss.errors import fitted

#: A message shows at most this many characters of a value or of an error's text.
_MAX_LENGTH = 120
_PITBOSS_FOLDER = str(Path(__file__).parent.parent)
_STDLIB_FOLDER = sysconfig.get_paths()["stdlib"]


def short_repr(value: object) -> str:
    """Returns a value for a message: its repr on one short line, or only its type if repr raises an exception."""
    if isinstance(value, str | bytes):  # the repr of a huge text would take long
        value = value[: 2 * _MAX_LENGTH]
    try:
        return _shorten(repr(value))
    except Exception:
        return f"a value of type {type(value).__name__}"


def _shorten(text: str) -> str:
    """Returns a text on one line, with an ellipsis if it is longer than _MAX_LENGTH."""
    line = " ".join(text.split())
    return fitted(line, _MAX_LENGTH)


def failure_of(error: BaseException) -> str:
    """Returns the end of a sentence about a call that raised this error, such as `failed: ValueError: bad die`."""
    if isinstance(error, SystemExit):
        return f"called sys.exit({'' if error.code is None else short_repr(error.code)}) — it has to return"
    try:
        message = str(error)
    except Exception:
        message = ""
    kind = type(error).__name__
    return f"failed: {kind}: {_shorten(message)}" if message else f"failed: {kind}"


def location_of_error(error: BaseException, function: object) -> str:
    """Returns `file:line: ` of the innermost frame in the assignment's own files; empty if there is no such frame."""
    code = _code_of(function)
    top_folder = _top_folder_of(code.co_filename) if code else None
    frames = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    if code:  # a call with wrong arguments leaves no frame of the function
        frames.insert(0, (code.co_filename, code.co_firstlineno))
    if isinstance(error, SyntaxError) and error.filename:
        frames.append((error.filename, error.lineno or 1))
    instructor_frames = [frame for frame in frames if top_folder and Path(frame[0]).is_relative_to(top_folder)]
    instructor_frames = instructor_frames or [frame for frame in frames if _may_be_instructors_file(frame[0])]
    return f"{_relative_path(instructor_frames[-1][0])}:{instructor_frames[-1][1]}: " if instructor_frames else ""


def _code_of(function: object) -> CodeType | None:
    """Returns the code object of a function, a partial or a callable object; None if it is not written in Python."""
    while isinstance(function, functools.partial):
        function = function.func
    code = getattr(function, "__code__", None) or getattr(type(function).__call__, "__code__", None)
    return code if isinstance(code, CodeType) else None


def _top_folder_of(file: str) -> Path | None:
    """Returns the folder with a module or its outermost package; None for pitboss and the standard library."""
    if not _may_be_instructors_file(file):
        return None
    folder = Path(file).parent
    while (folder.parent / "__init__.py").is_file():
        folder = folder.parent
    return folder


def _may_be_instructors_file(path: str) -> bool:
    """Whether a file may be the instructor's: it is neither part of pitboss nor in the standard library.

    Installed packages may be the instructor's, although their folder is usually below the standard library's.
    """
    if path.startswith("<") or Path(path).is_relative_to(_PITBOSS_FOLDER):
        return False
    return "site-packages" in path or not Path(path).is_relative_to(_STDLIB_FOLDER)


def _relative_path(file: str) -> str:
    """Returns a path below the working directory as a relative path, and any other path unchanged."""
    path, working_folder = Path(file), Path.cwd()
    return str(path.relative_to(working_folder) if path.is_relative_to(working_folder) else path)
