"""Passes the arguments and files of an invocation to a reference that is a function, as keywords."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import msgspec

from pitboss.assignments.authored import text_of
from pitboss.assignments.blame import short_repr
from pitboss.errors import SpecError
from pitboss.model.invocation import Invocation
from pitboss.model.transcript import FileKind, Transcript, WrittenFile


def texts_of(invocation: Invocation) -> dict[str, str]:
    """Returns the files of an invocation as texts by name; bytes that are not UTF-8 become lone surrogates."""
    return {file.name: file.content.decode("utf-8", "surrogateescape") for file in invocation.files or ()}


def bind_invocation(
    main: Callable[..., object], invocation: Invocation, files: dict[str, str]
) -> Callable[..., object]:
    """Returns the function with its keywords bound to the arguments, variables and files of the invocation."""
    keywords: dict[str, object] = {}
    if invocation.arguments is not None:
        keywords["arguments"] = invocation.arguments
    if invocation.environment is not None:
        keywords["environment"] = dict(invocation.environment)
    if invocation.files is not None:
        keywords["files"] = files
    return partial(main, **keywords) if keywords else main


def compared_files_of(files: dict[str, str], invocation: Invocation, program_label: str) -> tuple[WrittenFile, ...]:
    """Returns the compared files, as a reference has left them in `files`; SpecError if a file is not text.

    `program_label` names the reference in the error.
    """
    written = []
    for name in (output.name for output in invocation.outputs):
        text = files.get(name)
        try:
            content = b"" if text is None else text_of(text).encode("utf-8", "surrogateescape")
        except (TypeError, UnicodeEncodeError):
            raise SpecError(
                f"{program_label} put {short_repr(text)} into files[{name!r}] — it must put text there"
            ) from None
        kind = FileKind.TOO_LARGE if len(content) > invocation.max_kb << 10 else FileKind.REGULAR
        written.append(WrittenFile(name, FileKind.MISSING if text is None else kind, content))
    return tuple(written)


def with_contents(transcript: Transcript, invocation: Invocation) -> Transcript:
    """Returns an expected transcript, with the files and the standard error that the invocation states, if any."""
    files_by_name = {file.name: file for file in transcript.written}
    for output in invocation.outputs:
        if output.content is not None:
            files_by_name[output.name] = WrittenFile(output.name, FileKind.REGULAR, output.content)
        elif output.is_absent:
            files_by_name[output.name] = WrittenFile(output.name, FileKind.MISSING)
    written = tuple(files_by_name[output.name] for output in invocation.outputs if output.name in files_by_name)
    errors = transcript.errors if invocation.errors is None else invocation.errors
    if invocation.accepts_any_errors:
        errors = errors or b""
    return msgspec.structs.replace(
        transcript, written=written, errors=errors, accepts_any_errors=invocation.accepts_any_errors
    )
