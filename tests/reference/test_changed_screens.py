from pitboss.experiments.catalogue import mistakes_of
from pitboss.model.invocation import script_of_lines
from pitboss.model.transcript import Shown
from pitboss.sessions.drivers import expected_run_here


def test_two_swapped_suits_are_exchanged_for_each_other(blackjack):
    stage = blackjack.stage("shuffle")
    [mistake] = [mistake for mistake in mistakes_of(stage) if mistake.id == "suits-swapped"]
    expected, actual = (
        "".join(event.text.decode() for event in run(script_of_lines((b"1",))).events if isinstance(event, Shown))
        for run in (expected_run_here(stage), mistake.run_of("shuffle"))
    )
    assert actual == expected.translate(str.maketrans("♥♠", "♠♥")) != expected
