"""Random programs in sequential order, with what each call touches and means, apart from any row.

An element is a place: of SBUF a core, a partition and a column, of HBM a tensor, a row and a
column. What a call means is computed with NumPy's float32, call by call.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

from nasm.program.builder import ProgramBuilder
from nasm.sync.lines import Line, Sequence
from nasm.targets import TARGETS
from nasm.views.tensor import Tensor
from nasm.views.view import Reg, View

Element = tuple[object, ...]
ROWS, COLUMNS = 2, 12
ISSUERS = ("sync", "scalar", "gpsimd")
HOLDERS = ("sync", "vector", "scalar")
"""Engines whose registers are used."""


@dataclass(frozen=True)
class Part:
    """Some columns of a tensor, of one row or of all."""

    tensor: str
    rows: tuple[int, ...]
    first: int
    count: int

    def elements(self, core: int) -> list[Element]:
        """Its places, row by row; two tiles lie on the same bytes of SBUF."""
        name, first = self.tensor, self.first
        place: tuple[object, ...] = (name,)
        if name[0] in "st":
            place, first = ("sbuf", core), first + (COLUMNS // 2 if name[0] == "t" else 0)
        return [(*place, row, first + n) for row in self.rows for n in range(self.count)]


@dataclass
class Call:
    """A call: what it reads and writes itself, and what it moves; registers are places, too."""

    core: int
    engine: str
    row: str
    operands: list[object]
    named: dict[str, object] = field(default_factory=dict)
    reads: list[Element] = field(default_factory=list)
    writes: list[Element] = field(default_factory=list)
    taken: list[Element] = field(default_factory=list)
    given: list[Element] = field(default_factory=list)
    meeting: int = -1
    value: float = 0.0

    @property
    def transfer(self) -> bool:
        """Whether it moves something that lands."""
        return bool(self.given) and self.meeting < 0


@dataclass
class Case:
    """Calls in the order of their meaning, on one core or two."""

    calls: list[Call]
    cores: int
    target: str = "trn2"

    def tensors(self) -> list[tuple[str, str, int]]:
        """Memory, name and core of every tensor."""
        made = [("hbm", "A", 0), ("hbm", "H", 0)]
        for core in range(self.cores):
            made += [("hbm", f"O{core}", 0), ("sbuf", f"s{core}", core), ("sbuf", f"t{core}", core)]
        return made

    def builder(self) -> tuple[ProgramBuilder, Sequence]:
        """The program without waits."""
        target = TARGETS[self.target]()
        generation = target.generation(self.target)
        assert generation is not None
        builder = ProgramBuilder(target, generation)
        builder.enter(self.cores - 1)
        found: dict[str, Tensor] = {}
        for memory, name, core in self.tensors():
            place: dict[str, Any] = {}
            if memory == "sbuf":
                place = {"partition": 0, "offset": 0 if name[0] == "s" else 4 * COLUMNS // 2}
            role = "" if memory == "sbuf" else "input" if name == "A" else "inout"
            found[name] = builder.tensor(
                memory, name, "f32", (ROWS, COLUMNS), role=role, core=core, **place
            )
        cores: list[list[Any]] = [[] for _ in range(self.cores)]
        for call in self.calls:
            queue = builder.queue(call.engine, call.core)
            operands = [view(found, o) if isinstance(o, Part) else o for o in call.operands]
            made = builder.make(queue, builder.row(call.row), operands, call.named, None, None)
            cores[call.core].append(Line(queue, made[0]))
        return builder, Sequence(cores)

    def inputs(self) -> dict[str, np.ndarray[Any, Any]]:
        """Values of what is in HBM."""
        names = [name for memory, name, _ in self.tensors() if memory == "hbm"]
        size = ROWS * COLUMNS
        return {
            name: np.arange(n * size, (n + 1) * size, dtype=np.float32).reshape(ROWS, COLUMNS)
            for n, name in enumerate(names)
        }

    def meant(self) -> dict[str, np.ndarray[Any, Any]]:
        """What HBM holds in the end, call by call."""
        held: dict[Element, np.float32] = {}
        given = self.inputs()
        for name, array in given.items():
            for (row, column), value in np.ndenumerate(array):
                held[name, row, column] = value
        sent: dict[int, list[tuple[Call, list[np.float32]]]] = {}
        for call in self.calls:
            if call.row == "SendRecv":
                here = sent.setdefault(call.meeting, [])
                here.append((call, [held[e] for e in call.taken]))
                if len(here) == 2:
                    for (one, _), (_, values) in zip(here, reversed(here), strict=True):
                        held.update(zip(one.given, values, strict=True))
            else:
                execute(call, held)
        return {
            name: np.array(
                [[held[name, row, column] for column in range(COLUMNS)] for row in range(ROWS)]
            )
            for name in given
        }


def execute(call: Call, held: dict[Element, np.float32]) -> None:
    """Do what a call means."""
    if call.row == "CoreBarrier":
        return
    if call.transfer:
        held.update(zip(call.given, [held[e] for e in call.taken], strict=True))
    elif call.row == "Memset":
        held.update(dict.fromkeys(call.writes, np.float32(call.value)))
    elif call.row == "TensorTensor":
        half = len(call.reads) // 2
        pairs = zip(call.reads[:half], call.reads[half:], strict=True)
        held.update(zip(call.writes, [held[a] + held[b] for a, b in pairs], strict=True))
    else:  # TensorCopy, TensorLoad, TensorStore
        held.update(zip(call.writes, [held[e] for e in call.reads], strict=True))


def view(found: dict[str, Tensor], part: Part) -> View:
    """A part as an operand."""
    rows = slice(part.rows[0], part.rows[-1] + 1)
    return View.whole(found[part.tensor])[rows, part.first : part.first + part.count]


# -- drawing them


@st.composite
def parts(draw: st.DrawFn, names: list[str], count: int = 0, rows: int = 0) -> Part:
    """Some columns, of a wanted number or any; of all rows, or the first."""
    name = draw(st.sampled_from(names))
    count = count or draw(st.sampled_from([1, 2, 4, 6]))
    width = COLUMNS // 2 if name[0] == "t" else COLUMNS
    first = draw(st.integers(0, (width - count) // 2)) * 2 if width - count > 1 else 0
    return Part(name, tuple(range(rows or draw(st.sampled_from([2, 1])))), first, count)


@st.composite
def calls(draw: st.DrawFn, core: int, shared: bool) -> Call:
    """Any call of a core; ``shared`` says that it may touch H."""
    tiles, mine = [f"s{core}", f"t{core}"], [f"O{core}"] + ["H"] * shared
    kind = draw(
        st.sampled_from(["copy", "load", "store", "add", "fill", "move", "register", "element"])
    )
    dst = draw(parts(tiles))
    like = dst.count, len(dst.rows)
    if kind == "fill":
        value = float(draw(st.integers(0, 9)))
        engine = draw(st.sampled_from(["vector", "gpsimd"]))
        return Call(core, engine, "Memset", [dst, value], writes=dst.elements(core), value=value)
    if kind in ("register", "element"):
        one = Part(dst.tensor, (0,), dst.first, 1)
        engine, number = (
            draw(st.sampled_from(["sync", "vector", "scalar"])),
            draw(st.integers(0, 1)),
        )
        register: Element = ("register", core, engine, number)
        if kind == "register":
            row, operands = "TensorLoad", [Reg(number), one]
            return Call(core, engine, row, operands, reads=one.elements(core), writes=[register])
        row, operands = "TensorStore", [one, Reg(number)]
        return Call(core, engine, row, operands, reads=[register], writes=one.elements(core))
    if kind in ("copy", "add"):
        one = draw(parts(tiles, *like))
        if kind == "copy":
            engine = draw(st.sampled_from(["vector", "gpsimd", "scalar"]))
            return Call(
                core, engine, "TensorCopy", [dst, one],
                reads=one.elements(core), writes=dst.elements(core),
            )  # fmt: skip
        other = draw(parts(tiles, *like))
        engine = draw(st.sampled_from(["vector", "gpsimd"]))
        reads = one.elements(core) + other.elements(core)
        return Call(
            core, engine, "TensorTensor", [dst, one, other], {"op": "add"}, reads,
            dst.elements(core),
        )  # fmt: skip
    source = draw(parts(["A", *mine] if kind == "load" else tiles, *like))
    if kind == "store":
        dst = draw(parts(mine, *like))
    engine = draw(st.sampled_from(ISSUERS))
    taken, given = source.elements(core), dst.elements(core)
    if set(taken) & set(given):  # a transfer that reads what it writes has no meaning
        source = Part("A", dst.rows, dst.first, dst.count)
        taken = source.elements(core)
    return Call(core, engine, "DmaCopy", [dst, source], taken=taken, given=given)


@st.composite
def meetings(draw: st.DrawFn, number: int) -> list[Call]:
    """A barrier on H, or an exchange of tiles, on both cores."""
    if draw(st.booleans()):
        engine = draw(st.sampled_from(ISSUERS))
        data = Part("H", (0, 1), 0, COLUMNS)
        touched = data.elements(0)
        return [
            Call(core, engine, "CoreBarrier", [data], taken=touched, given=touched, meeting=number)
            for core in range(2)
        ]
    made, count = [], draw(st.sampled_from([1, 2, 4]))
    for core in range(2):
        tiles = [f"s{core}", f"t{core}"]
        dst, src = draw(parts(tiles, count, 2)), draw(parts(tiles, count, 2))
        named: dict[str, object] = {
            "send_to_rank": 1 - core, "recv_from_rank": 1 - core, "pipe_id": number,
        }  # fmt: skip
        made.append(
            Call(
                core, draw(st.sampled_from(ISSUERS)), "SendRecv", [dst, src], named,
                taken=src.elements(core), given=dst.elements(core), meeting=number,
            )
        )  # fmt: skip
    return made


def filled(core: int) -> list[Call]:
    """What gives all of a core's tiles, and its registers, a value."""
    every = Part(f"s{core}", (0, 1), 0, COLUMNS)
    made = [Call(core, "vector", "Memset", [every, 1.0], writes=every.elements(core), value=1.0)]
    one = Part(f"s{core}", (0,), 0, 1)
    for engine in HOLDERS:
        for number in range(2):
            register: Element = ("register", core, engine, number)
            reads = one.elements(core)
            operands: list[object] = [Reg(number), one]
            made.append(Call(core, engine, "TensorLoad", operands, reads=reads, writes=[register]))
    return made


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A program of one core; or of two, of which either may touch H between two meetings."""
    if not draw(st.booleans()):
        some = draw(st.lists(calls(0, shared=True), min_size=1, max_size=12))
        used = {e for call in some for e in call.reads if e[0] == "register"}
        fill = [c for c in filled(0) if c.row == "Memset" or used & set(c.writes)]
        return Case([*fill, *some], 1)
    made = []
    number, phases = 0, draw(st.integers(1, 3))
    some = []
    for phase in range(phases):
        for core in range(2):
            some += draw(st.lists(calls(core, shared=phase % 2 == core), max_size=4))
        met = draw(meetings(number))
        if met[0].row == "CoreBarrier" or phase + 1 == phases:
            some += met
            number += 1
            continue
        some += met
        number += 1
        data = Part("H", (0, 1), 0, COLUMNS).elements(0)
        some += [
            Call(core, "vector", "CoreBarrier", [Part("H", (0, 1), 0, COLUMNS)], taken=data,
                 given=data, meeting=number)
            for core in range(2)
        ]  # fmt: skip
        number += 1
    used = {e for call in some for e in call.reads if e[0] == "register"}
    for core in range(2):
        made += [c for c in filled(core) if c.row == "Memset" or used & set(c.writes)]
    return Case([*made, *some], 2)
