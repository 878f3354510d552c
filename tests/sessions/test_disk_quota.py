"""All files of a session together have a limit on their size, so that many small files cannot fill the disk either."""

import pytest

from pitboss.model.scripts import Script, script_of_lines
from pitboss.model.transcript import EndingKind
from pitboss.sandbox import scratch
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions import disk_quota
from pitboss.sessions.disk_quota import FolderQuota
from pitboss.sessions.expecting import ExpectingDriver
from pitboss.sessions.programs import Program
from pitboss.sessions.tracing.driver import TracingDriver

#: Writes MOST files of a megabyte each, slowly enough for the size of the folder to be measured meanwhile.
WRITER_SOURCE = r"""
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
@pytest.mark.parametrize(("file_count", "kind"), [(5, EndingKind.EXITED), (100_000, EndingKind.OVER_FOLDER)])
def test_many_files_together_exceed_the_folder_limit(compiled, driver, level, file_count, kind):
    path = compiled(WRITER_SOURCE.replace("MOST", str(file_count)), "-w")
    with DRIVERS[driver](Program((str(path),), path.parent), level) as opened_driver:
        ((_, transcript),) = opened_driver.sessions([Script(script_of_lines(()))])
    assert transcript.ending.kind is kind


def test_a_folder_is_measured_only_at_intervals(tmp_path, monkeypatch):
    """Between two measurements, a folder is never reported as over its limit."""
    times, measured_folders = iter([0.0, 0.01, 0.03, 0.04, 0.06]), []
    monkeypatch.setattr(disk_quota.time, "monotonic", lambda: next(times))
    monkeypatch.setattr(scratch, "used_bytes", lambda folder: measured_folders.append(folder) or (9 << 20))
    quota = FolderQuota(LIMITS)
    assert [quota.is_over(str(tmp_path)) for _ in range(4)] == [False, True, False, True]
    assert measured_folders == [str(tmp_path)] * 2
