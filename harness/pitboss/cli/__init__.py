"""The command line: the only room that prints, exits or asks.

Here: `main`, to which each command is added; a module for each command or for a few; options that they share.
In: what a person typed. Out: text on the terminal, files that were asked for, an exit code.
May use: all rooms; nothing uses it.
"""
