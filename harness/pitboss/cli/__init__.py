"""The command line: the only room that prints, exits or asks.

Here: `main`, the entry point; a module for each command or for a few; options that they share.
In: a command line. Out: text on the terminal, the requested files, an exit code.
May use: all rooms; nothing uses it.
"""
