"""A handout is enough to write the program: it has each rule, each fixed text and the random numbers."""

import html
import re
import subprocess

import pytest

from pitboss.assignments.specfile import assignments_in, load_assignment
from pitboss.experiments.hunting.examples import examples_of
from pitboss.kits.excerpts import _excerpt, sessions_for, unshown_rules
from pitboss.kits.fixed_texts import FixedText, fixed_texts_of
from pitboss.kits.markup import code_span, fenced
from pitboss.kits.starters import kit_of
from pitboss.model.transcript import Shown, Transcript, Typed
from pitboss.reports.markdown import as_html
from reference.generators import Glibc
from tests.conftest import ROOT

TEMPLATES = ROOT / "student_templates"
SHIPPED_SPECS = assignments_in((ROOT / "specs",))
#: What a handout adds to a session to mark typed text, pauses and the end of the input.
MARKS = re.compile(r"[«»]|\(pause [^)]*\)|\(end of input\)")
BLOCK = re.compile(r"```text\n(.*?)\n```", re.DOTALL)

#: The files of an assignment with a rule that has a sample, one without a text, and one that no session shows.
METER = {
    "assignment.yaml": (
        "title: A parking meter\nseeded: no\nstages:\n  - name: meter\n    reference: parking:main\n    rules:\n"
        "      price:\n        pattern: '^\\d+ cents$'\n        says: A minute costs *two* cents.\n"
        "      nothing: '^nothing'\n"
        "      night: {pattern: '^At night', says: The night is free.}\n"
    ),
    "parking.py": (
        "def main(console):\n    console.write('Minutes: ')\n    minutes = int(console.read_line())\n"
        "    console.write(f'{minutes * 2} cents\\nThank you `very` much\\n')\n    return 0\n"
    ),
    "meter.yaml": 'program: meter\ncases: [{name: an hour, answers: ["60"]}, {name: a day, answers: ["1440"]}]\n',
}


@pytest.fixture(scope="module")
def handouts():
    """By name, each shipped assignment and its handout in the language of the course."""
    languages = {"C++": "cpp", "C#": "csharp", "C": "c"}
    loaded = {name: load_assignment(folder) for name, folder in SHIPPED_SPECS.items()}
    return {
        name: (assignment, kit_of(assignment, languages[assignment.language], TEMPLATES)["HANDOUT.md"])
        for name, assignment in loaded.items()
    }


@pytest.fixture
def meter(tmp_path):
    """The folder of the assignment METER."""
    folder = tmp_path / "meter"
    folder.mkdir()
    for name, text in METER.items():
        (folder / name).write_text(text)
    return folder


def handout_of(folder, language="c", name="HANDOUT.md"):
    return kit_of(load_assignment(folder), language, TEMPLATES)[name]


@pytest.mark.parametrize("name", SHIPPED_SPECS)
def test_each_rule_is_described_with_an_excerpt_that_shows_it(name, handouts):
    assignment, text = handouts[name]
    rules = {rule for stage in assignment.stages for rule in stage.rules}
    assert len(rules) >= 14
    for rule in rules:
        heading = f"**{rule.name[0].upper()}{rule.name[1:]}.** {rule.says}\n\n"
        assert rule.says and text.count(heading) == 1, rule.name
        excerpt = MARKS.sub("", BLOCK.match(text, text.index(heading) + len(heading))[1])
        assert re.search(rule.pattern, f"{excerpt}\n", re.MULTILINE), (rule.name, excerpt)


def fixed_pieces(line, draws):
    """The pieces of a line that contain words, split at numbers, cards, draws and typed text, all of which vary."""
    cards = r"[^\s|]*[♣♦♥♠]"
    varying = [rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(draws, key=len, reverse=True)))})(?!\w)"] if draws else []
    pieces = re.split("|".join([*varying, cards, r"[+-]?\d+(?:[.,]\d+)*", r"(?<=Command ')[^']*"]), line)
    return [piece for piece in pieces if re.search(r"[A-Za-z]{2}", piece)]


@pytest.mark.parametrize("name", SHIPPED_SPECS)
def test_the_handout_lists_the_fixed_texts_of_all_sessions(name, handouts):
    assignment, text = handouts[name]
    for stage in (stage for stage in assignment.stages if not stage.is_manual):
        section = re.search(rf"^### The texts of {stage.name}\n(.*?)^##", text, re.MULTILINE | re.DOTALL)
        listed_texts, session_texts = section[1].replace("␣", " "), set()
        for _, transcript in examples_of(stage, 20, 150):
            screen = "".join(
                event.text.decode() if isinstance(event, Shown) else "\n"
                for event in transcript.events
                if isinstance(event, Shown | Typed)
            )
            session_texts |= {piece for line in screen.split("\n") for piece in fixed_pieces(line, stage.draws.values)}
        assert session_texts
        assert {piece for piece in session_texts if piece not in listed_texts} == set(), stage.name


def test_a_changed_rule_is_changed_in_the_handout(meter):
    assert "**Price.** A minute costs *two* cents.\n\n```text\nMinutes: «60»\n120 cents\n" in handout_of(meter)
    assert "<strong>Price.</strong> A minute costs <em>two</em> cents." in handout_of(meter, name="HANDOUT.html")
    changed_assignment = (
        METER["assignment.yaml"].replace("*two* cents", "2 cents").replace("\\d+ cents", "\\d{4} cents")
    )
    (meter / "assignment.yaml").write_text(changed_assignment)
    assert "**Price.** A minute costs 2 cents.\n\n```text\nMinutes: «1440»\n2880 cents\n" in handout_of(meter)


def test_rules_without_text_are_omitted_and_unshown_rules_lack_samples(meter):
    text = handout_of(meter)
    assert "othing.**" not in text
    assert "**Night.** The night is free.\n\n### The texts of meter\n" in re.sub(r"\n{3,}", "\n\n", text)


def test_verify_reports_a_rule_that_no_session_shows(meter):
    assert unshown_rules(load_assignment(meter).stages) == [
        f"{meter}/assignment.yaml: stage 'meter': the rule 'night' has a text for the handout, but no session of the public "
        "cases shows it"
    ]


def test_texts_with_varying_numbers_are_listed_once(meter):
    text = re.sub(r"\n{3,}", "\n\n", handout_of(meter))
    assert "- `Minutes:␣`\n" in text
    assert "- for example `120 cents`\n- `` Thank you `very` much ``\n" in text


def test_draws_numbers_and_typed_words_may_vary_in_a_fixed_text():
    first_screen = "You keep Ace, King.\nIt's 'x', over 3,000.\n|  8♣  |\nBye\nName? "
    second_screen = "You keep King.\nIt's 'yy', over 4.\n|  9♣  |\nBye\nName? "
    sessions = [
        Transcript((Typed(b"x"), Shown(first_screen.encode()), Typed(b"x"))),
        Transcript((Typed(b"yy"), Shown(second_screen.encode()), Typed(b""))),
    ]
    assert fixed_texts_of(sessions, ("Ace", "King")) == (
        FixedText("You keep Ace, King.", varies=True, is_question=False),
        FixedText("It's 'x', over 3,000.", varies=True, is_question=False),
        FixedText("Bye", varies=False, is_question=False),
        FixedText("Name? ", varies=False, is_question=True),
    )


def test_enough_sessions_are_run_to_show_rare_output():
    blackjack = load_assignment(SHIPPED_SPECS["ece2036"]).stage("blackjack")
    assert len(sessions_for(blackjack)) > 60  # where each rule shows soon, 60 sessions are enough


def test_markup_characters_in_code_stay_as_they_are():
    for text in ("a", "`", "``", " a", "a `b` c", "***", "<b>", "&amp;"):
        rendered = html.unescape(re.search("<code>(.*)</code>", as_html(code_span(text)).body)[1])
        assert rendered.strip() == text.strip()
    text = "x\n```\n# no heading\n~~~~\n"
    assert html.unescape(as_html(fenced(text)).body) == f'<pre tabindex="0">{text.rstrip()}</pre>\n'


def test_the_handout_shows_the_first_numbers_of_rand(handouts):
    for name in ("blackjack", "bjm0"):
        _, text = handouts[name]
        assert "declared in `<stdlib.h>`" in text
        unwrapped_text = re.sub(r"\s+", " ", text)
        for seed in (1, 42):
            rand = Glibc(seed).rand
            *first_numbers, last_number = (str(rand()) for _ in range(5))
            assert f"{', '.join(first_numbers)} and {last_number}" in unwrapped_text
    assert not any("glibc" in text for name, (_, text) in handouts.items() if name not in ("blackjack", "bjm0"))


def test_rand_is_called_from_python_as_the_handout_says():
    code = re.search(r"```python\n(.*?)```", handout_of(SHIPPED_SPECS["bjm0"], "python"), re.DOTALL)[1]
    for seed in (7, -7, 2147483647):
        values = {"seed": seed}
        exec(code, values)
        rand = Glibc(seed).rand
        assert [values["number"], values["libc"].rand()] == [rand(), rand()]


@pytest.mark.needs("Mono")
def test_rand_is_called_from_csharp_as_the_handout_says(tmp_path):
    text = handout_of(SHIPPED_SPECS["bjm0"], "csharp")
    code = re.search(r"```csharp\n(.*?)```", text, re.DOTALL)[1]
    assert "Then `srand(unchecked((uint)seed))` and `rand()` are those of C." in text
    calls = "foreach (int seed in new[] {7, -7}) { srand(unchecked((uint)seed)); System.Console.WriteLine(rand()); }"
    (tmp_path / "a.cs").write_text(f"class A {{\n{code}\nstatic void Main() {{ {calls} }}\n}}\n")
    subprocess.run(["mcs", "a.cs"], cwd=tmp_path, check=True)
    completed = subprocess.run(["mono", "a.exe"], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert completed.stdout.split() == [str(Glibc(7).rand()), str(Glibc(-7).rand())]


@pytest.mark.needs("Java")
def test_rand_is_called_from_java_as_the_handout_says(tmp_path):
    text = handout_of(SHIPPED_SPECS["bjm0"], "java")
    code = re.search(r"```java\n(.*?)```", text, re.DOTALL)[1]
    assert "have them in one more file, as `class Rand` in `Rand.java`,\nand call `Rand.srand(seed)` and" in text
    seeds = (7, -7, 0, 2147483647, -2147483648)
    calls = f"for (int seed : new int[] {{{', '.join(map(str, seeds))}}}) {{ srand(seed); " + (
        "for (int i = 0; i < 100; i++) System.out.println(rand()); }"
    )
    (tmp_path / "A.java").write_text(f"class A {{\n{code}\npublic static void main(String[] a) {{ {calls} }}\n}}\n")
    completed = subprocess.run(["java", "A.java"], cwd=tmp_path, check=True, capture_output=True, text=True)
    generators = [Glibc(seed) for seed in seeds]
    assert completed.stdout.split() == [str(generator.rand()) for generator in generators for _ in range(100)]


def test_a_question_that_quotes_a_typed_letter_is_listed_once():
    question = "Type 'q' to quit: "
    session = Transcript((Shown(question.encode()), Typed(b"q"), Shown(question.encode()), Typed(b"h")))
    assert fixed_texts_of([session]) == (FixedText(question, varies=False, is_question=True),)


def test_an_excerpt_may_begin_in_the_empty_lines_at_the_end_of_a_session():
    """These lines are left out of every excerpt."""
    assert _excerpt((Shown(b"a" + b"\n" * 40),), 39, 1) == "a"
