"""The file in which a submission declares its features: one per line, as the name of an option.

The name may be followed by the key that invokes the feature, as in `double: x`.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.assignments.options import feature_names
from pitboss.errors import as_found, did_you_mean, listed

#: At most this many bytes of the file are read.
_MAX_BYTES = 10_000


class Declaration(msgspec.Struct, frozen=True):
    """The features that a submission declares."""

    #: The declared features, each with the key that invokes the feature; an empty key means the usual key.
    keys_by_feature: tuple[tuple[str, str], ...] = ()
    #: A sentence that says what is wrong with the file; empty if the file is valid. An invalid file is ignored.
    problem: str = ""


def declaration_in(folder: Path, name: str, stage: Stage) -> Declaration | None:
    """Reads the features that the file `name` in a submission's folder declares; None if there is no such file."""
    try:
        text = _text_of(folder / name)
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        return _ignored_declaration(f"{name}: it is not a text file of at most {_MAX_BYTES:,} bytes")
    keys_by_feature: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        feature, colon, key = (part.strip() for part in line.partition(":"))
        if not line.strip():
            continue
        problem = _problem(feature, key if colon else None, stage, keys_by_feature)
        if problem:
            return _ignored_declaration(f"{name}:{number}: {problem}")
        keys_by_feature[feature] = key
    return Declaration(tuple(keys_by_feature.items()))


def _problem(feature: str, key: str | None, stage: Stage, earlier_keys: Mapping[str, str]) -> str:
    """What is wrong with a line that declares this feature; empty if the line is valid.

    `key` is None if the line has no colon; `earlier_keys` has the keys of the features on earlier lines, by feature.
    """
    allowed = feature_names(stage.options)
    if feature not in allowed:
        return f"there is no feature {as_found(feature)} — there are {listed(allowed)}{did_you_mean(feature, allowed)}"
    if key is None:
        return ""
    option = next(option for option in stage.options if option.name == feature)
    if not option.key:
        return f"{feature} is given the key {as_found(key)} — it takes no key: give only the name"
    if not re.fullmatch("[!-~]", key):
        return f"{feature} is given the key {as_found(key)} — a key is one letter, digit or punctuation mark"
    # The same feature may be declared twice with the same key.
    other_features = (name for name, other_key in earlier_keys.items() if other_key == key and name != feature)
    other_feature = next(other_features, None)
    if not other_feature:
        return ""
    return f"{feature} and {other_feature} both have the key {as_found(key)} — each feature needs its own key"


def _ignored_declaration(sentence: str) -> Declaration:
    """A declaration without features, because of a problem with the file.

    A full stop is added to `sentence`, unless it ends with a question of `did_you_mean`.
    """
    end = "" if sentence.endswith("?") else "."
    return Declaration(problem=f"{sentence}{end} The file is ignored until this is fixed.")


def _text_of(path: Path) -> str:
    """The text of a file; raises FileNotFoundError if it is missing, other OSErrors or ValueError if it is unusable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError("not a regular file")
        data = file.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise ValueError("too long")
    return data.decode("utf-8-sig")
