import json
import subprocess

import pytest

from tests.conftest import ROOT

TOY = ROOT / "tests" / "toy" / "hello"
#: By language: the file name, the source, and what replaces {bye} in the stage "goodbye": statements that wait two
#: seconds and print "Bye.".
PROGRAMS = {
    "c": (
        "{stage}.c",
        '#include <stdio.h>\n#include <unistd.h>\nint main(void)\n{{\n    int n;\n    printf("Number? ");\n'
        '    if (scanf("%d", &n) != 1) return 1;\n    printf("Hello, world %d!\\n", n);\n{bye}    return 0;\n}}\n',
        '    fflush(stdout);\n    sleep(2);\n    puts("Bye.");\n',
    ),
    "cpp": (
        "{stage}.cpp",
        "#include <chrono>\n#include <iostream>\n#include <thread>\nint main()\n{{\n    int n;\n"
        '    std::cout << "Number? ";\n    if (!(std::cin >> n)) return 1;\n'
        '    std::cout << "Hello, world " << n << "!" << std::endl;\n{bye}}}\n',
        '    std::this_thread::sleep_for(std::chrono::seconds(2));\n    std::cout << "Bye." << std::endl;\n',
    ),
    "java": (
        "{Stage}.java",
        "import java.util.Scanner;\n\npublic class {Stage} {{\n"
        "    public static void main(String[] args) throws InterruptedException {{\n"
        '        System.out.print("Number? ");\n        int n = new Scanner(System.in).nextInt();\n'
        '        System.out.println("Hello, world " + n + "!");\n{bye}    }}\n}}\n',
        '        Thread.sleep(2000);\n        System.out.println("Bye.");\n',
    ),
    "csharp": (
        "{Stage}.cs",
        "using System;\nusing System.Threading;\n\nclass {Stage}\n{{\n    static void Main()\n    {{\n"
        '        Console.Write("Number? ");\n        int n = int.Parse(Console.ReadLine());\n'
        '        Console.WriteLine("Hello, world " + n + "!");\n{bye}    }}\n}}\n',
        '        Thread.Sleep(2000);\n        Console.WriteLine("Bye.");\n',
    ),
    "python": (
        "{stage}.py",
        'import time\n\nn = int(input("Number? "))\nprint(f"Hello, world {{n}}!", flush=True)\n{bye}',
        'time.sleep(2)\nprint("Bye.")\n',
    ),
    "shell": ("{stage}.sh", 'printf "Number? "\nread n\necho "Hello, world $n!"\n{bye}', "sleep 2\necho Bye.\n"),
}
#: Drivers, each with a sandbox.
CONDITIONS = [
    ("watched", "none"),
    ("watched", "landlock"),
    ("watched", "bubblewrap"),
    ("expecting", "landlock"),
    ("expecting", "bubblewrap"),
]


def write_program(folder, language, stage):
    file_name, source, bye = PROGRAMS[language]
    fields = {"stage": stage, "Stage": stage.capitalize(), "bye": bye if stage == "goodbye" else ""}
    (folder / file_name.format(**fields)).write_text(source.format(**fields))
    return folder


def check_program(command, folder, stage, driver, sandbox):
    """Run `pitboss check`; return the verdict, the numbers of passed and of all sessions, and the summary."""
    # The expecting driver does not skip the pause of two seconds, so that a hundred sessions would take too long.
    case_option = ["--case", "once"] if driver == "expecting" and stage == "goodbye" else []
    arguments = [
        "check",
        str(folder),
        stage,
        "-a",
        str(TOY),
        "--driver",
        driver,
        "--sandbox",
        sandbox,
        "--json",
        "-",
        *case_option,
    ]
    process = subprocess.run(
        [*command.argv, *arguments], env=command.environment, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert process.returncode in (0, 1), (process.returncode, process.stderr, process.stdout[-2000:])
    (stage_report,) = json.loads(process.stdout)["stages"]
    return stage_report["verdict"], stage_report["passed"], stage_report["total"], stage_report["summary"]


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["hello", "goodbye"])
@pytest.mark.parametrize(("driver", "sandbox"), CONDITIONS)
@pytest.mark.parametrize("user", ["root", "ordinary user"])
@pytest.mark.parametrize("language", PROGRAMS)
def test_hello_world_is_accepted_a_hundred_times(command_as, reachable, language, user, driver, sandbox, stage):
    command = command_as(user)
    verdict, passed, total, summary = check_program(
        command, write_program(reachable, language, stage), stage, driver, sandbox
    )
    assert (verdict, summary) == ("ACCEPTED", "")
    assert passed == total == (1 if (driver, stage) == ("expecting", "goodbye") else 100)
