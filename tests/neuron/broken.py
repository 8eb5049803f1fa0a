"""A program that breaks a rule, and the tensors such programs share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nasm.isa.instruction import Rule
from nasm.targets.neuron import TARGET
from nasm.targets.neuron.isa import ISA
from tests.neuron.programs import Tile, hbm, psum, sbuf

TILES = {
    "A": hbm("f32", (128, 64)),
    "H": hbm("bf16", (128, 64)),
    "N": hbm("i32", (4,)),
    "a": sbuf("f32", (128, 64)),
    "b": sbuf("f32", (128, 64)),
    "c": sbuf("f32", (128, 64)),
    "half": sbuf("f32", (64, 64)),
    "low": sbuf("f32", (32, 64)),
    "thin": sbuf("f32", (128, 32)),
    "odd": sbuf("f32", (32, 64), "16:0"),
    "one": sbuf("f32", (1, 300)),
    "col": sbuf("f32", (128, 1)),
    "col64": sbuf("f32", (64, 1)),
    "tcol": sbuf("tf32", (128, 1)),
    "icol": sbuf("i32", (128, 1)),
    "i": sbuf("i32", (128, 64)),
    "j": sbuf("i16", (128, 64)),
    "g": sbuf("bf16", (128, 64)),
    "wide": sbuf("f32", (128, 600)),
    "long": sbuf("i8", (1, 3, 40000)),
    "w": sbuf("float8_e4m3fn_x4", (128, 64)),
    "scale": sbuf("float8_e8m0fnu", (128, 64)),
    "fn": sbuf("float8_e4m3fn", (128, 64)),
    "f": sbuf("float8_e4m3", (128, 64)),
    "pair": sbuf("float8_e4m3", (128, 2, 64)),
    "deep": sbuf("f32", (1, 2, 2, 2, 2, 2)),
    "few": sbuf("f32", (128, 7)),
    "best": sbuf("f32", (128, 8)),
    "best64": sbuf("f32", (64, 8)),
    "at": sbuf("u16", (128, 8)),
    "at7": sbuf("u16", (128, 7)),
    "at64": sbuf("u16", (64, 8)),
    "p": psum("f32", (128, 64)),
    "q": psum("f32", (128, 64)),
    "p64": psum("f32", (64, 64)),
    "banks": psum("f32", (128, 1024)),
    "pf": psum("float8_e4m3", (64, 64)),
    "pg": psum("bf16", (64, 64)),
    "full": psum("bf16", (1, 4100)),
}


@dataclass(frozen=True, slots=True)
class Broken:
    """A program that breaks a rule: the start of its sentence, what it says, the lines.

    ``tiles`` are tensors it needs beside the shared ones.
    """

    row: str
    sentence: str
    code: str
    piece: str
    lines: str
    on: str = "trn2"
    tiles: Mapping[str, Tile] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.row}: {self.lines}"

    @property
    def rule(self) -> Rule:
        own = ISA.rows[self.row].rules
        (found,) = (r for r in (*TARGET.rules, *own) if r.sentence.startswith(self.sentence))
        return found
