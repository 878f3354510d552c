import pytest

from pitboss.compare.comparison import difference_between, first_difference
from pitboss.compare.submission_texts import ObservedSession, accepted_differences, texts_in
from pitboss.model.comparison_policy import FreeText, Policy
from pitboss.model.transcript import FileKind, Shown, Transcript, WrittenFile, exited

PUSH = FreeText("push", "Push.", "line")


def screen_events(text):
    return (Shown(text),) if text else ()


def transcript_of(screen, file):
    """A transcript with this text on the screen, and this text in log.txt."""
    return Transcript(screen_events(screen), exited(), written=(WrittenFile("log.txt", FileKind.REGULAR, file),))


@pytest.mark.parametrize(
    ("actual", "is_same"),
    [
        (b"Hello, all!\nA tie.\nBye.\n", True),
        (b"Hello, all!\nPush.\nBye.\n", True),
        (b"Debug: 7\nHello, all!\nA tie.\nDebug: 8\nBye.\n", True),
        (b"Hello, all!\nA tie.\nGone.\n", False),
        (b"A tie.\nBye.\n", False),
        (b"Hello, all!\nBye.\n", False),
    ],
)
def test_a_free_text_is_recognized_after_a_line_that_may_have_any_text(actual, is_same):
    policy = Policy(free=(PUSH,), free_lines=("^Welcome",), not_judged=("^Debug",))
    expected = screen_events(b"Welcome.\nPush.\nBye.\n")
    assert (difference_between(expected, screen_events(actual), policy) is None) is is_same
    texts = texts_in([ObservedSession(policy, expected, screen_events(actual))])
    assert (difference_between(expected, screen_events(actual), policy.with_accepted_texts(texts)) is None) is is_same


@pytest.mark.parametrize(
    ("screen", "file", "place"),
    [
        (b"Push.\n", b"Push.\n", None),
        (b"A tie.\n", b"A tie.\n", None),
        (b"A tie.\n", b"Push.\n", "log.txt"),
        (b"Push.\n", b"A tie.\n", "log.txt"),
        (b"A tie.\n", b"Another.\n", "log.txt"),
    ],
)
def test_a_free_text_in_a_file_must_equal_that_on_the_screen(screen, file, place):
    expected, actual, policy = transcript_of(b"Push.\n", b"Push.\n"), transcript_of(screen, file), Policy(free=(PUSH,))
    texts = texts_in([ObservedSession(policy, expected.events, actual.events)])
    for tried_policy in (policy, policy.with_accepted_texts(texts)):
        difference = first_difference(expected, actual, tried_policy)
        assert (difference and difference.place) == place


def test_a_free_text_is_not_accepted_in_a_file_alone():
    expected, actual = transcript_of(b"Bye.\n", b"Push.\n"), transcript_of(b"Bye.\n", b"Anything.\n")
    difference = first_difference(expected, actual, Policy(free=(PUSH,)))
    assert difference is not None and difference.place == "log.txt"


def test_an_alternative_in_a_line_that_is_not_judged_is_not_reported():
    policy = Policy(alternatives=(("wins", "won"),), not_judged=("^Debug",), free_lines=("^Welcome",))
    expected = screen_events(b"Welcome.\nAda wins.\n")
    assert not accepted_differences(
        [ObservedSession(policy, expected, screen_events(b"Ada won once\nDebug: won\nAda wins.\n"))], {}
    )
    (accepted,) = accepted_differences([ObservedSession(policy, expected, screen_events(b"Hi.\nAda won.\n"))], {})
    assert (accepted.expected, accepted.text) == ("wins", b"won")
