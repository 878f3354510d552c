"""Every difference that a policy may ignore, with every rule for lines: each session is equal to itself.

A session that is identical to the expected one is accepted without a look at the policy. So sessions are compared after
a different last text, or with changes that the policy ignores: then every step of a comparison is taken.
"""

import random
from decimal import Decimal
from itertools import chain, combinations, product

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitboss.compare.comparison import difference_between, located_difference
from pitboss.model.comparison_policy import EXACT, IGNORABLE, FreeText, Tolerance
from pitboss.model.notation import events_in
from pitboss.model.transcript import Paused, Shown, Typed, canonical
from tests.fuzzing.sessions import TROUBLE, events

#: A value for each other field of a policy by which a session may differ, with patterns that ignore letter case.
RULES = {
    "alternatives": (("Push.", "Tie."), ("Balance:", "Sum:")),
    "not_judged": ("(?i)^debug", "(?i)^push"),
    "free_lines": ("(?i)^name", "(?i)^balance"),
    "matches": ("(?i)^today is ", "(?i)^balance"),
    "any_order": ("(?i)^- ", "(?i)^push"),
    "numbers": (Tolerance(Decimal("0.5")), Tolerance(Decimal(1), lines=("(?i)^balance",))),
    "begins": "(?i)^begin",
    "free": (FreeText("greeting", "Hello", "line"), FreeText("question", "Name? ", "prompt")),
}
#: The rules that a policy may have if words are compared and not lines.
RULES_FOR_WORDS = {"alternatives", "not_judged", "begins", "free"}


def up_to_two(names):
    return list(chain.from_iterable(combinations(names, count) for count in range(3)))


POLICIES = [
    msgspec.structs.replace(EXACT, **dict.fromkeys(ignored, "ignored"), **{name: RULES[name] for name in rules})
    for ignored, rules in product(up_to_two(IGNORABLE), up_to_two(RULES))
    if "blanks" not in ignored or RULES_FOR_WORDS.issuperset(rules)
]
SESSION = events_in(
    "before\nBegin\nHello\nDebug: 1.5 \\x20\n\n- one<pause 1s>\n- two\n- two 2.5\nToday is 5\\x20\nPush.\nPush. Tie.\n"
    "Balance: 1.50\nBa<pause 2s>lance: 2\n\\t\nName? <<Ada>>\nname Ada\n<eof><pause 1s>end<no-eol>\n"
)
#: Lines that the rules are about, in place of some of the texts of other fuzzing tests.
LINES = [*SESSION, *(Shown(line) for line in (b"Begin\n", b"- a\n", b"- b 1\n", b"Debug\n", b"Hello\n", b"Name? "))]
sessions = st.lists(st.one_of(st.sampled_from(LINES), st.sampled_from(TROUBLE).map(Shown)), max_size=9).map(canonical)


def varied(session, policy, rng):
    """A copy of a session with random changes that the policy ignores."""
    variant = []
    for event in session:
        if policy.pauses == "ignored" and rng.random() < 0.3:
            variant.append(Paused(rng.randrange(100, 3000)))
        if isinstance(event, Shown):
            text = event.text
            if policy.letter_case == "ignored":
                text = text.swapcase()
            if policy.trailing_blanks == "ignored":
                text = text.replace(b"\n", b" \t\r\n")
            if policy.blank_lines == "ignored":
                text = text.replace(b"\n", b"\n \r\n\n")
            if policy.blanks == "ignored":
                text = text.replace(b"\n", b" \n\n").replace(b" ", b"  ")
            event = Shown(text)
        if not (isinstance(event, Paused) and policy.pauses == "ignored"):
            variant.append(event)
    return canonical(variant)


def check_difference_at_end(session, policy):
    """Asserts that two sessions that differ only in their last line differ there, with nothing before it."""
    expected, actual = (canonical((*session, Typed(b"end"), Shown(text))) for text in (b"begin x", b"begin y"))
    difference = difference_between(expected, actual, policy)
    assert [part[0].text[-1:] for part in (difference.expected, difference.actual)] == [b"x", b"y"]
    split = located_difference(difference, expected, actual, policy).quoted
    assert split.expected[0].text[-1:] == b"x" and split.actual == (Shown(b"y"),)
    assert split.before[-1] == split.expected_before[-1]


def title(policy):
    return (
        "-".join(name for name in policy.__struct_fields__ if getattr(policy, name) != getattr(EXACT, name)) or "exact"
    )


@pytest.mark.parametrize("policy", POLICIES, ids=title)
def test_a_session_is_equal_to_its_variants_under_each_pair_of_options_and_rules(policy):
    variant = varied(SESSION, policy, random.Random(1))
    assert difference_between(SESSION, variant, policy) is None
    assert difference_between(variant, SESSION, policy) is None
    check_difference_at_end(SESSION, policy)


@settings(max_examples=500)
@given(st.one_of(sessions, events), st.sampled_from(POLICIES))
def test_any_session_is_equal_to_itself_up_to_a_different_end(session, policy):
    assert difference_between(session, session, policy) is None
    check_difference_at_end(session, policy)
