"""What a tensor of a kernel knows, and the views that the run addresses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nasm.nki import isa as nisa
from nasm.nki import language as nl
from nasm.nki.kernel_run import run
from nasm.nki.tensor import NkiTensor
from tests.nki.kernels import Array, places, refused, tensor, traced
from tests.tables import each

TABLE = np.arange(6 * 8 * 4, dtype=np.float32).reshape(6, 8, 4)


def test_a_tensor_on_chip_counts_partitions_first() -> None:
    with traced() as trace:
        made = tensor(trace, (64, 4, 16), dtype="float32")
        assert (made.shape, made.ndim, made.size) == ((64, 4, 16), 3, 4096)
        assert made.strides == (64, 16, 1)
        assert made.offset == 0
        part = made[2:4, 1, 3:5]
        assert part.get_pattern() == [[64, 2], [1, 2]]
        assert part.offset == 2 * 64 + 16 + 3
        assert (part.dtype, part.buffer) == (nl.float32, nl.sbuf)


@pytest.mark.parametrize(
    ("key", "shape"),
    [
        ((0, 0, 10), (1, 1)),
        ((slice(None), 0), (64, 16)),
        ((slice(None), 0, 10), (64, 1)),
        ((0,), (1, 4, 16)),
        ((Ellipsis, 0), (64, 4)),
        ((0, Ellipsis, slice(None)), (1, 4, 16)),
        ((slice(0, 64), 0, slice(0, 16, 2)), (64, 8)),
        ((Ellipsis,), (64, 4, 16)),
        ((-1, -1), (1, 16)),
        ((nl.ds(3, 5), slice(None), nl.ds(np.int64(2), np.int64(4))), (5, 4, 4)),
    ],
)
def test_on_chip_two_axes_stay(key: Any, shape: Any) -> None:
    with traced() as trace:
        assert tensor(trace, (64, 4, 16))[key].shape == shape


@pytest.mark.parametrize(
    ("key", "shape"),
    [((0,), (4, 16)), ((0, 1), (16,)), ((0, 1, 2), (1,)), ((slice(0, 1), 2), (1, 16))],
)
def test_in_hbm_one_axis_stays(key: Any, shape: Any) -> None:
    with traced() as trace:
        assert tensor(trace, (64, 4, 16), nl.hbm)[key].shape == shape


def test_indices_chain() -> None:
    with traced() as trace:
        made = tensor(trace, (6, 8, 4), nl.hbm)
        numbers = np.arange(192).reshape(6, 8, 4)
        assert np.array_equal(places(made[2][1:5][0]), numbers[2][1:5][0])


def test_a_pattern_addresses_the_storage_whatever_the_view() -> None:
    with traced() as trace:
        made = tensor(trace, (16, 32))
        part = made[4:8, 10:20]
        assert part.ap([[32, 2], [1, 3]], offset=8).offset == 8
        assert part.ap([[32, 2], [1, 3]]).offset == part.offset == 4 * 32 + 10
        inner = made.ap([[32, 16], [2, 16]])
        assert inner.ap([[32, 16], [1, 8]]).get_pattern() == [[32, 16], [1, 8]]
        assert made.ap([[1, 1], [1, 4]]).shape == (1, 4)  # one partition: its step counts nothing
        five = made.ap([[32, 16], [8, 2], [2, 2], [4, 2], [1, 2]])
        assert five.shape == (16, 2, 2, 2, 2)


def test_a_pattern_of_another_dtype_counts_its_elements() -> None:
    with traced() as trace:
        made = tensor(trace, (16, 32), dtype="int32")
        halves = made[:, 4:].ap([[64, 16], [1, 56]], dtype=nl.bfloat16)
        assert (halves.dtype, halves.offset) == (nl.bfloat16, 8)
        assert halves.get_pattern() == [[64, 16], [1, 56]]


def test_bytes_are_seen_as_another_dtype() -> None:
    with traced() as trace:
        made = tensor(trace, (128, 64), dtype="float32")
        assert made.view(nl.uint8).shape == (128, 256)
        assert made.view(nl.int32).shape == (128, 64)
        assert made.view(nl.uint8).view(nl.float32).get_pattern() == made.get_pattern()
        assert made[:, 8:16].reinterpret_cast(nl.bfloat16).offset == 16
        packed = tensor(trace, (128, 64), dtype="uint16").view(nl.float4_e2m1fn_x4)
        assert packed.shape == (128, 64)


def test_a_sequence_of_sizes_or_sizes() -> None:
    with traced() as trace:
        made = tensor(trace, (16, 24))
        for view in (made.reshape((16, 4, 6)), made.reshape(16, 4, -1), made.reshape([16, -1, 6])):
            assert view.shape == (16, 4, 6)
        assert made.reshape(shape=(16, 24)).shape == (16, 24)
        assert made.reshape_dim(0, (16,)).shape == (16, 24)
        assert tensor(trace, (16, 24), nl.hbm).reshape(-1).shape == (384,)


def gathered(body: Any, table: Array, *arrays: Array) -> Any:
    """What a kernel stores of a part of a table that it addresses at run time."""

    def kernel(source: Any, *inputs: Any) -> Any:
        tiles = []
        for one in inputs:
            tile = nl.ndarray(one.shape, one.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=one)
            tiles.append(tile)
        part = body(source, *tiles)
        out = nl.ndarray(part.shape, part.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=part)
        return out

    return run(kernel, table, *arrays).outputs


ONE = np.array([[3]], np.int32)


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (lambda t, i: t.select(0, i), TABLE[3]),
        (lambda t, i: t.select(1, i), TABLE[:, 3]),
        (lambda t, i: t.select(0, i)[1:4], TABLE[3][1:4]),
        (lambda t, i: t.select(0, i).ap([[4, 2], [1, 4]], 8), TABLE[0, 2:4]),
        (lambda t, i: t.select(0, i).permute((1, 0)), TABLE[3].T),
        (lambda t, i: t.select(0, i).reshape((4, 8)), TABLE[3].reshape(4, 8)),
        (lambda t, i: t.select(1, i).expand_dim(0), TABLE[None, :, 3]),
        (lambda t, i: t[1:, 2:].select(1, i), TABLE[1:, 2:][:, 3]),
        (lambda t, i: t.ap([[4, 2], [1, 4]], 0, i, None, 1), TABLE[0, 3:5]),
    ],
)
def test_a_tile_says_which_position(body: Any, wanted: Array) -> None:
    assert np.array_equal(gathered(body, TABLE, ONE), wanted)


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (lambda t, r: t.select(0, r), TABLE[3]),
        (lambda t, r: t[r], TABLE[3]),
        (lambda t, r: t[:, r, 1:], TABLE[:, 3, 1:]),
        (lambda t, r: t[nl.ds(r, 2)], TABLE[3:5]),
        (lambda t, r: t[:, nl.ds(r, 3)][1:, 1], TABLE[1:, 4]),
        (lambda t, r: t[r][2:].permute((1, 0)), TABLE[3][2:].T),
        (lambda t, r: t[r].reshape((2, 16)), TABLE[3].reshape(2, 16)),
        (lambda t, r: t[:, r].ap([[4, 2], [1, 4]], 8), TABLE[0, 2:4]),
        (lambda t, r: t.ap([[32, 1], [1, 32]], 32, scalar_offset=r), TABLE[4].reshape(1, 32)),
    ],
)
def test_a_register_says_which_position(body: Any, wanted: Array) -> None:
    def loaded(table: Any, index: Any) -> Any:
        return body(table, nisa.register_alloc(index))

    assert np.array_equal(gathered(loaded, TABLE, ONE), wanted)


def test_a_register_moves_partitions_and_columns_on_chip() -> None:
    def kernel(source: Any, index: Any) -> Any:
        tile, at = nl.load(source), nl.load(index)
        register = nisa.register_alloc(at)
        parts = (
            tile[register],
            tile[:, register, 1],
            tile.select(2, register),
            tile[:, nl.ds(register, 2), 0],
        )
        outs = []
        for part in parts:
            out = nl.ndarray(part.shape, part.dtype, buffer=nl.shared_hbm)
            nisa.dma_copy(dst=out, src=part)
            outs.append(out)
        return tuple(outs)

    made = run(kernel, TABLE, ONE).outputs
    wanted = (TABLE[3:4], TABLE[:, 3:4, 1], TABLE[:, :, 3], TABLE[:, 3:5, 0])
    for one, other in zip(made, wanted, strict=True):
        assert np.array_equal(one, other)


ROWS = np.array([[4], [0], [5]], np.int32)


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (lambda t, i: t.vector_select(0, i), TABLE[[4, 0, 5]]),
        (lambda t, i: t.vector_select(0, i)[:, 2:4], TABLE[[4, 0, 5]][:, 2:4]),
        (
            lambda t, i: t.vector_select(0, i).permute((0, 2, 1)),
            TABLE[[4, 0, 5]].transpose(0, 2, 1),
        ),
        (lambda t, i: t.vector_select(0, i).reshape((3, 32)), TABLE[[4, 0, 5]].reshape(3, 32)),
        (lambda t, i: t.vector_select(0, i).select(2, 1), TABLE[[4, 0, 5], :, 1]),
        (
            lambda t, i: t.reshape((48, 4)).ap([[4, 3], [1, 4]], 4, vector_offset=i),
            TABLE.reshape(48, 4)[[5, 1, 6]],
        ),
    ],
)
def test_a_tile_says_which_row_each_partition_has(body: Any, wanted: Array) -> None:
    assert np.array_equal(gathered(body, TABLE, ROWS), wanted)


def indirectly(trace: Any, buffer: Any = nl.hbm) -> NkiTensor:
    return tensor(trace, (6, 8, 4), buffer).select(1, tensor(trace, (1, 1)))


def test_a_view_knows_whether_the_run_addresses_it() -> None:
    with traced() as trace:
        made = tensor(trace, (6, 8, 4), nl.hbm)
        register = trace.register()
        assert not made.is_indirect()
        assert made.select(0, register).is_indirect()
        assert made[nl.ds(register, 2)].is_indirect()
        assert indirectly(trace).is_indirect()
        assert made.vector_select(0, tensor(trace, (4, 1))).is_indirect()


REFUSALS: dict[str, tuple[Any, str]] = {
    "axes": (lambda t, r: t[0, 0, 0, 0], "4 indices of made[6, 8, 4], which has 3 axes"),
    "ellipses": (lambda t, r: t[..., 0, ...], "2 times ..."),
    "outside": (lambda t, r: t[:, 8], "index 8 is outside axis 1 of made[6, 8, 4], which has 8"),
    "below": (lambda t, r: t[:, -9], "index -9 is outside axis 1"),
    "past": (lambda t, r: t[:, 2:9], "2:9 reaches past axis 1"),
    "window": (lambda t, r: t[nl.ds(4, 4)], "nl.ds(4, 4) is outside axis 0"),
    "register's window": (lambda t, r: t[:, nl.ds(r, 9)], "a window of 9 on axis 1"),
    "backwards": (lambda t, r: t[:, ::-1], "with step -1; wanted at least 1"),
    "nothing": (lambda t, r: t[:, 3:3].slice(0, 0, 1), "selects nothing of axis 1"),
    "float": (lambda t, r: t[:, 1.5], "1.5 as an index of axis 1"),
    "truth": (lambda t, r: t[True], "True as an index"),
    "new axis": (lambda t, r: t[:, None], "None as an index"),
    "list": (lambda t, r: t[[0, 1]], "[0, 1] as an index"),
    "tensor": (lambda t, r: t[:, t], "a tensor as an index"),
    "register's slice": (lambda t, r: t[:, r:r], "whose bounds are in a register"),
    "slice": (lambda t, r: t.slice(1, 4, 9), "wanted 0 <= start < end <= 8"),
    "axis": (lambda t, r: t.slice(3, 0, 1), "axis 3 of made[6, 8, 4], which has 3 axes"),
    "select": (lambda t, r: t.select(0, t[0:1, 0, 0:1]), "counts partitions, by a tile"),
    "again": (lambda t, r: t[:, r].select(1, r), "addressed at run time already"),
    "vector": (lambda t, r: t.vector_select(0, t), "wanted axis 0 in HBM"),
    "permute": (lambda t, r: t.permute((1, 0, 2)), "moves the partition axis"),
    "order": (lambda t, r: t.permute((0, 1, 1)), "not an order of its 3 axes"),
    "broadcast": (lambda t, r: t.broadcast(1, 16), "wanted an axis of 1"),
    "partitions": (lambda t, r: t[0].broadcast(0, 4), "which counts partitions"),
    "expand": (lambda t, r: t.expand_dim(0), "expand_dim(0) of made[6, 8, 4]: wanted 1 to 3"),
    "squeeze": (lambda t, r: t.squeeze_dim(1), "wanted an axis of 1"),
    "two axes": (lambda t, r: t[:, 0, 0:1].squeeze_dim(1), "and 2 or more to be left"),
    "split": (lambda t, r: t.reshape_dim(1, (3, 3)), "sizes [3, 3] for 8 elements"),
    "split partitions": (lambda t, r: t.reshape_dim(0, (2, 3)), "which counts partitions"),
    "merge": (lambda t, r: t.flatten_dims(0, 1), "partition axis of 6"),
    "merge backwards": (lambda t, r: t.flatten_dims(2, 1), "wanted the first axis first"),
    "reshape": (lambda t, r: t.reshape((6, 31)), "sizes [6, 31] for 192 elements"),
    "two unknown": (lambda t, r: t.reshape((6, -1, -1)), "one of which may be -1"),
    "uneven": (lambda t, r: t[:, 0:8, 0:3].reshape((6, 24)), "not evenly spaced"),
    "pattern": (lambda t, r: t.ap([[33, 6], [1, 32]]), "not a multiple of its 32 elements"),
    "reach": (lambda t, r: t.ap([[32, 6], [1, 33]])[0], "reaches elements 0 to 32"),
    "inherit": (lambda t, r: t[:, r].ap([[32, 6], [1, 4]]), "addressed at run time already"),
    "offsets": (
        lambda t, r: t.ap([[32, 6], [1, 4]], scalar_offset=3),
        "wanted a tile or a register",
    ),
    "dtype": (
        lambda t, r: t[:, :, 0:3].view(nl.int32).view(nl.int8)[:, :, 1:].view(nl.int32),
        "wanted multiples of 4",
    ),
    "names": (lambda t, r: t.rearrange(("a", "b", "c"), ("a", "b")), "wanted the same names"),
    "no group": (
        lambda t, r: t.rearrange(("a", 1, "c"), ("a", "c", 1)),
        "a group of names is 1; wanted a list",
    ),
    "a grouped name": (
        lambda t, r: t.rearrange(("a", ("b", 2), "c"), ("a", "c", "b", 2), {"b": 2}),
        "2 in a pattern of names; wanted a string",
    ),
    "no sizes": (
        lambda t, r: t.rearrange(("a", "b", "c"), ("a", "c", "b"), ("b", 8)),
        "wanted {name: size}",
    ),
    "axes named": (lambda t, r: t.rearrange(("a", "b"), ("a", "b")), "2 axes in"),
    "sizes": (
        lambda t, r: t.rearrange(("a", ("b", "d"), "c"), ("a", "b", "d", "c")),
        "are not given",
    ),
    "wrong size": (
        lambda t, r: t.rearrange(("a", ("b", "d"), "c"), ("a", "b", "d", "c"), {"b": 3}),
        "which has 8",
    ),
    "unknown size": (lambda t, r: t.rearrange(("a", "b", "c"), ("a", "c", "b"), {"x": 1}), "'x'"),
    "assignment": (lambda t, r: t.__setitem__(0, 1.0), "a tensor is written by a call"),
    "branch": (lambda t, r: bool(t[0:1, 0, 0]), "a branch on what made holds"),
    "number": (lambda t, r: int(t), "made as a number"),
    "bound": (lambda t, r: range(t), "made as a number"),
    "loop": (lambda t, r: list(t), "a loop over made"),
    "plus": (lambda t, r: t + 1, "+ of <sbuf made int32[6, 8, 4]>: tensors have no operators"),
    "reversed": (lambda t, r: 2 * t, "* of <sbuf made"),
    "compared": (lambda t, r: t < 2, "< of <sbuf made"),
    "equal": (lambda t, r: t == 0, "== 0: tensors have no operators"),
    "unequal": (lambda t, r: t[0] != 0.5, "== 0.5: tensors have no operators"),
    "negated": (lambda t, r: -t, "unary - of <sbuf made"),
}


@each("name", REFUSALS)
def test_what_no_view_is_is_refused(name: str) -> None:
    body, said = REFUSALS[name]
    with traced() as trace:
        made = tensor(trace, (6, 8, 4))
        register = trace.register()
        assert said in refused(lambda: body(made, register)).message


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (lambda v: v[0:2], "cannot be sliced"),
        (lambda v: v.permute((1, 0, 2)), "axis 0 a tile decides"),
        (lambda v: v.expand_dim(0), "wanted 1 to 3"),
        (lambda v: v.reshape((32, 4)), "would change axis 0"),
        (lambda v: v.view(nl.int8), "which a tile addresses"),
        (lambda v: v.select(1, v), "addressed at run time already"),
    ],
)
def test_rows_that_a_tile_names_stay_as_they_are(body: Any, said: str) -> None:
    with traced() as trace:
        made = tensor(trace, (6, 8, 4), nl.hbm).vector_select(0, tensor(trace, (4, 1)))
        assert said in refused(lambda: body(made)).message


def test_a_tensor_in_a_condition_is_there() -> None:
    with traced() as trace:
        assert tensor(trace, (6, 8, 4))
        assert tensor(trace, (1, 2), nl.hbm)


def test_a_refusal_is_at_the_line_of_the_kernel() -> None:
    def kernel(x: Any) -> Any:
        tile = nl.load(x)
        return tile[:, 99]

    problem = refused(lambda: run(kernel, TABLE[0]))
    assert problem.span is not None
    assert problem.span.source.text[problem.span.start :].startswith("return tile[:, 99]")


def test_tensors_and_registers_are_themselves_alone() -> None:
    with traced() as trace:
        made, register = tensor(trace, (4, 8)), trace.register()
        assert made == made
        assert made != made[0:4]
        assert made != None  # noqa: E711
        assert register != None  # noqa: E711
        assert register in [register]
        assert len({made, register, made}) == 2


def test_an_annotation_may_say_sizes() -> None:
    assert nl.tensor[128, 512] is NkiTensor
    assert isinstance(nl.ndarray, type)
    with traced() as trace:
        assert isinstance(tensor(trace, (4, 8)), nl.ndarray)
        assert not isinstance(3, nl.ndarray)
        assert repr(tensor(trace, (4, 8))) == "<sbuf sbuf_1 int32[4, 8]>"


def test_a_pattern_that_reaches_past_its_tensor_may_be_made() -> None:
    def kernel(x: Any) -> Any:
        tile = nl.load(x)
        out = nl.ndarray((6, 8), nl.float32, buffer=nl.shared_hbm)
        for first in (0, 24, 32):
            part = tile.ap([[32, 6], [1, 8]], offset=first)
            assert (part.shape, part.dtype) == ((6, 8), nl.float32)
            if first == 24:
                nl.store(out, part)
        return out

    made = run(kernel, TABLE.reshape(6, 32))
    assert np.array_equal(made.outputs, TABLE[:, 6:].reshape(6, 8))


def test_a_pattern_that_reaches_past_its_tensor_is_refused_where_it_was_made() -> None:
    def kernel(x: Any) -> Any:
        tile = nl.load(x)
        past = tile.ap([[32, 6], [1, 9]], offset=24)
        return nl.copy(past)

    problem = refused(lambda: run(kernel, TABLE.reshape(6, 32)))
    assert "reaches elements 24 to 32" in problem.message
    assert problem.span is not None
    assert problem.span.source.text[problem.span.start :].startswith("past = tile.ap(")


@pytest.mark.parametrize(
    ("key", "shape"),
    [
        ((slice(None), slice(3, 3)), (6, 0, 4)),
        ((nl.ds(2, 0),), (0, 8, 4)),
        ((nl.ds(6, 0), 1, nl.ds(2, 2)), (0, 2)),
        ((0, slice(5, 3), slice(None)), (0, 4)),
    ],
)
def test_a_slice_of_nothing_has_a_shape(key: Any, shape: tuple[int, ...]) -> None:
    with traced() as trace:
        assert tensor(trace, (6, 8, 4), nl.hbm)[key].shape == shape


def test_a_core_that_is_left_with_nothing_may_slice_it() -> None:
    def kernel(x: Any) -> Any:
        rows, core = x.shape[0], nl.program_id(0)
        mine = rows // 2 if core == 0 else rows - rows // 2
        out = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
        part, there = (each[nl.ds(core * (rows // 2), mine)] for each in (x, out))
        if part.shape[0]:
            nl.store(there, nl.load(part))
        return out

    for rows in (1, 3):
        given = TABLE.reshape(6, 32)[:rows]
        assert np.array_equal(run(kernel, given, lnc=2).outputs, given)


def test_a_slice_of_nothing_is_refused_where_it_was_made() -> None:
    def kernel(x: Any) -> Any:
        none = x[nl.ds(2, 0)]
        return nl.load(none)

    problem = refused(lambda: run(kernel, TABLE.reshape(6, 32)))
    assert problem.message == "2:2 selects nothing of axis 0 of x"
    assert problem.span is not None
    assert problem.span.source.text[problem.span.start :].startswith("none = x[")
