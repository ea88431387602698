"""The process around a command: how it is interrupted, in which encoding it speaks, and the code it ends with."""

from __future__ import annotations

import errno
import os
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import typer
from rich.console import Console

from lineage_kit.duckdb_connection import interrupt_queries
from lineage_kit.errors import LineageKitError

ANSWER, BAD_INPUT, OUR_BUG = 0, 2, 3
"""What a run ends with; 1 is an answer that `--fail-on` rejects, and nothing else."""
ABORTED = 130
"""What the option parser makes of an interrupt."""
IMPATIENCE = 2.0
"""Seconds after an interrupt in which further ones are the same one: what is unfinished is being cleared away."""


UNWRITABLE = (errno.ENOSPC, errno.EFBIG, errno.EIO)
"""What the system says of a stream that takes no more."""


class Interrupts:
    """Whether somebody asked for the end: libraries turn that into errors of their own, which do not say so."""

    def __init__(self) -> None:
        self.since: float | None = None
        self._resting = False

    def heed(self) -> None:
        """From now on, see Ctrl-C and a request to terminate; what was told to be ignored stays ignored."""
        if threading.current_thread() is not threading.main_thread():
            return
        ours, theirs = socket.socketpair()
        theirs.setblocking(False)
        signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
        threading.Thread(target=self._watch, args=(ours, theirs), daemon=True).start()
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)  # not every system has each of them
            if number is not None and signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                signal.signal(number, self._seen)

    def _watch(self, ours: socket.socket, theirs: socket.socket) -> None:
        """End queries at once: the thread that runs one sees no signal before it is back in Python."""
        while ours.recv(1):
            interrupt_queries()

    def rest(self) -> None:
        """The command is over, its exit code said: what comes now changes nothing."""
        self._resting = True

    def _seen(self, *_: object) -> None:
        now = time.monotonic()
        if self._resting:
            return
        if self.since is None or now - self.since > IMPATIENCE:
            self.since = now
            raise KeyboardInterrupt


INTERRUPTS = Interrupts()


def speak_any_encoding() -> None:
    """Escape what the encoding of stdout or stderr does not have, instead of failing over it."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def write_data(text: str) -> None:
    """Data on stdout, for another program to read: UTF-8, whatever the encoding of words for people is."""
    stream = sys.stdout
    if stream is None:  # closed by whoever started us
        return
    stream.flush()
    if hasattr(stream, "buffer"):
        stream.buffer.write(text.encode(errors="backslashreplace"))
        stream.buffer.flush()
    else:
        stream.write(text)


def run(command: Callable[[], Any]) -> int:
    """The exit code of a command, with its error on stderr.

    0 is an answer, 1 one that `--fail-on` rejects, 2 bad input or an interrupt, 3 a bug of ours with its traceback.
    """
    try:
        code = command()
        if sys.stdout is not None:
            sys.stdout.flush()  # here, where a failure can still be told
    except BaseException as error:
        return _ended_by(error)
    if INTERRUPTS.since is not None or code == ABORTED:
        return complain("interrupted")
    return code if isinstance(code, int) else ANSWER


def _ended_by(error: BaseException) -> int:
    if isinstance(error, (typer.Abort, KeyboardInterrupt)) or INTERRUPTS.since is not None:
        return complain("interrupted")
    if isinstance(error, SystemExit) and not _is_rich_leaving(error):
        raise error
    if isinstance(error, LineageKitError):
        return complain("; ".join(line.strip().removeprefix("- ") for line in str(error).splitlines()))
    if isinstance(error, BrokenPipeError) or _is_rich_leaving(error):
        _to_nowhere()  # the reader went away, e.g. `| head`; nothing more can be said
        return ANSWER
    if isinstance(error, OSError) and error.errno in UNWRITABLE:
        _to_nowhere()
        return complain(f"the answer cannot be written: {error.strerror}")
    if hasattr(error, "format_message"):  # a usage error of the option parser
        return complain(f"{error.format_message()} (see lineage-kit --help)")
    if strange := [word for word in sys.argv if not _is_text(word)]:
        return complain(
            f"{strange[0]} is not UTF-8, and what it is looked for in is. Hint: check the terminal's encoding"
        )
    traceback.print_exception(error)
    return OUR_BUG


def _is_rich_leaving(error: BaseException) -> bool:
    """Whether Rich met a reader that went away, and leaves with a code that is not for it to give."""
    return isinstance(error, SystemExit) and isinstance(error.__context__, BrokenPipeError)


def _is_text(word: str) -> bool:
    """Whether a word of the command line was text: bytes that are none come as lone surrogates."""
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True


def _to_nowhere() -> None:
    """What is still to be written to stdout is given up, so that Python does not try again when it ends."""
    with suppress(OSError, ValueError, AttributeError):  # no stream of the system: a test's, or none
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def note(text: str, style: str = "yellow") -> None:
    """A line on stderr, if anybody reads it."""
    if sys.stderr is None:
        return
    with suppress(OSError, SystemExit):  # Rich leaves where the reader went away; the exit code is still ours to give
        Console(stderr=True).print(text, style=style, markup=False, highlight=False, soft_wrap=True)


def complain(text: str) -> int:
    """Say what is wrong on stderr."""
    note(f"lineage-kit: {text}", "bold red")
    return BAD_INPUT
