"""The options of an assignment's programs, and copies of a stage with other values of the options.

An option is a keyword argument of the reference, and of the reader if the reader accepts the keyword. A setting has the
index of the selected value of each option of a stage, in order. The first value of an option is the stage's own value,
so the stage's own setting is all zeros. `with_setting` returns a copy of the stage with another setting as its own.

A rule is a situation in a session, with a pattern that detects it and a text for the handout.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from pitboss.assignments.assignment import Stage


class Rule(msgspec.Struct, frozen=True):
    """A rule of a stage. The rule has come up if its pattern matches the screen of a correct session."""

    name: str
    #: A regular expression for Python's re with MULTILINE. The screen includes each typed line and its newline.
    pattern: str
    #: What the rule requires of a program, as a paragraph of Markdown; empty if the handout omits the rule.
    says: str = ""


#: The placeholder for the key that a submission declares, in the replacements of `Option.key_texts`.
KEY = "{key}"
#: The index of the selected value of each option of a stage.
Setting = tuple[int, ...]


class OptionValue(msgspec.Struct, frozen=True):
    """One value of an option."""

    #: The description, for the report, of a program with this value: "with splitting".
    description: str
    #: The value of the reference's keyword argument.
    value: bool | str


class Option(msgspec.Struct, frozen=True):
    """An option of the programs of one stage. It is a feature if `feature_rule` is not empty."""

    name: str
    #: The keyword argument of the reference, and of the reader if the reader accepts it.
    keyword: str
    #: All values of the option; the stage's own value comes first.
    values: tuple[OptionValue, ...]
    #: Whether a program of the stage may have any of the values; otherwise only the first value is correct.
    is_free: bool = True
    #: The name of the rule that comes up only if a program has this feature; empty if the option is not a feature.
    feature_rule: str = ""
    #: The additional rules of stages that have the feature.
    rules: tuple[Rule, ...] = ()
    #: The reference's keyword argument for the key that requests the feature; empty if submissions declare no key.
    key: str = ""
    #: The key that the submission declares for the feature; empty if the submission declares no key.
    declared_key: str = ""
    #: Replacements in the reference's free texts if a key is declared: pairs of a substring and its replacement, in
    #: which KEY stands for the key.
    key_texts: tuple[tuple[str, str], ...] = ()
    #: The choice that the option leaves to programs, in words for the handout; empty if nothing describes it.
    choice: str = ""
    #: For a feature: rules for the handout only, which come up only if a program has other features too.
    with_others: tuple[Rule, ...] = ()
    #: Whether the option is a feature that the stage tests.
    is_tested: bool = False
    #: Whether the submission declares this feature, so that the report cannot call the feature missing. Set only if the
    #: stage itself fixes whether its programs have the feature.
    is_declared: bool = False

    @property
    def words(self) -> str:
        """The description of programs that have the feature: "with splitting"."""
        return next(value.description for value in self.values if value.value is True)

    @property
    def shown_rule(self) -> Rule:
        """The rule of a feature that is named by `feature_rule`."""
        return next(rule for rule in self.rules if rule.name == self.feature_rule)


def own_setting(options: Sequence[Option]) -> Setting:
    """Returns the setting with the stage's own value of each option: all zeros."""
    return (0,) * len(options)


def own_keywords(options: Iterable[Option]) -> dict[str, bool | str]:
    """Returns the keyword arguments for the stage's own values of these options, and for the declared keys."""
    options = tuple(options)
    declared_keys: dict[str, bool | str] = {
        option.key: option.declared_key for option in options if option.declared_key
    }
    return {option.keyword: option.values[0].value for option in options} | declared_keys


def setting_with(options: Sequence[Option], keywords: Mapping[str, bool | str]) -> Setting | None:
    """Returns the stage's own setting, changed to the values of `keywords`.

    None if the stage does not allow one of the values, or has no option with one of the keywords.

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


def with_value(setting: Setting, index: int, value: int) -> Setting:
    """Returns the setting in which the option at `index` has its value number `value`, from 0."""
    return (*setting[:index], value, *setting[index + 1 :])


def settings_near(options: Sequence[Option]) -> list[Setting]:
    """Returns the settings that differ from the stage's own in one free option, and the setting with every feature.

    >>> one = Option("one", "one", (OptionValue("without", False), OptionValue("with", True)), feature_rule="a rule")
    >>> two = Option("two", "two", (OptionValue("a", "a"), OptionValue("b", "b"), OptionValue("c", "c")))
    >>> settings_near([one, two]), settings_near([one, one])
    ([(1, 0), (0, 1), (0, 2)], [(1, 0), (0, 1), (1, 1)])
    """
    own_indexes = own_setting(options)
    settings = [
        with_value(own_indexes, index, value_index)
        for index, option in enumerate(options)
        if option.is_free
        for value_index in range(1, len(option.values))
    ]
    all_features = tuple(int(bool(option.is_free and option.feature_rule)) for option in options)
    return settings if all_features in (own_indexes, *settings) else [*settings, all_features]


def setting_description(options: Sequence[Option], setting: Setting) -> str:
    """Returns descriptions of the values in which a setting differs from the stage's own; empty if it does not differ.

    >>> split = Option("split", "split", (OptionValue("without splitting", False), OptionValue("with splitting", True)))
    >>> setting_description([split], (1,)), setting_description([split], (0,))
    ('with splitting', '')
    """
    return ", ".join(option.values[index].description for option, index in zip(options, setting, strict=True) if index)


def with_setting(stage: Stage, setting: Setting) -> Stage:
    """Returns a copy of the stage whose own setting is `setting`."""
    options = tuple(
        _with_first(option, option.values[index]) for option, index in zip(stage.options, setting, strict=True)
    )
    return msgspec.structs.replace(stage, options=options)


def _with_first(option: Option, value: OptionValue) -> Option:
    """Returns a copy of the option with this value moved to the front."""
    other_values = (option_value for option_value in option.values if option_value is not value)
    return msgspec.structs.replace(option, values=(value, *other_values))


def fixed_option(option: Option, value: bool, *, is_tested: bool = False) -> Option:
    """Returns a copy of the option in which only `value` is correct.

    With `is_tested`, the stage tests the option if the option is a feature.
    """
    fixed_value = next(option_value for option_value in option.values if option_value.value is value)
    is_tested = is_tested and bool(option.feature_rule)
    return msgspec.structs.replace(_with_first(option, fixed_value), is_free=False, is_tested=is_tested)


def stage_features(stage: Stage) -> tuple[Option, ...]:
    """Returns the features that a stage tests."""
    return tuple(option for option in stage.options if option.is_tested)


def without_features(stage: Stage, features: Sequence[Option]) -> Stage:
    """Returns a copy of the stage without rules, in which these features must be absent."""
    options = tuple(fixed_option(option, False) if option in features else option for option in stage.options)
    return msgspec.structs.replace(stage, options=options, rules=(), required=())


def accepted_by(function: Callable[..., object], keywords: Mapping[str, bool | str]) -> dict[str, bool | str]:
    """Returns the keyword arguments, out of `keywords`, that a function accepts."""
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
    return tuple(option.name for option in options if option.feature_rule)


def with_declared_features(stage: Stage, keys_by_feature: Mapping[str, str]) -> Stage:
    """Returns a copy of the stage for a submission that declares features.

    `keys_by_feature` has the declared key of each declared feature by the feature's name, or "" if the feature is
    declared without a key. Features that the stage leaves free are fixed: if a submission declares such a
    feature, only programs with the feature are correct, and otherwise only programs without it.
    """
    names = keys_by_feature.keys()

    def with_declaration(option: Option) -> Option:
        if not option.feature_rule:
            return option
        option = msgspec.structs.replace(option, declared_key=keys_by_feature.get(option.name, ""))
        if option.is_free:
            return fixed_option(option, option.name in names)
        return msgspec.structs.replace(option, is_declared=option.name in names)

    options = tuple(map(with_declaration, stage.options))
    keys = tuple((option.key, option.declared_key) for option in options if option.declared_key)
    replacements = tuple(
        (part, replacement.replace(KEY, option.declared_key))
        for option in options
        if option.declared_key
        for part, replacement in option.key_texts
    )
    return msgspec.structs.replace(
        stage,
        options=options,
        spec=stage.spec.with_keys(keys, replacements) if keys else stage.spec,
        policy=stage.policy.with_replaced_texts(replacements),
    )
