import subprocess
import sys

import pytest

from pitboss.checking.cluster.sharing import check_address, connect_client
from pitboss.errors import UsageError
from tests.checking.cluster.clusters import CLUSTER_ENVIRONMENT
from tests.conftest import ROOT

RULE = "it must be the address of a Dask scheduler: tcp://HOST:PORT, or tls://HOST:PORT"


@pytest.mark.parametrize(
    "address", ["local", "tcp://host", "http://host:1", "tcp://host:port", ":8786", "host:99999", "h:0"]
)
def test_a_malformed_address_is_reported(folder, pitboss, address):
    output = pitboss("grade", "class", "-a", "teller/", "--cluster", address)
    assert (output.code, output.out, output.err) == (2, "", f"pitboss: --cluster {address!r} — {RULE}\n")


def test_valid_addresses_are_accepted():
    for address in ("tcp://127.0.0.1:8786", "tls://[::1]:8786", "node-1:8786"):
        check_address(address)


def test_the_message_for_missing_dask_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(
        UsageError, match=r"^--cluster needs Dask, which is not installed here: pip install 'pitboss\[cluster\]'$"
    ):
        check_address("tcp://127.0.0.1:8786")


def test_a_tls_address_without_keys_is_reported():
    sentence = "--cluster tls://127.0.0.1:1: no keys for TLS are configured here — Dask looks for them under distributed.comm.tls"
    with pytest.raises(UsageError, match=f"^{sentence}$"):
        connect_client("tls://127.0.0.1:1")


def test_no_temporary_file_is_left_if_grading_cannot_start(folder, pitboss, reachable):
    output = pitboss("grade", "class", "-a", "teller/", "--cluster", "tls://127.0.0.1:1", TMPDIR=str(reachable))
    assert output.code == 2
    assert output.err.splitlines()[-1].startswith("pitboss: --cluster tls://127.0.0.1:1: no keys for TLS")
    assert list(reachable.iterdir()) == []


def test_jobs_and_cluster_exclude_each_other(folder, pitboss):
    output = pitboss("grade", "class", "-a", "teller/", "-g", "book", "--cluster", "tcp://127.0.0.1:1", "-j", "2")
    sentence = "--jobs and --cluster exclude each other: --jobs counts cores of this machine"
    assert (output.code, output.out, output.err) == (2, "", f"pitboss: {sentence}\n")
    assert not (folder / "book").exists()


def test_dask_is_not_imported_without_the_cluster_option(folder):
    code = "import sys; from pitboss.cli.main import exit_code_of as run; run(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    process = subprocess.run(
        [sys.executable, "-c", code, "grade", "class", "-a", "teller/"],
        cwd=folder, env={**CLUSTER_ENVIRONMENT, "PYTHONPATH": str(ROOT / "harness")}, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    loaded = {name for name in process.stderr.split() if name.split(".")[0] in ("dask", "distributed", "tornado")}
    assert loaded == set()
    assert not any(name.startswith("pitboss.checking.cluster") for name in process.stderr.split())
