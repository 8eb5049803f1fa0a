"""``neuronxcc.nki.nccl``, which kernels of NKI 0.1 exchange tensors with, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nasm.nki
from nasm.base.problems import Failure
from nasm.nki import ByRank

with nasm.nki.installed():
    import neuronxcc.nki as nki
    import neuronxcc.nki.language as nl
    import neuronxcc.nki.nccl as nccl
    from neuronxcc.nki.nccl.collectives import collective_permute_implicit

Array = np.ndarray[Any, Any]


def drawn(ranks: int, *shape: int) -> list[Array]:
    rng = np.random.default_rng(0)
    return [rng.standard_normal(shape).astype(np.float32) for _ in range(ranks)]


def ran(kernel: Any, *args: Any, ranks: int) -> list[Any]:
    made = nasm.nki.run(kernel, *args, ranks=ranks)
    assert made.ok, made.report
    return list(made.outputs)


def hbm(shape: Any) -> Any:
    return nl.ndarray(tuple(shape), dtype=nl.float32, buffer=nl.shared_hbm)


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_sums_and_parts_of_all_ranks(ranks: int) -> None:
    @nki.jit
    def kernel(x: Any) -> Any:
        rows, columns = x.shape
        src, total, part = hbm(x.shape), hbm(x.shape), hbm((rows // ranks, columns))
        nl.store(src, nl.load(x))
        groups = [list(range(ranks))]
        nccl.all_reduce(op=np.add, srcs=[src], dsts=[total], replica_groups=groups)
        nccl.reduce_scatter(
            op=np.add, srcs=[src], dsts=[part], replica_groups=groups, reduce_scatter_dim=0
        )
        return total, part

    xs = drawn(ranks, 8, 4)
    wanted = np.stack(xs).astype(np.float64).sum(0).astype(np.float32)
    for rank, (total, part) in enumerate(ran(kernel, ByRank(xs), ranks=ranks)):
        assert np.array_equal(total, wanted)
        assert np.array_equal(part, np.split(wanted, ranks)[rank])


def test_rows_are_gathered_along_their_only_axis_of_more_than_one() -> None:
    @nki.jit
    def kernel(x: Any) -> Any:
        src, dst = hbm((1, 6)), hbm((1, 12))
        nl.store(src[0:1, 0:6], nl.load(x[0:1, 0:6]))
        nccl.all_gather(
            op=np.add, srcs=[src], dsts=[dst], replica_groups=[[0, 1]], all_gather_dim=1,
            dtype=nl.float32,
        )  # fmt: skip
        return dst

    xs = drawn(2, 1, 6)
    for got in ran(kernel, ByRank(xs), ranks=2):
        assert np.array_equal(got, np.concatenate(xs, 1))


def test_parts_are_exchanged_between_all_and_sent_round_a_ring() -> None:
    @nki.jit
    def kernel(x: Any) -> Any:
        src, swapped, passed, sent = (hbm((1, 4)) for _ in range(4))
        nl.store(src, nl.load(x))
        nccl.all_to_all(np.add, [src], [swapped], [0, 1], 1, 1)
        collective_permute_implicit(
            src=src, dst=passed, replica_groups=[[0, 1]], channel_id=0, num_channels=1
        )
        nccl.collective_permute(dst=sent, src=src, source_target_pairs=[(0, 1), (1, 0)])
        return swapped, passed, sent

    xs = drawn(2, 1, 4)
    for rank, (swapped, passed, sent) in enumerate(ran(kernel, ByRank(xs), ranks=2)):
        assert np.array_equal(swapped, np.hstack([x[:, 2 * rank : 2 * rank + 2] for x in xs]))
        assert np.array_equal(passed, xs[1 - rank])
        assert np.array_equal(sent, xs[1 - rank])


def test_a_sum_is_computed_again_after_what_it_reads_has_changed() -> None:
    # NKI 0.1 reads again what was computed before: not what an exchange has changed meanwhile.
    @nki.jit
    def kernel(x: Any) -> Any:
        src, dst, out = hbm(x.shape), hbm(x.shape), hbm(x.shape)
        nl.store(src, nl.load(x))
        for _ in range(2):
            nccl.all_reduce(op=np.add, srcs=[src], dsts=[dst], replica_groups=[[0, 1]])
            nl.store(src, nl.load(dst))
        nl.store(out, nl.load(dst))
        return out

    xs = drawn(2, 8, 4)
    for got in ran(kernel, ByRank(xs), ranks=2):
        assert np.array_equal(got, 2 * (xs[0] + xs[1]))


@pytest.mark.parametrize(
    ("exchange", "words"),
    [
        (lambda s, d: nccl.all_reduce(np.add, s, [d], [[0, 1]]), "srcs of nccl.all_reduce is"),
        (lambda s, d: nccl.all_to_all(np.add, [s], [d], [0, 1], 0, 1),
         "split_dimension=0 and concat_dimension=1"),
        (lambda s, d: collective_permute_implicit(d, s, [[0, 1]], 1, 1),
         "channel_id=1 of 1 channels"),
        (lambda s, d: nccl.all_gather(srcs=[s], dsts=[d], replica_groups=[[0, 1]],
                                      all_gather_dim=1), "dim=1 of all_gather in hbm"),
    ],
)  # fmt: skip
def test_wrong_calls_are_refused(exchange: Any, words: str) -> None:
    @nki.jit
    def kernel(x: Any) -> Any:
        src, dst = hbm(x.shape), hbm(x.shape)
        nl.store(src, nl.load(x))
        exchange(src, dst)
        return dst

    with pytest.raises(Failure) as failure:
        nasm.nki.trace(kernel, np.ones((8, 4), np.float32), ranks=2)
    assert words in failure.value.problems[0].message
