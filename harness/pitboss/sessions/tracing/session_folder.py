"""The folder of a session, which replaces the folder of the previous session on the same launcher.

Nothing of the previous session remains, not even changes of the folder's attributes, times or size. The folder of a
session is created and removed from outside the confinement, through an open descriptor, since programs cannot change
its parent folder:

    sessions-XXXXXXXX/0/session     (inside a bubblewrap: its own /tmp/0/session)

Here 0 is the number of the launcher.
"""

from __future__ import annotations

import os

from pitboss.sandbox import removal
from pitboss.sessions.tracing.launcher import LAUNCHER_FOLDER_MODE, SESSION_FOLDER


class SessionFolder:
    """The folder of the session that runs on one launcher."""

    def __init__(self, parent_descriptor: int, user_id: int | None) -> None:
        """`parent_descriptor`: of the parent folder; `user_id`: the user of the programs, or None for our user."""
        self._parent, self._user_id = parent_descriptor, user_id

    def renew(self) -> None:
        """Replace the previous session's folder, after that session's processes have ended; OSError if it fails."""
        os.fchmod(self._parent, 0o700)
        try:
            removal.empty(".", self._parent)
            os.mkdir(SESSION_FOLDER, 0o700, dir_fd=self._parent)
            if self._user_id is not None:
                os.chown(SESSION_FOLDER, self._user_id, self._user_id, dir_fd=self._parent)
        finally:
            os.fchmod(self._parent, LAUNCHER_FOLDER_MODE)

    @property
    def path(self) -> str:
        """The path of the session's folder, valid as long as this process has the parent folder open."""
        return f"/proc/self/fd/{self._parent}/{SESSION_FOLDER}"

    def close(self) -> None:
        """Close the parent folder."""
        os.close(self._parent)
