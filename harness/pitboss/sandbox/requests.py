"""The numbers of the requests of ioctl(2) and fcntl(2) that the system call filter refuses or stops at.

Numbers are from include/uapi/asm-generic/ioctls.h, fcntl.h, and linux/sockios.h, fs.h and btrfs.h.
"""

from __future__ import annotations

#: Changes of a terminal's mode: with struct termios, termios2, and the old termio.
TCSETS, TCSETSW, TCSETSF = 0x5402, 0x5403, 0x5404
TCSETS2, TCSETSW2, TCSETSF2 = 0x402C542B, 0x402C542C, 0x402C542D
TCSETA, TCSETAW, TCSETAF = 0x5406, 0x5407, 0x5408
MODE_REQUESTS = (TCSETS, TCSETSW, TCSETSF, TCSETS2, TCSETSW2, TCSETSF2, TCSETA, TCSETAW, TCSETAF)

#: Discards text that has been typed and not read yet, or written and not passed on yet: see tcflush(3).
TCFLSH = 0x540B

#: With these requests a program could type for us, divert the terminal's text, or hang up the terminal.
TIOCSTI, TIOCLINUX, TIOCSETD, TIOCCONS, TIOCVHANGUP = 0x5412, 0x541C, 0x5423, 0x541D, 0x5437
TERMINAL_REQUESTS = (TIOCSTI, TIOCLINUX, TIOCSETD, TIOCCONS, TIOCVHANGUP)

#: With these requests, and with these commands of fcntl(2), a program could make the kernel send signals to a process
#: that the program may not signal itself.
FIOSETOWN, SIOCSPGRP, FIOASYNC = 0x8901, 0x8902, 0x5452
OWNER_REQUESTS = (FIOSETOWN, SIOCSPGRP, FIOASYNC)
F_SETOWN, F_SETSIG, F_SETOWN_EX = 8, 10, 15
#: With this command a program could make any process that opens one of the program's files wait for most of a minute.
F_SETLEASE = 1024
FCNTL_COMMANDS = (F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE)

#: The letters of ioctl(2) requests to file systems, in bits 8 to 15 of the number. Such requests change a file
#: permanently, and Landlock does not prevent them.
FILE_SYSTEM_LETTERS = (ord("f"), ord("v"), ord("X"), 0x94)
