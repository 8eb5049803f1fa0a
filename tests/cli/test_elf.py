"""``dis --words`` of ELF files of RISC-V cores: the words in their code, and nothing else."""

from __future__ import annotations

import random
import struct
from pathlib import Path
from typing import Any

import pytest

from nasm import assemble
from nasm.language.printing.words import words_of
from nasm.targets.tensix import TARGET
from nasm.targets.tensix.isa import words_on

WORDS = words_on("wormhole")
ROWS = [row for row in TARGET.rows(TARGET.generations[0]) if row.encoding is not None]
NOP = 0x00000013  # addi x0, x0, 0


def elf(
    code: list[int],
    symbols: list[tuple[str, int, int, int]] = [],  # noqa: B006
    *,
    flags: int = 0,
    machine: int = 243,
    sections: bool = True,
) -> bytes:
    """A file with a section .text at 0x6000, and .data with a word: header, sections, symbols."""
    text = struct.pack(f"<{len(code)}I", *code)
    data = struct.pack("<I", 0x99000020)
    names = b"\0.text\0.data\0.symtab\0.strtab\0"
    strings, table = b"\0", struct.pack("<IIIBBH", 0, 0, 0, 0, 0, 0)
    for name, value, size, kind in symbols:
        table += struct.pack("<IIIBBH", len(strings), value, size, kind, 0, 1)
        strings += name.encode() + b"\0"
    parts, offsets, at = [text, data, table, strings, names], [], 52 + 32
    for part in parts:
        offsets.append(at)
        at += len(part)
    rows = [
        (0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        (1, 1, 6, 0x6000, offsets[0], len(text), 0, 0, 4, 0),
        (7, 1, 3, 0x7000, offsets[1], len(data), 0, 0, 4, 0),
        (13, 2, 0, 0, offsets[2], len(table), 4, 1, 4, 16),
        (21, 3, 0, 0, offsets[3], len(strings), 0, 0, 1, 0),
        (21, 3, 0, 0, offsets[4], len(names), 0, 0, 1, 0),
    ]
    header = b"\x7fELF\x01\x01\x01" + bytes(9)
    header += struct.pack(
        "<HHIIIIIHHHHHH", 2, machine, 1, 0x6000, 52, at if sections else 0, flags, 52, 32, 1, 40,
        len(rows) if sections else 0, 5,
    )  # fmt: skip
    segment = struct.pack("<IIIIIIII", 1, offsets[0], 0x6000, 0x6000, len(text), len(text), 5, 4)
    body = header + segment + b"".join(parts)
    return body + b"".join(struct.pack("<IIIIIIIIII", *row) for row in rows) * sections


def ttinsn(word: int) -> int:
    return (word << 2 | word >> 30) & 0xFFFFFFFF


def found(ran: Any, folder: Path, data: bytes) -> list[int]:
    path = folder / "t.elf"
    path.write_bytes(data)
    made = ran("dis", path, "--words", "--target", "wormhole", "--queue", "t1")
    assert made.code == 0, made.err
    return words_of(assemble(made.out)).get("t1", [])


def some_words(seed: int, count: int) -> list[int]:
    rng = random.Random(seed)
    made: list[int] = []
    while len(made) < count:
        row = rng.choice(ROWS)
        assert row.encoding is not None
        word = row.encoding.code << 24 | rng.getrandbits(24) & row.encoding.known
        if not WORDS.reason(word):
            made.append(word)
    return made


@pytest.mark.parametrize("sections", [True, False])
def test_words_among_instructions_of_the_core_are_found(
    ran: Any, tmp_path: Path, sections: bool
) -> None:
    wanted, rng = some_words(1, 200), random.Random(2)
    code = []
    for word in wanted:
        code += [rng.getrandbits(32) | 3 for _ in range(rng.randrange(3))]
        code.append(ttinsn(word))
    assert found(ran, tmp_path, elf(code, sections=sections)) == wanted


def test_words_that_are_no_instruction_are_left(ran: Any, tmp_path: Path) -> None:
    rng = random.Random(3)
    code = [rng.getrandbits(32) for _ in range(3000)]
    taken = found(ran, tmp_path, elf(code))
    # By the numbers themselves: below 0xC0, and a word that is documented.
    back = [(bits >> 2 | bits << 30) & 0xFFFFFFFF for bits in code if bits & 3 != 3]
    assert taken == [word for word in back if not WORDS.reason(word)]
    assert len(taken) < len(code) / 4
    assert all(word >> 24 < 0xC0 for word in taken)


def test_only_functions_are_code(ran: Any, tmp_path: Path) -> None:
    word = ttinsn(0x26400008)
    code = [NOP, word, word, NOP, word, word]
    symbols = [("$x", 0x6000, 0, 0), ("$d", 0x6004, 0, 0), ("main", 0x6000, 12, 2)]
    path = tmp_path / "t.elf"
    path.write_bytes(elf(code, symbols))
    made = ran("dis", path, "--words", "--target", "wormhole")
    assert made.out == (
        ".target wormhole\n\n@t0\n    ; main at 0x6000\n"
        f"    {'MVMUL clear_dvalid=CLR_A, dst=8':60}  ; 0x6004\n"
        f"    {'MVMUL clear_dvalid=CLR_A, dst=8':60}  ; 0x6008\n"
    )
    assert "2 words of " in made.err


BROKEN = {
    "compressed": (elf([NOP], flags=1), "compressed instructions"),
    "machine": (elf([NOP], machine=62), "is for machine 62, not for RISC-V"),
    "short": (elf([NOP])[:30], "is no ELF file of 32 bits"),
    "64 bits": (b"\x7fELF\x02" + elf([NOP])[5:], "is no ELF file of 32 bits"),
    "cut": (elf([NOP])[:-10], "ends before its table of sections does"),
}


@pytest.mark.parametrize(("data", "said"), BROKEN.values(), ids=BROKEN)
def test_files_that_are_not_such_are_refused(
    ran: Any, tmp_path: Path, data: bytes, said: str
) -> None:
    path = tmp_path / "t.elf"
    path.write_bytes(data)
    made = ran("dis", path, "--words", "--target", "wormhole")
    assert made.code != 0
    assert said in made.err


def test_bytes_at_random_change_nothing_but_the_answer(ran: Any, tmp_path: Path) -> None:
    whole, rng, path = (
        elf([ttinsn(0x02000000), NOP], [("f", 0x6000, 8, 2)]),
        random.Random(4),
        tmp_path / "t.elf",
    )
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(rng.randrange(1, 6)):
            data[rng.randrange(4, len(data))] = rng.randrange(256)
        path.write_bytes(bytes(data))
        made = ran("dis", path, "--words", "--target", "wormhole")
        assert "Traceback" not in made.err
