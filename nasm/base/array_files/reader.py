"""The reader of array files: opened, compared with what is wanted, and only then read."""

from __future__ import annotations

import stat
from collections.abc import Callable
from io import BytesIO
from typing import IO, Any

import numpy as np

from nasm.base import host_files
from nasm.base.array_files import npy, npz
from nasm.base.array_files.names import ArrayFile
from nasm.base.dtypes import Array
from nasm.base.files import ANY, Allowed, regular
from nasm.base.problems import Refused

UNREADABLE = "E0801"

Fits = Callable[[tuple[int, ...], np.dtype[Any]], None]
"""Refuses the shape and the dtype of a file if they are not those that are wanted."""


def read_array(
    file: ArrayFile, fits: Fits, allowed: Allowed = ANY, *, pipes: bool = False
) -> Array:
    """The array of a file; raises Refused, also with what ``fits`` says of its header.

    A pipe is read only where it is welcome: opening one waits for a writer.
    """
    path = file.path
    try:
        with _opened(file, allowed, pipes) as stream:
            return _read(stream, file, fits)
    except FileNotFoundError:
        raise Refused(UNREADABLE, f"no file {path}") from None
    except OSError as problem:
        reason = problem.strerror or str(problem)
    except npy.Damaged as damaged:
        reason = str(damaged)
    raise Refused(UNREADABLE, f"{path} is not a readable array file: {reason}")


def archived(path: str) -> list[ArrayFile]:
    """All arrays of a .npz file that the user names; raises Refused."""
    try:
        with regular(path) as stream:
            return [ArrayFile("", path, key) for key in npz.keys(stream)]
    except (FileNotFoundError, ValueError):
        raise Refused(UNREADABLE, f"no file {path}") from None
    except OSError as problem:
        reason = problem.strerror or str(problem)
    except npy.Damaged as damaged:
        reason = str(damaged)
    raise Refused(UNREADABLE, f"{path} is not a readable archive of arrays: {reason}")


class _Enough(Exception):
    """The header was read."""


def read_header(file: ArrayFile, fits: Fits, allowed: Allowed = ANY) -> None:
    """Refuse what :func:`read_array` would by what a file says of itself; no element is read."""

    def header(shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        fits(shape, dtype)
        raise _Enough

    try:
        read_array(file, header, allowed)
    except _Enough:
        return


def _opened(file: ArrayFile, allowed: Allowed, pipes: bool) -> IO[bytes]:
    try:
        return regular(file.path, pipes=True) if pipes else allowed.opened(file.folder, file.name)
    except ValueError:  # a path with a null character in it
        raise FileNotFoundError(file.path) from None


def _read(stream: IO[bytes], file: ArrayFile, fits: Fits) -> Array:
    start = stream.read(len(npy.MAGIC))
    if start == npy.MAGIC:
        return _array(stream, _size(stream), fits)
    if not start.startswith(npz.MAGIC):
        raise npy.Damaged("it is neither .npy nor .npz")
    if not stream.seekable():
        raise npy.Damaged("an archive cannot be read from a pipe")
    try:
        with npz.member(stream, file.key) as (member, size):
            if member.read(len(npy.MAGIC)) != npy.MAGIC:
                raise npy.Damaged(f"its member {file.key} is no array")
            return _array(member, size, fits)
    except npz.NoMember as none:
        if file.key:
            message = f"{file.path} has no array '{file.key}'"
            raise Refused(UNREADABLE, message, str(none)) from None
        message = f"{file.path} is an archive of arrays; wanted one of them"
        raise Refused(UNREADABLE, message, f"write {file.path}:KEY; {none}") from None


def _size(stream: IO[bytes]) -> int | None:
    """The bytes of a file; None of a pipe."""
    if isinstance(stream, BytesIO):
        return len(stream.getbuffer())
    status = host_files.state(stream.fileno())
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def _array(stream: IO[bytes], size: int | None, fits: Fits) -> Array:
    """The array of a stream of so many bytes, of which the magic ones are read."""
    header = npy.header(stream)
    fits(header.shape, header.dtype)
    return npy.elements(stream, header, None if size is None else size - header.size)
