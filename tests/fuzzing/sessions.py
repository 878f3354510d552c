"""Hypothesis strategies of the fuzzing tests: transcripts of any kind, and comparison policies."""

import msgspec
from hypothesis import strategies as st

from pitboss.model.comparison_policy import Policy
from pitboss.model.transcript import Ending, EndingKind, InputEnded, Paused, Shown, Transcript, Typed, canonical

#: Bytes that have caused bugs: line ends, incomplete characters, marks of the notation, terminal escapes, and texts
#: that some policies accept in place of each other.
TROUBLE = (
    *(
        b"\n",
        b" \n",
        b"\n\n",
        b" ",
        b"\t",
        b"\r\n",
        b"\x00",
        b"\x04",
        b"\x1b[2J",
        b"\xff",
        b"\xe2\x99",
        b"\xed\xa0\x80",
    ),
    *(
        b"<<",
        b">>",
        b"<eof>",
        b"<no-eol>",
        b"<pause 2s>",
        b"\\",
        b"\\x20",
        "♣".encode(),
        "\u202e".encode(),
        "e\u0301".encode(),
    ),
    *(b"Balance: 1", b"balance: 1", b"Push.", b"Tie.", b"</script>", b"[bold]", b"{{7*7}}", b"9" * 400),
)
texts = st.lists(st.one_of(st.binary(max_size=6), st.sampled_from(TROUBLE)), max_size=5).map(b"".join)
events = st.lists(
    st.one_of(
        texts.map(Shown),
        texts.map(lambda text: Typed(text.replace(b"\n", b""))),
        st.integers(100, 3000).map(Paused),  # a shorter one is judged only where the expected session has one
        st.just(InputEnded()),
    ),
    max_size=8,
).map(canonical)
endings = st.one_of(
    st.integers(0, 255).map(lambda code: Ending(EndingKind.EXITED, exit_code=code)),
    st.sampled_from(["SIGSEGV", "SIGKILL", "SIGPIPE"]).map(lambda name: Ending(EndingKind.SIGNALLED, signal=name)),
    st.sampled_from([kind for kind in EndingKind if kind not in (EndingKind.EXITED, EndingKind.SIGNALLED)]).map(Ending),
)
transcripts = st.builds(Transcript, events, endings, st.integers(0, 3))
strictness = st.sampled_from(["exact", "ignored"])
#: Policies without `alternatives`: the differences that they ignore do not depend on the place in a session.
plain_policies = st.builds(
    Policy, pauses=strictness, trailing_blanks=strictness, blank_lines=strictness, letter_case=strictness
)
#: Values of `Policy.alternatives`: in each group, the texts are accepted in place of each other.
GROUPS = ((("Push.", "Tie."),), (("Push.\n", "Tie.\n", ""),), (("Balance: 1", "9"), ("Push.", "Tie.")))
policies = st.builds(
    lambda policy, groups: msgspec.structs.replace(policy, alternatives=groups),
    plain_policies,
    st.sampled_from(((), *GROUPS)),
)
