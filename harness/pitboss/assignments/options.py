"""The options of an assignment's programs, and stages with other settings of their options. Values.

An option is a keyword argument of the reference, and of the reader if it accepts the keyword. A setting lists the
index of the selected value of each option of a stage, in order. An option's first value is the stage's own, so the
stage's own setting is all zeros; `under` returns the stage with another setting as its own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from pitboss.assignments.rules import Rule

if TYPE_CHECKING:
    from pitboss.assignments.assignment import Stage

#: The placeholder for the declared key, in the replacements of `key_texts`.
KEY = "{key}"
#: One index for each option of a stage.
Setting = tuple[int, ...]


class OptionValue(msgspec.Struct, frozen=True):
    """One value of an option."""

    #: Describes a program with this value in the report: "with splitting".
    description: str
    #: The value of the reference's keyword.
    value: bool | str


class Option(msgspec.Struct, frozen=True):
    """An option of the programs of one stage."""

    name: str
    #: The keyword of the reference and of the reader.
    keyword: str
    #: The stage's own value comes first.
    values: tuple[OptionValue, ...]
    #: Whether a program of the stage may have any of the values, or only the first.
    is_free: bool = True
    #: The rule that comes up only if a program has this feature; empty if the option is not a feature.
    shows: str = ""
    #: The keyword argument for the key that requests the feature; empty if a submission cannot declare that key.
    key: str = ""
    #: The declared key; empty if none was declared.
    typed: str = ""
    #: Pairs of a part of a free text and its replacement if a key was declared, in which KEY means that key.
    key_texts: tuple[tuple[str, str], ...] = ()
    #: The choice that a program has, as the handout describes it, and the pattern that shows it; may be None.
    choice: Rule | None = None
    #: For a feature: rules for the handout only, which come up only if a program has other features too.
    with_others: tuple[Rule, ...] = ()
    #: Whether the stage tests the feature.
    is_subject: bool = False
    #: Whether the submission itself declares the feature, so that it cannot be missing.
    is_declared: bool = False


def own_setting(options: Sequence[Option]) -> Setting:
    """Returns a stage's own setting of these options."""
    return (0,) * len(options)


def own_keywords(options: Iterable[Option]) -> dict[str, bool | str]:
    """Returns the keywords of the stage's own setting."""
    options = tuple(options)
    typed_keys: dict[str, bool | str] = {option.key: option.typed for option in options if option.typed}
    return {option.keyword: option.values[0].value for option in options} | typed_keys


def setting_with(options: Sequence[Option], keywords: Mapping[str, bool | str]) -> Setting | None:
    """Returns the stage's own setting changed to these keywords' values; None if the stage cannot have them.

    >>> split = Option("split", "split", (OptionValue("without", False), OptionValue("with", True)))
    >>> setting_with([split], {"split": True}), setting_with([split], {"split": False})
    ((1,), (0,))
    >>> setting_with([split], {"errors": True}) is None
    True
    >>> setting_with([fixed_option(split, False)], {"split": True}) is None
    True
    """
    setting = []
    for option in options:
        allowed = [option_value.value for option_value in (option.values if option.is_free else option.values[:1])]
        value = keywords.get(option.keyword, allowed[0])
        if value not in allowed:
            return None
        setting.append(allowed.index(value))
    return tuple(setting) if keywords.keys() <= {option.keyword for option in options} else None


def settings_near(options: Sequence[Option]) -> list[Setting]:
    """Returns the settings that differ from the stage's own in one free option, and the one with every feature.

    >>> one = Option("one", "one", (OptionValue("without", False), OptionValue("with", True)), shows="a rule")
    >>> two = Option("two", "two", (OptionValue("a", "a"), OptionValue("b", "b"), OptionValue("c", "c")))
    >>> settings_near([one, two]), settings_near([one, one])
    ([(1, 0), (0, 1), (0, 2)], [(1, 0), (0, 1), (1, 1)])
    """
    own_indexes = own_setting(options)
    settings = [
        (*own_indexes[:index], value, *own_indexes[index + 1 :])
        for index, option in enumerate(options)
        if option.is_free
        for value in range(1, len(option.values))
    ]
    every_feature = tuple(int(bool(option.is_free and option.shows)) for option in options)
    return settings if every_feature in (own_indexes, *settings) else [*settings, every_feature]


def setting_description(options: Sequence[Option], setting: Setting) -> str:
    """Returns descriptions of the values of a setting that are not the stage's own; empty if all are.

    >>> split = Option("split", "split", (OptionValue("without splitting", False), OptionValue("with splitting", True)))
    >>> setting_description([split], (1,)), setting_description([split], (0,))
    ('with splitting', '')
    """
    return ", ".join(option.values[index].description for option, index in zip(options, setting, strict=True) if index)


def with_setting(stage: Stage, setting: Setting) -> Stage:
    """Returns the stage with another setting as its own."""
    options = tuple(
        _with_first(option, option.values[index]) for option, index in zip(stage.options, setting, strict=True)
    )
    return msgspec.structs.replace(stage, options=options)


def with_every_feature(stage: Stage) -> Stage:
    """Returns the stage with all features that its programs may have."""
    return with_setting(stage, tuple(int(bool(option.is_free and option.shows)) for option in stage.options))


def _with_first(option: Option, value: OptionValue) -> Option:
    """Returns the option with this value moved to the front."""
    others = (other for other in option.values if other is not value)
    return msgspec.structs.replace(option, values=(value, *others))


def fixed_option(option: Option, value: bool, *, is_subject: bool = False) -> Option:
    """Returns the option fixed at `value`; with `is_subject` the stage tests it, if it is a feature."""
    first = next(option_value for option_value in option.values if option_value.value is value)
    is_subject = is_subject and bool(option.shows)
    return msgspec.structs.replace(_with_first(option, first), is_free=False, is_subject=is_subject)


def features_of(stage: Stage) -> tuple[Option, ...]:
    """Returns the features that a stage tests."""
    return tuple(option for option in stage.options if option.is_subject)


def without_features(stage: Stage) -> Stage:
    """Returns the stage with the features that it tests fixed as absent, and without rules."""
    features = features_of(stage)
    options = tuple(fixed_option(option, False) if option in features else option for option in stage.options)
    return msgspec.structs.replace(stage, options=options, rules=(), required=())


def accepted_by(function: Callable[..., object], keywords: Mapping[str, bool | str]) -> dict[str, bool | str]:
    """Returns the keywords that a function accepts, with their values."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a function of a C extension may have no signature
        return {}
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters):
        return dict(keywords)
    names = {
        parameter.name
        for parameter in parameters
        if parameter.kind in (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    }
    return {name: value for name, value in keywords.items() if name in names}


def feature_names(options: Iterable[Option]) -> tuple[str, ...]:
    """Returns the names of the features among these options, which a submission may declare."""
    return tuple(option.name for option in options if option.shows)


def with_declared_features(stage: Stage, words: Mapping[str, str]) -> Stage:
    """Returns the stage for a submission that declares these features; `words` maps them to their keys or ""."""
    names = words.keys()

    def declared_option(option: Option) -> Option:
        if not option.shows:
            return option
        option = msgspec.structs.replace(option, typed=words.get(option.name, ""))
        if option.is_free:
            return fixed_option(option, option.name in names)
        return msgspec.structs.replace(option, is_declared=option.name in names)

    options = tuple(map(declared_option, stage.options))
    keys = tuple((option.key, option.typed) for option in options if option.typed)
    parts = tuple(
        (part, replacement.replace(KEY, option.typed))
        for option in options
        if option.typed
        for part, replacement in option.key_texts
    )
    return msgspec.structs.replace(
        stage,
        options=options,
        spec=stage.spec.with_keys(keys, parts) if keys else stage.spec,
        policy=stage.policy.with_parts(parts),
    )
