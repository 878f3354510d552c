"""The code that runs on a worker: Dask calls `run_in_process`, whose new process runs `serve_one_request`.

A thread of Dask cannot check anything: sessions need signals, children and a main thread of their own. The process
unpacks the files that it receives into a folder that student programs cannot enter. Below this folder, files have the
same paths as on the requesting machine, as in

    /tmp/pitboss-run-000/cluster-SECRET-000/home/ada/specs/dice/ …

So a path in a report becomes a path of the requesting machine when the folder's path is removed from its beginning.
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

from pitboss.assignments.functions import import_path_from
from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check_in_this_process
from pitboss.checking.cluster.cluster_packing import WorkOrder, unpack
from pitboss.checking.partial import report_from_task
from pitboss.compare.results import Report
from pitboss.errors import as_found
from pitboss.machine import scratch, signals
from pitboss.machine.pool import Pool
from pitboss.machine.workers import on_core
from pitboss.model.languages import TOOLS
from pitboss.sandbox.digests import digest_of_pitboss
from pitboss.sandbox.tools import search_path
from pitboss.sessions.drivers import Conditions, find_conditions
from pitboss.sessions.job import Job
from pitboss.submissions.course_files import with_course_folders

#: The tools that build programs, run them and confine them.
_TOOLS = (*TOOLS, "bash", "make", "ld", "dotnet", "bwrap", "valgrind")
#: How long a tool may take to print its version, in seconds.
_VERSION_TIMEOUT_S = 30
#: The processes that this worker is waiting for.
_running_processes: set[subprocess.Popen[bytes]] = set()


def run_in_process(
    client: str, core: int, order: bytes, name: str = "", path: bytes = b"", content: bytes = b""
) -> bytes:
    """Run the request in a new process on this core and return its answer, as JSON.

    `client` is the id of the requesting Dask client, and `order` a packed WorkOrder. `name`, `path` and `content` (a
    tar file) describe the submission. The answer is a report, or facts about the machine if no submission is given. The
    answer is empty if the process has ended before it answered.
    """
    command = [sys.executable, "-P", "-m", __name__, str(core), client]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        _running_processes.add(process)
        answer, _ = process.communicate(msgspec.msgpack.encode((order, name, path, content)))
        _running_processes.remove(process)
    return answer


def stop(client: str) -> None:
    """Terminate the processes that this client is waiting for; they clean up their temporary files."""
    for process in list(_running_processes):
        if process.args[-1] == client:  # type: ignore[index]
            process.terminate()


def serve_one_request() -> None:
    """Read the request from the standard input, and answer it.

    The answer is written as JSON to a descriptor that child programs do not inherit.
    """
    answer_descriptor = os.dup(1)
    os.dup2(2, 1)  # anything printed by mistake is written to the worker's log
    with contextlib.suppress(KeyboardInterrupt), signals.clean_exit():
        signals.end_with_parent()
        request = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=tuple[bytes, str, bytes, bytes])
        with on_core(int(sys.argv[1])), scratch.folder(f"cluster-{secrets.token_hex(8)}", mode=0o700) as root:
            answer = _answer(root, *request)
        with open(answer_descriptor, "wb") as pipe:
            pipe.write(answer)


def _answer(root: str, order_data: bytes, name: str, path: bytes, content: bytes) -> bytes:
    """The answer to a request: a report, or null if the requesting machine has to check the submission.

    Without a submission, the answer is facts about this machine, or the reason why this machine cannot be used. Files
    are unpacked below the folder `root`.
    """
    try:
        order = msgspec.msgpack.decode(order_data, type=WorkOrder)
        job = _job(order, root)
        if not path:
            return msgspec.json.encode(facts_here(job.conditions, order.installed))
        unpack(content, root)
        report = report_from_task(
            Pool().submit(check_in_this_process, job, _local_path(os.fsdecode(path), root), name), job, name
        )
        report_json = msgspec.json.encode(report)
        is_readable = msgspec.json.decode(report_json, type=Report) == report
        root_in_json = msgspec.json.encode(root)[1:-1]  # without the quotes
        return report_json.replace(root_in_json, b"") if is_readable else b"null"
    except Exception as error:  # the requesting machine checks the submission: it need not have the same problem
        return b"null" if path else msgspec.json.encode(str(error))


def _job(order: WorkOrder, root: str) -> Job:
    """Unpack the job's files, change to the folder in which the command was run, and return the job."""
    unpack(order.content, root)
    os.makedirs(f"{root}{order.here}", exist_ok=True)
    os.chdir(f"{root}{order.here}")
    folder = _local_path(order.folder, root)
    # Modules from the assignment's import path come before the worker's modules of the same name.
    import_path_from(str(folder.resolve())).prepend_folders([f"{root}{module}" for module in order.modules])
    course_folders = [f"{stage}={_local_path(path, root)}" for stage, path in order.given]
    assignment = with_course_folders(load_assignment(folder), course_folders)
    stages = tuple(stage for stage in assignment.stages if stage.name in order.stages)
    return Job(assignment, stages, *order.options)


def _local_path(path: str, root: str) -> Path:
    """Translate a path of the requesting machine to the path below `root`."""
    return Path(f"{root}{path}" if os.path.isabs(path) else path)


def facts_here(conditions: Conditions, installed: tuple[str, ...]) -> dict[str, str]:
    """The facts about this machine that must be equal on all machines, by name.

    These facts include the versions of the packages `installed`. Raises HarnessError if this machine cannot run
    sessions under these conditions.
    """
    local_conditions = find_conditions(
        conditions.driver, conditions.sandbox.level.value, is_real_time=conditions.is_real_time
    )
    versions = {tool: _version_of(tool) for tool in _TOOLS}
    versions |= {f"package {name}": _version_of_package(name) for name in installed}
    return {
        "pitboss": digest_of_pitboss()[:10],
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "msgspec": msgspec.__version__,
        "system": " ".join((platform.system(), platform.machine(), *platform.libc_ver())).strip(),
        **{name: version for name, version in versions.items() if version},
        "driver": local_conditions.driver,
        "sandbox": "; ".join((local_conditions.sandbox.level.value, *local_conditions.sandbox.weaknesses)),
    }


def _version_of(tool: str) -> str:
    """The line in which a tool prints its version; empty if the tool is missing."""
    # Interpreters in a script's #! line are looked up on the PATH that programs get.
    path = shutil.which(tool, path=f"{search_path()}:{os.environ.get('PATH', '')}")
    if path is None:
        return ""
    try:
        completed_process = subprocess.run(
            [path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=_VERSION_TIMEOUT_S
        )
        lines = (completed_process.stdout or completed_process.stderr).decode("utf-8", "replace").strip().splitlines()
    except (OSError, subprocess.SubprocessError):
        lines = []
    return lines[0] if lines else "installed, version unknown"


def _version_of_package(module: str) -> str:
    """The names and versions of the installed packages that provide a module."""
    import importlib.metadata  # imported late: only facts about the machine need it, not checks

    packages = importlib.metadata.packages_distributions().get(module, [])
    return ", ".join(sorted(f"{package} {importlib.metadata.version(package)}" for package in set(packages)))


def differences(there: Mapping[str, str], here: Mapping[str, str]) -> str:
    """How a worker (`there`) and the requesting machine (`here`) differ, as part of a sentence; empty if they do not.

    >>> differences({"cc": "gcc 13"}, {"cc": "gcc 12", "ld": "ld 2"})
    "cc is 'gcc 13' there and 'gcc 12' here, ld is missing there and 'ld 2' here"
    """
    names = [name for name in {**here, **there} if there.get(name) != here.get(name)]
    return ", ".join(f"{name} is {_quoted(there, name)} there and {_quoted(here, name)} here" for name in names)


def _quoted(facts: Mapping[str, str], name: str) -> str:
    return as_found(facts[name]) if name in facts else "missing"


if __name__ == "__main__":
    serve_one_request()
