"""The .npz format: a ZIP archive of .npy files, of which one is read as a stream."""

from __future__ import annotations

import errno
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any, TypeVar

from nasm.base.array_files.npy import Damaged
from nasm.base.problems import did_you_mean

MAGIC = b"PK"
LARGEST_LIST = 4 << 20
"""Bytes of an archive's list of members: some 60,000 of them."""

MOST_NAMED, LONGEST_NAMED, MOST_COMPARED = 10, 60, 1_000
"""Members that a hint lists, the longest name in it, and how many are compared with a wrong key."""

_ENCRYPTED = 0x1 | 0x40
_READ = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    IndexError,
    KeyError,
    OverflowError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""What Python's library raises of damaged archives."""

T = TypeVar("T")


class NoMember(Exception):
    """That an archive has no array of the wanted key, with a hint at those it has."""


@contextmanager
def member(archive: IO[bytes], key: str) -> Iterator[tuple[IO[bytes], int]]:
    """A member as a stream, and how many bytes it has; raises Damaged or NoMember."""
    damaged = "its list of members is damaged"
    opened = _sound(lambda: zipfile.ZipFile(_Bounded(archive)), damaged)
    with opened:
        members = opened.infolist()
        found = [m for m in members if key and _key(m) == key]
        if not found:
            raise NoMember(_hint(key, [_key(m) for m in members]))
        if len(found) > 1:
            raise Damaged(f"it holds {len(found)} arrays called {key}")
        if found[0].flag_bits & _ENCRYPTED:
            raise Damaged(f"its member {key} is encrypted")
        if found[0].compress_type not in _READ:
            raise Damaged(f"its member {key} is compressed otherwise than by Deflate")
        damaged = f"its member {key} is damaged"
        with _sound(lambda: opened.open(found[0]), damaged) as stream:
            yield _Member(stream, damaged), found[0].file_size  # type: ignore[misc]


def keys(archive: IO[bytes]) -> list[str]:
    """The keys of all its arrays, in order; raises Damaged."""
    with _sound(
        lambda: zipfile.ZipFile(_Bounded(archive)), "its list of members is damaged"
    ) as found:
        return [_key(m) for m in found.infolist() if m.filename.endswith(".npy")]


def _key(info: zipfile.ZipInfo) -> str:
    return info.filename.removesuffix(".npy")


def _hint(key: str, keys: Sequence[str]) -> str:
    """What an archive holds instead of a key, in a line however many there are."""
    if not keys:
        return "it holds none"
    short = [k for k in keys[:MOST_COMPARED] if len(k) <= LONGEST_NAMED]
    more = len(keys) - len(short[:MOST_NAMED])
    named = ", ".join(short[:MOST_NAMED]) + (f" and {more:,} more" if more else "")
    return (did_you_mean(key, short) if key else "") or f"it holds {named.strip()}"


def _sound(read: Callable[[], T], otherwise: str) -> T:
    """What a call of Python's library gives, or Damaged."""
    try:
        return read()
    except OSError as problem:
        if problem.errno == errno.EINVAL:  # it was to be read from before its start
            raise Damaged(otherwise) from None
        raise
    except _DAMAGE:
        raise Damaged(otherwise) from None


class _Bounded:
    """A file that is asked for no more at once than a list of members may have."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.seek, self.tell, self.seekable = stream.seek, stream.tell, stream.seekable

    def read(self, count: int = -1) -> bytes:
        """So many bytes, or what is left."""
        if count > LARGEST_LIST:
            raise Damaged(f"its list of members has {count:,} bytes, wanted {LARGEST_LIST:,}")
        return self._stream.read(LARGEST_LIST if count < 0 else count)


class _Member:
    """A member's stream that reports its errors as ours."""

    def __init__(self, stream: IO[bytes], damaged: str) -> None:
        self._stream, self._damaged = stream, damaged

    def read(self, count: int) -> bytes:
        """So many bytes, or fewer at the end."""
        return _sound(lambda: self._stream.read(count), self._damaged)

    def readinto(self, view: memoryview) -> int:
        """Fill a part of a buffer; 0 at the end."""
        content: Any = self._stream
        return _sound(lambda: int(content.readinto(view)), self._damaged)
