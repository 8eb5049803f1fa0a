"""``--watch``: done again whenever a file that was asked for has changed."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Mapping

from nasm.apps.cli import streams
from nasm.base import files, signals
from nasm.base.files import State
from nasm.base.problems import counted, in_line, listed
from nasm.base.signals import StopSignal

PAUSE = 0.2
"""Seconds between two looks at the files."""

CLEAR = "\x1b[2J\x1b[3J\x1b[H"
"""Clears a terminal, and what has scrolled off it."""


def watch(once: Callable[[], int], args: argparse.Namespace) -> int:
    """Do it once, and again when files have changed, until Ctrl-C; returns the last exit code."""
    changed: list[str] = []
    while True:
        _begin(changed)
        with files.noting() as noted:
            code = once()
        if code >= 128:  # a signal stopped it
            return code
        read = {path: was for path, was in noted.items() if not _written(path, args)}
        try:
            streams.flush(sys.stdout)
            streams.write(sys.stderr, f"watching {counted(len(read), 'file')}; Ctrl-C ends\n")
            changed = _changes(read)
        except KeyboardInterrupt as error:
            stop = StopSignal.of(error)
            if stop.leaving:
                raise
            with signals.shielded():
                streams.write(sys.stderr, "\n")
            return code


def _begin(changed: list[str]) -> None:
    """Clear a terminal; elsewhere mark where it is done again."""
    if sys.stdout.isatty():
        streams.write(sys.stdout, CLEAR)
    elif changed:
        names = listed((in_line(os.path.relpath(path)) for path in changed), "and")
        streams.write(sys.stdout, f"\n--- again: {names} changed\n")


def _changes(read: Mapping[str, State]) -> list[str]:
    """Wait until files have changed and stay as they are, which may be not at all."""
    before = dict(read)
    while True:
        now = {path: files.state(path) for path in read}
        changed = [path for path in read if now[path] != read[path]]
        if changed and now == before:
            return changed
        before = now
        time.sleep(PAUSE)


def _written(path: str, args: argparse.Namespace) -> bool:
    """Whether the verb itself writes a file, which would make it continue forever."""
    folder = getattr(args, "out_dir", None)
    if folder is not None and os.path.dirname(path) == os.path.abspath(folder):
        return True
    outputs = [name for _, name in getattr(args, "outputs", ())]
    return path in map(os.path.abspath, outputs)
