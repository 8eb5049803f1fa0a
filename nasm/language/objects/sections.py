"""The outermost of an object file: a header, a table of sections, and the sections.

All numbers are little-endian. What is damaged, cut off or newer is refused before any of it is
used.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from zlib import crc32

from nasm.base.problems import Refused
from nasm.base.source_files import MAGIC

VERSION = 1

UNUSABLE = "E0842"

HEAD = struct.Struct("<8sHHQ")
"""Magic bytes, version, number of sections, bytes in all."""
ENTRY = struct.Struct("<8sQQI")
"""Of a section: its name, where it starts, how many bytes it has, and their CRC-32."""
SUM = struct.Struct("<I")
"""The CRC-32 of all before it: header and table."""

MOST = 64
"""Sections that a file may have."""


def unusable(message: str, hint: str = "") -> Refused:
    """What to say of bytes that are no object file of this version."""
    return Refused(UNUSABLE, message, hint)


def damaged(text: str) -> Refused:
    """What to say of an object file that is not as it was written."""
    return unusable(f"it is damaged: {text}", "assemble it again")


def joined(sections: Mapping[str, bytes], magic: bytes = MAGIC) -> bytes:
    """A file of sections, by their names; ``magic`` are its first bytes."""
    start = HEAD.size + ENTRY.size * len(sections) + SUM.size
    table, at = [], start
    for name, body in sections.items():
        table.append(ENTRY.pack(name.encode("ascii"), at, len(body), crc32(body)))
        at += len(body)
    head = b"".join((HEAD.pack(magic, VERSION, len(sections), at), *table))
    return b"".join((head, SUM.pack(crc32(head)), *sections.values()))


def parted(
    data: bytes, magic: bytes = MAGIC, what: str = "an object file"
) -> dict[str, memoryview]:
    """The sections of a file by their names; raises Refused. ``what`` begins with ``magic``."""
    if len(data) < HEAD.size or not data.startswith(magic):
        raise unusable(f"it has {len(data)} bytes and no header" if data[:8] == magic[: len(data)]
                       else f"it does not begin as {what} does")  # fmt: skip
    _, version, count, size = HEAD.unpack_from(data)
    if version != VERSION:
        what = "newer" if version > VERSION else "older"
        raise unusable(
            f"it has format {version}, which is {what}: this version reads format {VERSION}",
            "assemble it with this version, or take the version that wrote it",
        )
    if len(data) != size:
        what = "cut off" if len(data) < size else "longer than it says"
        raise unusable(f"it is {what}: it has {len(data):,} bytes of {size:,}", "copy it again")
    head = HEAD.size + ENTRY.size * count
    if count > MOST or head + SUM.size > size:
        raise damaged(f"its table has {count} sections")
    if SUM.unpack_from(data, head)[0] != crc32(data[:head]):
        raise damaged("the checksum of its header does not agree")
    return _sections(memoryview(data), count, head + SUM.size)


def _sections(data: memoryview, count: int, at: int) -> dict[str, memoryview]:
    found: dict[str, memoryview] = {}
    for number in range(count):
        name, start, size, checksum = ENTRY.unpack_from(data, HEAD.size + ENTRY.size * number)
        text = name.rstrip(b"\0").decode("ascii", "replace")
        if start != at or start + size > len(data) or text in found:
            raise damaged(f"its section '{text}' is not where the table says")
        found[text] = data[start : start + size]
        if crc32(found[text]) != checksum:
            raise damaged(f"the checksum of its section '{text}' does not agree")
        at += size
    if at != len(data):
        raise damaged("there is something after its last section")
    return found
