"""Files opened for reading: regular ones, and for a program only those that it may read."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from io import BytesIO
from typing import IO

from nasm.base import host_files
from nasm.base.problems import Failure, Problem, Refused
from nasm.base.records import dataclass, field, replace

Files = str | os.PathLike[str] | bool
"""What a caller allows: the only folder, False for no file at all, or True for any."""

Folders = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
"""One folder, or some."""

MOST_LINKS = 40
"""Symbolic links on the way to one file, as in Linux."""

_PLAIN = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_PLAIN |= getattr(os, "O_NOCTTY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0)
_STEPWISE = os.open in os.supports_dir_fd and bool(_NO_LINK)
_KINDS = (
    (stat.S_ISDIR, errno.EISDIR, os.strerror(errno.EISDIR)),
    (stat.S_ISFIFO, errno.EINVAL, "it is a pipe"),
    (stat.S_ISSOCK, errno.EINVAL, "it is a socket"),
)


State = tuple[int, int, int] | None
"""What tells that a file has changed: when, its size and which file it is; None without one."""

_noted: ContextVar[dict[str, State] | None] = ContextVar("noted", default=None)


def state(path: str) -> State:
    """The state of a file."""
    try:
        found = host_files.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def note(path: str) -> None:
    """Say that what is done depends on a file, whether there is one or not."""
    noted = _noted.get()
    if noted is not None:
        noted.setdefault(os.path.abspath(path), state(path))


def is_noting() -> bool:
    """Whether requests for files are recorded."""
    return _noted.get() is not None


@contextmanager
def noting() -> Iterator[dict[str, State]]:
    """Note all files that are asked for meanwhile, each as it was when it was asked for first."""
    found: dict[str, State] = {}
    token = _noted.set(found)
    try:
        yield found
    finally:
        _noted.reset(token)


def regular(path: str, pipes: bool = False) -> IO[bytes]:
    """Open a regular file, or a pipe where one is welcome; OSError for anything else."""
    note(path)
    status = host_files.stat(path)
    if pipes and stat.S_ISFIFO(status.st_mode):
        return host_files.opened(path)
    _only_regular(status)  # before it is opened, which a device may take amiss
    return _stream(host_files.descriptor(path, _PLAIN))


def _stream(descriptor: int) -> IO[bytes]:
    """The file that was opened, which need not be the one that was looked at before."""
    try:
        _only_regular(host_files.state(descriptor))
        return host_files.opened(descriptor)
    except BaseException:
        os.close(descriptor)
        raise


def _only_regular(status: os.stat_result) -> None:
    if stat.S_ISREG(status.st_mode):
        return
    for is_so, number, reason in _KINDS:
        if is_so(status.st_mode):
            raise OSError(number, reason)
    raise OSError(errno.EINVAL, "it is a device")


@dataclass(frozen=True, slots=True)
class Allowed:
    """Which files a program may read: any, those in ``folder``, or none if that is empty.

    ``names`` are the paths by which the folder may be reached; the last has no link in it. Texts to
    include that are not in the folder of the text are searched in ``include``. ``held`` are files
    that came with the program, by their paths: it may read these in any case. Expectations may
    call functions of ``python`` files if that is set.
    """

    folder: str | None = None
    names: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    held: Mapping[str, bytes] = field(default_factory=dict, hash=False)
    python: bool = False

    @classmethod
    def of(cls, files: Files | None, include: Folders = ()) -> Allowed:
        """What a caller's ``files`` and ``include`` say; raises Failure where one is no folder."""
        folders = tuple(
            map(_folder, [include] if isinstance(include, str | os.PathLike) else include)
        )
        if files is None or files is True:
            return cls(include=folders) if folders else ANY
        if files is False:
            return cls("", include=folders)
        try:
            folder = os.fsdecode(files)
            path = os.path.abspath(folder)
            found = bool(folder) and os.path.isdir(path)
        except (TypeError, ValueError):
            folder, found = repr(files), False
        if not found:
            message = f"no folder {folder}, from which the program may read"
            raise Failure(Problem("E0801", message))
        parent, own = os.path.split(path)
        names = (path, os.path.join(os.path.realpath(parent), own), os.path.realpath(path))
        return cls(folder, tuple(dict.fromkeys(names)), folders)

    def holding(self, held: Mapping[str, bytes]) -> Allowed:
        """The same, with files that came with the program."""
        return replace(self, held={**self.held, **held}) if held else self

    def lists(self, folder: str) -> bool:
        """Whether the names of the files in a folder may be shown."""
        if self.folder is None:
            return True
        real = os.path.join(os.path.realpath(folder), "")
        return bool(self.folder) and real.startswith(os.path.join(self.names[-1], ""))

    def opened(self, base: str, name: str) -> IO[bytes]:
        """Open a regular file, named relative to a folder that the user chose.

        Raises Refused if it may not be read, whether it exists or not; OSError as ``open`` does.
        """
        if self.held:
            held = self.held.get(os.path.normpath(os.path.join(base, name)))
            if held is not None:
                return BytesIO(held)
        if self.folder is None:
            return regular(os.path.join(base, name))
        if not self.folder:
            hint = "--no-files (files=False in Python) forbids it"
            raise Refused("E0801", f"{name} may not be read: programs may read no files", hint)
        path = os.path.join(os.path.realpath(base), name)
        note(path)
        descriptor = self._walked(path) if _STEPWISE else self._resolved(path)
        if descriptor is None:
            text = f"it is not in {self.folder}, the only folder from which programs may read"
            hint = "--files (files= in Python) names that folder"
            raise Refused("E0801", f"{name} may not be read: {text}", hint)
        return _stream(descriptor)

    def check(self, base: str, name: str) -> None:
        """Refuse what may not be read; whether it exists and can be read is another question."""
        if self.folder is None:
            return
        try:
            self.opened(base, name).close()
        except (OSError, ValueError):
            return

    def _walked(self, path: str) -> int | None:
        """A descriptor of a file, reached in steps that nothing can divert; None outside.

        In the folder each step starts at the one before and follows no link: what a link says is
        walked like the rest of the path. Outside it nothing is looked at: names are only counted
        until they lead into the folder.
        """
        left, at, links = path.split(os.sep)[::-1], os.sep, 0
        with _steps() as inside:
            while left:
                if not inside and at in self.names:
                    inside.append(_opened(self.names[-1], _FOLDER))
                part = left.pop()
                if part in ("", os.curdir):
                    continue
                if not inside:
                    at = os.path.dirname(at) if part == os.pardir else os.path.join(at, part)
                elif part == os.pardir:
                    os.close(inside.pop())
                    at = os.path.dirname(self.names[-1])
                elif (status := _looked(part, inside[-1])) is None:
                    links += 1
                    if links > MOST_LINKS:
                        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
                    target = os.readlink(part, dir_fd=inside[-1])
                    left += target.split(os.sep)[::-1]
                    if os.path.isabs(target):
                        _leave(inside)
                        at = os.sep
                elif left:
                    inside.append(_opened(part, _FOLDER, inside[-1]))
                else:
                    _only_regular(status)
                    return _opened(part, _PLAIN, inside[-1])
            if inside or at in self.names:
                raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
        return None

    def _resolved(self, path: str) -> int | None:
        """The same where steps cannot start at a folder: looked at, opened, and looked at again."""
        real, folder = os.path.realpath(path), self.names[-1]
        if not real.startswith(os.path.join(folder, "")):
            return None
        _only_regular(host_files.stat(real))
        descriptor = _opened(real, _PLAIN)
        if os.path.realpath(real) != real or not os.path.samestat(
            host_files.state(descriptor), host_files.stat(real)
        ):
            os.close(descriptor)
            return None
        return descriptor


ANY = Allowed()


def _folder(name: str | os.PathLike[str]) -> str:
    """A folder to include texts from; raises Failure if it is none."""
    try:
        folder = os.fsdecode(name)
        found = os.path.isdir(folder)
    except (TypeError, ValueError):
        folder, found = repr(name), False
    if not found:
        raise Failure(Problem("E0801", f"no folder {folder}, from which to include"))
    return folder


def _looked(part: str, folder: int) -> os.stat_result | None:
    """What an entry of a folder is; None for a link."""
    status = host_files.stat(part, folder, links=False)
    return None if stat.S_ISLNK(status.st_mode) else status


def _opened(path: str, flags: int, folder: int | None = None) -> int:
    """A descriptor of what is no link."""
    return host_files.descriptor(path, flags | _NO_LINK, folder=folder)


@contextmanager
def _steps() -> Iterator[list[int]]:
    """Descriptors of folders, from the allowed one down, which are closed in the end."""
    inside: list[int] = []
    try:
        yield inside
    finally:
        _leave(inside)


def _leave(inside: list[int]) -> None:
    while inside:
        os.close(inside.pop())
