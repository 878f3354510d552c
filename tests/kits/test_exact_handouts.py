import html
import re
import subprocess

import pytest

from pitboss.assignments.specfile import assignments_in, load_assignment
from pitboss.kits.handouts import as_html, code_span, fenced
from pitboss.kits.starters import kit_of
from reference.generators import Glibc
from tests.conftest import ROOT

TEMPLATES = ROOT / "student_templates"
SHIPPED_SPECS = assignments_in((ROOT / "specs",))

#: The files of an assignment with a rule that has a text and a rule without one.
METER = {
    "assignment.yaml": (
        "title: A parking meter\nseeded: no\nstages:\n  - name: meter\n    reference: parking:main\n    rules:\n"
        "      price:\n        pattern: '^\\d+ cents$'\n        says: A minute costs *two* cents.\n"
        "      nothing: '^nothing'\n"
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
def test_each_rule_is_described_once(name, handouts):
    assignment, text = handouts[name]
    rules = {rule for stage in assignment.stages for rule in stage.rules}
    assert len(rules) >= 14
    for rule in rules:
        paragraph = f"\n**{rule.name[0].upper()}{rule.name[1:]}.** {rule.says}\n"
        assert rule.says and text.count(paragraph) == 1, rule.name


def test_a_rule_is_described_in_the_words_of_its_author(meter):
    text = handout_of(meter)
    assert "### The rules of meter\n\n**Price.** A minute costs *two* cents.\n" in text
    assert "othing.**" not in text
    assert "<strong>Price.</strong> A minute costs <em>two</em> cents." in handout_of(meter, name="HANDOUT.html")


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


@pytest.mark.needs(".NET")
def test_rand_is_called_from_csharp_as_the_handout_says(dotnet, tmp_path):
    text = handout_of(SHIPPED_SPECS["bjm0"], "csharp")
    code = re.search(r"```csharp\n(.*?)```", text, re.DOTALL)[1]
    assert "Then `srand(unchecked((uint)seed))` and `rand()` are those of C." in text
    calls = "foreach (int seed in new[] {7, -7}) { srand(unchecked((uint)seed)); System.Console.WriteLine(rand()); }"
    (tmp_path / "a.cs").write_text(f"class A {{\n{code}\nstatic void Main() {{ {calls} }}\n}}\n")
    kit = kit_of(load_assignment(SHIPPED_SPECS["bjm0"]), "csharp", TEMPLATES)
    (tmp_path / "a.csproj").write_text(kit["Aces/Aces.csproj"])
    assert dotnet(tmp_path, "run").split() == [str(Glibc(7).rand()), str(Glibc(-7).rand())]


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
