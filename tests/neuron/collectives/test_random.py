"""Random collectives of random ranks, against loops over elements."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import nasm
from nasm.base import dtypes
from nasm.base.problems import Failure
from tests.neuron.choices import Choices, examples
from tests.neuron.collectives import model

DTYPES = ("float32", "bfloat16", "float16", "float8_e4m3", "int32", "uint8", "int16")
REDUCING = ("all_reduce", "reduce_scatter", "collective_permute_implicit_reduce")
OPERATIONS = (
    "all_reduce",
    "all_gather",
    "reduce_scatter",
    "all_to_all",
    "collective_permute",
    "collective_permute_implicit",
    "collective_permute_implicit_reduce",
)


class Exchange(Choices):
    """One collective of some ranks in groups of one size, and what each of them receives."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.operation = str(self.one_of(*OPERATIONS))
        self.dtype = str(self.one_of(*DTYPES))
        self.ranks = int(self.one_of(2, 1, 3, 4, 8))
        count = int(self.one_of(*(n for n in (1, 2, 4, 8, 3) if self.ranks % n == 0)))
        ranks = [int(n) for n in self.order(self.ranks)]
        self.groups = [ranks[n : n + count] for n in range(0, self.ranks, count)]
        self.op = str(self.one_of("add", "minimum", "maximum"))
        self.columns = self.number(1, 5)
        self.sbuf = self.operation in ("all_reduce", "all_gather") and self.flag(0.3)
        self.axis = int(self.sbuf and self.operation == "all_gather" and self.flag())
        several = not self.sbuf and self.operation != "collective_permute"
        self.tensors = self.number(1, 3) if several else 1
        halves = 2 if self.operation == "collective_permute_implicit_reduce" else 1
        self.shape = (count * self.number(1, 3), self.columns)
        self.values = {
            f"x{n}": self.elements((self.ranks, *self.shape)) for n in range(self.tensors * halves)
        }

    def elements(self, shape: tuple[int, ...]) -> Any:
        kind = dtypes.find(self.dtype)
        assert kind is not None
        if kind.is_int:
            limits = np.iinfo(kind.numpy)
            return self.numbers(limits.min, limits.max, shape).astype(kind.numpy)
        wide = self.generator().standard_normal(shape) * 2.0 ** self.generator().integers(
            -9, 9, shape
        )
        return wide.astype(np.float32).astype(kind.numpy)

    @property
    def received(self) -> tuple[int, ...]:
        """The shape of a destination."""
        rows, columns = self.shape
        count = len(self.groups[0])
        if self.operation == "all_gather":
            return (rows, columns * count) if self.axis else (rows * count, columns)
        return (rows // count, columns) if self.operation == "reduce_scatter" else self.shape

    @property
    def pairs(self) -> list[tuple[int, int]]:
        return [(g[n - 1], g[n]) for g in self.groups for n in range(len(g)) if len(g) > 1]

    def __repr__(self) -> str:
        size, into = [", ".join(map(str, s)) for s in (self.shape, self.received)]
        memory = "sbuf" if self.sbuf else "hbm"
        lines = [".target trn2", f".ranks {self.ranks}", ".sem filled, done, stored"]
        n = self.tensors
        for name in self.values:
            lines.append(f".hbm {name} {self.dtype}[{size}] input")
            lines.append(f".{memory} {name}s {self.dtype}[{size}]")
            lines.append(f"@sync DmaCopy {name}s, {name} $filled += 16")
        for k in range(n):
            lines.append(f".hbm y{k} {self.dtype}[{into}] output")
            lines.append(f".{memory} y{k}d {self.dtype}[{into}]")
            lines.append(
                f"@gpsimd DmaCopy y{k}d, y{k}d0 $filled += 16"
                if self.operation == "collective_permute"
                else ""
            )
        if self.operation == "collective_permute":
            lines.insert(3, f".hbm y0d0 {self.dtype}[{into}] input = zeros")
        names = [f"x{k}s" for k in range(len(self.values))]
        operands = [_listed(f"y{k}d" for k in range(n)), _listed(names[:n]), self.operation]
        if self.operation in REDUCING:
            operands.append(f"op={self.op}")
        if self.axis:
            operands.append(f"dim={self.axis}")
        if self.operation == "collective_permute":
            operands.append(f"pairs={[list(pair) for pair in self.pairs] or [[0, 1]]}")
        else:
            operands.append(f"groups={self.groups}")
        if len(names) > n:
            operands.append(f"srcs1={_listed(names[n:])}")
        total = 16 * sum("$filled" in line and "@" in line for line in lines)
        lines.append(f"@cc Collective {', '.join(operands)} $filled >= {total} $done++")
        for k in range(n):
            lines.append(f"@sync DmaCopy y{k}, y{k}d $done >= 1 $stored += 16")
        lines.append(f"@sync EventSemaphore $stored >= {16 * n}")
        return "\n".join(line for line in lines if line) + "\n"

    def expected(self, rank: int) -> list[Any]:
        group = next(group for group in self.groups if rank in group)
        options: dict[str, Any] = {"op": self.op, "dim": self.axis, "pairs": self.pairs}
        if self.operation == "collective_permute":
            group = sorted({rank for pair in self.pairs for rank in pair})
        sent = [[array[one] for array in self.values.values()] for one in group]
        if rank not in group:
            return [None]
        place = group.index(rank)
        return model.received(self.operation, group, place, sent, self.dtype, **options)


def _listed(names: Any) -> str:
    names = list(names)
    return names[0] if len(names) == 1 else f"[{', '.join(names)}]"


def received_as_expected(made: Exchange) -> None:
    if made.operation == "collective_permute" and not made.pairs:
        return
    done = nasm.run(repr(made), made.values, ranks=made.ranks)
    assert done.ok, done.report.reasons
    for rank in range(made.ranks):
        for number, wanted in enumerate(made.expected(rank)):
            found = done.outputs[f"y{number}"][rank]
            if wanted is None:
                wanted = np.zeros_like(found)
            assert found.tobytes() == np.ascontiguousarray(wanted).tobytes(), (rank, found, wanted)


test_a_collective_gives_each_rank_what_loops_give = examples(
    Exchange, received_as_expected, "test_a_collective_gives_each_rank_what_loops_give", 300
)


def test_what_ranks_receive() -> None:
    """One of them, written out: Collective y, x."""
    x = np.arange(8, dtype=np.float32).reshape(2, 2, 2)
    text = (
        ".target trn2\n.ranks 2\n.hbm x f32[2, 2] input\n.hbm y f32[2, 2] output\n"
        "@cc Collective y, x, all_reduce, op=add\n"
    )
    done = nasm.run(text, {"x": x})
    assert done.outputs["y"].tolist() == [[[4, 6], [8, 10]]] * 2


class Counted(Choices):
    """An exchange whose sizes are known at run time only."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.operation = str(self.one_of("all_to_all_v", "all_gather_v"))
        self.ranks = int(self.one_of(2, 3, 4))
        self.slot, self.size = self.number(1, 5), self.number(1, 6)
        most = min(self.slot, self.size)
        self.counts = self.numbers(0, most, (self.ranks, 3, self.ranks)).astype(np.uint32)
        for one in self.counts.reshape(-1, self.ranks).reshape(self.ranks, 3, self.ranks):
            one[1] = [self.number(0, self.size - int(count)) for count in one[0]]
        self.values = self.numbers(-99, 99, (self.ranks, self.size)).astype(np.int32)
        self.known = self.flag()

    def __repr__(self) -> str:
        into = self.slot * self.ranks
        return (
            f".target trn2\n.ranks {self.ranks}\n.hbm x i32[{self.size}] input\n"
            f".hbm counts u32[3, {self.ranks}] inout\n.hbm y i32[{into}] inout\n"
            f"@cc Collective y, x, {self.operation}, metadata=counts, "
            f"recv_counts_known={str(self.known).lower()}\n"
        )


def counted_as_expected(made: Counted) -> None:
    before = np.full((made.ranks, made.slot * made.ranks), 777, np.int32)
    done = nasm.run(repr(made), {"x": made.values, "counts": made.counts, "y": before})
    assert done.ok, done.report.reasons
    for rank in range(made.ranks):
        wanted, came = model.varying(
            made.operation, rank, list(made.values), list(made.counts), made.slot * made.ranks
        )
        assert done.outputs["y"][rank].tolist() == [777 if v is None else v for v in wanted]
        row = made.counts[rank, 2].tolist() if made.known else came
        assert done.outputs["counts"][rank, 2].tolist() == row
        assert done.outputs["counts"][rank, :2].tolist() == made.counts[rank, :2].tolist()


test_counts_say_what_is_moved = examples(
    Counted, counted_as_expected, "test_counts_say_what_is_moved", 100
)


def test_the_number_of_a_rank_and_of_a_step_of_its_ring() -> None:
    text = (
        ".target trn2\n.ranks 4\n.hbm y i32[6] output\n.sem done\n"
        "@sync CollectiveRankId %r1\n@sync TensorStore y[0:1], %r1\n"
    )
    for step in range(5):
        text += f"@sync RingRankId %r2, {step}, groups=[[2, 0], [3, 1]]\n"
        text += f"@sync TensorStore y[{step + 1}:{step + 2}], %r2\n"
    found = nasm.run(text).outputs["y"]
    groups = {0: [2, 0], 2: [2, 0], 1: [3, 1], 3: [3, 1]}
    for rank in range(4):
        steps = [model.ring(rank, step, groups[rank]) for step in range(5)]
        assert found[rank].tolist() == [rank, *steps]


def test_a_rank_in_no_ring_is_a_fault() -> None:
    text = ".target trn2\n.ranks 2\n@sync RingRankId %r2, 0, groups=[[0]]\n"
    report = nasm.run(text).report
    assert [p.code for p in report.problems] == ["E0562"]


def test_a_rank_beyond_the_last_one_is_refused() -> None:
    text = ".target trn2\n.hbm x f32[8]\n.hbm y f32[8]\n"
    with pytest.raises(Failure, match="E0250"):
        nasm.assemble(text + "@cc Collective y, x, all_reduce, op=add, groups=[[0, 1]]\n")
