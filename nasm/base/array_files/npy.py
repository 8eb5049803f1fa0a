"""The .npy format: a header that says what follows, and the elements.

NumPy's own reader is not used: it evaluates the header as Python, and answers damage with
warnings, advice and exceptions that differ from version to version.
"""

from __future__ import annotations

import re
from math import prod
from typing import IO, Any

import numpy as np

from nasm.base.dtypes import Array
from nasm.base.records import dataclass

MAGIC = b"\x93NUMPY"
LONGEST_HEADER = 10_000
"""Bytes of a header, as many as NumPy reads."""

MOST_AXES = 64
"""Axes of an array, as many as NumPy has."""

STEP = 1 << 20
"""Bytes that are read at once."""

_WIDTH = {1: 2, 2: 4, 3: 4}
"""Bytes of the length of a header, by the version of the format."""

_NUMBER = r"(?:0|[1-9][0-9]{0,18})L?"
_SHAPE = rf"\(\s*(?:{_NUMBER}\s*,\s*)+(?:{_NUMBER}\s*)?\)|\(\s*\)"
_ITEM = rf"""['"](\w+)['"]\s*:\s*('[^'\\]*'|"[^"\\]*"|True|False|{_SHAPE})\s*"""
_HEADER = re.compile(rf"\{{\s*{_ITEM},\s*{_ITEM},\s*{_ITEM},?\s*\}}\s*", re.ASCII)
_RECORDS = re.compile(r"""['"]descr['"]\s*:\s*\[""")
_ELEMENTS = re.compile(r"[<>=|]?[bifucSUV][1-9][0-9]{0,4}|[|]?\?")


class Damaged(Exception):
    """Why a file holds no array that can be read, in a few words."""


@dataclass(frozen=True, slots=True)
class Header:
    """What a .npy file says that it holds, and how many bytes the header itself takes."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    fortran: bool
    size: int

    @property
    def bytes(self) -> int:
        """How many bytes of elements are to follow."""
        return prod(self.shape) * self.dtype.itemsize


def header(stream: IO[bytes]) -> Header:
    """Read the header of a file whose magic bytes have been read; raises Damaged."""
    version = tuple(_exactly(stream, 2))
    width = _WIDTH.get(version[0]) if version[1] == 0 else None
    if width is None:
        raise Damaged(f"its version is {version[0]}.{version[1]}, wanted 1.0, 2.0 or 3.0")
    length = int.from_bytes(_exactly(stream, width), "little")
    if length > LONGEST_HEADER:
        raise Damaged(f"its header has {length:,} bytes, wanted at most {LONGEST_HEADER:,}")
    try:
        text = _exactly(stream, length).decode("utf-8" if version[0] == 3 else "latin-1")
    except UnicodeDecodeError:
        raise Damaged("its header is not UTF-8") from None
    shape, dtype, fortran = _header_fields(text)
    return Header(shape, dtype, fortran, len(MAGIC) + len(version) + width + length)


def _exactly(stream: IO[bytes], count: int) -> bytes:
    found = stream.read(count)
    if len(found) < count:
        raise Damaged("it ends within its header")
    return found


def _header_fields(text: str) -> tuple[tuple[int, ...], np.dtype[Any], bool]:
    """Shape, dtype and whether the order is Fortran's, of the text of a header."""
    match = _HEADER.fullmatch(text)
    message = dict(zip(match.groups()[::2], match.groups()[1::2], strict=True)) if match else {}
    descr, shape = message.get("descr", ""), message.get("shape", "")
    order = {"True": True, "False": False}.get(message.get("fortran_order", ""))
    if _RECORDS.search(text):
        raise Damaged("it holds records, wanted numbers")
    if descr[:1] not in ("'", '"') or not shape.startswith("(") or order is None:
        raise Damaged("its header is none of .npy")
    axes = tuple(int(n) for n in re.findall("[0-9]+", shape))
    if len(axes) > MOST_AXES:
        raise Damaged(f"its shape has {len(axes)} axes, wanted at most {MOST_AXES}")
    return axes, _dtype(descr[1:-1]), order


def _dtype(descr: str) -> np.dtype[Any]:
    kind = descr.lstrip("<>=|")
    if kind.startswith("O"):
        raise Damaged("it holds Python objects")
    if kind == "f1":  # what NumPy writes for an 8-bit float of ml_dtypes, and does not read
        return np.dtype("V1")
    try:
        if _ELEMENTS.fullmatch(descr):
            return np.dtype(descr)
    except TypeError:
        pass
    raise Damaged(f"its header names no dtype of numbers: '{descr[:40]}'")


def elements(stream: IO[bytes], header: Header, there: int | None) -> Array:
    """Read the elements that a header announces; raises Damaged.

    ``there`` is how many bytes are known to follow the header, if that is known.
    """
    wanted = header.bytes
    if there is not None and there != wanted:
        raise Damaged(f"it holds {there:,} bytes of elements, wanted {wanted:,}")
    content = np.empty(wanted, np.uint8)
    view, found = content.data, 0
    while found < wanted:
        got = stream.readinto(view[found : found + STEP])  # type: ignore[attr-defined]
        if not got:
            raise Damaged(f"it holds {found:,} bytes of elements, wanted {wanted:,}")
        found += got
    if stream.read(1):
        raise Damaged(f"it holds more than the {wanted:,} bytes of elements that it announces")
    if header.dtype == np.bool_:
        content = content != 0  # any other byte would be neither True nor False
    array = content.view(header.dtype)
    return array.reshape(header.shape[::-1]).T if header.fortran else array.reshape(header.shape)
