"""The numbers of the requests of ioctl(2) and fcntl(2) that matter here.

Numbers are from include/uapi/asm-generic/ioctls.h, fcntl.h, and linux/sockios.h, fs.h and btrfs.h.
"""

from __future__ import annotations

#: Changes of a terminal's mode: with struct termios, termios2, and the old termio.
TCSETS, TCSETSW, TCSETSF = 0x5402, 0x5403, 0x5404
TCSETS2, TCSETSW2, TCSETSF2 = 0x402C542B, 0x402C542C, 0x402C542D
TCSETA, TCSETAW, TCSETAF = 0x5406, 0x5407, 0x5408
MODES = (TCSETS, TCSETSW, TCSETSF, TCSETS2, TCSETSW2, TCSETSF2, TCSETA, TCSETAW, TCSETAF)

#: Discards text that has been typed and not read yet, or written and not passed on yet: see tcflush(3).
TCFLSH = 0x540B

#: With these a program could type for us, divert the terminal's text, or hang it up.
TIOCSTI, TIOCLINUX, TIOCSETD, TIOCCONS, TIOCVHANGUP = 0x5412, 0x541C, 0x5423, 0x541D, 0x5437
OF_TERMINALS = (TIOCSTI, TIOCLINUX, TIOCSETD, TIOCCONS, TIOCVHANGUP)

#: With these a program could make the kernel send signals to a process that it may not signal itself.
FIOSETOWN, SIOCSPGRP, FIOASYNC = 0x8901, 0x8902, 0x5452
OF_OWNERS = (FIOSETOWN, SIOCSPGRP, FIOASYNC)
F_SETOWN, F_SETSIG, F_SETOWN_EX = 8, 10, 15
#: With this one it could make any process that opens one of its files wait for most of a minute.
F_SETLEASE = 1024
COMMANDS = (F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE)

#: The letters of requests to file systems, in bits 8 to 15: their changes to a file last, and Landlock prevents none.
OF_FILE_SYSTEMS = (ord("f"), ord("v"), ord("X"), 0x94)
