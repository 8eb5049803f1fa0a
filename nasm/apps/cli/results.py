"""Files that results are written to: one for each, checked before a run, whole or absent."""

from __future__ import annotations

import errno
import os
import stat
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from nasm.apps.cli import streams
from nasm.base import host_files, signals
from nasm.base.problems import Failure, Problem

Identity = tuple[object, ...]
"""What tells a file from others, however it is spelled."""

# ---------------------------------------------------------------- before a run


def spelled(path: str) -> str:
    """The path that is meant: ``-`` is standard output."""
    return "/dev/stdout" if path == "-" else path


def identity(path: str) -> Identity | None:
    """Which file a path names, through links and whether it exists or not.

    None is the null device, which takes anything.
    """
    try:
        found = host_files.stat(path)
    except OSError:
        folder, name = os.path.split(os.path.realpath(path))
        try:
            at = host_files.stat(folder)
        except OSError:
            return folder, name
        return at.st_dev, at.st_ino, _folded(name) if _folds(folder) else name
    if stat.S_ISCHR(found.st_mode) and found.st_rdev == host_files.stat(os.devnull).st_rdev:
        return None
    return found.st_dev, found.st_ino


def _folds(folder: str) -> bool:
    """Whether small and capital letters are the same in a folder's file system."""
    above, name = os.path.split(folder)
    with suppress(OSError):
        return name != name.swapcase() and os.path.samefile(
            folder, os.path.join(above, name.swapcase())
        )
    return False


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name.casefold())


def of_stream(stream: IO[str]) -> Identity | None:
    """The file that a stream goes to."""
    with suppress(OSError, ValueError):
        return identity(f"/dev/fd/{stream.fileno()}")
    return None


def clashes(
    results: Sequence[tuple[str, str]], others: Sequence[tuple[str, str]], document: bool
) -> list[Problem]:
    """Results that would be written over one another, or over something else.

    ``results`` are what each is, with its path; ``others`` the message for each path that none may
    have; ``document`` says whether standard output is taken.
    """
    taken = {identity(path): message for message, path in others}
    messages, output = of_stream(sys.stderr), of_stream(sys.stdout)
    if messages != output:
        taken.setdefault(messages, "messages go there")
    if document:
        taken[output] = "the JSON document goes there"
    taken.pop(None, None)
    found = []
    for what, path in results:
        which, message = identity(path), f"{what} goes there"
        if taken.get(which, message) != message:
            message = f"cannot write {what} to {path}: {taken[which]}"
            found.append(Problem("E0813", message, None, "give each a file of its own"))
        elif which is not None:
            taken[which] = message
    return found


def unwritable(path: str) -> Problem | None:
    """Why a file cannot be written, as far as that can be seen before it is."""
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    if os.path.isdir(path):
        return _refused(path, "it is a folder")
    if os.path.exists(path):
        if not os.access(path, os.W_OK):
            return _refused(path, os.strerror(errno.EACCES))
        if not os.path.isfile(path):
            return None
    if not os.path.isdir(folder):
        return _refused(path, "there is no such folder", "make it first; --out-dir makes its own")
    if not os.access(folder, os.W_OK | os.X_OK):
        return _refused(path, f"{os.strerror(errno.EACCES)} for {folder}")
    return None


def seen(what: str, path: str) -> Problem | None:
    """Why bytes are not written to a terminal, if a path is one."""
    try:
        if not stat.S_ISCHR(host_files.stat(path).st_mode):
            return None  # opening a pipe would end what reads it
        number = host_files.descriptor(Path(path), os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError:
        return None
    try:
        terminal = os.isatty(number)
    finally:
        os.close(number)
    if not terminal:
        return None
    hint = "name a file, or send it to one or to a program: > FILE, | PROGRAM"
    return Problem("E0806", f"{what} is no text: it is not written to a terminal", None, hint)


def make_folder(folder: str) -> None:
    """Make a folder for results, with those above it."""
    try:
        host_files.make_folders(folder)
    except OSError as problem:
        message = f"cannot make the folder {folder}: {_why(problem)}"
        raise Failure(Problem("E0806", message)) from None


# ---------------------------------------------------------------- after it


def replace(path: str, save: Callable[[IO[bytes]], None]) -> None:
    """Write a file whole or not at all; raises Failure."""
    with begun(path) as file:
        file.keep(save)


def put(path: str, made: bytes) -> None:
    """Write bytes, whole or not at all; raises Failure."""

    def save(out: IO[bytes]) -> None:
        out.write(made)

    replace(path, save)


def put_text(path: str, made: str) -> None:
    """Write a text whole or not at all, or to standard output; raises Failure."""
    if path == spelled("-"):
        streams.write(sys.stdout, made)
    else:
        put(path, made.encode())


@contextmanager
def begun(path: str) -> Iterator[PartialFile]:
    """A file that is written from here on, and whole or not at all; raises Failure.

    It is written next to its place, and is removed at the end unless it was kept. What is no
    ordinary file (a device, a pipe), and standard output, is written to as it is.
    """
    with signals.shielded():
        try:
            file = PartialFile(path)
        except OSError as problem:
            raise Failure(_refused(path, _why(problem))) from None
        try:
            with signals.lifted():
                yield file
        finally:
            file.drop()


class PartialFile:
    """A file that is being written, to ``out``; a shield is around it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.beside: host_files.ReplacingFile | None = None
        self.out: IO[bytes]
        self._standard = identity(path) is not None and identity(path) == of_stream(sys.stdout)
        if self._standard:
            self.out = sys.stdout.buffer
            try:
                sys.stdout.flush()
            except OSError:
                streams.leave(sys.stdout)
                raise
        elif os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
            self.out = host_files.opened(path, "wb")
        else:
            self.beside = host_files.ReplacingFile(path)
            self.out = self.beside.out

    def keep(self, save: Callable[[IO[bytes]], None]) -> None:
        """Write the rest of it and put it in its place; raises Failure if any of it was not."""
        try:
            save(self.out)
            self.out.flush()
            if self.beside is not None:
                self.beside.keep()
        except BrokenPipeError:
            self._left()  # the reader has closed the pipe
        except OSError as problem:
            self._left()
            raise Failure(_refused(self.path, _why(problem))) from None

    def _left(self) -> None:
        if self._standard:
            streams.leave(sys.stdout)

    def drop(self) -> None:
        """Remove whatever was not kept."""
        if self.beside is not None:
            self.beside.drop()
        elif not self._standard:
            with suppress(OSError):
                self.out.close()


def _refused(path: str, why: str, hint: str = "") -> Problem:
    return Problem("E0806", f"cannot write {path}: {why}", None, hint)


def _why(problem: OSError) -> str:
    return problem.strerror or str(problem)
