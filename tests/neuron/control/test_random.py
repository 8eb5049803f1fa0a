"""Registers, memory cells, branches and semaphores against a plain interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nasm.targets.neuron import alu
from tests.neuron.cases import Draw, Tile, random_cases
from tests.neuron.control import model

ENGINES = ("tensor", "vector", "scalar", "gpsimd", "sync")
CELLS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "float16", "bfloat16", "float32")
OPERATORS = tuple(sorted(alu.REGISTER_OPERATORS))
COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
TELLING = (0, 1, -1, 2, 31, 32, 2**31 - 1, -(2**31), 2**31, 2**32 - 1)


def number(draw: Draw) -> int:
    """A number a program may write: small, telling, or any."""
    if draw.flag():
        return draw.number(-9, 40)
    return draw.one_of(*TELLING, draw.number(-(2**31), 2**32 - 1))


def cell(draw: Draw, written: bool = True) -> Tile:
    """One element of HBM or SBUF, of any dtype."""
    memory, dtype = draw.one_of("hbm", "sbuf"), draw.dtype(*CELLS)
    shape = (1,) if memory == "hbm" else (1, 1)
    if written:
        return draw.tile(shape, dtype, memory, lanes=False)
    return draw.result(shape, dtype, memory, lanes=False)


def register(draw: Draw) -> str:
    return f"%r{draw.number(0, 63)}"


class Case:
    """A program for one engine, in nasm's text and for the model."""

    def __init__(self, draw: Draw) -> None:
        self.draw, self.engine = draw, draw.one_of(*ENGINES)
        self.program: list[tuple[Any, ...]] = []
        self.lines: list[str] = []
        self.cells: dict[str, Tile] = {}
        self.labels: dict[str, int] = {}
        self.model = model.Sequencer()

    def know(self, tile: Tile) -> str:
        """Let the model know a cell; returns how it is written."""
        self.cells[tile.text] = tile
        raw = np.ascontiguousarray(tile.values).reshape(-1)[:1].view(np.uint8)
        self.model.cells[tile.text] = [int(b) for b in raw]
        self.model.signed[tile.text] = tile.dtype.startswith("int")
        return tile.text

    def add(self, name: str, *operands: Any) -> None:
        self.program.append((name, *operands))
        said = [str(o) for o in operands]
        if name == "RegisterAlu":
            said[3] = f"op={said[3]}"
        self.lines.append(f"{name} {', '.join(said)}".rstrip())

    def branch(self, a: Any, b: Any, op: str, target: int, label: str) -> None:
        """A branch; ``target`` is a place of the program, ``label`` its name in the text."""
        self.program.append(("CompareBranch", a, b, op, target))
        compared = "" if op == "always" else f"{a}, {b}, "
        self.lines.append(f"CompareBranch {compared}op={op}, target={label}")

    def finish(self, *registers: str) -> None:
        """Store some registers as words, run the model, and say what must be there."""
        for name in registers:
            word = self.draw.result((1,), "int32", "hbm", written=False, lanes=False)
            self.add("TensorStore", self.know(word), name)
        labels = {place: text for text, place in self.labels.items()}
        for place, line in enumerate(self.lines):
            label = f"{labels[place]}: " if place in labels else ""
            self.draw.line(f"{label}@{self.engine} {line}")
        self.model.run(self.program)
        for text, tile in self.cells.items():
            raw = np.array(self.model.cells[text], np.uint8)
            self.draw.expect(tile, raw.view(tile.values.dtype))


def test_the_model_and_the_table_have_the_same_operators() -> None:
    for op in OPERATORS:
        assert isinstance(model.alu(op, 5, 3), int)


@random_cases()
def test_register_move(draw: Draw) -> None:
    case = Case(draw)
    first, second = register(draw), register(draw)
    case.add("RegisterMove", first, number(draw))
    case.add("RegisterMove", second, first)
    case.finish(first, second)


@random_cases()
def test_register_alu(draw: Draw) -> None:
    case = Case(draw)
    a, b, dst = (register(draw) for _ in range(3))
    case.add("RegisterMove", a, number(draw))
    case.add("RegisterMove", b, number(draw))
    case.add("RegisterAlu", dst, a, draw.one_of(b, number(draw)), draw.one_of(*OPERATORS))
    case.finish(a, b, dst)


@random_cases()
def test_tensor_load(draw: Draw) -> None:
    case = Case(draw)
    dst = register(draw)
    case.add("TensorLoad", dst, case.know(cell(draw)))
    case.finish(dst)


@random_cases()
def test_tensor_store(draw: Draw) -> None:
    case = Case(draw)
    src = register(draw)
    case.add("RegisterMove", src, number(draw))
    case.add("TensorStore", case.know(cell(draw, written=draw.flag())), src)
    case.finish()


@random_cases()
def test_compare_branch(draw: Draw) -> None:
    case = Case(draw)
    a, b = "%r1", "%r2"
    case.add("RegisterMove", a, number(draw))
    case.add("RegisterMove", b, draw.one_of(case.program[0][2], number(draw)))
    case.add("RegisterMove", "%r3", 1)
    sides = draw.one_of((a, b), (a, number(draw)), (number(draw), b), (b, a))
    past = draw.fresh("past")
    case.branch(*sides, draw.one_of("always", *COMPARISONS), 5, past)
    case.add("RegisterMove", "%r3", 0)
    case.add("Nop")
    case.labels[past] = 5
    case.finish("%r3")


@random_cases()
def test_programs_of_registers(draw: Draw) -> None:
    """A few instructions, some of them skipped over, inside a loop that counts down."""
    case = Case(draw)
    names = ["%r10", "%r20", "%r63"]
    known = [case.know(cell(draw)) for _ in range(2)]
    for name in names:
        case.add("RegisterMove", name, number(draw))
    case.add("RegisterMove", "%r0", draw.number(1, 4))
    again = draw.fresh("again")
    case.labels[again] = len(case.program)
    body = len(case.program)
    size = draw.number(3, 9)
    for at in range(size):
        what = draw.one_of("alu", "alu", "alu", "load", "store", "skip", "Nop")
        if what == "alu":
            by = draw.one_of(*names, number(draw))
            op = draw.one_of(*OPERATORS)
            case.add("RegisterAlu", draw.one_of(*names), draw.one_of(*names), by, op)
        elif what == "load":
            case.add("TensorLoad", draw.one_of(*names), draw.one_of(*known))
        elif what == "store":
            case.add("TensorStore", draw.one_of(*known), draw.one_of(*names))
        elif what == "skip" and at < size - 1:
            place = body + draw.number(at + 1, size - 1)
            found = [text for text, p in case.labels.items() if p == place]
            label = found[0] if found else f"{draw.fresh('skip')}_{at}"
            case.labels[label] = place
            sides = draw.one_of(*names), draw.one_of(*names, number(draw))
            case.branch(*sides, draw.one_of("always", *COMPARISONS), place, label)
        else:
            case.add("Nop")
    case.add("RegisterAlu", "%r0", "%r0", 1, "subtract")
    case.branch("%r0", 0, "greater", body, again)
    case.finish("%r0", *names)


# -- semaphores: a value that is not as the model has it is a wait that never ends

UPDATES = ("++", "--", "+=", "-=", "=")


def changed(value: int, how: str, amount: int) -> int:
    return {
        "++": value + 1,
        "--": value - 1,
        "+=": value + amount,
        "-=": value - amount,
        "=": amount,
    }[how]


def spelled(name: str, how: str, amount: int) -> str:
    return f"${name}{how}" if how in ("++", "--") else f"${name} {how} {amount}"


def done(draw: Draw, engine: str) -> None:
    """Store a 1: the queue has come to its end."""
    flag = draw.result((1,), "int32", "hbm", written=False, plain=True, lanes=False)
    draw.line(f"@{engine} RegisterMove %r0, 1")
    draw.line(f"@{engine} TensorStore {flag}, %r0")
    draw.expect(flag, np.ones(1, np.int32))


@pytest.mark.parametrize("mnemonic", ["EventSemaphore", "Nop"])
def test_waits_and_updates(mnemonic: str) -> None:
    @random_cases()
    def cases(draw: Draw) -> None:
        """Engines in turn change a semaphore; each finds it as the one before has left it."""
        counter, turns = draw.fresh("counter"), draw.fresh("turn")
        steps = draw.number(2, 6)
        names = ", ".join([counter, *(f"{turns}_{n}" for n in range(steps + 1))])
        draw.declare(f".sem {names}")
        value = 0
        draw.line(f"@sync EventSemaphore  ${turns}_0++")
        for n in range(steps):
            engine = draw.one_of(*ENGINES)
            how, amount = draw.one_of(*UPDATES), draw.number(-(2**20), 2**20)
            at_read = draw.one_of("", " @read")
            late = how == "=" and not at_read  # a wait is behind it only if nothing else ends it
            amount += late and amount == value
            draw.line(f"@{engine} EventSemaphore  ${turns}_{n} >= 1")
            draw.line(
                f"@{engine} {mnemonic}  ${counter} == {value}  "
                f"{spelled(counter, how, amount)}{at_read}"
            )
            value = changed(value, how, amount)
            least = draw.one_of(f"== {value}", f">= {value - draw.number(0, 9)}")
            least = f"== {value}" if late else least
            draw.line(f"@{engine} {mnemonic}  ${counter} {least}  ${turns}_{n + 1}++")
        draw.line(f"@scalar EventSemaphore  ${turns}_{steps} >= 1")
        draw.line(f"@scalar EventSemaphore  ${counter} == {value}")
        done(draw, "scalar")

    cases()


@random_cases()
def test_event_semaphore_range_clear(draw: Draw) -> None:
    numbers = sorted({draw.number(0, 255) for _ in range(draw.number(1, 8))})
    first = draw.one_of(draw.number(0, 255), *numbers)
    last = draw.one_of(draw.number(first, 255), *[n for n in numbers if n >= first] or [first])
    free = [n for n in range(256) if n not in numbers and not first <= n <= last]
    if not free:
        return  # every semaphore is cleared, and none is left to say so
    draw.declare(f".sem ready = {draw.one_of(*free)}")
    draw.declare(f".event bit = {draw.number(0, 255)}")
    values = {n: draw.number(-5, 1000) or 1 for n in numbers}  # who waits for 0 waits for no set
    engine = draw.one_of(*ENGINES)
    draw.line(f"@{engine} Nop  $bit = 1")
    for n, value in values.items():
        draw.declare(f".sem s{n} = {n}")
        poster = draw.one_of(*ENGINES)
        draw.line(f"@{poster} Nop  $s{n} = {value}")
        draw.line(f"@{engine} EventSemaphore  $s{n} == {value}")
    draw.line(f"@{engine} EventSemaphoreRangeClear {first}, {last}  $ready++")
    other = draw.one_of(*ENGINES)
    draw.line(f"@{other} EventSemaphore  $ready >= 1")
    for n, value in values.items():
        left = 0 if first <= n <= last else value
        draw.line(f"@{other} EventSemaphore  $s{n} == {left}")
    draw.line(f"@{other} EventSemaphore  $bit == 1")
    done(draw, other)
