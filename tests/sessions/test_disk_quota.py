"""What a session writes to files is limited together, and not each file alone: a full disk is everybody's."""

import pytest

from pitboss.model.scripts import Script, typing
from pitboss.model.transcript import EndingKind
from pitboss.sandbox import scratch
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions import disk_quota
from pitboss.sessions.disk_quota import FolderQuota
from pitboss.sessions.expecting import ExpectingDriver
from pitboss.sessions.programs import Program
from pitboss.sessions.tracing.driver import TracingDriver

#: Writes files of a megabyte each, without end or so many of them, and waits until it is looked at.
FILLS = r"""
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char megabyte[1 << 20];

int main(int count, char **words)
{
    const char *home = getenv("HOME");
    puts("Writing");
    fflush(stdout);
    for (int i = 0; i < MOST; i++) {
        char name[200];
        snprintf(name, sizeof name, "%s/%d", home, i);
        FILE *file = fopen(name, "w");
        if (!file || fwrite(megabyte, 1, sizeof megabyte, file) != sizeof megabyte)
            return 1;
        fclose(file);
        usleep(3000);
    }
    puts("done");
    return 0;
}
"""
LIMITS = Limits(file_mb=2, cpu_s=5)
DRIVERS = {
    "watched": lambda program, level: TracingDriver(program, LIMITS, Sandbox(level)),
    "expecting": lambda program, level: ExpectingDriver(program, LIMITS, Sandbox(level)),
}


@pytest.mark.parametrize("level", Level, ids=lambda level: level.value)
@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize(("most", "kind"), [(5, EndingKind.EXITED), (100_000, EndingKind.OVER_FOLDER)])
def test_many_files_are_too_much_together(compiled, driver, level, most, kind):
    path = compiled(FILLS.replace("MOST", str(most)), "-w")
    with DRIVERS[driver](Program((str(path),), path.parent), level) as running:
        ((_, transcript),) = running.sessions([Script(typing(()))])
    assert transcript.ending.kind is kind


def test_a_folder_is_looked_at_now_and_then(tmp_path, monkeypatch):
    times, looks = iter([0.0, 0.01, 0.03, 0.04, 0.06]), []
    monkeypatch.setattr(disk_quota.time, "monotonic", lambda: next(times))
    monkeypatch.setattr(scratch, "used_bytes", lambda folder: looks.append(folder) or (9 << 20))
    watched = FolderQuota(LIMITS)
    assert [watched.is_over(str(tmp_path)) for _ in range(4)] == [False, True, False, True]
    assert looks == [str(tmp_path)] * 2
