"""Sentences for a handout on what a program may print differently."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from pitboss.assignments.assignment import Stage
from pitboss.kits.markup import listed
from pitboss.model.comparison_policy import FreeText, Policy, Tolerance
from pitboss.model.line_rules import has_line_rules
from pitboss.reports.finding_sentences import construct_in_words

_CHECKED = "This is one correct session: a check of the course's own decides whether another one is right too."
#: What a policy may ignore: in a handout, and in the explanation of a session.
_IGNORED = {
    "pauses": ("Pauses", "pauses"),
    "trailing_blanks": ("Spaces at the ends of lines", "blanks at the ends of lines"),
    "blank_lines": ("Empty lines", "empty lines"),
    "blanks": ("Spaces and line ends other than one between two words", "blanks and line ends"),
    "letter_case": ("Upper and lower case", "capital letters"),
}


def compared_parts_sentence(policy: Policy, *, has_pauses: bool) -> str:
    """A sentence on which parts of a session are compared."""
    if policy.checker is not None:
        return _CHECKED
    sentence = "Every character and every pause counts" if has_pauses else "Every character counts"
    if policy.ignored:
        sentence = f"Every character counts; {listed([_IGNORED[name][1] for name in policy.ignored], 'and')} do not"
    is_open = policy.free or policy.alternatives or policy.not_judged or policy.begins or has_line_rules(policy)
    return f"{sentence}{', and some texts may be worded otherwise, as the handout says' if is_open else ''}."


def leeway_of(policy: Policy) -> tuple[str, ...]:
    """Sentences on what a program may print differently."""
    if policy.checker is not None:
        return (_CHECKED,)
    sentences = [f"{_IGNORED[name][0]} do not matter." for name in policy.ignored]
    sentences += [f"A line with `{pattern}` (a regular expression) may be anywhere." for pattern in policy.not_judged]
    sentences += [
        f"Where the samples show a line with `{pattern}` (a regular expression), print any line."
        for pattern in policy.free_lines
    ]
    sentences += [
        f"Where the samples show a line with `{pattern}` (a regular expression), print a line in which it is found too."
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
        allowed = [f"`{_on_one_line(text)}`" for text in dict.fromkeys(others) if _is_worth_printing(text, first)]
        allowed += ["nothing at all"] if "" in group else []
        if allowed:
            sentences.append(f"Instead of `{_on_one_line(first)}` you may print {listed(allowed, 'or')}.")
    sentences += map(_free_sentence, policy.free)
    return tuple(sentences)


def _number_sentence(tolerance: Tolerance) -> str:
    off = [f"{tolerance.within:f}"] if tolerance.within else []
    off += [f"{tolerance.relative:f} of its value"] if tolerance.relative else []
    where = f" in lines with {listed([f'`{line}`' for line in tolerance.lines], 'or')} (regular expressions)"
    return f"A number{where if tolerance.lines else ''} may be off by {listed(off or ['0'], 'or')}."


def _free_sentence(free: FreeText) -> str:
    if free.when:
        none = " You may also print nothing." if free.may_be_missing else ""
        own = "you may print a text of your own instead, the same each time."
        return f"When {free.when}, ours prints `{free.text.strip()}`; {own}{none}"
    if free.kind == "after":
        return f"After `{free.text}` you may print a text of your own, the same each time."
    none = ", or none at all" if free.may_be_missing else ""
    return f"Instead of `{free.text.strip()}` you may print a text of your own, the same each time{none}."


def _on_one_line(text: str) -> str:
    return text.strip("\n").replace("\n", "` and on the next line `")


def _is_worth_printing(text: str, first: str) -> bool:
    """Whether an alternative is visibly different and worth printing: no invisible character, no one-letter typo."""
    is_mark = any(unicodedata.category(character) in ("Cf", "Cc") and character != "\n" for character in text)
    is_slip = len(text) == len(first) == 1 and text.isalpha() != first.isalpha()
    return not is_mark and not is_slip and _on_one_line(text).strip() != _on_one_line(first).strip()


def requirements_of(stage: Stage) -> tuple[str, ...]:
    """Sentences on the constructs that sources of the stage must or must not have."""
    sentences = []
    for requirement in stage.requirements:
        construct = construct_in_words(requirement.construct, requirement.called)
        off = f" ({float(requirement.points):g} points)" if requirement.points else ""
        demand = (
            f"The program must not have {construct}"
            if requirement.is_forbidden
            else f"The program must have {construct}"
        )
        sentences.append(f"{demand}{off}.{f' {requirement.says}' if requirement.says else ''}")
    return tuple(sentences)


def choices_of(stages: Sequence[Stage]) -> tuple[str, ...]:
    """A sentence on each thing that programs may do in several ways, except features."""
    options = [option for stage in stages for option in stage.options]
    fixed = {option.name for option in options if option.shows or not option.is_free}
    free = {option.name: option for option in options if option.name not in fixed and not option.choice}
    tolerated = {variant.name: None for stage in stages for variant in stage.tolerated}
    return (
        *(
            f"You may choose: {listed([value.description for value in option.values], 'or')}."
            for option in free.values()
        ),
        *(f"This is right too: {name}." for name in tolerated),
    )
