import json
import os
import shutil
import subprocess
from itertools import cycle, islice

import pytest

from tests.conftest import ROOT

EXAMPLES = ROOT / "examples" / "blackjack"
STAGES = ("shuffle", "deal")
INCLUDES = (
    "#include <fcntl.h>\n#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "#include <sys/mman.h>\n#include <sys/stat.h>\n#include <unistd.h>\n"
)
#: Hostile programs submitted as shuffle.c: the code that follows the prompt "Seed: ".
PROGRAMS = {
    "floods": 'for (;;) puts("flood");',
    "floods after the answer": "char a[99]; fgets(a, 99, stdin); for (;;) fwrite(a, 1, 99, stdout);",
    "forks": "for (;;) fork();",
    "forks away": "for (;;) if (fork() == 0) { setsid(); if (fork()) _exit(0); }",
    "kills whom it can": "kill(getppid(), SIGKILL); kill(-1, SIGKILL); raise(SIGKILL);",
    "vanishes": "close(0); close(1); close(2); if (fork()) _exit(0); for (;;) pause();",
    "digs": 'for (int i = 0; i < 100; i++) { mkdir("d", 0700); if (chdir("d")) break; } chmod(".", 0); return 3;',
    "fills": 'for (int i = 0;; i++) { char n[9]; sprintf(n, "%d", i); int f = open(n, O_CREAT | O_WRONLY, 0600);'
    " static char t[1 << 20]; for (int k = 0; k < 99; k++) if (write(f, t, sizeof t) < 0) break; close(f); if (i > 40) return 1; }",
    "babbles": 'for (int i = 0; i < 300; i++) putchar(i); putchar(0); puts("\\xff\\xfe<script>\\x1b[2J"); return 0;',
    "stops itself": "raise(SIGSTOP);",
}
#: Hostile makefiles, each of which is all that is submitted.
MAKEFILES = {
    "forks while it is built": "shuffle:\n\t@bomb() { bomb | bomb & }; bomb; bomb; bomb\n",
    "makes itself for ever": "shuffle:\n\t@$(MAKE) -f $(firstword $(MAKEFILE_LIST)) shuffle & $(MAKE) -f $(firstword $(MAKEFILE_LIST)) shuffle\n",
}


def add_fifty_examples(folder):
    """Copy the example submissions, in turn, until there are fifty."""
    students = sorted(path.name for path in EXAMPLES.iterdir())
    for number, student in enumerate(islice(cycle(students), 50)):
        shutil.copytree(EXAMPLES / student, folder / f"{number:02} {student}")


def add_hostile_submissions(folder):
    """Add hostile submissions whose names sort between the fifty, so that they are checked at the same time."""
    for number, (name, body) in enumerate(PROGRAMS.items()):
        (folder / f"{4 * number:02} {name}").mkdir()
        text = f'{INCLUDES}int main(void) {{ printf("Seed: "); fflush(stdout); {body} }}\n'
        (folder / f"{4 * number:02} {name}" / "shuffle.c").write_text(text)
    for name, text in MAKEFILES.items():
        (folder / f"20 {name}").mkdir()
        (folder / f"20 {name}" / "Makefile").write_text(text)
    (folder / "30 a link to nowhere").symlink_to(folder / "nowhere")
    (folder / "31 a pipe").mkdir()
    os.mkfifo(folder / "31 a pipe" / "shuffle.c")


def grade_class(command, folder, report_path):
    """Grade all submissions in the folder, and return their entries in the JSON report by name."""
    argv = [*command.argv, "grade", str(folder), *STAGES, "-a", "blackjack", "--json", str(report_path)]
    completed = subprocess.run(
        argv, env=command.environment, cwd=ROOT, capture_output=True, text=True, timeout=900, check=False
    )
    assert "Traceback" not in completed.stderr, completed.stderr
    text = report_path.read_text().replace(str(folder), "CLASS")  # reports quote commands with this path
    return {entry["submission"]: entry for entry in json.loads(text)["submissions"]}


@pytest.mark.slow
@pytest.mark.parametrize("user", ["root", "ordinary user"])
def test_hostile_submissions_do_not_change_the_reports_of_fifty_others(command_as, reachable, left_running, user):
    command = command_as(user)
    results = reachable / "results"
    results.mkdir()
    results.chmod(0o777)
    alone, together = reachable / "alone", reachable / "together"
    add_fifty_examples(alone)
    shutil.copytree(alone, together)
    add_hostile_submissions(together)
    expected = grade_class(command, alone, results / "alone.json")
    reports_by_name = grade_class(command, together, results / "together.json")
    assert len(expected) == 50
    assert {name: reports_by_name[name] for name in expected} == expected
    hostile_verdicts = {name: entry["verdict"] for name, entry in reports_by_name.items() if name not in expected}
    assert len(hostile_verdicts) == len(PROGRAMS) + len(MAKEFILES) + 1  # and the pipe; the link is no submission
    assert not {"ACCEPTED", "JUDGE_ERROR"} & set(hostile_verdicts.values()), hostile_verdicts
    assert left_running("shuffle") == []
