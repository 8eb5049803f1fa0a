"""Programs of RISC-V cores, as ELF32 files: the words of a coprocessor that are in their code.

Source: the System V ABI's chapters on object files, and the RISC-V ELF psABI, of which e_machine
and the flag of compressed code are. Its mapping symbols are not used: assemblers mark a ``.word``,
as which some write such words, as data.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final, NamedTuple

from nasm.base.problems import Failure, Problem, in_line
from nasm.base.records import dataclass
from nasm.isa.words import Spelling, Words

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
_BYTES: Final = 4


class _Section(NamedTuple):
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


class _Symbol(NamedTuple):
    name: str
    value: int
    size: int
    kind: int
    section: int


class _Header(NamedTuple):
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


@dataclass(frozen=True, slots=True)
class ElfStretch:
    """Words of a coprocessor in a function, or in a section: each with its address."""

    name: str
    address: int
    words: tuple[tuple[int, int], ...]


def is_elf(data: bytes) -> bool:
    """Whether a file is one."""
    return data.startswith(MAGIC)


def words_in_code(name: str, data: bytes, words: Words, form: Spelling) -> list[ElfStretch]:
    """The words in the code of a file, in the order of their places; raises Failure.

    What is an instruction of ``words`` in this form is none of the core: the lowest two bits of its
    instructions are 3, and would be the highest of an opcode. Where functions have sizes, only they
    are code.
    """
    file = _Elf(name, data)
    found = []
    for title, address, code in file.code():
        made = []
        for at in range(0, len(code) - _BYTES + 1, _BYTES):
            (bits,) = struct.unpack_from("<I", code, at)
            word = form.read(bits)
            if not words.reason(word):
                made.append((address + at, word))
        if made:
            found.append(ElfStretch(title, address, tuple(made)))
    return found


class _Elf:
    def __init__(self, name: str, data: bytes) -> None:
        self._name, self._data = name, data
        if len(data) < 52 or data[4:6] != b"\x01\x01":
            raise self._refused("is no ELF file of 32 bits, the lowest byte first")
        self._header = _Header(*_HEADER.unpack_from(data, 16))
        if self._header.machine != _RISCV:
            raise self._refused(f"is for machine {self._header.machine}, not for RISC-V (243)")
        if self._header.flags & _COMPRESSED:
            message = (
                "has compressed instructions, among which words of 32 bits have no fixed place"
            )
            raise self._refused(message)
        self._sections = [_Section(*row) for row in self._table(_SECTION, "section")]
        self._symbols = [*self._read_symbols()]

    def _table(self, row: struct.Struct, what: str) -> Iterator[tuple[int, ...]]:
        header = self._header
        start = header.sections if what == "section" else header.segments
        count = header.section_count if what == "section" else header.segment_count
        size = header.section_size if what == "section" else header.segment_size
        if not start or not count:
            return
        if size < row.size or start + count * size > len(self._data):
            raise self._refused(f"ends before its table of {what}s does")
        for number in range(count):
            yield row.unpack_from(self._data, start + number * size)

    def _read_symbols(self) -> Iterator[_Symbol]:
        for table in (s for s in self._sections if s.kind == _SYMTAB):
            names = b""
            if table.link < len(self._sections):
                names = self._bytes(
                    self._sections[table.link].offset, self._sections[table.link].size
                )
            data = self._bytes(table.offset, table.size)
            for at in range(0, len(data) - _SYMBOL.size + 1, _SYMBOL.size):
                name, value, size, info, _, section = _SYMBOL.unpack_from(data, at)
                text = names[name:].partition(b"\0")[0].decode("ascii", "replace")
                yield _Symbol(text, value, size, info & 15, section)

    def code(self) -> Iterator[tuple[str, int, bytes]]:
        """Functions, or sections without any, or segments of a file without sections."""
        if not self._sections:
            for row in self._table(_SEGMENT, "segment"):
                kind, offset, address, _, size, _, flags, _ = row
                if kind == _LOADED and flags & 1:
                    yield "", address, self._bytes(offset, size)
        for number, section in enumerate(self._sections):
            if section.kind != _PROGBITS or not section.flags & _EXECUTABLE:
                continue
            data = self._bytes(section.offset, section.size)
            inside = [s for s in self._symbols if s.section == number and s.kind == _FUNCTION]
            sized: dict[int, _Symbol] = {}
            for symbol in inside:
                if symbol.size and section.address <= symbol.value < section.address + section.size:
                    sized.setdefault(symbol.value, symbol)
            if not sized:
                yield self._name_of(section), section.address, data
            for symbol in sorted(sized.values(), key=lambda s: s.value):
                start = symbol.value - section.address
                yield symbol.name, symbol.value, data[start : start + symbol.size]

    def _name_of(self, section: _Section) -> str:
        names = self._header.names
        if names >= len(self._sections):
            return ""
        table = self._bytes(self._sections[names].offset, self._sections[names].size)
        return table[section.name :].partition(b"\0")[0].decode("ascii", "replace")

    def _bytes(self, offset: int, size: int) -> bytes:
        if offset + size > len(self._data):
            raise self._refused("ends before what it holds does")
        return self._data[offset : offset + size]

    def _refused(self, message: str) -> Failure:
        return Failure(Problem("E0801", f"{in_line(self._name)} {message}"))
