"""Programs that a hostile or clumsy user might write: every row, with anything as an operand.

A line begins as the row's example does, or with an operand of the right kind in each place, so
that many assemble; then some operands become something else. All of a program is in its text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nasm.isa.instruction import REQUIRED, Operand, Row
from nasm.isa.kinds import (
    Choice,
    Either,
    Flag,
    Integers,
    Kind,
    Label,
    Number,
    Register,
    Tile,
    TransferName,
)
from nasm.targets.neuron import TARGET
from nasm.targets.neuron.isa import ISA
from tests.neuron.choices import Choices

PLAIN = ("float32", "bfloat16", "float16", "float8_e4m3", "int32", "uint32", "uint16", "uint8")
RARE = (
    "float8_e5m2",
    "float8_e3m4",
    "float8_e4m3fn",
    "tfloat32",
    "int16",
    "int8",
    "float8_e8m0fnu",
    "float8_e5m2_x4",
    "float8_e4m3fn_x4",
    "float4_e2m1fn_x4",
)
PARTITIONS = (1, 1, 2, 8, 16, 31, 32, 33, 64, 96, 128, 128)
SIZES = (1, 1, 2, 3, 5, 6, 8, 8, 24, 16, 31, 32, 64, 128, 256, 512, 600)
NUMBERS = (
    "0",
    "1",
    "2",
    "3",
    "4",
    "7",
    "8",
    "16",
    "31",
    "32",
    "64",
    "127",
    "128",
    "255",
    "512",
    "65535",
    "-1",
    "-2",
    "0.0",
    "-0.0",
    "0.5",
    "1.5",
    "-1.0",
    "2.0",
    "1e-3",
    "16777217",
)
WILD = (
    "inf",
    "-inf",
    "nan",
    "1e308",
    "-1e308",
    "1e39",
    "1e-45",
    "3.4028235e38",
    "4294967295",
    "4294967296",
    "2147483647",
    "-2147483648",
    "2147483648",
    "-2147483649",
    "1 << 63",
    "1 << 200",
    "-(1 << 70)",
    "1 << 2000",
    "1e300 * 10",
    "0.1",
    "65536",
    "32768",
    "-32769",
)
WORDS = (
    "add",
    "max",
    "multiply",
    "equal",
    "none",
    "nothing",
    "idle",
    "reset_reduce",
    "a",
    "True",
    "float32",
    "load",
    "again",
    "there",
    "greater",
    "pow",
    "divide",
    "mod",
    "bypass",
    "exp",
)
ODD = (
    '"a string"',
    '""',
    '"add"',
    "[]",
    "[1, 2]",
    "[0, 0]",
    "[128, 128]",
    "[[1, 4]]",
    "[[0, 0]]",
    "[[-1, 4], [2, 2]]",
    "[[1]]",
    "[1.5]",
    "[inf]",
    "[[1, 4], 2]",
    "true",
    "false",
    "%r0",
    "%r1",
    "%r63",
    "%r64",
    "%r999",
    "1 == 1",
    "sizeof(a)",
    "a.shape",
    "min(1, 2)",
    "a @ b",
    "1 / 0",
)


@dataclass
class Writer:
    """Writes one program for one machine."""

    choices: Choices
    on: str
    declared: dict[str, str] = field(default_factory=dict)
    registers: set[tuple[str, int]] = field(default_factory=set)
    row: Row = ISA.rows["Nop"]
    engine: str = ""
    rows: int = 0
    size: int = 0
    dtype: str = ""
    shapes: dict[str, tuple[int, int]] = field(default_factory=dict)
    met: list[Row] = field(default_factory=list)
    like: dict[str, list[str]] = field(default_factory=dict)

    # -- choices

    def one(self, options: Any) -> Any:
        return self.choices.one_of(*options)

    def chance(self, odds: float) -> bool:
        return self.choices.flag(odds)

    # -- the program

    def program(self, rows: Sequence[tuple[Row, str]]) -> str:
        """A program of a line for each row and engine, and of what the lines need."""
        body: list[str] = []
        for self.row, self.engine in rows:
            self.met.append(self.row)
            body += self.lines()
        said = "\n".join(body)
        words = set(re.findall(r"\w+", said))
        lines = [f".target {self.on}", ".sem s_, t_", *self.tensors(words)]
        if "load" in words:
            lines += [
                ".hbm LA f32[4, 8] input = iota",
                ".sbuf la f32[4, 8]",
                ".dma load",
                "    la <- LA",
                ".end",
            ]
        for engine, number in sorted(self.registers):
            if self.chance(0.9):
                lines.append(f"@{engine} RegisterMove %r{number}, {self.start()}")
        return "\n".join([*lines, *body]) + "\n"

    def lines(self) -> list[str]:
        """A row's line, with what stands before and behind it."""
        self.rows, self.size = self.one(PARTITIONS), self.one(SIZES)
        self.dtype = self.one(PLAIN if self.chance(0.8) else RARE)
        self.shapes = {}
        if self.size <= 128 and self.chance(0.1):
            self.shapes["dst"] = (self.size, self.rows)
        elif self.chance(0.15):
            self.shapes["dst"] = (self.rows, self.one((2, 6, 8, self.size // 2 or 1)))
        lines = self.before() if self.chance(0.9) else []
        operands = self.example() if self.chance(0.35) else self.operands()
        operands = self.disturbed(operands)
        line = f"@{self.engine} {self.row.name} {', '.join(operands)}{self.tail()}"
        words = set(re.findall(r"\w+", line))
        if "again" in words or self.chance(0.02):
            lines.append(f"again: @{self.engine} Nop")
        lines.append(line)
        if "there" in words:
            lines.append(f"there: @{self.engine} Nop")
        return lines * (2 if self.chance(0.1) and len(lines) == 1 else 1)

    def start(self) -> str:
        return str(self.one((0, 0, 0, 1, 2, 8, 32, self.one(NUMBERS[:16]), -1, 1 << 31)))

    def before(self) -> list[str]:
        lines = [line.strip() for line in self.row.setup.splitlines() if line.strip()]
        return [s if s.startswith(("@", ".")) else f"@{self.engine} {s}" for s in lines]

    def tail(self) -> str:
        said = self.one((*[""] * 12, " $s_ >= 0", " $s_ >= 1", " $s_ == 0", " $t_ == -1"))
        posts = self.row.posts or 1
        some = (
            *[""] * 8,
            f" $t_ += {posts}",
            f" $t_ += {posts} @read",
            " $t_++",
            " $t_ = 5",
            " $s_ -= 100",
            " $s_ += 2147483647",
        )
        return str(said + self.one(some))

    def tensors(self, words: set[str]) -> list[str]:
        """Declarations of what the writer made, and of the samples that the lines name."""
        found = dict(self.declared)
        samples = TARGET.samples
        assert samples is not None
        theirs = [line for row in self.met for line in row.tensors.strip().splitlines()]
        for line in (*samples.tensors, *theirs):
            memory, name, rest = line.split(None, 2)
            what, _, start = rest.format(n=128).partition("=")
            shape = what.replace("input", "").strip()
            drawn = "zeros" if "_x4" in shape else "random(seed=1)" if "f" in shape else "iota"
            start = start.strip() or drawn
            start = f"input = {start}" if memory == ".hbm" else f"= {start}"
            if name not in found and name in words:
                found[name] = f"{memory} {name} {shape} {start}"
        return [line for line in found.values() if self.chance(0.99)]

    # -- operands

    def example(self) -> list[str]:
        """The operands of the row's example."""
        said = self.row.example.partition(" ")[2]
        parts, depth, at = [], 0, 0
        for n, letter in enumerate(said):
            depth += (letter in "[(") - (letter in "])")
            if letter == "," and not depth:
                parts.append(said[at:n].strip())
                at = n + 1
        return [*parts, said[at:].strip()] if said.strip() else []

    def operands(self) -> list[str]:
        """Something of the right kind for every operand, some left out."""
        made, named = [], False
        for operand in self.row.written:
            optional = operand.default is not REQUIRED
            if self.chance(0.6 if optional else 0.01):
                named = True
                continue
            named = named or operand.keyword or self.chance(0.1)
            value = self.fitting(operand)
            made.append(f"{operand.name}={value}" if named else value)
        return made

    def disturbed(self, operands: list[str]) -> list[str]:
        """Some operands made into something else, doubled, dropped or exchanged."""
        made = list(operands)
        while made and self.chance(0.3):
            at = self.choices.number(0, len(made) - 1)
            name, equals, _ = made[at].partition("=")
            kept = name + "=" if equals and name.isidentifier() else ""
            how = self.one(("any", "any", "fit", "fit", "fit", "drop", "twice", "swap", "name"))
            if how == "any":
                made[at] = kept + self.anything()
            elif how == "fit":
                same = [o for o in self.row.written if o.name + "=" == kept]
                operand = (same or self.row.written[at : at + 1] or self.row.written)[0]
                made[at] = kept + self.fitting(operand)
            elif how == "drop":
                del made[at]
            elif how == "twice":
                made.insert(at, made[at])
            elif how == "name":
                made[at] = f"{self.one(self.row.written).name}={self.anything()}"
            else:
                other = self.choices.number(0, len(made) - 1)
                made[at], made[other] = made[other], made[at]
        return made

    def fitting(self, operand: Operand) -> str:
        return self.of_kind(operand.kind, "w" in operand.access, operand.name)

    def of_kind(self, kind: Kind, written: bool = False, name: str = "") -> str:
        """Something of a kind of operand, most likely."""
        if isinstance(kind, Tile):
            return self.tile(kind, written, name)
        if isinstance(kind, Either):
            return self.of_kind(self.one(kind.kinds), written, name)
        if isinstance(kind, Flag):
            return str(self.one(("true", "false")))
        if isinstance(kind, Choice) or (kind.words and self.chance(0.9)):
            return str(self.one(kind.words))
        if isinstance(kind, Register):
            return self.register()
        if isinstance(kind, Label):
            return str(self.one(("again", "there", "there")))
        if isinstance(kind, TransferName):
            return "load"
        if isinstance(kind, Integers):
            return self.integers(kind.length)
        if isinstance(kind, Number):
            return self.number(kind)
        return self.other(kind)

    def other(self, kind: Kind) -> str:
        """For the kinds that one row has: by what they say of themselves."""
        said = kind.describe()
        if "pairs" in said:
            return self.pattern()
        if "tensors" in said:
            many = [self.tile(Tile(("sbuf", "hbm"))) for _ in range(self.one((1, 2, 2, 3)))]
            return f"[{', '.join(many)}]"
        if "list of numbers" in said:
            return self.integers(self.one((1, 2, 3)))
        return '"some {text}"' if "string" in said else self.number(Number())

    def number(self, kind: Number) -> str:
        if self.chance(0.1):
            return str(self.one(WILD))
        if np.isfinite(kind.low) and np.isfinite(kind.high) and self.chance(0.5):
            low, high = int(kind.low), int(kind.high)
            return str(self.one((low, high, low - 1, high + 1, min(high, low + 3))))
        whole = [n for n in NUMBERS if "." not in n and "e" not in n]
        return str(self.one(whole if kind.integer else NUMBERS))

    def integers(self, length: int) -> str:
        if not length and self.chance(0.5):
            return str(self.one((0, 1, 2, 3, -1)))
        few = (0, 0, 1, 2, 3, 32, 64, 128, -1, 255)
        items = [str(self.one(few)) for _ in range(length or self.one((1, 2, 3, 4)))]
        return f"[{', '.join(items)}]"

    def pattern(self) -> str:
        steps = (0, 1, 1, 2, -1, 64, 1 << 20, -(1 << 31), 0.5)
        counts = (1, 2, 4, self.size, self.size, 128, 0, 65536)
        pairs = [f"[{self.one(steps)}, {self.one(counts)}]" for _ in range(self.one((1, 1, 2, 5)))]
        return f"[{', '.join(pairs)}]"

    def register(self) -> str:
        number = int(self.one((0, 1, 2, 63)))
        self.registers.add((self.engine, number))
        return f"%r{number}"

    def anything(self) -> str:
        how = self.one(("tile", "tile", "number", "wild", "odd", "word", "register"))
        if how == "tile":
            return self.tile(Tile(("sbuf", "psum", "hbm")))
        if how == "register":
            return self.register()
        return str(self.one({"number": NUMBERS, "wild": WILD, "odd": ODD, "word": WORDS}[how]))

    # -- tiles

    def tile(self, kind: Tile, written: bool = False, name: str = "") -> str:
        memory = self.one(kind.memories if self.chance(0.97) else ("sbuf", "psum", "hbm"))
        if kind.dtypes and self.chance(0.95):
            dtype = self.one(kind.dtypes)
        else:
            dtype = self.dtype if self.chance(0.6) else self.one((*PLAIN, *RARE))
        rows, size = self.shapes.get(name, (self.rows, self.size))
        rows = rows if self.chance(0.95) else self.one(PARTITIONS)
        size = 1 if kind.column else size if self.chance(0.85) else self.one(SIZES)
        shape = [rows, size]
        if not kind.column and size > 3 and size % 2 == 0 and self.chance(0.25):
            shape = [rows, 2, size // 2] if self.chance(0.7) else [rows, size // 2, 1, 2]
        if self.chance(0.55 if written else 0.5):
            return self.declare(memory, dtype, shape)
        return self.seen(memory, dtype, shape)

    def declare(self, memory: str, dtype: str, shape: list[int], start: str = "") -> str:
        made = ", ".join(map(str, shape))
        like = self.like.setdefault(f"{memory} {dtype} {made}", [])
        if like and not start and self.chance(0.3):
            return str(self.one(like))
        name = f"x{len(self.declared)}"
        like.append(name)
        if not start:
            start = self.one((" = iota", " = random(seed=3)", " = normal(seed=4)", " = zeros", ""))
            if len(shape) == 2 and shape[0] * shape[1] <= 64 and dtype in PLAIN:
                start = f" = {self.listed(dtype, shape)}" if self.chance(0.4) else start
        if memory == "hbm" and start:
            start = f" input{start}"
        places = ("", "", "", "", "", "", "", " @ 32:0", " @ 64:64", " @ 1:0")
        where = "" if memory == "hbm" else self.one(places)
        self.declared[name] = f".{memory} {name} {dtype}[{made}]{where}{start}"
        return name

    def listed(self, dtype: str, shape: list[int]) -> str:
        wild = ("nan", "inf", "-inf", "0", "-0.0", "1", "-1.5", "1e30", "1e-30", "2", "3", "300")
        some = wild if dtype[0] in "fb" else ("0", "1", "2", "3", "7", "200", "0", "31")
        rows = [", ".join(self.one(some) for _ in range(shape[1])) for _ in range(shape[0])]
        return "[" + ", ".join(f"[{row}]" for row in rows) + "]"

    def seen(self, memory: str, dtype: str, shape: list[int]) -> str:
        """A view of a shape, more or less, of a tensor that is larger or other."""
        rows, size = shape[0], int(np.prod(shape[1:]))
        free = shape[1:]
        colons = ", ".join(":" * len(free))
        how = self.one(
            (
                "rows",
                "cut",
                "back",
                "step",
                "permute",
                "broadcast",
                "register",
                "lanes",
                "indirect",
                "ap",
                "ap",
                "scalar",
                "vector",
                "view",
                "reshape",
                "T",
                "twice",
                "odd",
            )
        )
        bigger = [*free[:-1], free[-1] * 2 + 1]
        wide = ", ".join([":"] * (len(free) - 1) + [""])
        if how == "rows":
            first = self.one((0, 32, 64, 96, 1))
            name = self.declare(memory, dtype, [min(128, first + rows), *free])
            return f"{name}[{first}:{first + rows}]"
        if how == "cut":
            name = self.declare(memory, dtype, [rows, *bigger])
            return f"{name}[:, {wide}{self.one((0, 1, 2))} : +{free[-1]}]"
        if how in ("back", "step"):
            name = self.declare(memory, dtype, [rows, *(bigger if how == "step" else free)])
            return f"{name}[:, {wide}{'::-1' if how == 'back' else f'0:{2 * free[-1]}:2'}]"
        if how == "permute":
            name = self.declare(memory, dtype, [rows, 2, max(1, size // 2)])
            return f"{name}.permute(0, 2, 1)"
        if how == "broadcast":
            name = self.declare(memory, dtype, [rows, *[1] * len(free)])
            return f"{name}.broadcast({', '.join(map(str, shape))})"
        if how == "register":
            name = self.declare(memory, dtype, [rows, *bigger])
            return f"{name}[:, {wide}{self.register()} : +{free[-1]}]"
        if how == "lanes":
            name = self.declare(memory, dtype, [128, *free])
            return f"{name}[{self.register()} : +{rows}]"
        if how == "view":
            name = self.declare(memory, self.one(("uint8", "uint16", "uint32")), [rows, size * 4])
            return f"{name}[:, 0:{size * self.one((1, 2, 4))}].view({dtype})"
        if how == "reshape":
            name = self.declare(memory, dtype, [rows, size])
            return f"{name}.reshape({', '.join(map(str, shape))})"
        if how == "T":
            return f"{self.declare(memory, dtype, shape[::-1])}.T"
        if how == "twice":
            return f"{self.declare(memory, dtype, shape)}[{colons}][0:{rows}].view({dtype})"
        if how == "odd":
            return self.declare(memory, dtype, shape) + str(
                self.one(
                    (
                        "[0:0]",
                        "[129]",
                        "[-1]",
                        "[:, :, :, :]",
                        ".view(u64)",
                        ".reshape(0)",
                        ".ap([])",
                        ".ap(3)",
                        ".indirect(1)",
                        ".indirect()",
                        ".broadcast(4)",
                        ".permute(1, 0)",
                        "[%r64]",
                        ".shape",
                        ".reshape(-1, -1)",
                        "[0:1:0]",
                        "[0.5]",
                        "[::-1]",
                        ".ap([[1 << 70, 2]])",
                        ".ap([[1, 1]], 0, %r0, %r1)",
                        ".permute(0, 0)",
                        "[1:][0]",
                        "[0:64:2]",
                        "[-1::-1]",
                        ".reshape(1 << 70)",
                        ".broadcast(1 << 40, 1)",
                        "[:, 0]",
                        "[0, 0]",
                        ".view(e8m0)",
                    )
                )
            )
        return self.addressed(how, memory, dtype, shape, size)

    def addressed(self, how: str, memory: str, dtype: str, shape: list[int], size: int) -> str:
        """Patterns written out, and those of which a tile holds the addresses."""
        rows, room = shape[0], size + self.one((0, 0, 1, 8))
        name = self.declare(memory, dtype, [rows, room])
        start = str(self.one((" = iota", " = zeros", " = zeros", "")))
        kind = self.one(("uint32", "uint32", "int32", "uint16", "float32"))
        if how == "indirect":
            many = -(-size // 16) if self.chance(0.3) else size
            index = self.declare("sbuf", kind, [rows, many], start or " = iota")
            count = "" if self.chance(0.6) else f", num_elem={self.one((size, size - 1, 1, 0))}"
            return f"{name}.indirect({index}{count})"
        steps = str(self.one((1, 1, 1, 2, -1, 0)))
        pairs = f"[[{self.one((room, room, room, 1, 0))}, {rows}], [{steps}, {size}]]"
        offset = f", offset={self.one((0, 0, 1, size - 1, room, -1))}"
        if how == "ap":
            return f"{name}.ap({pairs}{offset if self.chance(0.6) else ''})"
        dim = self.one(("", "", ", indirect_dim=1", ", indirect_dim=0", ", indirect_dim=5"))
        if how == "scalar":
            one = self.declare("sbuf", kind, [1, 1], start or " = zeros")
            by = one if self.chance(0.6) else self.register()
            return f"{name}.ap({pairs}, scalar_offset={by}{dim})"
        many = self.declare("sbuf", kind, [rows, 1], start or " = zeros")
        return f"{name}.ap({pairs}, vector_offset={many}{dim if self.chance(0.2) else ''})"
