"""Kernels that exchange tensors with other ranks, against NumPy on all ranks' arrays at once."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import nasm.nki
from nasm.base.problems import Failure, Problem, Refused
from nasm.nki import ByRank

with nasm.nki.installed():
    import nki
    import nki.collectives as ncc
    import nki.isa as nisa
    import nki.language as nl
    from nki.collectives import ReplicaGroup

Array = np.ndarray[Any, Any]
BF16 = ml_dtypes.bfloat16
RANKS = (1, 2, 4, 8)
H, W = 16, 24


def drawn(ranks: int, *shape: int, dtype: Any = np.float32, seed: int = 0) -> list[Array]:
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape).astype(dtype) for _ in range(ranks)]


def of_ranks(kernel: Any, *args: Any, ranks: int, ok: bool = True, **how: Any) -> list[Any]:
    """What each rank returned."""
    made = nasm.nki.run(kernel, *args, ranks=ranks, **how)
    assert made.ok or not ok, made.report
    assert len(made.outputs) == ranks
    return list(made.outputs)


def everyone(ranks: int) -> Any:
    return ReplicaGroup([list(range(ranks))])


def hbm(shape: Sequence[int], dtype: Any) -> Any:
    return nl.ndarray(tuple(shape), dtype=dtype, buffer=nl.shared_hbm)


def in_hbm(shape: Callable[[Any], Sequence[int]], exchange: Callable[..., None]) -> Any:
    """A kernel that copies its argument, exchanges, and copies what it received."""

    @nki.jit
    def kernel(x: Any, group: Any) -> Any:
        src, dst, out = hbm(x.shape, x.dtype), hbm(shape(x), x.dtype), hbm(shape(x), x.dtype)
        nisa.dma_copy(src, x)
        exchange(src, dst, group)
        nisa.dma_copy(out, dst)
        return out

    return kernel


# ---------------------------------------------------------------- values


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("op", ["add", "minimum", "maximum"])
def test_all_reduce(ranks: int, op: str) -> None:
    kernel = in_hbm(
        lambda x: x.shape,
        lambda src, dst, group: ncc.all_reduce([src], [dst], group, getattr(nl, op)),
    )
    xs = drawn(ranks, H, W)
    for got in of_ranks(kernel, ByRank(xs), everyone(ranks), ranks=ranks):
        wanted = getattr(np, op).reduce(np.stack(xs).astype(np.float64))
        assert np.array_equal(got, wanted.astype(np.float32))  # rounded once


@pytest.mark.parametrize("ranks", RANKS)
def test_all_gather_reduce_scatter_and_all_to_all(ranks: int) -> None:
    def gathered(x: Any) -> Any:
        return (x.shape[0] * ranks, *x.shape[1:])

    def scattered(x: Any) -> Any:
        return (x.shape[0] // ranks, *x.shape[1:])

    xs, group = drawn(ranks, H, W), everyone(ranks)
    gather = in_hbm(gathered, lambda s, d, g: ncc.all_gather([s], [d], g, 0))
    for got in of_ranks(gather, ByRank(xs), group, ranks=ranks):
        assert np.array_equal(got, np.concatenate(xs))
    scatter = in_hbm(
        scattered, lambda s, d, g: ncc.reduce_scatter([s], [d], g, collective_dim=0, op=nl.add)
    )
    total = np.stack(xs).astype(np.float64).sum(0).astype(np.float32)
    for got, part in zip(
        of_ranks(scatter, ByRank(xs), group, ranks=ranks), np.split(total, ranks), strict=True
    ):
        assert np.array_equal(got, part)
    exchange = in_hbm(lambda x: x.shape, lambda s, d, g: ncc.all_to_all([s], [d], g, 0))
    for rank, got in enumerate(of_ranks(exchange, ByRank(xs), group, ranks=ranks)):
        assert np.array_equal(got, np.concatenate([np.split(x, ranks)[rank] for x in xs]))


def test_two_groups_of_two() -> None:
    kernel = in_hbm(lambda x: x.shape, lambda s, d, g: ncc.all_reduce([s], [d], g, nl.add))
    xs = drawn(4, H, W)
    outs = of_ranks(kernel, ByRank(xs), ReplicaGroup([[0, 2], [1, 3]]), ranks=4)
    for rank, got in enumerate(outs):
        assert np.array_equal(got, xs[rank % 2] + xs[rank % 2 + 2])


def test_several_tensors_at_once_and_pairs() -> None:
    @nki.jit
    def kernel(x: Any, y: Any) -> Any:
        both = [hbm(x.shape, x.dtype), hbm(y.shape, y.dtype)]
        sums = [hbm(x.shape, x.dtype), hbm(y.shape, y.dtype)]
        swapped = hbm(x.shape, x.dtype)
        for each, given in zip(both, (x, y), strict=True):
            nisa.dma_copy(each, given)
        ncc.all_reduce(both, sums, [[0, 1]], nl.add)
        ncc.collective_permute([both[0]], [swapped], [(0, 1), (1, 0)])
        return (*sums, swapped)

    xs, ys = drawn(2, H, W), drawn(2, H, W, dtype=BF16, seed=1)
    for rank, (sx, sy, other) in enumerate(of_ranks(kernel, ByRank(xs), ByRank(ys), ranks=2)):
        assert np.array_equal(sx, xs[0] + xs[1])
        wide = ys[0].astype(np.float64) + ys[1].astype(np.float64)
        assert np.array_equal(sy, wide.astype(BF16))
        assert np.array_equal(other, xs[1 - rank])


@pytest.mark.parametrize("ranks", [2, 4])
def test_tiles_in_sbuf_are_gathered_along_either_axis(ranks: int) -> None:
    @nki.jit
    def kernel(x: Any, group: Any, dim: int) -> Any:
        rows, columns = x.shape
        shape = (rows * ranks, columns) if dim == 0 else (rows, columns * ranks)
        tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
        whole = nl.ndarray(shape, dtype=x.dtype, buffer=nl.sbuf)
        out = hbm(shape, x.dtype)
        nisa.dma_copy(tile, x)
        ncc.all_gather(srcs=[tile], dsts=[whole], replica_group=group, collective_dim=dim)
        nisa.dma_copy(out, whole)
        return out

    xs = drawn(ranks, H, W)
    for dim in (0, 1):
        for got in of_ranks(kernel, ByRank(xs), everyone(ranks), dim, ranks=ranks):
            assert np.array_equal(got, np.concatenate(xs, dim))


@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize("memory", ["sbuf", "shared_hbm"])
def test_a_ring_in_two_channels_passes_every_ranks_data_on(ranks: int, memory: str) -> None:
    @nki.jit
    def kernel(x: Any, group: Any) -> Any:
        buffer = getattr(nl, memory)
        now, then = (
            [nl.ndarray(x.shape[1:], dtype=x.dtype, buffer=buffer) for _ in range(2)]
            for _ in range(2)
        )
        out = hbm((ranks, *x.shape), x.dtype)
        rows, columns = x.shape[1:]
        for channel in range(2):
            nisa.dma_copy(now[channel], x[channel])
        for step in range(ranks):
            for channel in range(2):
                whose = ncc.collective_permute_implicit_current_processing_rank_id(
                    iteration_id=step, channel_id=channel, replica_group=group
                )
                place = out.ap(
                    pattern=[[columns, rows], [1, columns]],
                    offset=channel * rows * columns,
                    scalar_offset=whose,
                    indirect_dim=0,
                )
                nisa.dma_copy(place, now[channel])
            if step < ranks - 1:
                ncc.collective_permute_implicit(
                    [[each] for each in now], [[each] for each in then], group, channel_ids=[0, 1]
                )
                now, then = then, now
        return out

    xs = drawn(ranks, 2, H, W)
    for got in of_ranks(kernel, ByRank(xs), everyone(ranks), ranks=ranks):
        assert np.array_equal(got, np.stack(xs))


def test_a_ring_that_combines_before_it_sends() -> None:
    @nki.jit
    def kernel(x: Any, y: Any, group: Any) -> Any:
        a, b, got, out = (hbm(x.shape, x.dtype) for _ in range(4))
        nisa.dma_copy(a, x)
        nisa.dma_copy(b, y)
        ncc.collective_permute_implicit_reduce([[a]], [[b]], [[got]], group, nl.maximum)
        nisa.dma_copy(out, got)
        return out

    xs, ys = drawn(3, H, W), drawn(3, H, W, seed=1)
    outs = of_ranks(kernel, ByRank(xs), ByRank(ys), everyone(3), ranks=3)
    for rank, got in enumerate(outs):
        assert np.array_equal(got, np.maximum(xs[rank - 1], ys[rank - 1]))


def test_counts_that_a_tensor_has() -> None:
    @nki.jit
    def kernel(x: Any, counts: Any, group: Any) -> Any:
        src, dst, meta = hbm(x.shape, x.dtype), hbm(x.shape, x.dtype), hbm(counts.shape, nl.uint32)
        nisa.dma_copy(src, x)
        nisa.dma_copy(dst, x)
        nisa.dma_copy(meta, counts)
        ncc.all_to_all_v([src], [dst], group, meta)
        return dst, meta

    xs = [np.arange(8, dtype=np.float32) + 10 * rank for rank in range(2)]
    tables = ([[1, 3], [0, 4], [0, 0]], [[2, 0], [1, 0], [9, 9]])
    counts = [np.array(table, np.uint32) for table in tables]
    outs = of_ranks(kernel, ByRank(xs), ByRank(counts), everyone(2), ranks=2)
    # rank 0 keeps element 0, and sends 4, 5, 6; rank 1 sends its elements 1 and 2
    assert np.array_equal(outs[0][0], [0, 1, 2, 3, 11, 12, 6, 7])
    assert np.array_equal(outs[1][0], [4, 5, 6, 13, 14, 15, 16, 17])
    assert [list(meta[2]) for _, meta in outs] == [[1, 2], [3, 0]]


@pytest.mark.parametrize("lnc", [1, 2])
def test_each_rank_knows_its_number(lnc: int) -> None:
    @nki.jit
    def kernel(table: Any) -> Any:
        rows, columns = table.shape[1:]
        out = hbm((rows, columns), table.dtype)
        number = ncc.rank_id()
        if nl.program_id(0) == 0:
            picked = table.ap([[columns, rows], [1, columns]], scalar_offset=number, indirect_dim=0)
            nisa.dma_copy(out, picked)
        return out

    table = drawn(1, 4, H, W)[0]
    for rank, got in enumerate(of_ranks(kernel, table, ranks=4, lnc=lnc)):
        assert np.array_equal(got, table[rank])


# ---------------------------------------------------------------- two cores


@nki.jit
def halves(x: Any, group: Any) -> Any:
    """Each core copies a half; the sum of all is one operation of both."""
    rows, core = x.shape[0], nl.program_id(0)
    src, dst, out = (hbm(x.shape, x.dtype) for _ in range(3))
    mine = nl.ds(core * rows // 2, rows // 2)
    nisa.dma_copy(src[mine, :], x[mine, :])
    ncc.all_reduce([src], [dst], group, nl.add)
    other = nl.ds((1 - core) * rows // 2, rows // 2)  # what the other core has copied
    nisa.dma_copy(out[other, :], dst[other, :])
    return out


@pytest.mark.parametrize("ranks", [2, 4])
def test_what_two_cores_share_is_exchanged_once_and_in_order(ranks: int) -> None:
    xs = drawn(ranks, H, W)
    for got in of_ranks(halves, ByRank(xs), everyone(ranks), ranks=ranks, lnc=2):
        assert np.array_equal(got, np.stack(xs).astype(np.float64).sum(0).astype(np.float32))
    traced = nasm.nki.trace(halves, ByRank(xs), everyone(ranks), ranks=ranks, lnc=2)
    rows = [instruction.row.name for instruction in traced.program.instructions]
    assert rows.count("Collective") == 1


def test_tiles_of_two_cores_are_exchanged_by_each() -> None:
    @nki.jit
    def kernel(x: Any, group: Any) -> Any:
        core = nl.program_id(0)
        tile, total = (nl.ndarray((H, W), dtype=x.dtype, buffer=nl.sbuf) for _ in range(2))
        out = hbm(x.shape, x.dtype)
        nisa.dma_copy(tile, x[core])
        ncc.all_reduce([tile], [total], group, nl.add)
        nisa.dma_copy(out[core], total)
        return out

    xs = drawn(2, 2, H, W)
    for got in of_ranks(kernel, ByRank(xs), everyone(2), ranks=2, lnc=2):
        assert np.array_equal(got, xs[0] + xs[1])


@pytest.mark.parametrize("lnc", [1, 2])
def test_a_loop_of_the_machine_exchanges_in_every_round(lnc: int) -> None:
    @nki.jit
    def kernel(x: Any, group: Any) -> Any:
        src, dst, out = (hbm(x.shape, x.dtype) for _ in range(3))
        first = nl.program_id(0) == 0
        if first:
            nisa.dma_copy(src, x)

        def body(_: Any) -> None:
            ncc.all_reduce([src], [dst], group, nl.add)
            if first:
                nisa.dma_copy(src, dst)

        nl.fori_loop(0, 3, body)
        if first:
            nisa.dma_copy(out, dst)
        return out

    xs = drawn(2, H, W)
    total = xs[0] + xs[1]
    for got in of_ranks(kernel, ByRank(xs), everyone(2), ranks=2, lnc=lnc):
        assert np.array_equal(got, 4 * total)


# ---------------------------------------------------------------- arguments and results


def test_an_argument_that_is_written_is_changed_on_each_rank() -> None:
    @nki.jit
    def kernel(x: Any, group: Any) -> Any:
        src, dst = hbm(x.shape, x.dtype), hbm(x.shape, x.dtype)
        nisa.dma_copy(src, x)
        ncc.all_reduce([src], [dst], group, nl.add)
        nisa.dma_copy(x, dst)

    xs = drawn(2, H, W)
    total = xs[0] + xs[1]
    assert of_ranks(kernel, ByRank(xs), everyone(2), ranks=2) == [None, None]
    assert all(np.array_equal(x, total) for x in xs)
    for one in (xs[0], ByRank([xs[0], xs[0]])):
        with pytest.raises(Failure, match="x, which is one array for several ranks") as failure:
            nasm.nki.run(kernel, one, everyone(2), ranks=2)
        assert failure.value.problems[0].hint == "pass a nasm.nki.ByRank of one for each"


def test_arrays_by_rank_are_alike_and_as_many_as_ranks() -> None:
    one, two = np.ones((2, 3), np.float32), np.ones((2, 4), np.float32)
    with pytest.raises(Refused, match=r"float32\[2, 3\] and float32\[2, 4\]"):
        ByRank([one, two])
    with pytest.raises(TypeError):
        ByRank([1, 2])
    kernel = in_hbm(lambda x: x.shape, lambda s, d, g: ncc.all_reduce([s], [d], g, nl.add))
    for ranks in (None, 3):
        with pytest.raises(Failure, match="argument x is ByRank of 2 arrays"):
            nasm.nki.run(kernel, ByRank([one, one]), everyone(1), ranks=ranks)


@pytest.mark.parametrize(("x", "y", "wanted"), [("ab", "ac", [2, 110]), ("a", "ac", [2, 101])])
def test_arguments_that_share_the_array_of_rank_0_stay_apart(
    x: str, y: str, wanted: list[int]
) -> None:
    @nki.jit
    def added(x: Any, y: Any) -> Any:
        out = nl.ndarray(x.shape, x.dtype, nl.shared_hbm)
        total, other = (nl.ndarray(x.shape, x.dtype, nl.sbuf) for _ in range(2))
        nisa.dma_copy(total, x)
        nisa.dma_copy(other, y)
        nisa.tensor_tensor(total, total, other, nl.add)
        nisa.dma_copy(out, total)
        return out

    arrays = {n: np.full((4, 8), value, np.float32) for n, value in dict(a=1, b=10, c=100).items()}
    given = [ByRank([arrays[n] for n in names]) if names[1:] else arrays[names] for names in (x, y)]
    found = nasm.nki.run(added, *given, ranks=2)
    assert [set(mine.flat) for mine in found.outputs] == [{value} for value in wanted]


def test_a_run_of_ranks_is_the_same_each_time_and_knows_where_they_met() -> None:
    xs = drawn(2, H, W)
    kernel = in_hbm(lambda x: x.shape, lambda s, d, g: ncc.all_reduce([s], [d], g, nl.add))
    first, second = (nasm.nki.run(kernel, ByRank(xs), everyone(2), ranks=2) for _ in range(2))
    assert first.report.trace_hash == second.report.trace_hash
    (meeting,) = first.result.ranks.meetings
    assert (meeting.operation, meeting.bytes) == ("all_reduce", H * W * 4)
    assert meeting.span is not None
    assert "exchange(src, dst, group)" in meeting.span.text or "all_reduce" in meeting.span.text


def test_where_ranks_are_decides_how_long_they_take(tmp_path: Path) -> None:
    kernel = in_hbm(lambda x: x.shape, lambda s, d, g: ncc.all_reduce([s], [d], g, nl.add))
    xs = drawn(2, H, W)
    slow = tmp_path / "slow.toml"
    slow.write_text('base = "trn2.48xlarge"\n[figures]\ncollective_start_ns = 9000\n')
    ticks = []
    for topology in (None, "trn2-ultraserver", str(slow)):
        made = nasm.nki.run(kernel, ByRank(xs), everyone(2), ranks=2, topology=topology)
        ticks.append(made.result.ranks.meetings[0].ticks)
    assert ticks[0] == ticks[1]  # both ranks on one chip
    assert ticks[2] - ticks[0] == round((9000 - 3160) * 4.8)


def test_the_signatures_are_those_of_the_vendors_stubs() -> None:
    # AWS, nki/api/nki/collectives/__init__.py of SDK 2.32
    stubs = {
        "all_reduce": "srcs dsts replica_group op priority name",
        "all_gather": "srcs dsts replica_group collective_dim priority name",
        "all_gather_v": "srcs dsts replica_group metadata_tensor recv_counts_known has_rdispls "
        "priority name",
        "reduce_scatter": "srcs dsts replica_group collective_dim op priority name",
        "all_to_all": "srcs dsts replica_group collective_dim priority name",
        "all_to_all_v": "srcs dsts replica_group metadata_tensor recv_counts_known has_rdispls "
        "priority name",
        "collective_permute": "srcs dsts source_target_pairs priority name",
        "collective_permute_implicit": "srcs_by_channel dsts_by_channel replica_group channel_ids "
        "priority name",
        "collective_permute_implicit_reduce": "srcs0_by_channel srcs1_by_channel dsts_by_channel "
        "replica_group op channel_ids priority name",
        "collective_permute_implicit_current_processing_rank_id": "iteration_id replica_group "
        "channel_id name",
        "rank_id": "name",
    }
    module = importlib.import_module("nasm.nki.collectives")
    for name, words in stubs.items():
        assert list(inspect.signature(getattr(module, name)).parameters) == words.split()
    assert set(module.__all__) == {*stubs, "ReplicaGroup", "rg_partition_op"}


# ---------------------------------------------------------------- refusals


def refused(exchange: Callable[[Any, Any], Any], ranks: int | None = 2) -> Problem:
    @nki.jit
    def kernel(x: Any) -> Any:
        src, dst = hbm(x.shape, x.dtype), hbm(x.shape, x.dtype)
        nisa.dma_copy(src, x)
        exchange(src, dst)
        return dst

    with pytest.raises(Failure) as failure:
        nasm.nki.trace(kernel, np.ones((H, W), np.float32), ranks=ranks)
    problem = failure.value.problems[0]
    assert problem.span is not None
    return problem


GROUP = [[0, 1]]
REFUSALS: tuple[tuple[Callable[[Any, Any], Any], str, str], ...] = (
    (lambda s, d: ncc.all_reduce(s, [d], GROUP, nl.add), "E0651",
     "srcs of nki.collectives.all_reduce is "),
    (lambda s, d: ncc.all_reduce([s], [], GROUP, nl.add), "E0651",
     "dsts of nki.collectives.all_reduce is []; wanted a list of tensors"),
    (lambda s, d: ncc.all_reduce([3], [d], GROUP, nl.add), "E0651",
     "srcs of nki.collectives.all_reduce has 3 in it; wanted tensors"),
    (lambda s, d: ncc.all_reduce([s], [d], None, nl.add), "E0651",
     "replica_group of nki.collectives.all_reduce is None; wanted lists of ranks"),
    (lambda s, d: ncc.all_reduce([s], [d], [0, 1], nl.add), "E0651",
     "replica_group of nki.collectives.all_reduce is [0, 1]; wanted lists of ranks"),
    (lambda s, d: ncc.all_reduce([s], [d], [[0, 2]], nl.add), "E0250", "no rank 2: "),
    (lambda s, d: ncc.all_reduce([s], [d], [[0, 1], [1]], nl.add), "E0407", "rank 1 is in groups"),
    (lambda s, d: ncc.all_reduce([s], [d], GROUP, nl.multiply), "E0", "multiply"),
    (lambda s, d: ncc.all_gather([s], [d], GROUP, 0), "E0412", ""),
    (lambda s, d: ncc.all_gather([s], [d], GROUP, 1), "E0", "dim=1 of all_gather in hbm"),
    (lambda s, d: ncc.collective_permute([s], [d], [(0, 1, 2)]), "E0", "pairs"),
    (lambda s, d: ncc.collective_permute_implicit([[s]], [[d]], GROUP, channel_ids=[1]), "E0651",
     "channel_ids of nki.collectives.collective_permute_implicit is [1]"),
    (lambda s, d: ncc.collective_permute_implicit([s], [[d]], GROUP), "E0651",
     "srcs_by_channel of nki.collectives.collective_permute_implicit: wanted a list of one"),
)  # fmt: skip


@pytest.mark.parametrize("number", range(len(REFUSALS)))
def test_wrong_calls_are_refused_at_their_line(number: int) -> None:
    exchange, code, words = REFUSALS[number]
    problem = refused(exchange)
    assert problem.code.startswith(code)
    assert words in problem.message


def test_a_collective_of_an_argument_or_a_result_is_warned_of() -> None:
    # nki-library, test_collectives.py: a collective cannot read or write tensors of the interface
    @nki.jit
    def kernel(x: Any) -> Any:
        out, own = hbm(x.shape, x.dtype), hbm(x.shape, x.dtype)
        ncc.all_reduce([x], [own], GROUP, nl.add)
        ncc.all_reduce([own], [out], GROUP, nl.add)
        return out

    made = nasm.nki.run(kernel, np.ones((H, W), np.float32), ranks=2)
    warnings = [(w.code, w.message.partition(":")[0]) for w in made.report.warnings]
    assert warnings == [
        ("E0653", "all_reduce of x, which is an argument of the kernel"),
        ("E0653", "all_reduce of out, which is a result of the kernel"),
    ]
    assert (made.outputs[0] == 4).all()
    allowed = nasm.nki.run(kernel, np.ones((H, W), np.float32), ranks=2, allow=["E0653"])
    assert allowed.report.warnings == ()
    assert len(allowed.report.allowed) == 2


def test_ranks_that_are_not_there_are_named_with_what_makes_them() -> None:
    problem = refused(lambda s, d: ncc.all_reduce([s], [d], GROUP, nl.add), ranks=None)
    assert problem.message == "no rank 1: the program has rank 0 alone"


def test_collectives_outside_of_a_kernel_are_refused() -> None:
    with pytest.raises(Failure, match=r"nki\.collectives\.rank_id outside of a kernel"):
        ncc.rank_id()
