"""Sentences for a handout on what a program may print differently."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from pitboss.assignments.assignment import Stage
from pitboss.model.comparison_policy import FreeText, Policy, Tolerance
from pitboss.model.line_rules import has_line_rules
from pitboss.reports.finding_sentences import construct_in_words

_CHECKER_SENTENCE = "This is one correct session: the course's own checker decides whether other sessions are correct."


class _IgnoredDifference(NamedTuple):
    """The words for a difference that a policy may ignore."""

    #: The beginning of a sentence in a handout.
    beginning: str
    #: A phrase within a sentence that explains a session.
    phrase: str


#: The words by the name of the difference in `compare:`.
_IGNORED = {
    "pauses": _IgnoredDifference("Pauses", "pauses"),
    "trailing_blanks": _IgnoredDifference("Spaces at the ends of lines", "blanks at the ends of lines"),
    "blank_lines": _IgnoredDifference("Empty lines", "empty lines"),
    "blanks": _IgnoredDifference("Spaces and line ends, except one between two words,", "blanks and line ends"),
    "letter_case": _IgnoredDifference("Upper and lower case", "capital letters"),
}


def compared_parts_sentence(policy: Policy, *, has_pauses: bool) -> str:
    if policy.checker is not None:
        return _CHECKER_SENTENCE
    sentence = "Every character and every pause counts" if has_pauses else "Every character counts"
    if policy.ignored:
        ignored = joined_in_sentence([_IGNORED[name].phrase for name in policy.ignored], "and")
        sentence = f"Every character counts; {ignored} do not"
    allows_other_texts = (
        policy.free or policy.alternatives or policy.not_judged or policy.begins or has_line_rules(policy)
    )
    return f"{sentence}{', and some texts may be worded otherwise, as the handout says' if allows_other_texts else ''}."


def leeway_sentences(policy: Policy) -> tuple[str, ...]:
    """Sentences on what a program may print differently."""
    if policy.checker is not None:
        return (_CHECKER_SENTENCE,)
    sentences = [f"{_IGNORED[name].beginning} do not matter." for name in policy.ignored]
    sentences += [f"A line with `{pattern}` (a regular expression) may be anywhere." for pattern in policy.not_judged]
    sentences += [
        f"Where the samples show a line with `{pattern}` (a regular expression), print any line."
        for pattern in policy.free_lines
    ]
    sentences += [
        f"Where the samples show a line with `{pattern}` (a regular expression), print any line that matches it."
        for pattern in policy.matches
    ]
    sentences += [
        f"Neighbouring lines with `{pattern}` (a regular expression) may come in any order."
        for pattern in policy.any_order
    ]
    sentences += map(_number_sentence, policy.numbers)
    if policy.begins:
        sentences.append(f"Before the first line with `{policy.begins}` (a regular expression) you may print anything.")
    for group in policy.alternatives:
        first, *others = (text for text in group if text.strip())
        allowed = [f"`{_on_one_line(text)}`" for text in dict.fromkeys(others) if _is_worth_naming(text, first)]
        allowed += ["nothing at all"] if "" in group else []
        if allowed:
            sentences.append(f"Instead of `{_on_one_line(first)}` you may print {joined_in_sentence(allowed, 'or')}.")
    sentences += map(_free_text_sentence, policy.free)
    return tuple(sentences)


def _number_sentence(tolerance: Tolerance) -> str:
    distances = [f"{tolerance.within:f}"] if tolerance.within else []
    distances += [f"{tolerance.relative:f} of its value"] if tolerance.relative else []
    line_condition = ""
    if tolerance.lines:
        patterns = joined_in_sentence([f"`{pattern}`" for pattern in tolerance.lines], "or")
        line_condition = f" in lines with {patterns} (regular expressions)"
    distance = joined_in_sentence(distances or ["0"], "or")
    return f"A number{line_condition} may be off by {distance}."


def _free_text_sentence(free: FreeText) -> str:
    """A sentence on a text that a program may word freely."""
    if free.when:
        omission_sentence = " You may also print nothing." if free.may_be_missing else ""
        permission = "you may print a text of your own instead, the same each time."
        return f"When {free.when}, our program prints `{free.text.strip()}`; {permission}{omission_sentence}"
    if free.kind == "after":
        return f"After `{free.text}` you may print a text of your own, the same each time."
    omission = ", or none at all" if free.may_be_missing else ""
    return f"Instead of `{free.text.strip()}` you may print a text of your own, the same each time{omission}."


def _on_one_line(text: str) -> str:
    return text.strip("\n").replace("\n", "` and on the next line `")


def _is_worth_naming(text: str, first: str) -> bool:
    """Whether a handout should name an alternative to the text `first`.

    The difference must be visible. A text with invisible characters is accepted without being recommended; so is a typo
    in a text of one character: a letter in place of another character, or the reverse.
    """
    has_invisible = any(unicodedata.category(character) in ("Cf", "Cc") and character != "\n" for character in text)
    is_typo = len(text) == len(first) == 1 and text.isalpha() != first.isalpha()
    return not has_invisible and not is_typo and _on_one_line(text).strip() != _on_one_line(first).strip()


def requirement_sentences(stage: Stage) -> tuple[str, ...]:
    """Sentences on the constructs that sources of the stage must or must not have."""
    sentences = []
    for requirement in stage.requirements:
        construct = construct_in_words(requirement.construct, requirement.called)
        deduction = f" ({float(requirement.points):g} points)" if requirement.points else ""
        demand = (
            f"The program must not have {construct}"
            if requirement.is_forbidden
            else f"The program must have {construct}"
        )
        sentences.append(f"{demand}{deduction}.{f' {requirement.says}' if requirement.says else ''}")
    return tuple(sentences)


def choice_sentences(stages: Sequence[Stage]) -> tuple[str, ...]:
    """Sentences on options whose value a program may choose, and on tolerated behaviour.

    Features, and choices that the author describes, are left out.
    """
    options = [option for stage in stages for option in stage.options]
    excluded = {option.name for option in options if option.feature_rule or not option.is_free}
    free_options = {option.name: option for option in options if option.name not in excluded and not option.choice}
    tolerated = {variant.name: None for stage in stages for variant in stage.tolerated}
    return (
        *(
            f"You may choose: {joined_in_sentence([value.description for value in option.values], 'or')}."
            for option in free_options.values()
        ),
        *(f"This is right too: {name}." for name in tolerated),
    )


def joined_in_sentence(words: Sequence[str], joint: str = "and") -> str:
    """The words as a list in a sentence.

    >>> joined_in_sentence(["a", "b", "c"], "or")
    'a, b or c'
    """
    return f"{', '.join(words[:-1])} {joint} {words[-1]}" if len(words) > 1 else "".join(words)
