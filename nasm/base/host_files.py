"""The one way to the file system: whatever opens, reads, writes, renames or removes is done here.

Every call goes through a seam, which in normal use does it at once. Tests put another in its place
that lets the n-th call fail, or delivers a signal there (:func:`through`). What only asks for names
or whether something exists (``os.path``) reports no error and stays outside; so do the standard
streams, and modules that Python imports.

A file that must be whole or absent is written as :class:`ReplacingFile`.
"""

from __future__ import annotations

import errno
import io
import os
import stat as modes
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any, Protocol, TextIO, TypeVar, cast

from nasm.base import signals

T = TypeVar("T")

Path = str | os.PathLike[str]


class Seam(Protocol):
    """Does a call of the operating system: ``what`` it is, and of which file."""

    def __call__(self, what: str, path: object, do: Callable[[], T]) -> T:
        """Do it and return what it returns."""


def _at_once(what: str, path: object, do: Callable[[], T]) -> T:
    return do()


_seam: Seam = _at_once


@contextmanager
def through(seam: Seam) -> Iterator[None]:
    """Within it every call goes through another seam; for tests."""
    global _seam
    before, _seam = _seam, seam
    try:
        yield
    finally:
        _seam = before


# ---------------------------------------------------------------- open files


class _File(io.FileIO):
    """An open file without a buffer, each of whose calls goes through the seam."""

    def read(self, size: int | None = -1, /) -> bytes | None:  # type: ignore[override]
        """Some bytes."""
        return _seam("read", self.name, lambda: io.FileIO.read(self, -1 if size is None else size))

    def readall(self) -> bytes:
        """All that is left."""
        return _seam("read", self.name, lambda: io.FileIO.readall(self))

    def readinto(self, buffer: Any, /) -> int | None:
        """Some bytes, into a buffer."""
        return _seam("read", self.name, lambda: io.FileIO.readinto(self, buffer))

    def write(self, data: Any, /) -> int | None:  # type: ignore[override]
        """Some of the bytes."""
        return _seam("write", self.name, lambda: io.FileIO.write(self, data))

    def close(self) -> None:
        """Close it; as in Linux it is closed even if that reports an error."""
        if self.closed:
            return
        try:
            _seam("close", self.name, lambda: None)
        finally:
            io.FileIO.close(self)


def opened(file: Path | int, mode: str = "rb") -> IO[bytes]:
    """A file as bytes, buffered: ``rb``, ``wb``, ``ab`` or ``xb``, of a path or a descriptor."""
    name = file if isinstance(file, int) else os.fspath(file)
    raw = _seam("open", name, lambda: _File(name, mode))
    made = io.BufferedReader(cast("io.FileIO", raw)) if mode == "rb" else io.BufferedWriter(raw)
    return cast("IO[bytes]", made)


def text(path: Path | int, mode: str = "r", errors: str = "strict") -> TextIO:
    """A file as text in UTF-8."""
    inner = opened(path, f"{mode}b")
    return cast("TextIO", io.TextIOWrapper(inner, encoding="utf-8", errors=errors))


def read_bytes(path: Path) -> bytes:
    """All of a file."""
    with opened(path) as stream:
        return stream.read()


def read_text(path: Path, errors: str = "strict") -> str:
    """All of a file, as text in UTF-8."""
    with text(path, errors=errors) as stream:
        return stream.read()


def descriptor(path: Path, flags: int, mode: int = 0o777, folder: int | None = None) -> int:
    """A descriptor of a file, named relative to an open folder if there is one."""
    return _seam("open", path, lambda: os.open(path, flags, mode, dir_fd=folder))


def some(source: int, size: int) -> bytes:
    """Some bytes of what is open as a descriptor, at most so many; none at its end."""
    return _seam("read", source, lambda: os.read(source, size))


class Stream:
    """A file that NumPy takes for a stream: written in pieces, and with the system's own errors."""

    def __init__(self, out: IO[bytes]) -> None:
        self.write = out.write


# ---------------------------------------------------------------- names


def stat(path: Path, folder: int | None = None, links: bool = True) -> os.stat_result:
    """What a file is; without ``links`` a link is one itself."""
    return _seam("stat", path, lambda: os.stat(path, dir_fd=folder, follow_symlinks=links))


def state(number: int) -> os.stat_result:
    """What an open file is."""
    return _seam("stat", number, lambda: os.fstat(number))


def entries(folder: Path) -> list[os.DirEntry[str]]:
    """What is in a folder, by name."""

    def listed() -> list[os.DirEntry[str]]:
        with os.scandir(os.fspath(folder)) as found:
            return sorted(found, key=lambda entry: entry.name)

    return _seam("list", folder, listed)


def shorten(stream: IO[bytes], size: int) -> None:
    """Cut an open file off after so many bytes."""
    _seam("write", stream.name, lambda: os.ftruncate(stream.fileno(), size))


def make_folders(folder: Path, mode: int = 0o777) -> None:
    """Make a folder and those above it, unless they are there."""
    _seam("mkdir", folder, lambda: os.makedirs(folder, mode, exist_ok=True))


@contextmanager
def temporary() -> Iterator[str]:
    """A new folder, which is removed afterwards with all that is in it."""
    made = _seam("mkdir", None, lambda: tempfile.TemporaryDirectory(prefix="nasm-"))
    with made as folder:
        yield folder


def remove(path: Path) -> None:
    """Remove a file."""
    _seam("unlink", path, lambda: os.unlink(path))


def replace(path: Path, target: Path) -> None:
    """Give a file another name, which it takes from whatever has it."""
    _seam("rename", target, lambda: os.replace(path, target))


def link(path: Path, name: Path) -> None:
    """Give a file one more name, which nothing may have."""
    _seam("link", name, lambda: os.link(path, name))


def _settle(out: IO[bytes]) -> None:
    """Flush the bytes of a file to the disk, if its file system supports that."""
    try:
        _seam("fsync", out.name, lambda: os.fsync(out.fileno()))
    except OSError as problem:
        if problem.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise


# ---------------------------------------------------------------- whole or absent


class ReplacingFile:
    """A file that is written next to its place, to ``out``, and takes it when it is whole.

    Until then what has its name stays as it is. Raises OSError; nothing is left of it that was not
    kept, once it is dropped. For what signals may interrupt there is a shield around it.
    """

    def __init__(self, name: str, over: bool = True) -> None:
        self.name, self.over = name, over
        self.target = os.path.realpath(name)
        self.path = ""
        folder, own = os.path.split(self.target)
        suffix = f"{os.getpid()}"
        while not self.path:  # it is no link that someone has placed there
            path = os.path.join(folder, f".{own[:50]}.{suffix}.tmp")
            try:
                self.out = opened(path, "xb")
                self.path = path
            except FileExistsError:
                suffix = f"{os.getpid()}.{os.urandom(4).hex()}"

    def keep(self) -> None:
        """Put it in its place; raises FileExistsError if that is taken and it goes over nothing."""
        self.out.flush()
        with signals.shielded():
            if not self.over:
                self.out.close()
                self._appear()
                return
            if os.path.exists(self.target):
                mode = modes.S_IMODE(stat(self.target).st_mode)
                _seam("chmod", self.path, lambda: os.fchmod(self.out.fileno(), mode))
                _settle(self.out)
            self.out.close()
            replace(self.path, self.target)
            self.path = ""

    def _appear(self) -> None:
        """Give it its name, which nothing may have by now; dropping it removes the other."""
        try:
            link(self.path, self.name)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            if os.path.lexists(self.name):
                raise FileExistsError(self.name) from None
            replace(self.path, self.name)
            self.path = ""

    def drop(self) -> None:
        """Leave nothing of what was not kept."""
        with suppress(OSError):
            self.out.close()
        if self.path:
            with suppress(OSError):
                remove(self.path)
            self.path = ""


@contextmanager
def whole(name: str, over: bool = True) -> Iterator[IO[bytes]]:
    """A file that is written whole or not at all; raises OSError.

    With ``over`` it replaces what has its name, which keeps its permissions; else FileExistsError.
    A device or a pipe is written to, and stays what it is.
    """
    if over and os.path.exists(name) and not os.path.isfile(name) and not os.path.isdir(name):
        with opened(name, "wb") as out:
            yield out
        return
    with signals.shielded():
        file = ReplacingFile(name, over)
        try:
            with signals.lifted():
                yield file.out
                file.out.flush()
            file.keep()
        finally:
            file.drop()
