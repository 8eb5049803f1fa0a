"""Python calls make the program that a text makes, and point at Python when they are wrong."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

import nasm
from nasm.base.array_files import ArrayFile
from nasm.base.problems import Failure, Problem, render
from nasm.program.program import Program
from tests.tables import each

MATMUL = """\
.target trn1
.hbm   A    bf16[128, 128]  input
.hbm   B    bf16[128, 512]  input
.hbm   C    f32[128, 512]   output
.sbuf  a    bf16[128, 128]
.sbuf  b    bf16[128, 512]
.sbuf  c    f32[128, 512]
.psum  acc  f32[128, 512] @ bank 2
.sem   loaded, multiplied = 9, copied, stored
@sync    DmaCopy         a, A                                 $loaded += 16
@sync    DmaCopy         b, B, queue=3                        $loaded += 16
@tensor  LoadStationary  a                $loaded >= 32
@tensor  MultiplyMoving  acc, moving=b                        $multiplied++ @read
@tensor  Nop                                                  $multiplied++
@vector  TensorCopy      c[:, 0:256], acc[:, 0:256]   $multiplied == 2
@vector  TensorCopy      c[:, 256:512], acc[:, 256:512]       $copied = 5
@vector  Nop                                                  $copied -= 4
@sync    DmaCopy         C, c             $copied >= 1        $stored += 16
@sync    EventSemaphore                   $stored >= 16
"""


def matmul() -> Program:
    n = nasm.Builder("trn1")
    big_a = n.hbm("A", "bf16", (128, 128), role="input")
    big_b = n.hbm("B", ml_dtypes.bfloat16, (np.int64(128), 512), role="input")
    big_c = n.hbm("C", np.float32, (128, 512), role="output")
    a = n.sbuf("a", "bf16", (128, 128))
    b = n.sbuf("b", "bfloat16", [128, 512])
    c = n.sbuf("c", "f32", (128, 512))
    acc = n.psum("acc", "f32", (128, 512), bank=2)
    loaded, multiplied = n.semaphore("loaded"), n.semaphore("multiplied", 9)
    copied, stored = n.semaphore("copied"), n.semaphore("stored")
    n.sync.DmaCopy(a, big_a, update=loaded + 16)
    n.sync.DmaCopy(b, big_b, queue=np.int32(3), update=loaded + 16)
    n.tensor.LoadStationary(a, wait=loaded >= 32)
    n.pe.MultiplyMoving(acc, moving=b, update=nasm.at_read(multiplied + 1))
    n.tensor.Nop(update=multiplied + 1)
    n.vector.TensorCopy(c[:, 0:256], acc[:, 0:256], wait=multiplied == 2)
    n.vector.TensorCopy(c[:, 256:], acc[:, 256:512], update=copied.set(5))
    n.vector.Nop(update=copied - 4)
    n.sync.DmaCopy(big_c, c, wait=copied >= 1, update=stored + 16)
    n.sync.EventSemaphore(wait=stored >= 16)
    return n.finish()


def columns(program: Program) -> list[tuple[object, ...]]:
    """Every instruction of a program, in words: what two programs must have in common."""
    return [
        (
            lines.engine,
            pc,
            instruction.row.name,
            list(map(described, instruction.operands)),
            program.waits[lines.waits[pc]],
            program.updates[lines.updates[pc]],
        )
        for index, lines in enumerate(program.queues)
        for pc in range(len(lines))
        for instruction in [program.instruction(index, pc)]
    ]


def described(operand: object) -> object:
    """An operand by its values: tensors of two programs are never the same object."""
    if hasattr(operand, "tensor"):
        tensor = operand.tensor
        return (
            tensor.name,
            tensor.memory.name,
            tensor.partition,
            tensor.offset,
            operand.dtype,
            operand.partition,
            operand.offset,
            operand.shape,
            operand.steps,
            operand.dynamic,
        )
    return operand


def failure(build: Callable[[nasm.Builder], object]) -> Problem:
    with pytest.raises(Failure) as caught:
        build(nasm.Builder("trn1"))
    (problem,) = caught.value.problems
    return problem


# -- the same program


def test_calls_make_the_program_of_the_text() -> None:
    built, read = matmul(), nasm.assemble(MATMUL)
    assert columns(built) == columns(read)
    assert (
        built.semaphores
        == read.semaphores
        == {"loaded": 0, "multiplied": 9, "copied": 1, "stored": 2}
    )
    assert {n: (t.role, t.shape, t.offset, t.fixed) for n, t in built.tensors.items()} == {
        n: (t.role, t.shape, t.offset, t.fixed) for n, t in read.tensors.items()
    }


def test_a_built_program_runs_as_the_text_does() -> None:
    draw = np.random.default_rng(0)
    inputs = {
        "A": draw.integers(-4, 5, (128, 128)).astype(ml_dtypes.bfloat16),
        "B": draw.integers(-4, 5, (128, 512)).astype(ml_dtypes.bfloat16),
    }
    built, read = nasm.run(matmul(), inputs), nasm.run(MATMUL, inputs)
    # Small integers: every product and sum is exact in float32.
    exact = inputs["A"].astype(np.int64).T @ inputs["B"].astype(np.int64)
    np.testing.assert_array_equal(built.outputs["C"], exact)
    assert built.report.hazards == ()
    assert built.report.trace_hash == read.report.trace_hash
    assert built.report.memory_hash == read.report.memory_hash


def test_registers_labels_and_branches() -> None:
    text = """\
.target trn1
.sbuf t f32[128, 8]
@vector RegisterMove %r1, 6
@vector
again: Memset t[:, %r1 : +2], 3.0
RegisterAlu %r1, %r1, 2, op=subtract
CompareBranch %r1, 0, op=greater_equal, target=again
"""
    n = nasm.Builder("trn1")
    t = n.sbuf("t", "f32", (128, 8))
    counter = nasm.Reg(1)
    n.vector.RegisterMove(counter, 6)
    n.vector.label("again")
    n.vector.Memset(t[:, nasm.Window(counter, 2)], 3.0)
    n.vector.RegisterAlu(counter, counter, 2, op="subtract")
    n.vector.CompareBranch(counter, 0, op="greater_equal", target="again")
    built = n.finish()
    assert columns(built) == columns(nasm.assemble(text))
    assert built.queues[1].labels == {"again": 1}
    result = nasm.run(built)
    np.testing.assert_array_equal(result.session.read("t"), np.full((128, 8), 3.0))
    assert result.session.registers("vector") == {1: -2}


def test_a_prepared_transfer_and_an_expectation() -> None:
    n = nasm.Builder("trn2")
    x = n.hbm("X", "i32", (128, 4), role="input")
    y = n.hbm("Y", "i32", (128, 4), role="output")
    t = n.sbuf("t", "i32", (128, 4))
    moved = n.semaphore("moved")
    load = n.transfer("load", (t[:, 0:2], x[:, 2:4]), (t[:, 2:4], x[:, 0:2]), queue=5)
    n.sync.DmaTrigger(load, update=moved + 16)
    n.sync.DmaCopy(y, t, wait=moved >= 16, update=moved + 16)
    n.sync.EventSemaphore(wait=moved >= 32)
    n.expect("Y[:, 0:2] == X[:, 2:4]")
    program = n.finish()
    assert program.transfers["load"].options == (("queue", 5),)
    values = np.arange(512, dtype=np.int32).reshape(128, 4)
    result = nasm.run(program, {"X": values})
    np.testing.assert_array_equal(result.outputs["Y"], values[:, [2, 3, 0, 1]])
    assert [e.held for e in result.report.expectations] == [True]


def test_a_list_of_tensors_and_a_priority() -> None:
    n = nasm.Builder("trn3")
    x = n.hbm("X", "f32", (8, 4), role="input")
    y = n.hbm("Y", "f32", (8, 4), role="output")
    moved = n.semaphore("moved")
    half = n.transfer("half", (y[0:4], x[4:8]), (y[4:8], x[0:4]), priority=1)
    n.sync.DmaTrigger(half, update=moved + 16)
    n.vector.DmaCompute(y, [x, y, x], reduce_op="add", wait=moved >= 16, update=moved + 16)
    n.vector.EventSemaphore(wait=moved >= 32)
    program = n.finish()
    assert program.transfers["half"].options == (("queue", 0), ("priority", 1))
    values = np.arange(32, dtype=np.float32).reshape(8, 4)
    found = nasm.run(program, {"X": values}).outputs["Y"]
    np.testing.assert_array_equal(found, 2 * values + np.roll(values, 4, axis=0))


def test_a_semaphore_is_itself_and_nothing_else() -> None:
    n = nasm.Builder("trn1")
    one, two = n.semaphore("one"), n.semaphore("two")
    assert one == one
    assert not one == two  # noqa: SIM201
    assert len({one, two}) == 2


# -- what is wrong points at Python


def line_of(function: Callable[..., object], text: str) -> int:
    lines, first = inspect.getsourcelines(function)
    return first + next(n for n, line in enumerate(lines) if text in line)


def test_an_instruction_remembers_its_line_of_python() -> None:
    program = matmul()
    span = program.span(0, 0)
    assert span is not None
    assert span.source.name == __file__
    assert span.line == line_of(matmul, "LoadStationary")
    assert span.text == "n.tensor.LoadStationary(a, wait=loaded >= 32)"


def wrong_operand(n: nasm.Builder) -> None:
    t = n.sbuf("t", "f32", (128, 8))
    n.vector.TensorTensor(t, t, t, op="plus")


def an_array(n: nasm.Builder) -> None:
    t = n.sbuf("t", "f32", (128, 8))
    n.vector.TensorReduce(t, t, "add", np.array([1, 2]))


def wrong_dtype(n: nasm.Builder) -> None:
    n.sbuf("t", "f64", (128, 8))


def wrong_update(n: nasm.Builder) -> None:
    t, s = n.sbuf("t", "f32", (128, 8)), n.semaphore("s")
    n.sync.DmaCopy(t, t, update=s + 1)


def wrong_wait(n: nasm.Builder) -> None:
    s = n.semaphore("s")
    n.sync.Nop(wait=s)


def wrong_count(n: nasm.Builder) -> None:
    s = n.semaphore("s")
    n.sync.Nop(wait=s >= 1.5)


def wrong_engine(n: nasm.Builder) -> None:
    t = n.sbuf("t", "f32", (128, 8))
    n.sync.Memset(t, 0.0)


def wrong_name(n: nasm.Builder) -> None:
    n.semaphore("s")
    n.hbm("s", "f32", (4,))


def wrong_ring(n: nasm.Builder) -> None:
    t = n.sbuf("t", "f32", (128, 8))
    n.transfer("load", (t, t), queue=16)


def wrong_label(n: nasm.Builder) -> None:
    n.sync.label("here")
    n.sync.label("here")


def misspelt_role(n: nasm.Builder) -> None:
    n.hbm("y", "f32", (4,), role="ouput")


def misspelt_keyword(n: nasm.Builder) -> None:
    n.hbm("y", "f32", (4,), rol="output")


def unknown_of_a_semaphore(n: nasm.Builder) -> None:
    n.semaphore("s", nmber=3)  # type: ignore[call-arg, unused-ignore]


def unknown_of_an_event(n: nasm.Builder) -> None:
    n.event("e", span=3)  # type: ignore[call-arg, unused-ignore]


def unknown_of_a_transfer(n: nasm.Builder) -> None:
    t = n.sbuf("t", "f32", (128, 8))
    n.transfer("load", (t, t), ring=1)  # type: ignore[call-arg, unused-ignore]


def shape_without_axes(n: nasm.Builder) -> None:
    n.hbm("y", "f32", 4)


def fraction_as_a_size(n: nasm.Builder) -> None:
    n.hbm("y", "f32", (4.0,))


def object_as_a_dtype(n: nasm.Builder) -> None:
    n.hbm("y", object(), (4,))


def word_as_a_partition(n: nasm.Builder) -> None:
    n.sbuf("t", "f32", (32, 8), partition="32")


def fraction_as_a_bank(n: nasm.Builder) -> None:
    n.psum("t", "f32", (32, 8), bank=1.0)


def word_as_a_core(n: nasm.Builder) -> None:
    n.sbuf("t", "f32", (32, 8), core="0")


def misspelt_initialiser(n: nasm.Builder) -> None:
    n.hbm("y", "f32", (4,), init="zeroes")


def number_as_an_initialiser(n: nasm.Builder) -> None:
    n.hbm("y", "f32", (4,), init=7)


def list_of_another_shape(n: nasm.Builder) -> None:
    n.hbm("y", "f32", (4,), init=[1, 2])


def fraction_as_a_number(n: nasm.Builder) -> None:
    n.semaphore("s", 1.5)  # type: ignore[arg-type]


def transfer_of_nothing(n: nasm.Builder) -> None:
    n.transfer("load")


def transfer_of_numbers(n: nasm.Builder) -> None:
    n.transfer("load", (1, 2))  # type: ignore[arg-type]


def transfer_of_one_view(n: nasm.Builder) -> None:
    n.transfer("load", n.sbuf("t", "f32", (128, 8)))  # type: ignore[arg-type]


def number_as_an_engine(n: nasm.Builder) -> None:
    n.engine(3)  # type: ignore[arg-type]


def number_as_an_expectation(n: nasm.Builder) -> None:
    n.expect(3)  # type: ignore[arg-type]


def number_as_a_wait(n: nasm.Builder) -> None:
    n.sync.Nop(wait=3)


def long_number(n: nasm.Builder) -> None:
    n.vector.Memset(n.sbuf("t", "f32", (128, 8)), 10**5000)


def long_size(n: nasm.Builder) -> None:
    n.hbm("y", "f32", (10**5000,))


def path_as_a_target(n: nasm.Builder) -> None:
    n.sync.CompareBranch(nasm.Reg(0), 0, "greater", target="a\nb")


@each(
    ("build", "line", "code"),
    [
        (misspelt_role, "hbm", "E0216"),
        (misspelt_keyword, "hbm", "E0309"),
        (unknown_of_a_semaphore, "n.semaphore", "E0309"),
        (unknown_of_an_event, "n.event", "E0309"),
        (unknown_of_a_transfer, "n.transfer", "E0309"),
        (shape_without_axes, "hbm", "E0304"),
        (fraction_as_a_size, "hbm", "E0304"),
        (object_as_a_dtype, "hbm", "E0205"),
        (word_as_a_partition, "sbuf", "E0210"),
        (fraction_as_a_bank, "psum", "E0210"),
        (word_as_a_core, "sbuf", "E0210"),
        (misspelt_initialiser, "hbm", "E0217"),
        (number_as_an_initialiser, "hbm", "E0217"),
        (list_of_another_shape, "hbm", "E0217"),
        (fraction_as_a_number, "n.semaphore", "E0210"),
        (transfer_of_nothing, "n.transfer", "E0301"),
        (transfer_of_numbers, "n.transfer", "E0301"),
        (transfer_of_one_view, "n.transfer", "E0301"),
        (number_as_an_engine, "n.engine", "E0203"),
        (number_as_an_expectation, "n.expect", "E0301"),
        (number_as_a_wait, "Nop", "E0301"),
        (long_number, "Memset", "E0211"),
        (long_size, "hbm", "E0211"),
        (path_as_a_target, "CompareBranch", "E0209"),
        (wrong_operand, "TensorTensor", "E0206"),
        (an_array, "TensorReduce", "E0301"),
        (wrong_dtype, "f64", "E0205"),
        (wrong_update, "DmaCopy", "E0314"),
        (wrong_wait, "Nop", "E0301"),
        (wrong_count, "Nop", "E0210"),
        (wrong_engine, "Memset", "E0408"),
        (wrong_name, "hbm", "E0202"),
        (wrong_ring, "transfer", "E0301"),
    ],
)
def test_a_wrong_call_is_a_failure_at_its_line(
    build: Callable[[nasm.Builder], object], line: str, code: str
) -> None:
    problem = failure(build)
    assert problem.code == code
    assert problem.span is not None
    assert problem.span.source.name == __file__
    assert problem.span.line == line_of(build, line)


def test_a_label_that_is_already_says_where() -> None:
    problem = failure(wrong_label)
    (note,) = problem.notes
    first = line_of(wrong_label, "here")
    assert note.span is not None
    assert problem.span is not None
    assert (note.span.line, problem.span.line) == (first, first + 1)


def test_rules_are_checked_at_the_end_and_once_per_line() -> None:
    n = nasm.Builder("trn1")
    t = n.sbuf("t", "f32", (128, 8))
    for k in range(3):
        n.vector.Memset(t[16 : 48 + k], 0.0)
    with pytest.raises(Failure) as caught:
        n.finish()
    (problem,) = caught.value.problems
    assert problem.code == "E0401"
    assert "n.vector.Memset(t[16 : 48 + k], 0.0)" in render(problem)


def test_a_slice_that_leaves_its_tensor_fails_where_it_is_made() -> None:
    t = nasm.Builder("trn1").sbuf("t", "f32", (128, 8))
    for items in ((slice(0, 129),), (slice(None), 8), (0, 0, 0), (1.5,), (slice(0, 1.5),)):
        with pytest.raises(Failure, match="E0305"):
            t[items]
    assert t[:, np.int64(3)].offset == 12


def test_an_unknown_name_of_a_builder_or_queue_has_a_suggestion() -> None:
    n = nasm.Builder("trn1")
    with pytest.raises(AttributeError, match="did you mean 'TensorTensor'"):
        _ = n.vector.tensor_tensor
    with pytest.raises(AttributeError, match="no memory or engine 'sram'"):
        _ = n.sram
    with pytest.raises(Failure, match="no target 'trn9'") as caught:
        nasm.Builder("trn9")
    assert "trn1" in caught.value.problems[0].hint


def test_a_row_documents_its_call() -> None:
    queue = nasm.Builder("trn1").vector
    assert "Memset" in dir(queue)
    assert (queue.Memset.__doc__ or "").startswith("Fill a tile")


# -- scalars of NumPy


def test_scalars_of_numpy_are_numbers_wherever_python_gives_some() -> None:
    n = nasm.Builder("trn2")
    y = n.hbm("y", "f32", (np.int64(32), np.uint8(8)), role="output")
    t = n.sbuf("t", "f32", (32, 8), partition=np.int64(32), offset=np.int32(64))
    p = n.psum("p", "f32", (32, 8), bank=np.int16(2), core=np.int64(0))
    s = n.semaphore("s", np.int64(7))
    n.transfer("store", (y, t), queue=np.int64(3), priority=None)
    n.vector.Memset(t, np.float32(1.5), update=s + np.int8(2))
    n.vector.Memset(p, np.float64(2.5), wait=s >= np.int64(2), update=s.set(np.uint16(5)))
    n.sync.Nop(wait=s == np.int64(5))
    assert t.reshape(np.int64(32), 2, np.int8(4)).shape == (32, 2, 4)
    program = n.finish()
    assert [(t.name, t.shape) for t in program.tensors.values()] == [
        ("y", (32, 8)),
        ("t", (32, 8)),
        ("p", (32, 8)),
    ]
    assert (t.tensor.partition, t.tensor.offset, p.tensor.offset) == (32, 64, 4096)
    assert s.number == 7
    assert [w and (w.op, w.value) for w in program.waits] == [None, (">=", 2), ("==", 5)]
    assert [u and (u.op, u.value) for u in program.updates] == [None, ("+", 2), ("=", 5)]
    assert dict(program.transfers["store"].options) == {"queue": 3}


@pytest.mark.parametrize(
    ("given", "value"),
    [(np.int64(5), 5), (np.float32(0.5), 0.5), (np.bool_(True), True), (np.array(7), 7)],
)
def test_a_constant_is_given_a_scalar_of_numpy(given: object, value: object) -> None:
    program = nasm.assemble(".target trn2\n.const N = 3", defines={"N": given})  # type: ignore[dict-item]
    assert program.constants == {"N": value}
    assert type(program.constants["N"]) is type(value)


@pytest.mark.parametrize(
    ("given", "code"),
    [(None, "E0210"), (np.arange(3), "E0210"), ([1, [None]], "E0210"), (1 << 20000, "E0211")],
    ids=["none", "array", "list", "long"],
)
def test_a_constant_is_given_nothing_else(given: object, code: str) -> None:
    text = ".target trn2\n.const N = 3"
    with pytest.raises(Failure) as caught:
        nasm.assemble(text, defines={"N": given})  # type: ignore[dict-item]
    assert [p.code for p in caught.value.problems] == [code]


def test_an_option_is_given_a_scalar_of_numpy() -> None:
    built = nasm.Builder("trn2", {"rounding.seed": np.int64(3)}).finish()
    assert built.chosen == {"rounding.seed": 3}


@pytest.mark.parametrize(
    ("init", "wanted"),
    [
        ("zeros", ("zeros",)),
        ("x.npz:key", ArrayFile("", "x.npz", "key")),
        (("random", np.int64(3)), ("random", 3)),
        ([1, np.float32(2.5)], ("list", [1, 2.5])),
        (np.array([1.0, 2.0]), ("list", [1.0, 2.0])),
    ],
)
def test_an_initialiser_is_written_as_python_writes_it(init: object, wanted: object) -> None:
    assert nasm.Builder("trn2").hbm("x", "f32", (2,), init=init).tensor.init == wanted
