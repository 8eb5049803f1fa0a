"""ELF files made by hand, by the System V ABI: a header, segments, and symbols if there are any."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence


def elf(
    segments: Sequence[tuple[int, bytes, int]],
    entry: int = 0,
    symbols: Mapping[str, int] | None = None,
    *,
    machine: int = 243,
    kind: int = 2,
    flags: int = 0,
    bits: int = 1,
) -> bytes:
    """A file with segments of code: addresses, bytes and zeros after them, and symbols."""
    names, table = b"\0", bytes(16)
    for name, value in (symbols or {}).items():
        table += struct.pack("<IIIBBH", len(names), value, 0, 2, 0, 1)
        names += name.encode() + b"\0"
    data = b"".join(code for _, code, _ in segments)
    start = 52 + 32 * len(segments)
    after = start + len(data)
    sections = b""
    if symbols:
        rows = [
            (0,) * 10,
            (0, 1, 6, segments[0][0], start, len(segments[0][1]), 0, 0, 4, 0),
            (0, 2, 0, 0, after, len(table), 3, 1, 4, 16),
            (0, 3, 0, 0, after + len(table), len(names), 0, 0, 1, 0),
        ]
        sections = b"".join(struct.pack("<10I", *row) for row in rows)
    at_sections = after + len(table) + len(names) if symbols else 0
    header = b"\x7fELF" + bytes([bits, 1, 1]) + bytes(9)
    header += struct.pack(
        "<HHIIIIIHHHHHH", kind, machine, 1, entry, 52, at_sections, flags, 52, 32, len(segments),
        40, 4 if symbols else 0, 0,
    )  # fmt: skip
    offset, heads = start, b""
    for address, code, zeros in segments:
        heads += struct.pack("<8I", 1, offset, address, address, len(code), len(code) + zeros, 5, 4)
        offset += len(code)
    return header + heads + data + (table + names + sections if symbols else b"")


def words(*given: int) -> bytes:
    """Words as bytes, the lowest first."""
    return struct.pack(f"<{len(given)}I", *given)
