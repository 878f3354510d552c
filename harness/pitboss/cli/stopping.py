"""The message and exit code of a command that a signal has stopped."""

from __future__ import annotations

import signal

import click

from pitboss.sandbox import signals

_FAULT = 3


def report_stop(sentence: str = "") -> int:
    """Print that a signal has stopped the command, and where; returns the exit code."""
    if stopped_code() == _FAULT:
        sentence = "stopped: it has used the CPU time that `ulimit -t` allows; raise the limit"
    click.echo(f"pitboss: {sentence[:1].lower()}{sentence[1:]}" if sentence else "pitboss: stopped", err=True)
    return stopped_code()


def stopped_code() -> int:
    """Returns 128 plus the signal's number, as shells do; 3 if the CPU time limit of the shell was too low."""
    number = signals.last_signal() or signal.SIGINT
    return _FAULT if number == getattr(signal, "SIGXCPU", None) else 128 + number
