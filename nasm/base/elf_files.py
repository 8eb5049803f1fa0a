"""Programs of RISC-V cores as ELF files of 32 bits: sections, segments, symbols.

Source: the System V ABI's chapters on object files, and the RISC-V ELF psABI, of which e_machine
and the flag of compressed code are. Its mapping symbols are not used: assemblers mark a ``.word``,
as which some write instructions of a coprocessor, as data.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final, NamedTuple

from nasm.base.problems import Failure, Problem, in_line

MAGIC: Final = b"\x7fELF"
_RISCV: Final = 243
_COMPRESSED: Final = 1
_PROGBITS, _SYMTAB = 1, 2
_EXECUTABLE: Final = 4
_LOADED: Final = 1
_FUNCTION: Final = 2
_HEADER = struct.Struct("<HHIIIIIHHHHHH")
_SECTION = struct.Struct("<IIIIIIIIII")
_SEGMENT = struct.Struct("<IIIIIIII")
_SYMBOL = struct.Struct("<IIIBBH")


class ElfSection(NamedTuple):
    """A section, as its header has it."""

    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    entry: int


class ElfSymbol(NamedTuple):
    """A symbol: its name, value and size, its type, and its section."""

    name: str
    value: int
    size: int
    kind: int
    section: int


class ElfSegment(NamedTuple):
    """Bytes that are loaded at an address, and zeros after them; perhaps code."""

    address: int
    data: bytes
    zeros: int
    code: bool


class ElfHeader(NamedTuple):
    """The header of a file."""

    kind: int
    machine: int
    version: int
    entry: int
    segments: int
    sections: int
    flags: int
    size: int
    segment_size: int
    segment_count: int
    section_size: int
    section_count: int
    names: int


def is_elf(data: bytes) -> bool:
    """Whether a file is one."""
    return data.startswith(MAGIC)


class ElfFile:
    """A file by its name, with what it holds; raises Failure for one that is none of RISC-V."""

    def __init__(self, name: str, data: bytes) -> None:
        self._name, self._data = name, data
        if len(data) < 52 or data[4:6] != b"\x01\x01":
            raise self.refused("is no ELF file of 32 bits, the lowest byte first")
        self.header = ElfHeader(*_HEADER.unpack_from(data, 16))
        if self.header.machine != _RISCV:
            raise self.refused(f"is for machine {self.header.machine}, not for RISC-V (243)")
        if self.header.flags & _COMPRESSED:
            message = (
                "has compressed instructions, among which words of 32 bits have no fixed place"
            )
            raise self.refused(message)
        self.sections = [ElfSection(*row) for row in self._table(_SECTION, "section")]
        self.symbols = [*self._read_symbols()]

    def _table(self, row: struct.Struct, what: str) -> Iterator[tuple[int, ...]]:
        header = self.header
        start = header.sections if what == "section" else header.segments
        count = header.section_count if what == "section" else header.segment_count
        size = header.section_size if what == "section" else header.segment_size
        if not start or not count:
            return
        if size < row.size or start + count * size > len(self._data):
            raise self.refused(f"ends before its table of {what}s does")
        for number in range(count):
            yield row.unpack_from(self._data, start + number * size)

    def _read_symbols(self) -> Iterator[ElfSymbol]:
        for table in (s for s in self.sections if s.kind == _SYMTAB):
            names = b""
            if table.link < len(self.sections):
                names = self.bytes_at(
                    self.sections[table.link].offset, self.sections[table.link].size
                )
            data = self.bytes_at(table.offset, table.size)
            for at in range(0, len(data) - _SYMBOL.size + 1, _SYMBOL.size):
                name, value, size, info, _, section = _SYMBOL.unpack_from(data, at)
                text = names[name:].partition(b"\0")[0].decode("ascii", "replace")
                yield ElfSymbol(text, value, size, info & 15, section)

    def segments(self) -> Iterator[ElfSegment]:
        """What is loaded, in the order of addresses."""
        found = []
        for row in self._table(_SEGMENT, "segment"):
            kind, offset, address, _, size, whole, flags, _ = row
            if kind == _LOADED and whole:
                data = self.bytes_at(offset, size)
                found.append(ElfSegment(address, data, whole - size, bool(flags & 1)))
        return iter(sorted(found))

    def code(self) -> Iterator[tuple[str, int, bytes]]:
        """Functions, or sections without any, or segments of a file without sections."""
        if not self.sections:
            for row in self._table(_SEGMENT, "segment"):
                kind, offset, address, _, size, _, flags, _ = row
                if kind == _LOADED and flags & 1:
                    yield "", address, self.bytes_at(offset, size)
        for number, section in enumerate(self.sections):
            if section.kind != _PROGBITS or not section.flags & _EXECUTABLE:
                continue
            data = self.bytes_at(section.offset, section.size)
            inside = [s for s in self.symbols if s.section == number and s.kind == _FUNCTION]
            sized: dict[int, ElfSymbol] = {}
            for symbol in inside:
                if symbol.size and section.address <= symbol.value < section.address + section.size:
                    sized.setdefault(symbol.value, symbol)
            if not sized:
                yield self._name_of(section), section.address, data
            for symbol in sorted(sized.values(), key=lambda s: s.value):
                start = symbol.value - section.address
                yield symbol.name, symbol.value, data[start : start + symbol.size]

    def _name_of(self, section: ElfSection) -> str:
        names = self.header.names
        if names >= len(self.sections):
            return ""
        table = self.bytes_at(self.sections[names].offset, self.sections[names].size)
        return table[section.name :].partition(b"\0")[0].decode("ascii", "replace")

    def bytes_at(self, offset: int, size: int) -> bytes:
        """Bytes of the file; raises Failure where it ends before."""
        if offset + size > len(self._data):
            raise self.refused("ends before what it holds does")
        return self._data[offset : offset + size]

    def refused(self, message: str) -> Failure:
        """What to raise of the file: a clause that begins with a verb."""
        return Failure(Problem("E0801", f"{in_line(self._name)} {message}"))
