"""Channels: SEQPACKET sockets that carry whole messages, with or without open files.

This module uses only `_socket`, the C half of Python's socket module. With the Python half, the process inside each
bubblewrap would spend longer on imports than bubblewrap itself takes to start.
"""

from __future__ import annotations

import _socket
import errno
import os
import struct

#: How many descriptors a message may carry, and the size of one descriptor in a message.
_MAX_DESCRIPTORS = 16
_DESCRIPTOR_BYTES = struct.calcsize("=i")


class Channel:
    """One end of a channel."""

    def __init__(self, descriptor: int) -> None:
        """Take over an open socket."""
        self._socket = _socket.socket(fileno=descriptor)

    def fileno(self) -> int:
        """The descriptor, for a selector."""
        return self._socket.fileno()

    def send(self, message: bytes, *descriptors: int) -> None:
        """Send a message together with open files; OSError if the other end is closed."""
        ancillary = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, struct.pack(f"={len(descriptors)}i", *descriptors))
        self._socket.sendmsg([message], [ancillary] if descriptors else [])

    def receive(self, size: int = 4096) -> tuple[bytes, list[int]]:
        """The next message, of at most `size` bytes, and the files sent with it; both empty if the other end is closed.

        Raises OSError if this process has too few free descriptors for the files: the kernel drops them, and the
        message is lost.
        """
        ancillary_size = _socket.CMSG_LEN(_MAX_DESCRIPTORS * _DESCRIPTOR_BYTES)
        message, ancillary, flags, _ = self._socket.recvmsg(size, ancillary_size, _socket.MSG_CMSG_CLOEXEC)
        packed_descriptors = [data for level, kind, data in ancillary if kind == _socket.SCM_RIGHTS]
        descriptors = [number for data in packed_descriptors for (number,) in struct.iter_unpack("=i", data)]
        if flags & _socket.MSG_CTRUNC:
            for descriptor in descriptors:
                os.close(descriptor)
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return message, descriptors

    def shut(self) -> None:
        """Shut the channel in both directions: the other end finds it closed, and sending raises OSError."""
        try:
            self._socket.shutdown(_socket.SHUT_RDWR)
        except OSError:  # the other end has closed the channel
            pass

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()


def open_channel() -> tuple[Channel, Channel]:
    """Both ends of a new channel."""
    ours, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
    return Channel(ours.detach()), Channel(theirs.detach())
