import re

from tests.conftest import ROOT

EXAMPLES = ROOT / "examples"


def test_games_in_which_the_reference_fails_are_skipped_and_reported(tmp_path, pitboss):
    folder = tmp_path / "specs" / "double"
    folder.mkdir(parents=True)
    (folder / "assignment.yaml").write_text(
        "title: Double\nseeded: no\nstages: [{name: double, reference: doubling:main}]\n"
    )
    # The reference doubles every number but 3, at which it divides by zero.
    (folder / "doubling.py").write_text(
        'def main(console):\n    console.write("Number: ")\n    number = int(console.read_line())\n'
        '    console.write(f"{2 * number + 0 * (1 // (number - 3))}\\n")\n    return 0\n'
    )
    case = "  - {name: 'of %d', transcript: \"Number: <<%d>>\\n%d\\n\"}\n"
    (folder / "double.yaml").write_text("program: double\ncases:\n" + case % (1, 1, 2) + case % (9, 9, 18))
    (tmp_path / "double.py").write_text('print(2 * int(input("Number: ")))\n')
    result = pitboss("hunt", "double", "--assignment", folder)
    assert result.code == 0
    count_sentence, failure_sentence = result.out.splitlines()
    assert count_sentence == "double: 8 different games played, and the stage has no other games: all are as expected"
    assert re.fullmatch(
        r"double: the reference itself failed in 1 more game: .*failed: "
        r"ZeroDivisionError: integer division or modulo by zero",
        failure_sentence,
    )


def test_hunt_reports_a_compile_error_like_check(pitboss, tmp_path):
    (tmp_path / "play.c").write_text("int main(void) { return 0 }\n")
    check = pitboss("check", "play", "--assignment", "blackjack")
    hunt = pitboss("hunt", "play", "--assignment", "blackjack")
    assert (hunt.code, check.code) == (1, 1)
    assert "that is: " in check.out
    assert hunt.out == check.out


def test_a_correct_program_fails_in_no_game(pitboss):
    result = pitboss("hunt", EXAMPLES / "blackjack" / "ada", "play", "--seconds", "1")
    assert (result.code, result.err) == (0, "")
    assert re.fullmatch(r"play: [0-9,]+ different games played: all are as expected\n", result.out)


def test_a_folder_named_like_a_stage_is_not_taken_for_the_submission(pitboss, tmp_path):
    (tmp_path / "play").mkdir()
    (tmp_path / "mine").mkdir()
    result = pitboss("hunt", "mine", "play", "--assignment", "blackjack")
    assert (result.code, result.err) == (
        2,
        "pitboss: mine: no program is here — a submission has files such as play.c\n",
    )
    result = pitboss("hunt", "play", "--assignment", "blackjack")
    assert (result.code, result.err) == (2, "pitboss: .: no program is here — a submission has files such as play.c\n")


def test_hunt_needs_one_stage(pitboss):
    for stages in ((), ("deal", "play", "betting")):
        result = pitboss("hunt", *stages)
        assert (result.code, result.out, result.err) == (
            2,
            "",
            "pitboss: hunt needs one stage: name it, as in pitboss hunt play\n",
        )
