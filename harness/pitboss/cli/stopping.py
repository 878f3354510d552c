"""The message and exit code of a command that a signal has stopped."""

from __future__ import annotations

import signal

import click

from pitboss.sandbox import signals

#: The exit code of a fault, as in main.py.
_FAULT = 3


def report_stop(sentence: str = "") -> int:
    """Print that a signal has stopped the command; returns the exit code.

    `sentence`: says where the command stopped, or is empty; not printed if the CPU time limit stopped the command.
    """
    if stop_exit_code() == _FAULT:
        sentence = "stopped: pitboss has used the CPU time that `ulimit -t` allows; raise the limit"
    click.echo(f"pitboss: {sentence[:1].lower()}{sentence[1:]}" if sentence else "pitboss: stopped", err=True)
    return stop_exit_code()


def stop_exit_code() -> int:
    """Returns 128 plus the signal's number, as shells do; 3 if the CPU time limit of the shell was too low."""
    # Ctrl-D at a prompt stops a command without a signal; this counts as Ctrl-C.
    number = signals.last_signal() or signal.SIGINT
    return _FAULT if number == getattr(signal, "SIGXCPU", None) else 128 + number
