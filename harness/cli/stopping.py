"""What a command that a signal has stopped says, and its exit code."""

from __future__ import annotations

import signal

import click

from harness.machine import signals


def stopped(sentence: str = "") -> int:
    """Say that a signal has stopped us; the code is 128 and the signal's number, as a shell has it.

    It is 3 where this shell gave too little time: that is no person's wish.
    """
    number = signals.last_signal() or signal.SIGINT
    if number == getattr(signal, "SIGXCPU", None):
        click.echo("pitboss: stopped: it has used the CPU time that `ulimit -t` allows; raise that", err=True)
        return 3
    click.echo(f"pitboss: {sentence[:1].lower()}{sentence[1:]}" if sentence else "pitboss: stopped", err=True)
    return 128 + number
