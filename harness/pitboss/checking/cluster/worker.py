"""The code that runs on a worker: Dask calls `answered`, which starts a process that runs `answer`.

A thread of Dask cannot check anything: sessions need signals, children and a main thread of their own. The process
unpacks what it receives below a folder that programs cannot enter, with the paths of the requesting machine. So where a
report names a file, only the front part of the path has to be removed:

    /tmp/pitboss-run-000/cluster-SECRET-000/home/ada/specs/dice/ …
"""

from __future__ import annotations

import contextlib
import os
import platform
import secrets
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec

from pitboss.assignments.functions import path_from
from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check_here
from pitboss.checking.cluster.cluster_packing import WorkOrder, unpack
from pitboss.checking.reported import report_of
from pitboss.compare.results import Report
from pitboss.errors import as_found
from pitboss.model.languages import TOOLS
from pitboss.sandbox import scratch, signals
from pitboss.sandbox.fingerprint import digest_of_pitboss
from pitboss.sandbox.pool import Pool
from pitboss.sandbox.worker_loop import on_core
from pitboss.sessions.drivers import Conditions, find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.programs import ENVIRONMENT
from pitboss.submissions.course_folder import with_given

#: The tools that build programs, run them and confine them.
_TOOLS = (*TOOLS, "bash", "make", "ld", "dotnet", "bwrap", "valgrind")
_VERSION_S = 30
_running: set[subprocess.Popen[bytes]] = set()


def answered(client: str, core: int, order: bytes, name: str = "", path: bytes = b"", content: bytes = b"") -> bytes:
    """The answer of a process on this core to a client: a report or, without a submission, facts about the machine.

    Empty if the process has ended before it answered.
    """
    words = [sys.executable, "-P", "-m", __name__, str(core), client]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        _running.add(process)
        answer, _ = process.communicate(msgspec.msgpack.encode((order, name, path, content)))
        _running.remove(process)
    return answer


def stop(client: str) -> None:
    """End the processes that this client waits for; they leave nothing behind."""
    for process in list(_running):
        if process.args[-1] == client:  # type: ignore[index]
            process.terminate()


def answer() -> None:
    """Answer the request on the standard input, in JSON on an output that programs do not inherit."""
    answers = os.dup(1)
    os.dup2(2, 1)  # what is printed by mistake is in the worker's log
    with contextlib.suppress(KeyboardInterrupt), signals.in_order():
        signals.end_with_parent()
        request = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=tuple[bytes, str, bytes, bytes])
        with on_core(int(sys.argv[1])), scratch.folder(f"cluster-{secrets.token_hex(8)}", mode=0o700) as root:
            found = _found(root, *request)
        with open(answers, "wb") as pipe:
            pipe.write(found)


def _found(root: str, order_data: bytes, name: str, path: bytes, content: bytes) -> bytes:
    """A report, or null if the requesting machine has to check it; without a submission, facts or a reason."""
    try:
        order = msgspec.msgpack.decode(order_data, type=WorkOrder)
        job = _job(order, root)
        if not path:
            return msgspec.json.encode(facts_here(job.conditions, order.installed))
        unpack(content, root)
        report = report_of(Pool().submit(check_here, job, _placed(os.fsdecode(path), root), name), job, name)
        written = msgspec.json.encode(report)
        is_complete = msgspec.json.decode(written, type=Report) == report
        return written.replace(msgspec.json.encode(root)[1:-1], b"") if is_complete else b"null"
    except Exception as error:  # the requesting machine need not have the same problem
        return b"null" if path else msgspec.json.encode(str(error))


def _job(order: WorkOrder, root: str) -> Job:
    """The job, whose files are unpacked; from now on this process works where the command was given."""
    unpack(order.content, root)
    os.makedirs(f"{root}{order.here}", exist_ok=True)
    os.chdir(f"{root}{order.here}")
    folder = _placed(order.folder, root)
    # Modules from the assignment's import path come before the worker's own of the same name.
    path_from(str(folder.resolve())).look_first_in([f"{root}{one}" for one in order.modules])
    given = [f"{stage}={_placed(one, root)}" for stage, one in order.given]
    assignment = with_given(load_assignment(folder), given)
    stages = tuple(stage for stage in assignment.stages if stage.name in order.stages)
    return Job(assignment, stages, *order.options)


def _placed(path: str, root: str) -> Path:
    """The path here of something that has this path on the requesting machine."""
    return Path(f"{root}{path}" if os.path.isabs(path) else path)


def facts_here(conditions: Conditions, installed: tuple[str, ...]) -> dict[str, str]:
    """The facts that machines must have in common, by name; HarnessError if this one cannot run such sessions.

    They include the versions of the packages `installed`.
    """
    found = find_conditions(conditions.driver, conditions.sandbox.level.value, is_real_time=conditions.is_real_time)
    versions = {tool: _version_of(tool) for tool in _TOOLS}
    versions |= {f"package {name}": _version_of_package(name) for name in installed}
    return {
        "pitboss": digest_of_pitboss()[:10],
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "msgspec": msgspec.__version__,
        "system": " ".join((platform.system(), platform.machine(), *platform.libc_ver())).strip(),
        **{name: version for name, version in versions.items() if version},
        "driver": found.driver,
        "sandbox": "; ".join((found.sandbox.level.value, *found.sandbox.weaknesses)),
    }


def _version_of(tool: str) -> str:
    """The line in which a tool prints its version; empty if it is missing."""
    # Interpreters that scripts name are found on the PATH of programs.
    path = shutil.which(tool, path=dict(ENVIRONMENT)["PATH"] if tool in ("python3", "bash") else None)
    if path is None:
        return ""
    try:
        done = subprocess.run([path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=_VERSION_S)
        lines = (done.stdout or done.stderr).decode("utf-8", "replace").strip().splitlines()
    except (OSError, subprocess.SubprocessError):
        lines = []
    return lines[0] if lines else "there, of an unknown version"


def _version_of_package(module: str) -> str:
    import importlib.metadata  # a check needs none of it, and begins a tenth sooner

    packages = importlib.metadata.packages_distributions().get(module, [])
    return ", ".join(sorted(f"{one} {importlib.metadata.version(one)}" for one in set(packages)))


def differences(there: Mapping[str, str], here: Mapping[str, str]) -> str:
    """The differences between a worker and this machine, as a part of a sentence; empty if there are none.

    >>> differences({"cc": "gcc 13"}, {"cc": "gcc 12", "ld": "ld 2"})
    "cc is 'gcc 13' there and 'gcc 12' here, ld is missing there and 'ld 2' here"
    """
    names = [name for name in {**here, **there} if there.get(name) != here.get(name)]
    return ", ".join(f"{name} is {_quoted(there, name)} there and {_quoted(here, name)} here" for name in names)


def _quoted(facts: Mapping[str, str], name: str) -> str:
    return as_found(facts[name]) if name in facts else "missing"


if __name__ == "__main__":
    answer()
