"""What tests of running share."""

import pytest

from pitboss.harness.running.watching.copied import Copied


@pytest.fixture
def copied(monkeypatch):
    """The processes that began as copies."""
    begun, begin = [], Copied.begin

    def noted(self):
        begun.append(self.pid)
        begin(self)

    monkeypatch.setattr(Copied, "begin", noted)
    return begun
