"""What a kernel may get wrong, to the letter: the message, the hint, the line."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import nasm.nki
from nasm.base.problems import Failure, Problem
from nasm.nki.exceptions import telling
from tests.tables import each

with nasm.nki.installed():
    import nki
    import nki.isa as nisa
    import nki.language as nl

X = np.ones((128, 512), np.float32)


class Said(NamedTuple):
    """What is said of a kernel."""

    code: str
    message: str
    hint: str
    line: str


SAID: dict[str, tuple[Callable[..., Any], Said]] = {}


def said(code: str, message: str, hint: str, line: str) -> Callable[..., Any]:
    """What is said of the kernel that follows."""

    def kept(kernel: Callable[..., Any]) -> Callable[..., Any]:
        SAID[kernel.__name__] = kernel, Said(code, message, hint, line)
        return kernel

    return kept


def problems_of(kernel: Any, *args: Any, **options: Any) -> tuple[Problem, ...]:
    """What the command would say of a kernel."""
    with pytest.raises(Failure) as failure, telling():
        nasm.nki.trace(kernel, *args, **options)
    return failure.value.problems


def out_like(x: Any) -> Any:
    return nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)


def tile() -> Any:
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=tile, value=0.0)
    return tile


def copied(x: Any) -> Any:
    y = out_like(x)
    nisa.dma_copy(dst=y, src=x)
    return y


# -- NKI 0.1

GUIDE = (
    "AWS's NKI migration guide (nki/migration) says how it is written today: every call takes "
    "dst first, and slices say what a mask did"
)


@said(
    "E0650",
    "nisa.activation without dst, as if it returned a tile: that is NKI 0.1, which AWS's "
    "compiler does not take any more either",
    GUIDE,
    "nisa.activation(op=nl.exp, data=nl.load(x))",
)
def without_dst(x: Any) -> None:
    nisa.activation(op=nl.exp, data=nl.load(x))


@said(
    "E0650",
    "nisa.reciprocal with mask=: that is NKI 0.1, which AWS's compiler does not take any more "
    "either",
    GUIDE,
    "nisa.reciprocal(dst=tile, data=tile, mask=None)",
)
def masked(x: Any) -> None:
    tile = nl.load(x)
    nisa.reciprocal(dst=tile, data=tile, mask=None)


@said(
    "E0650",
    "nl.arange is of NKI 0.1, which AWS's compiler does not take any more",
    "index with slices and nl.ds(start, size); AWS's NKI Beta 2 migration guide says how each is "
    "written now",
    "x[nl.arange(128)[:, None]]",
)
def by_arange(x: Any) -> None:
    x[nl.arange(128)[:, None]]


@said(
    "E0650",
    "nl.par_dim is of NKI 0.1, which AWS's compiler does not take any more",
    "the first axis on chip counts partitions; a list of tiles replaces block axes; AWS's NKI "
    "Beta 2 migration guide says how each is written now",
    "nl.ndarray((4, nl.par_dim(128), 8), nl.float32)",
)
def in_blocks(x: Any) -> None:
    nl.ndarray((4, nl.par_dim(128), 8), nl.float32)


@said(
    "E0650",
    "nl.all_reduce is of NKI 0.1, which AWS's compiler does not take any more",
    "nisa.sendrecv exchanges tiles of two cores, nki.collectives those of ranks; AWS's NKI Beta 2 "
    "migration guide says how each is written now",
    "nl.all_reduce(x, op=nl.add, program_axes=0)",
)
def all_programs(x: Any) -> None:
    nl.all_reduce(x, op=nl.add, program_axes=0)


# -- calls


@said(
    "E0655",
    "TypeError: tensor_copy() got an unexpected keyword argument 'source'",
    "nki.isa.tensor_copy(dst, src, engine=engine.unknown, name=None)",
    "nisa.tensor_copy(dst=x, source=x)",
)
def unknown_keyword(x: Any) -> None:
    nisa.tensor_copy(dst=x, source=x)


@said(
    "E0655",
    "TypeError: reciprocal() takes from 2 to 3 positional arguments but 4 were given",
    "nki.isa.reciprocal(dst, data, name=None)",
    "nisa.reciprocal(x, x, None, x)",
)
def too_many(x: Any) -> None:
    nisa.reciprocal(x, x, None, x)


@said(
    "E0655",
    "TypeError: load() got an unexpected keyword argument 'colour'",
    "nl.load(src, dtype=None)",
    "nl.load(x, colour=1)",
)
def unknown_keyword_of_a_function(x: Any) -> None:
    nl.load(x, colour=1)


@said(
    "E0655",
    "AttributeError: module 'nki.isa' has no attribute 'tensor_add'",
    "write nisa.tensor_tensor(dst, data1, data2, op=nl.add)",
    "nisa.tensor_add(x, x)",
)
def operator_as_a_call(x: Any) -> None:
    nisa.tensor_add(x, x)


@said(
    "E0655",
    "AttributeError: module 'nki.isa' has no attribute 'matmul'",
    "write nisa.nc_matmul(dst, stationary, moving)",
    "nisa.matmul(x, x)",
)
def name_of_another_library(x: Any) -> None:
    nisa.matmul(x, x)


@said(
    "E0655",
    "AttributeError: module 'nki.isa' has no attribute 'nc_matmull'",
    "did you mean 'nc_matmul'?",
    "nisa.nc_matmull(x, x, x)",
)
def misspelt_call(x: Any) -> None:
    nisa.nc_matmull(x, x, x)


@said(
    "E0655",
    "AttributeError: module 'nki.language' has no attribute 'dram'",
    "write nl.hbm",
    "nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.dram)",
)
def memory_of_another_library(x: Any) -> None:
    nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.dram)


@said(
    "E0655",
    "AttributeError: 'NkiTensor' object has no attribute 'astype'",
    "a call of nki.isa that writes a tile of another dtype converts",
    "x.astype(nl.bfloat16)",
)
def method_of_another_library(x: Any) -> None:
    x.astype(nl.bfloat16)


@said(
    "E0655",
    "AttributeError: 'NkiTensor' object has no attribute 'shapes'",
    "did you mean 'shape'?",
    "nl.load(x.shapes)",
)
def misspelt_method(x: Any) -> None:
    nl.load(x.shapes)


@said(
    "E0655",
    "NameError: name 'tile_out' is not defined",
    "did you mean 'tile_outs'?",
    "nl.load(tile_out)  # noqa: F821",
)
def misspelt_name(x: Any) -> None:
    tile_outs = x
    nl.load(tile_out)  # noqa: F821
    nl.load(tile_outs)


@said(
    "E0651",
    "buffer='vmem': wanted nl.sbuf, nl.psum, nl.hbm, nl.private_hbm, nl.shared_hbm",
    "",
    'nl.ndarray((128, 64), dtype=nl.float32, buffer="vmem")',
)
def no_memory(x: Any) -> None:
    nl.ndarray((128, 64), dtype=nl.float32, buffer="vmem")


@said(
    "E0302",
    "operand data1 of TensorTensor: x is in hbm; this operand reaches sbuf or psum only",
    "move it first, nisa.dma_copy(dst=tile, src=x)",
    "nisa.tensor_tensor(tile(), x, tile(), op=nl.add)",
)
def reads_memory_off_chip(x: Any) -> None:
    nisa.tensor_tensor(tile(), x, tile(), op=nl.add)


@said(
    "E0302",
    "operand dst of MultiplyMoving: tile is in sbuf; this operand reaches psum only",
    "declare it there: tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)",
    "nisa.nc_matmul(tile(), tile()[:, :128], tile())",
)
def writes_the_wrong_memory(x: Any) -> None:
    nisa.nc_matmul(tile(), tile()[:, :128], tile())


@said(
    "E0301",
    "operand data2 of TensorTensor: wanted a tile in sbuf or psum, found 2.0",
    "a number is taken by nisa.tensor_scalar(dst=c, data=a, op0=nl.add, operand0=2)",
    "nisa.tensor_tensor(tile(), tile(), 2.0, op=nl.add)",
)
def number_for_a_tile(x: Any) -> None:
    nisa.tensor_tensor(tile(), tile(), 2.0, op=nl.add)


@said(
    "E0655",
    "ValueError: 128 rows, wanted 64",
    "",
    'raise ValueError(f"{x.shape[0]} rows, wanted 64")',
)
def raises(x: Any) -> None:
    raise ValueError(f"{x.shape[0]} rows, wanted 64")


@said("E0651", "dst of nisa.dma_copy is 3; wanted a tensor", "", "nisa.dma_copy(dst=3, src=x)")
def into_a_number(x: Any) -> None:
    nisa.dma_copy(dst=3, src=x)


@said(
    "E0651",
    "nl.ndarray: address=[0]; wanted (partition, byte)",
    "",
    "nl.ndarray((128, 4), nl.float32, buffer=nl.sbuf, address=(0,))",
)
def half_an_address(x: Any) -> None:
    nl.ndarray((128, 4), nl.float32, buffer=nl.sbuf, address=(0,))


# -- what is known when the program runs


@said(
    "E0651",
    "a branch on what tile holds: that is known when the program runs",
    "load it into a register and loop on that, or compute both and nl.where; whether there is a "
    "tensor, write as: is not None",
    "if tile:",
)
def branches_on_a_tile(x: Any) -> None:
    tile = nl.ndarray((1, 1), nl.float32, buffer=nl.sbuf)
    if tile:
        nisa.memset(dst=tile, value=0.0)


@said(
    "E0651",
    "> of <sbuf tile float32[128, 512]>: tensors have no operators",
    "nl.greater makes a new tile, a call of nki.isa writes one",
    "if tile > 3:",
)
def compares_a_tile(x: Any) -> None:
    tile = nl.load(x)
    if tile > 3:
        nisa.memset(dst=tile, value=0.0)


@said(
    "E0651",
    "a branch on a register: what it holds is known when the program runs",
    "a loop of the machine is `while register:`, or nl.while_loop(register, body)",
    "if register:",
)
def branches_on_a_register(x: Any) -> None:
    register = nisa.register_alloc(3)
    if register:
        nl.load(x)


@said(
    "E0651",
    "a register as a number of Python: what it holds is known when the program runs",
    "nl.fori_loop takes one as a bound, x.select(axis, register) as a place; compute in tiles, and "
    "load from there with nisa.register_load",
    "for _ in range(register):",
)
def counts_to_a_register(x: Any) -> None:
    register = nisa.register_alloc(3)
    for _ in range(register):
        nl.load(x)


@said(
    "E0651",
    "a write to the variable of a loop, which the loop itself counts",
    "",
    "nisa.register_move(i, 3)",
)
def writes_a_loop_variable(x: Any) -> None:
    for i in nl.dynamic_range(3):
        nisa.register_move(i, 3)


@said(
    "E0651",
    "tile was made in the body of a run-time loop, which is over",
    "a loop may have no round: make the tile before the loop",
    "nisa.dma_copy(dst=y, src=tile)",
)
def uses_a_tile_of_a_body(x: Any) -> Any:
    y = out_like(x)
    for _ in nl.dynamic_range(3):
        tile = nl.ndarray(x.shape, x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=y, src=tile)
    return y


@said(
    "E0651",
    "a loop over a register inside nl.no_reorder",
    "AWS's compiler takes none there: end the block before the loop",
    "for _ in nl.dynamic_range(3):",
)
def loops_in_order(x: Any) -> None:
    with nl.no_reorder():
        for _ in nl.dynamic_range(3):
            nl.load(x)


LEFT = (
    "the body of a run-time loop was left before its end: by break, by return, or by what it raised"
)
CONDITION = (
    "all rounds have one body, which is traced once: end the loop by its bound, or by its register"
)


@said("E0651", LEFT, CONDITION, "for _ in nl.dynamic_range(3):")
def breaks_a_loop(x: Any) -> None:
    for _ in nl.dynamic_range(3):
        nl.load(x)
        break


@said("E0651", LEFT, CONDITION, "while register:")
def returns_from_a_loop(x: Any) -> None:
    register = nisa.register_alloc(3)
    while register:
        nl.load(x)
        return


@said(
    "E0651",
    "the body of nl.fori_loop is 3; wanted a function of one register",
    "",
    "nl.fori_loop(0, 3, 3)",
)
def has_no_body(x: Any) -> None:
    nl.fori_loop(0, 3, 3)


# -- what comes out


RETURN = "nl.ndarray(…, buffer=nl.shared_hbm) makes one; copy the result there"


@said(
    "E0654",
    "the kernel returns <sbuf tile float32[128, 512]>: wanted a tensor in HBM",
    RETURN,
    "tile = nl.load(x)",
)
def returns_a_tile(x: Any) -> Any:
    tile = nl.load(x)
    return tile  # noqa: RET504  (the line of the tile is said)


@said(
    "E0654",
    "the kernel returns a part of y that the run decides",
    "return the whole tensor, or copy the part into another one",
    "y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)",
)
def returns_what_the_run_decides(x: Any) -> Any:
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=y, src=x)
    return y.select(0, nisa.register_alloc(1))


@said(
    "E0654",
    "the kernel is a generator, of which a call executes nothing",
    "end it with a return; no yield, no coroutine",
    "@said(",
)
def yields(x: Any) -> Any:
    yield copied(x)


@said(
    "E0654",
    "the kernel is a coroutine, of which a call executes nothing",
    "end it with a return; no yield, no coroutine",
    "@said(",
)
async def awaits(x: Any) -> Any:
    return copied(x)


# -- what does not fit


@said(
    "E0304",
    "sbuf has 129 partitions; sbuf has 128",
    "the first axis of an on-chip tensor is its partition axis: tile it",
    "nl.ndarray((129, 4), nl.float32, buffer=nl.sbuf)",
)
def too_many_partitions(x: Any) -> None:
    nl.ndarray((129, 4), nl.float32, buffer=nl.sbuf)


@said(
    "E0651",
    "nisa.dma_copy of acc, which is in PSUM: since NKI 0.3 no transfer reads that",
    "copy it into SBUF first, with nisa.tensor_copy",
    "nisa.dma_copy(dst=x, src=acc)",
)
def moves_from_psum(x: Any) -> None:
    acc = nl.ndarray((128, 512), nl.float32, buffer=nl.psum)
    nisa.dma_copy(dst=x, src=acc)


@said(
    "E0652",
    "nc_matmul into acc: of column 0 earlier ones have begun some partitions only, so that it has "
    "to add in these and to overwrite in the others",
    "say accumulate=True or accumulate=False, or multiply into the partitions apart",
    "nisa.nc_matmul(dst=acc, stationary=tile[:, 0:128], moving=tile)",
)
def adds_to_a_part(x: Any) -> None:
    tile = nl.load(x)
    acc = nl.ndarray((128, 512), nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=acc[0:64, :], stationary=tile[:, 0:64], moving=tile)
    nisa.nc_matmul(dst=acc, stationary=tile[:, 0:128], moving=tile)


@said(
    "E0408",
    "TensorTensor does not run on @tensor",
    "it runs on @vector and @gpsimd",
    "nisa.tensor_tensor(tile, tile, tile, op=nl.add, engine=nisa.engine.tensor)",
)
def on_another_engine(x: Any) -> None:
    tile = nl.load(x)
    nisa.tensor_tensor(tile, tile, tile, op=nl.add, engine=nisa.engine.tensor)


@said(
    "E0405",
    "TensorTensor: bitwise_and with dst of float32; wanted an integer dtype",
    "rule: bitwise operators take integers of one width and convert nothing (NKI reference, "
    "'Supported Math Operators')",
    "nisa.tensor_tensor(tile, tile, tile, op=nl.bitwise_and)",
)
def of_another_dtype(x: Any) -> None:
    tile = nl.load(x)
    nisa.tensor_tensor(tile, tile, tile, op=nl.bitwise_and)


@each("name", SAID)
def test_what_is_wrong_is_said_at_its_line_with_a_way_on(name: str) -> None:
    kernel, wanted = SAID[name]
    (problem,) = problems_of(kernel, X)
    assert problem.span is not None
    assert Said(problem.code, problem.message, problem.hint, problem.span.text) == wanted


def test_matmuls_into_parts_of_a_tensor_in_hbm_are_each_refused() -> None:
    def kernel(x: Any) -> None:
        y, tile = out_like(x), nl.load(x)
        nisa.nc_matmul(dst=y[:, :100], stationary=tile[:, :128], moving=tile[:, :100])
        nisa.nc_matmul(dst=y[:, 50:], stationary=tile[:, :128], moving=tile[:, 50:])

    found = problems_of(kernel, X)
    assert [p.code for p in found] == ["E0302"] * 2
    assert "y is in hbm; this operand reaches psum only" in found[1].message


def test_out_of_sbuf_is_said_with_who_lives_when() -> None:
    def kernel(x: Any) -> None:
        tiles = []
        for _ in range(4):
            tile = nl.ndarray((128, 16384), nl.float32, buffer=nl.sbuf)
            nisa.memset(dst=tile, value=1.0)
            tiles.append(tile)
        for tile in tiles:
            nisa.reciprocal(tile, tile)

    (problem,) = problems_of(kernel, X)
    assert problem.code == "E0311"
    assert problem.message == (
        "tile_3 needs 65,536 bytes per partition here, and sbuf has no free run of that size: "
        "what is alive with it takes 196,608 of 229,376, 32,768 too many"
    )
    assert problem.span is not None
    assert problem.span.text == "nisa.memset(dst=tile, value=1.0)"
    _, _, *map_of = problem.hint.splitlines()
    assert map_of[0].split()[:3] == ["0", "..", "65,536"]
    assert "tile, partitions 0 to 127, instructions 0 to 4" in map_of[0]
    assert map_of[-1].split() == ["196,608", "..", "229,376", "32,768", "bytes", "(free)"]


def test_out_of_psum_is_said_with_its_banks() -> None:
    def kernel(x: Any) -> None:
        banks = [nl.ndarray((128, 512), nl.float32, buffer=nl.psum) for _ in range(9)]
        for bank in banks:
            nisa.memset(dst=bank, value=1.0)
        for bank in banks:
            nisa.tensor_copy(dst=nl.ndarray((128, 512), nl.float32), src=bank)

    (problem,) = problems_of(kernel, X)
    assert problem.code == "E0311"
    assert "psum has no free run of that size" in problem.message
    assert sum("bank" in line and "partitions 0 to 127" in line
               for line in problem.hint.splitlines()) == 8  # fmt: skip


def test_out_of_semaphores_is_said_with_the_transfers_in_flight() -> None:
    def kernel(x: Any) -> Any:
        y = out_like(x)

        def body(_: Any) -> None:
            tile = nl.ndarray((128, 4), x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[:, 0:4])
            nisa.dma_copy(dst=y[:, 0:4], src=tile)

        for _ in range(45):
            nl.fori_loop(0, 2, body)
        return y

    (problem,) = problems_of(kernel, X)
    assert problem.code == "E0322"
    assert problem.message == (
        "core 0 has 256 semaphores left, and the waits of this program take at least 276: 5 for "
        "the queues and one for what is in flight of its 90 transfers, and as many again for each "
        "of its 45 run-time loops"
    )
    assert problem.span is not None
    assert problem.span.text == "nl.fori_loop(0, 2, body)"


def test_300_transfers_in_flight_are_no_trouble() -> None:
    def kernel(x: Any) -> Any:
        y = nl.ndarray((1, 300), x.dtype, buffer=nl.shared_hbm)
        tiles = [nl.load(x[0:1, n : n + 1]) for n in range(300)]
        for n, tile in enumerate(tiles):
            nl.store(y[:, n : n + 1], tile)
        return y

    x = np.arange(300, dtype=np.float32).reshape(1, 300)
    made = nasm.nki.run(kernel, x)
    assert made.ok
    assert (made.outputs == x).all()


def test_a_kernel_that_needs_too_many_registers_says_so_once_for_each_line() -> None:
    def kernel(x: Any) -> None:
        tile = nl.load(x)
        for _ in range(70):
            register = nisa.register_alloc(1)
            nisa.reciprocal(tile[:, 0:1], tile[:, nl.ds(register, 1)])

    found = problems_of(kernel, X)
    assert {p.code for p in found} == {"E0657"}
    assert len(found) == len(set(found))


# -- what is all right


def test_a_destination_with_step_0_keeps_the_last_element() -> None:
    def kernel(x: Any) -> Any:
        y = nl.ndarray((128, 1), x.dtype, buffer=nl.shared_hbm)
        last = nl.ndarray((128, 1), x.dtype, buffer=nl.sbuf)
        nisa.tensor_scalar(last.broadcast(1, 512), nl.load(x), op0=nl.add, operand0=1.0)
        nl.store(y, last)
        return y

    x = np.arange(128 * 512, dtype=np.float32).reshape(128, 512)
    made = nasm.nki.run(kernel, x)
    assert (made.outputs == x[:, -1:] + 1).all()
    assert made.ok


def test_a_kernel_that_returns_nothing_gives_nothing() -> None:
    def kernel(x: Any) -> None:
        nl.load(x)

    assert nki.simulate(kernel)(X) is None


class Holder:
    @nki.jit
    def method(self, x: Any) -> Any:
        return copied(x)

    @staticmethod
    @nki.jit
    def static(x: Any) -> Any:
        return copied(x)

    @classmethod
    def kind(cls, x: Any) -> Any:
        return copied(x)


def with_factor(x: Any, factor: float) -> Any:
    y = out_like(x)
    nl.store(y, nl.multiply(nl.load(x), factor))
    return y


@pytest.mark.parametrize(
    ("kernel", "factor"),
    [
        (nki.jit(lambda x: copied(x)), 1),
        (Holder().method, 1),
        (Holder().method[2], 1),
        (Holder.static, 1),
        (nki.jit(Holder.kind), 1),
        (nki.jit(functools.partial(with_factor, factor=3.0)), 3),
        (nki.jit(lambda *arrays: copied(arrays[0])), 1),
    ],
)
def test_whatever_can_be_called_can_be_a_kernel(kernel: Any, factor: float) -> None:
    assert (kernel(X) == factor * X).all()


def test_a_kernel_may_change_the_list_that_it_was_given() -> None:
    def kernel(arrays: list[Any]) -> Any:
        return copied(arrays.pop())

    given = [X]
    assert (nki.simulate(kernel)(given) == X).all()
    assert (nki.simulate(kernel)(given) == X).all()


def test_a_kernel_without_a_text_has_no_lines_and_runs() -> None:
    text = """
import nki.isa as nisa, nki.language as nl
def kernel(x):
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    for i in nl.dynamic_range(2):
        nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=y, src=tile)
    return y
def wrong(x):
    if nl.load(x) > 3: pass
def raises(x):
    assert x is None, "found one"
def registers(x):
    register = nl.load(x) and None
"""
    space: dict[str, Any] = {}
    with nasm.nki.installed():
        exec(text, space)
    made = nasm.nki.run(space["kernel"], X)
    assert made.ok
    assert (made.outputs == X).all()
    assert str(made.report)
    for name in ("wrong", "raises"):
        (problem,) = problems_of(space[name], X)
        assert str(problem)


def test_a_file_that_has_changed_is_quoted_as_it_is_now(tmp_path: Any) -> None:
    path = tmp_path / "changing.py"
    for lines in (0, 5):
        path.write_text("#\n" * lines + "def kernel(x):\n    assert x is None\n")
        space: dict[str, Any] = {}
        exec(compile(path.read_text(), str(path), "exec"), space)
        (problem,) = problems_of(space["kernel"], X)
        assert problem.span is not None
        assert (problem.span.line, problem.span.text) == (lines + 2, "assert x is None")
