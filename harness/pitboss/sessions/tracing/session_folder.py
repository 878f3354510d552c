"""The folder of a session, which replaces the folder of the last session.

So nothing is left of that, not even what a program changed of the folder itself: attributes, times, its size. It is
created and removed from outside the confinement, through an open descriptor, since the folder around it is closed to
programs:

    sessions-XXXXXXXX/0/session     (inside a bubblewrap: /tmp/0/session of its own)
"""

from __future__ import annotations

import os

from pitboss.sandbox import removal
from pitboss.sessions.tracing.launcher import PASSED_THROUGH, SESSION


class SessionFolder:
    """The folder of the session that runs on one launcher."""

    def __init__(self, above: int, user_id: int | None) -> None:
        """No folder yet; it will be in the open folder `above`, for programs of this user (None: ours)."""
        self._above, self._user_id = above, user_id

    def renew(self) -> None:
        """Replace the last session's folder, once its processes have ended; OSError if that is not possible."""
        os.fchmod(self._above, 0o700)
        try:
            removal.empty(".", self._above)
            os.mkdir(SESSION, 0o700, dir_fd=self._above)
            if self._user_id is not None:
                os.chown(SESSION, self._user_id, self._user_id, dir_fd=self._above)
        finally:
            os.fchmod(self._above, PASSED_THROUGH)

    @property
    def path(self) -> str:
        """Its path, valid as long as this process has the folder above it open."""
        return f"/proc/self/fd/{self._above}/{SESSION}"

    def close(self) -> None:
        """Close the folder above it."""
        os.close(self._above)
