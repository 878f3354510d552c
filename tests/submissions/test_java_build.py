import subprocess

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.drivers import Conditions
from pitboss.submissions.build import build
from pitboss.submissions.explanations import explanation_of
from pitboss.submissions.sources import Source
from pitboss.submissions.submission import open_submission
from tests.conftest import ROOT
from tests.handed_in import write_files

MAIN = 'public static void main(String[] words) { System.out.println("Hello, " + new %s().toString()); }'
#: Names of files and their texts, as an IDE lays them out and as students submit single files.
LAYOUTS = {
    "in folders, with a module": {
        "src/module-info.java": "module hello { requires java.desktop; exports bank; }",
        "src/bank/Hello.java": f"package bank;\npublic class Hello {{ {MAIN % 'bank.model.Name'} }}",
        "src/bank/model/Name.java": 'package bank.model;\npublic class Name { public String toString() { return "a"; } }',
    },
    "side by side, the file named otherwise": {
        "Hello.java": f"/* mine */ package bank;\nclass Card {{ }}\npublic class Bank {{ {MAIN % 'Name'} }}",
        "Name.java": 'package bank;\nclass Name { public String toString() { return "a"; } }',
        "Card.java": "class Card { this is another program",
    },
    "in no package, a class in a file of any name": {
        "Hello.java": f"class Card {{ }}\nclass Game {{ {MAIN % 'Name'} }}",
        "Names.java": 'class Name { public String toString() { return "a"; } }',
        "Name.class": "of another machine",
    },
}


@pytest.mark.needs("Java")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_main_class_is_started_in_any_layout_of_packages_and_files(tmp_path, layout):
    for name, text in LAYOUTS[layout].items():
        write_files(tmp_path / "sub", name, text=text)
    stage = load_assignment(ROOT / "tests" / "toy" / "hello").stages[0]
    with open_submission(tmp_path / "sub") as submission:
        source = submission.sources([stage])["hello"]
    result = build(source, tmp_path / "into", Conditions("watched", Sandbox(Level.NONE)))
    assert result.program is not None, result.messages
    done = subprocess.run(result.program.argv, capture_output=True, text=True, check=False)
    assert done.stdout == "Hello, a\n", done.stderr
    note = "Hello.java was built as Bank.java, after its public class."
    assert result.made_with == (note if "otherwise" in layout else "")


@pytest.mark.needs("Java")
def test_the_error_for_a_library_outside_java_is_explained(tmp_path):
    write_files(
        tmp_path / "sub",
        "FX.java",
        text="import javafx.application.Application;\npublic class FX extends Application {}",
    )
    result = build(
        Source(tmp_path / "sub", "java", "FX.java", "fx"), tmp_path / "into", Conditions("watched", Sandbox(Level.NONE))
    )
    assert result.reason == "javac could not build fx: FX.java:1: error: package javafx.application does not exist"
    assert explanation_of(result.messages) == (
        "This needs a library, such as JavaFX, that is not installed: use only the libraries that come with Java."
    )
    assert explanation_of("A.java:1: error: package bank.model does not exist") == (
        "The source of this package was not handed in, or its name is misspelt."
    )


#: An annotation processor, which javac runs while it compiles a program beside it; it only fails.
PROCESSOR = """
import java.util.Set;
import javax.annotation.processing.*;
import javax.lang.model.element.TypeElement;

@SupportedAnnotationTypes("*")
public class Meddles extends AbstractProcessor {
    @Override public boolean process(Set<? extends TypeElement> found, RoundEnvironment round) {
        throw new IllegalStateException("it was run");
    }
}
"""


@pytest.mark.needs("Java")
def test_an_annotation_processor_in_a_submission_is_not_run(tmp_path):
    write_files(tmp_path / "sub", "Meddles.java", text=PROCESSOR)
    subprocess.run(["javac", "-proc:none", "Meddles.java"], cwd=tmp_path / "sub", check=True)
    (tmp_path / "sub" / "Meddles.java").unlink()
    write_files(tmp_path / "sub", "META-INF/services/javax.annotation.processing.Processor", text="Meddles\n")
    write_files(
        tmp_path / "sub",
        "Hello.java",
        text='class Hello { public static void main(String[] w) { System.out.print("a"); } }',
    )
    without_our_options = subprocess.run(
        ["javac", "-d", str(tmp_path), "Hello.java"], cwd=tmp_path / "sub", capture_output=True, check=False
    )
    assert b"it was run" in without_our_options.stderr
    result = build(
        Source(tmp_path / "sub", "java", "Hello.java", "hello"),
        tmp_path / "into",
        Conditions("watched", Sandbox(Level.NONE)),
    )
    assert (result.program is not None, result.messages) == (True, "")
