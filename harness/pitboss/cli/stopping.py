"""What a command that a signal has stopped says, and its exit code."""

from __future__ import annotations

import signal

import click

from pitboss.sandbox import signals

_FAULT = 3


def stopped(sentence: str = "") -> int:
    """Say that a signal has stopped us, and where; returns the exit code."""
    if stopped_code() == _FAULT:
        sentence = "stopped: it has used the CPU time that `ulimit -t` allows; raise that"
    click.echo(f"pitboss: {sentence[:1].lower()}{sentence[1:]}" if sentence else "pitboss: stopped", err=True)
    return stopped_code()


def stopped_code() -> int:
    """128 and the signal's number, as a shell has it; 3 where this shell gave too little time, which nobody wished."""
    number = signals.last_signal() or signal.SIGINT
    return _FAULT if number == getattr(signal, "SIGXCPU", None) else 128 + number
