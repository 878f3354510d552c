"""The folder of a session, which replaces the folder of the last session.

So nothing of the last session remains, not even changes of the folder itself: attributes, times, its size. The folder
is created and removed from outside the confinement, through an open descriptor, since programs cannot change its parent
folder:

    sessions-XXXXXXXX/0/session     (inside a bubblewrap: its own /tmp/0/session)
"""

from __future__ import annotations

import os

from pitboss.sandbox import removal
from pitboss.sessions.tracing.launcher import PASSED_THROUGH, SESSION


class SessionFolder:
    """The folder of the session that runs on one launcher."""

    def __init__(self, above: int, user_id: int | None) -> None:
        """Set the open parent folder `above`, and the user of the programs (None: ours); creates nothing yet."""
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
        """Its path, valid as long as this process has the parent folder open."""
        return f"/proc/self/fd/{self._above}/{SESSION}"

    def close(self) -> None:
        """Close the parent folder."""
        os.close(self._above)
