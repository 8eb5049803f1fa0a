"""What a value came from, tried on the machine: inputs are changed, and the program run again.

Changing an input that is named changes the value, with one of several other values at least; all
that is not named may change, and the value stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from nasm.base.dtypes import ElementKind
from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.debugger.origins.elements import TensorElements
from nasm.debugger.origins.records import Why
from nasm.debugger.session import Session
from nasm.isa.instruction import Row
from nasm.language.assemble import assemble
from nasm.machine.records import Status
from nasm.program.program import Program
from nasm.show import examples
from nasm.targets import TARGETS
from nasm.targets.neuron import TARGET
from nasm.targets.neuron.isa import ISA
from nasm.views.view import View
from tests import parts
from tests.tables import each

Array = np.ndarray[Any, Any]
Inputs = dict[str, Array]
Named = dict[str, set[tuple[int, ...]]]

EVERYTHING = 10_000
"""A depth, and a number of values, that no program here reaches."""

BYTES = (0, 1, 126, 127)
"""Small integers, and of bytes such as scale by about 1 where they are scales."""

TOGETHER = ("SelectReduce", "MatchReplace8")
"""Rows where much matters only if something else has changed, too: what is selected, say."""

TRIED = 4
"""Named elements that are tried one by one, where there are many."""


def begun(why: Why) -> Iterator[Why]:
    """The values of a chain that nothing has made."""
    if why.maker is None:
        yield why
    for source in why.sources:
        for part in source.whys:
            yield from begun(part)
    for part in why.before:
        yield from begun(part)


def named(why: Why, inputs: Mapping[str, Array]) -> Named:
    """The elements of inputs that a chain ends at."""
    found: Named = {name: set() for name in inputs}
    for one in begun(why):
        if isinstance(one.place, TensorElements) and one.place.tensor.name in found:
            found[one.place.tensor.name] |= set(map(tuple, one.place.coordinates.tolist()))
    return found


def ran(program: Program, inputs: Inputs, text: str) -> bytes | None:
    """The bytes of an element after a run, the same for every NaN; None if the run failed."""
    session = Session(program, inputs, keep=0, checked=False)
    if session.run(hashes=False).status is not Status.FINISHED:
        return None
    value = session.read(text)
    if value.dtype.kind == "f" or value.dtype.kind == "V":
        value = np.asarray(value)
    with np.errstate(all="ignore"):
        if value.dtype.kind not in "iub" and np.isnan(value.astype(np.float32)).any():
            return b"nan"
    return value.tobytes()


def others(array: Array, rest: Sequence[Array]) -> list[Array]:
    """Other values for the elements of an input, those of other inputs among them."""
    rng = np.random.default_rng(5)
    same = [other.astype(array.dtype) for other in rest if other.shape == array.shape]
    for other in rest:
        if array.ndim == 2 and other.ndim == 2 and len(other) == len(array) and not same:
            columns = (other[:, n : n + 1] for n in range(min(8, other.shape[1])))
            same += [np.broadcast_to(c, array.shape).astype(array.dtype) for c in columns]
    if array.dtype.kind in "iu":
        mixed = rng.permutation(array.reshape(-1)).reshape(array.shape)
        small = [np.full_like(array, n) for n in (0, 1, 2, 3, 5, 7)]
        most = np.full_like(array, np.iinfo(array.dtype).max)
        return [*small, array ^ array.dtype.type(1), mixed, most, *same]
    with np.errstate(all="ignore"):
        plain = array.astype(np.float32)
        made = [
            plain * 3 + 1,
            np.full_like(plain, np.nan),
            np.full_like(plain, np.inf),
            np.full_like(plain, -np.inf),
            np.zeros_like(plain),
            rng.standard_normal(plain.shape).astype(np.float32) * 9,
        ]
        return [*(one.astype(array.dtype) for one in made), *same]


def changed(program: Program, inputs: Inputs, text: str, now: bytes | None, where: Named) -> bool:
    """Whether the element changes when these elements of the inputs get some other values."""
    for number in range(16):
        given = {}
        for name, array in inputs.items():
            given[name] = array.copy()
            kinds = others(array, [other for other in inputs.values() if other is not array])
            if number >= len(kinds):
                continue
            if where.get(name):
                key = tuple(np.array(sorted(where[name])).T)
                given[name][key] = kinds[number][key]
        try:
            found = ran(program, given, text)
        except Failure:
            continue
        if found is not None and found != now:
            return True
    return False


def judge(program: Program, inputs: Inputs, text: str, together: bool = False) -> Named:
    """Try what is said of an element on the machine; returns what it names.

    Some elements matter ``together`` only: of two that are true neither changes a logical or.
    """
    session = Session(program, inputs)
    session.run(hashes=False)
    before = session.moment, session.now
    why = session.why(text, depth=EVERYTHING, most=EVERYTHING)
    assert (session.moment, session.now) == before
    found = named(why, inputs)
    now = ran(program, inputs, text)
    rest: Named = {
        name: set(np.ndindex(*array.shape)) - found[name] for name, array in inputs.items()
    }
    assert not changed(program, inputs, text, now, rest), "what is not named matters"
    every = [(name, at) for name, places in found.items() for at in sorted(places)]
    rng = np.random.default_rng(len(every))
    some = every
    if len(every) > TRIED:
        some = [every[0], every[-1], *(every[int(n)] for n in rng.choice(len(every), TRIED - 2))]
    for name, at in some:
        if not changed(program, inputs, text, now, {name: {at}}):
            assert changed(program, inputs, text, now, found), f"{name}{list(at)} does not matter"
            assert together, f"{name}{list(at)} does not matter by itself"
    return found


def program(text: str) -> Program:
    return assemble(Source("test.nasm", text), TARGETS)


def inputs_of(made: Program, seed: int = 1) -> Inputs:
    """Small numbers for every input."""
    rng = np.random.default_rng(seed)
    found = {}
    for name, tensor in made.tensors.items():
        if tensor.role not in ("input", "inout"):
            continue
        values = rng.standard_normal(tensor.shape)
        if tensor.dtype.is_int:
            values = rng.choice(BYTES if tensor.dtype.itemsize == 1 else BYTES[:2], tensor.shape)
        if tensor.dtype.kind is ElementKind.PACKED:
            bytes_ = rng.integers(0x30, 0x40, (*tensor.shape, tensor.dtype.itemsize), np.uint8)
            found[name] = bytes_.view(tensor.dtype.bits_dtype)[..., 0]
            continue
        found[name] = values.astype(tensor.dtype.numpy)
    return found


HEAD = """
.target {target}
.hbm A f32[4, 6]  input
.hbm B f32[4, 6]  input
.hbm C {c}  output
.sbuf a f32[4, 6]
.sbuf b f32[4, 6]
.sbuf c {c}
.sem loaded, done, stored
@sync DmaCopy a, A  $loaded += 16
@sync DmaCopy b, B  $loaded += 16
"""
TAIL = """
@sync DmaCopy C, c  $done >= 1  $stored += 16
@sync EventSemaphore $stored >= 16
"""


def small(lines: str, c: str = "f32[4, 6]", target: str = "trn1") -> Program:
    """A program with two inputs whose last line leaves its result in c."""
    return program(HEAD.format(c=c, target=target) + lines.strip() + "  $done++" + TAIL)


ALL = {(p, i) for p in range(4) for i in range(6)}


def row(n: int) -> set[tuple[int, int]]:
    return {(n, i) for i in range(6)}


OPS = """
add subtract multiply divide mod power maximum minimum abs_max abs_min equal not_equal greater_equal
greater less_equal less logical_and logical_or logical_xor
"""


@pytest.mark.parametrize("op", parts.part(OPS.split(), 3))
def test_elementwise_names_one_element_of_each_operand(op: str) -> None:
    engine = "gpsimd" if op == "power" else "vector"
    target = "trn3" if op.startswith("abs") else "trn1"
    made = small(f"@{engine} TensorTensor c, a, b, op={op} $loaded >= 32", target=target)
    found = judge(made, inputs_of(made), "C[2, 3]", together=op == "logical_or")
    assert found == {"A": {(2, 3)}, "B": {(2, 3)}}


def test_a_copy_names_exactly_one_element() -> None:
    made = small("@vector TensorCopy c, a[:, ::-1] $loaded >= 32")
    assert judge(made, inputs_of(made), "C[1, 0]") == {"A": {(1, 5)}, "B": set()}


def test_a_transpose_names_exactly_one_element() -> None:
    made = small("@vector Transpose c, a[:, 0:4] $loaded >= 32", "f32[4, 4]")
    assert judge(made, inputs_of(made), "C[1, 3]") == {"A": {(3, 1)}, "B": set()}


def test_a_reduction_names_its_row() -> None:
    made = small("@vector TensorReduce c, a, op=add, axis=1 $loaded >= 32", "f32[4, 1]")
    assert judge(made, inputs_of(made), "C[2, 0]") == {"A": row(2), "B": set()}


def test_a_chain_names_what_all_of_it_read() -> None:
    made = small(
        """
@vector TensorReduce a[:, 0:1], a, op=maximum, axis=1 $loaded >= 32
@vector TensorScalar b, b, op0=subtract, operand0=a[:, 0:1]
@vector TensorTensor c, b, b, op=multiply
"""
    )
    assert judge(made, inputs_of(made), "C[1, 4]") == {"A": row(1), "B": {(1, 4)}}


MATMUL = """
.target trn1
.hbm A f32[2, 8, 3]  input
.hbm B f32[2, 8, 5]  input
.hbm C f32[3, 5]  output
.sbuf a f32[8, 2, 3]
.sbuf b f32[8, 2, 5]
.sbuf c f32[3, 5]
.psum acc f32[3, 5]
.sem loaded, done, copied, stored
@sync DmaCopy a[:, 0], A[0]  $loaded += 16
@sync DmaCopy a[:, 1], A[1]  $loaded += 16
@sync DmaCopy b[:, 0], B[0]  $loaded += 16
@sync DmaCopy b[:, 1], B[1]  $loaded += 16
@tensor LoadStationary a[:, 0]  $loaded >= 64
@tensor MultiplyMoving acc, b[:, 0]
@tensor LoadStationary a[:, 1]
@tensor MultiplyMoving acc, b[:, 1], accumulate=true  $done++
@vector TensorCopy c, acc  $done >= 1 $copied++
@sync DmaCopy C, c  $copied >= 1  $stored += 16
@sync EventSemaphore $stored >= 16
"""


def test_a_matmul_names_its_row_and_column_and_those_it_accumulated() -> None:
    made = program(MATMUL)
    found = judge(made, inputs_of(made), "C[2, 4]")
    assert found["A"] == {(n, k, 2) for n in range(2) for k in range(8)}
    assert found["B"] == {(n, k, 4) for n in range(2) for k in range(8)}


MOVES = """
.target trn3
.hbm A f32[4, 6]  input
.hbm B f32[4, 6]  input
.hbm I i32[4, 1]  input
.hbm C f32[{c}]  output
.sbuf c f32[{c}]
.sbuf i i32[4, 1]
.sem loaded, moved, stored
@sync DmaCopy i, I  $loaded += 16
@sync DmaCopy c, B[{b}]  $loaded += 16
@gpsimd {move}  $loaded >= 32  $moved += 16
@sync DmaCopy C, c  $moved >= 16  $stored += 16
@sync EventSemaphore $stored >= 16
"""


@pytest.mark.parametrize(
    ("c", "b", "move", "at", "wanted"),
    [
        ("4, 6", ":, ::-1", "DmaCopy c, A", "1, 2", {"A": {(1, 2)}}),
        ("4, 6", ":, :", "DmaCopy c, A, compute_op=add", "1, 2", {"A": {(1, 2)}, "B": {(1, 2)}}),
        (
            "4, 6",
            ":, :",
            "DmaCompute c, [A, B], reduce_op=add",
            "3, 5",
            {"A": {(3, 5)}, "B": {(3, 5)}},
        ),
        ("4, 4", ":, 0:4", "DmaTranspose c, A[:, 0:4]", "0, 3", {"A": {(3, 0)}}),
        (
            "4, 6",
            ":, :",
            "DmaCopy c, A.ap([[6, 4], [1, 6]], vector_offset=i)",
            "2, 5",
            {"A": {(1, 5)}, "I": {(2, 0)}},
        ),
    ],
)
def test_a_transfer_names_what_it_moves(c: str, b: str, move: str, at: str, wanted: Named) -> None:
    made = program(MOVES.format(c=c, b=b, move=move))
    given = inputs_of(made)
    given["I"] = np.array([[3], [0], [1], [2]], np.int32)
    assert judge(made, given, f"C[{at}]") == {"A": set(), "B": set(), "I": set()} | wanted


SQUARE = """
.target trn1
.hbm A f32[128, 128]  input
.hbm V f32[128, 8]  input
.sbuf a f32[128, 128]
.sbuf v f32[128, 8]
.sbuf at u32[128, 8]
.sem loaded
@sync DmaCopy a, A  $loaded += 16
@sync DmaCopy v, V  $loaded += 16
@vector MatchValueLoad v  $loaded >= 32
@vector FindIndex8 at, a
"""


def test_what_is_found_nowhere_could_have_been_anywhere_in_its_row() -> None:
    made = program(SQUARE)  # rows and columns are as many: which axis is which does not show
    found = judge(made, inputs_of(made), "at[106, 5]")
    assert found == {"A": {(106, i) for i in range(128)}, "V": {(106, 5)}}


# -- every row


def examples_of() -> list[Any]:
    """Each row whose example leaves something in a memory."""
    return [
        pytest.param(r, id=r.name)
        for r in ISA
        if r.effect is None and any(not o.implicit for o in r.writes)
    ]


@each("row", parts.part(list(examples_of()), 3))
def test_what_the_example_of_a_row_made(row: Row) -> None:
    generation = next(g for g in TARGET.generations if TARGET.available(row, g))
    engine = next(e for e in row.engines if e in TARGET.engines(row, generation))
    made = program(examples.program_text(row, engine, generation, TARGET, 32, 32))
    instruction = next(i for i in reversed(made.instructions) if i.row is row)
    for operand in row.writes:
        view = instruction.operand(operand.name)
        if isinstance(view, View):
            last = ", ".join(str(n - 1) for n in view.tensor.shape)
            text = f"{view.tensor.name}[{last}]"
            judge(made, inputs_of(made), text, together=row.name in TOGETHER)
