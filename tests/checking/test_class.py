"""A class of sixty, ten of whom raise, flood, fork or vanish at some point: the other fifty are graded as if alone."""

import json
import os
import shutil
import subprocess
from itertools import cycle, islice

import pytest

from tests.conftest import ROOT

EXAMPLES = ROOT / "examples" / "blackjack"
STAGES = ("shuffle", "deal")
HEAD = (
    "#include <fcntl.h>\n#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "#include <sys/mman.h>\n#include <sys/stat.h>\n#include <unistd.h>\n"
)
#: What somebody hands in as shuffle.c, after the question that every program begins with.
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
MAKEFILES = {
    "forks while it is built": "shuffle:\n\t@bomb() { bomb | bomb & }; bomb; bomb; bomb\n",
    "makes itself for ever": "shuffle:\n\t@$(MAKE) -f $(firstword $(MAKEFILE_LIST)) shuffle & $(MAKE) -f $(firstword $(MAKEFILE_LIST)) shuffle\n",
}


def fifty(folder):
    """Fifty submissions, each one of the examples."""
    students = sorted(path.name for path in EXAMPLES.iterdir())
    for number, student in enumerate(islice(cycle(students), 50)):
        shutil.copytree(EXAMPLES / student, folder / f"{number:02} {student}")


def ten_others(folder):
    """As many more who stand between them, so that they are checked meanwhile."""
    for number, (name, body) in enumerate(PROGRAMS.items()):
        (folder / f"{4 * number:02} {name}").mkdir()
        text = f'{HEAD}int main(void) {{ printf("Seed: "); fflush(stdout); {body} }}\n'
        (folder / f"{4 * number:02} {name}" / "shuffle.c").write_text(text)
    for name, text in MAKEFILES.items():
        (folder / f"20 {name}").mkdir()
        (folder / f"20 {name}" / "Makefile").write_text(text)
    (folder / "30 a link to nowhere").symlink_to(folder / "nowhere")
    (folder / "31 a pipe").mkdir()
    os.mkfifo(folder / "31 a pipe" / "shuffle.c")


def graded(command, folder, report):
    argv = [*command.argv, "grade", str(folder), *STAGES, "-a", "blackjack", "--json", str(report)]
    done = subprocess.run(
        argv, env=command.environment, cwd=ROOT, capture_output=True, text=True, timeout=900, check=False
    )
    assert "Traceback" not in done.stderr, done.stderr
    text = report.read_text().replace(str(folder), "CLASS")  # the commands of reports name it
    return {output["submission"]: output for output in json.loads(text)["submissions"]}


@pytest.mark.slow
@pytest.mark.parametrize("user", ["root", "ordinary user"])
def test_fifty_are_graded_as_if_the_ten_were_not_there(command_as, reachable, left_running, user):
    command = command_as(user)
    results = reachable / "results"
    results.mkdir()
    results.chmod(0o777)
    alone, together = reachable / "alone", reachable / "together"
    fifty(alone)
    shutil.copytree(alone, together)
    ten_others(together)
    wanted = graded(command, alone, results / "alone.json")
    found = graded(command, together, results / "together.json")
    assert len(wanted) == 50
    assert {name: found[name] for name in wanted} == wanted
    others = {name: output["verdict"] for name, output in found.items() if name not in wanted}
    assert len(others) == len(PROGRAMS) + len(MAKEFILES) + 1
    assert not {"ACCEPTED", "JUDGE_ERROR"} & set(others.values()), others
    assert left_running("shuffle") == []
