from pitboss.assignments.assignment import Answers, Generated
from pitboss.assignments.players import MAX_LINES, input_script_of


def test_the_last_answer_is_repeated_while_the_program_asks():
    script = input_script_of(Generated((1,), Answers((b"10", b"h"))), 1, "here:1")
    assert [script(()) for _ in range(5)] == [b"1", b"10", b"h", b"h", b"h"]
    # The seed and the two answers are followed by MAX_LINES repetitions; the script has returned five lines above.
    assert sum(script(()) is not None for _ in range(2 * MAX_LINES)) == MAX_LINES + 3 - 5
