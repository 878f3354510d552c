"""The command line: the only room that prints, exits or asks.

Here: one module for each command or pair of commands, their options, and which assignment is meant.
In: what a person typed. Out: text on the terminal, files that were asked for, an exit code.
May use: all rooms; nothing uses it.
"""
