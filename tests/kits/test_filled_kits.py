"""Every starter kit, filled in with a correct program, is accepted: the reference, wrapped in the kit's language.

In Python the program is the reference's modules in one text. In the other languages the program only executes that
Python program, so these tests cover the kit: the names of its files, its makefile, and how its programs are built.
"""

import base64
import zlib

import msgspec
import pytest

from pitboss.assignments.assignment import Generated, Recorded
from pitboss.assignments.specfile import assignments_in, load_assignment
from pitboss.checking.check import check
from pitboss.compare.results import Verdict
from pitboss.kits.starters import KIT_LANGUAGES, kit_of, program_name_of
from pitboss.model import languages
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from tests.conftest import ROOT

ASSIGNMENTS = assignments_in((ROOT / "specs",))
TEMPLATES = ROOT / "student_templates"
KITS = [(name, language) for name in ASSIGNMENTS for language in KIT_LANGUAGES]
SUFFIXES = {language: languages.LANGUAGES[language].suffixes[0] for language in KIT_LANGUAGES}

PYTHON_PROGRAM = """import base64, importlib.abc, importlib.util, json, sys, zlib
SOURCES = json.loads(zlib.decompress(base64.b85decode({packed!r})))
class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        return importlib.util.spec_from_loader(name, self, is_package=SOURCES[name][0]) if name in SOURCES else None
    def exec_module(self, module):
        exec(SOURCES[module.__name__][1], module.__dict__)
sys.meta_path.insert(0, Finder())
from reference.__main__ import main
sys.exit(main({arguments!r}))
"""
#: By language, a program that executes the Python program `text`.
WRAPPERS = {
    "c": '#include <unistd.h>\nint main(void)\n{{\n    return execlp("python3", "python3", "-c", "{text}", (char *)0);\n}}\n',
    "csharp": (
        'using System.Runtime.InteropServices;\nclass Program\n{{\n    [DllImport("libc")] static extern int execvp(string file, string[] argv);\n'
        '    static int Main() {{ return execvp("python3", new[] {{"python3", "-c", "{text}", null}}); }}\n}}\n'
    ),
    # Java and Lua cannot replace their own process by Python: they start Python and wait for its end.
    "java": (
        "class Main {{\n    public static void main(String[] args) throws Exception {{\n"
        '        Process python = new ProcessBuilder("python3", "-c", "{text}").inheritIO().start();\n'
        "        System.exit(python.waitFor());\n    }}\n}}\n"
    ),
    "lua": (
        'local quoted = ("{text}"):gsub("\'", "\'\\\\\'\'")\n'
        'local _, _, code = os.execute("exec python3 -c \'" .. quoted .. "\'")\nos.exit(code)\n'
    ),
    "rust": (
        "use std::os::unix::process::CommandExt;\nfn main() {{\n"
        '    panic!("{{}}", std::process::Command::new("python3").args(["-c", "{text}"]).exec());\n}}\n'
    ),
}


def wrap_reference(assignment, stage, language):
    """The source of a program in a language that does what the reference of a stage does."""
    folder = ROOT / "reference"
    paths = [*folder.glob("*.py"), *(folder / assignment).rglob("*.py")]
    sources = {}
    for path in paths:
        if "mistakes" not in str(path):
            parts = path.relative_to(ROOT).with_suffix("").parts
            is_package = parts[-1] == "__init__"
            sources[".".join(parts[:-1] if is_package else parts)] = (is_package, path.read_text())
    packed = base64.b85encode(zlib.compress(msgspec.json.encode(sources), 9)).decode()
    text = PYTHON_PROGRAM.format(packed=packed, arguments=[assignment, stage])
    if language == "python":
        return text
    escaped = (
        text.replace("\\", "\\\\")
        .replace('"', '\\"')
        .replace("\n", "\\n")
        .replace("?", "\\?" if language in ("c", "cpp") else "?")
    )
    return WRAPPERS["c" if language == "cpp" else language].format(text=escaped)


def reduce_stage(stage):
    """The stage with only a few sessions, and without rules, required evidence and earlier stages."""
    cases = []
    for case in stage.spec.cases[:2]:
        session = case.session
        if isinstance(session, Generated):
            session = msgspec.structs.replace(session, seeds=session.seeds[:1])
        if stage.reader == "" or not isinstance(session, Recorded):
            cases.append(msgspec.structs.replace(case, session=session))
    spec = msgspec.structs.replace(stage.spec, cases=tuple(cases or stage.spec.cases[:4]))
    return msgspec.structs.replace(
        stage, spec=spec, needs=(), mistakes="", rules=(), required=(), given=None, sources=()
    )


@pytest.mark.slow
@pytest.mark.parametrize(("name", "language"), KITS, ids=[f"{name} in {language}" for name, language in KITS])
def test_a_kit_filled_in_with_the_reference_is_accepted(name, language, tmp_path):
    assignment = load_assignment(ASSIGNMENTS[name])
    required_stages = [stage for stage in assignment.stages if not stage.is_optional]
    # Where all stages are one program, it is built once.
    for stage in {
        program_name_of(stage, language): stage for stage in (required_stages[0], required_stages[-1])
    }.values():
        folder = tmp_path / stage.name
        for file, text in kit_of(assignment, language, TEMPLATES).items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(text)
        (folder / f"{program_name_of(stage, language)}{SUFFIXES[language]}").write_text(
            wrap_reference(name, stage.name, language)
        )
        stages = (reduce_stage(stage),)
        job = Job(msgspec.structs.replace(assignment, stages=stages), stages, find_conditions(), name)
        (report,) = check(job, folder).stages
        assert report.verdict is Verdict.ACCEPTED, (report.summary, report.build_messages, report.results[:1])
