"""A program of a RISC-V core as lines of text: what an ELF file has, for an include.

Symbols and what branches lead to are labels, words that are no instruction are data. What a program
loads into the local memory of a core is put there, as its start-up code would.
"""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from nasm.base.elf_files import ElfFile, ElfSegment, ElfSymbol
from nasm.base.problems import Refused, listed
from nasm.targets.tensix.engine_names import HARTS, LETTERS, RISCV_PREFIX
from nasm.targets.tensix.riscv.cores import RESET_PCS
from nasm.targets.tensix.riscv.decode import MOST_PUSHED, DecodedWord, decode_on, encode
from nasm.targets.tensix.riscv.formats import WORD
from nasm.targets.tensix.riscv.operands import TEXTS
from nasm.targets.tensix.riscv.operations import Does
from nasm.targets.tensix.riscv.status import TEXTS as STATUS_NAMES

ENDING: Final = ".elf"
_LINKED: Final = 2
_NAMED: Final = (0, 1, 2)
"""Types of symbols that are labels: of no type, objects, functions."""

_NAME = re.compile(r"[A-Za-z_]\w*")
_TAKEN: Final = frozenset({"and", "or", "not"})


class CodeText:
    """Words of a core as its lines, with labels for symbols and for what branches lead to."""

    def __init__(
        self, segments: Sequence[ElfSegment], symbols: Iterable[ElfSymbol], generation: str
    ) -> None:
        self.segments, self.symbols, self.generation = segments, symbols, generation
        self.words = dict(self._all_words())
        self.labels: dict[int, str] = {}
        self._name_symbols()
        self._symbols = sorted(self.labels.items())
        self._name_targets()

    def _all_words(self) -> Iterator[tuple[int, int]]:
        for segment in self.segments:
            padded = segment.data + bytes(-len(segment.data) % 4)
            for at, (word,) in enumerate(struct.iter_unpack("<I", padded)):
                yield segment.address + 4 * at, word

    def _name_symbols(self) -> None:
        taken: set[str] = set()
        for symbol in self.symbols:
            name, address = symbol.name, symbol.value
            usable = symbol.kind in _NAMED and symbol.section and _NAME.fullmatch(name)
            if not usable or address not in self.words or name in _TAKEN | taken:
                continue
            if symbol.kind or address not in self.labels:
                self.labels[address] = name
                taken.add(name)

    def _name_targets(self) -> None:
        """Give a label to what branches lead to, where no symbol is."""
        taken = set(self.labels.values())
        for segment in self.segments:
            for address, found in self._instructions(segment):
                target = _target(address, found)
                if target in self.words and target not in self.labels:
                    name = f"at_{target:x}"
                    while name in taken:
                        name += "_"
                    self.labels[target] = name

    def _instructions(self, segment: ElfSegment) -> Iterator[tuple[int, DecodedWord]]:
        if not segment.code:
            return
        for address in range(segment.address, segment.address + len(segment.data), 4):
            found = decode_on(self.generation, self.words[address])
            if found is not None:
                yield address, found

    def lines(self, segment: ElfSegment) -> Iterator[str]:
        """The lines of a segment."""
        code = {address for address, _ in self._instructions(segment)}
        end = segment.address + len(segment.data) + 3 & -4
        for address in range(segment.address, end, 4):
            if address in self.labels:
                yield f"{self.labels[address]}:"
            word = self.words[address]
            found = decode_on(self.generation, word) if address in code else None
            made = "" if found is None else self._instruction(address, word, found)
            shown = made or f"word {word:#010x}"
            yield f"{RISCV_PREFIX}{shown}  ; {address:#x} {self.place(address)}".rstrip()
        zeros = segment.address + len(segment.data) + segment.zeros - end
        if zeros > 0:
            yield f"{RISCV_PREFIX}zeros {zeros + 3 & -4}"

    def place(self, address: int) -> str:
        """An address by the function that has it: ``main+8``."""
        at = bisect_right(self._symbols, (address, "\x7f")) - 1
        if at < 0:
            return ""
        start, name = self._symbols[at]
        return f"{name}+{address - start}" if address > start else name

    def _instruction(self, address: int, word: int, found: DecodedWord) -> str:
        """A word as a line; empty if the line would be another word."""
        operation, rd, rs1, rs2, immediate = found
        if operation.does is Does.PUSHES:
            return f"ttinsn {immediate:#010x}" if immediate < MOST_PUSHED else ""
        registers = {7: rd, 15: rs1, 20: rs2}
        if encode(operation, [registers[at] for at in operation.form.registers], immediate) != word:
            return ""
        target = _target(address, found)
        if target is not None and target not in self.labels:
            return ""
        return _LINES[operation.does](operation.name.replace(".", "_"), found, self._label(target))

    def _label(self, target: int | None) -> str:
        return "" if target is None else self.labels[target]


def _target(address: int, found: DecodedWord) -> int | None:
    """Where a branch or jump leads; None for anything else."""
    if found.operation.does in (Does.BRANCH, Does.JUMP):
        return address + found.immediate & WORD
    return None


Line = Callable[[str, DecodedWord, str], str]


def _status(name: str, found: DecodedWord) -> str:
    """A line that names a status register, and a register or a number."""
    status = STATUS_NAMES.get(found.immediate & 0xFFF) or hex(found.immediate & 0xFFF)
    given = str(found.immediate >> 12) if name.endswith("i") else TEXTS[found.rs1]
    return f"{name} {TEXTS[found.rd]}, {status}, {given}"


_LINES: Final[dict[Does, Line]] = {
    Does.COMPUTE: lambda n, f, to: f"{n} {TEXTS[f.rd]}, {TEXTS[f.rs1]}, {TEXTS[f.rs2]}",
    Does.IMMEDIATE: lambda n, f, to: f"{n} {TEXTS[f.rd]}, {TEXTS[f.rs1]}, {f.immediate}",
    Does.UPPER: lambda n, f, to: f"{n} {TEXTS[f.rd]}, {f.immediate:#x}",
    Does.BRANCH: lambda n, f, to: f"{n} {TEXTS[f.rs1]}, {TEXTS[f.rs2]}, {to}",
    Does.JUMP: lambda n, f, to: f"{n} {TEXTS[f.rd]}, {to}",
    Does.JUMP_REGISTER: lambda n, f, to: f"{n} {TEXTS[f.rd]}, {f.immediate}({TEXTS[f.rs1]})",
    Does.LOAD: lambda n, f, to: f"{n} {TEXTS[f.rd]}, {f.immediate}({TEXTS[f.rs1]})",
    Does.STORE: lambda n, f, to: f"{n} {TEXTS[f.rs2]}, {f.immediate}({TEXTS[f.rs1]})",
    Does.NOTHING: lambda n, f, to: n,
    Does.FENCE: lambda n, f, to: n,
    Does.UNARY: lambda n, f, to: f"{n} {TEXTS[f.rd]}, {TEXTS[f.rs1]}",
    Does.ATOMIC: lambda n, f, to: f"{n} {TEXTS[f.rd]}, {TEXTS[f.rs2]}, ({TEXTS[f.rs1]})",
    Does.STATUS: lambda n, f, to: _status(n, f),
    Does.PAUSE: lambda n, f, to: n,
}


def text_of(name: str, data: bytes, engine: str, generation: str) -> str:
    """A file as lines of text for a core of a generation, beginning with where that begins.

    Raises Failure or Refused for a file that is none for it.
    """
    file = ElfFile(name, data)
    if engine not in HARTS:
        hint = f"choose one of {listed(f'.rv {letter}' for letter in LETTERS)} before"
        raise Refused("E0801", f"{name} is code of a RISC-V core, and these lines are not", hint)
    if file.header.kind != _LINKED:
        raise file.refused("is not linked: its addresses are not decided")
    segments, number = list(file.segments()), HARTS.index(engine)
    for segment in segments:
        if segment.address & 3:
            raise file.refused(f"loads bytes at {segment.address:#x}, no multiple of 4")
    made, lines = CodeText(segments, file.symbols, generation), list[str]()
    if file.header.entry != RESET_PCS[number]:
        lines.append(f".cfg {LETTERS[number]}_start = {file.header.entry:#x}")
    for segment in segments:
        lines.append(f"{RISCV_PREFIX}org {segment.address:#x}")
        lines += made.lines(segment)
    return "\n".join(lines) + "\n"
