"""Exchanges and barriers of two cores on random tiles, machines and moments."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

from nasm.base import dtypes
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.language.assemble import assemble
from nasm.machine.records import Status
from nasm.targets import TARGETS
from tests.neuron.choices import Choices, examples
from tests.parts import part

PAIRS = ("trn2", "trn3")
ENGINES = ("tensor", "vector", "scalar", "gpsimd", "sync")
DTYPES = (
    "uint8",
    "int8",
    "float8_e4m3",
    "float8_e5m2",
    "uint16",
    "int16",
    "float16",
    "bfloat16",
    "uint32",
    "int32",
    "float32",
)


def ran(text: str, values: dict[str, Any]) -> Session:
    made = Session(assemble(Source("pair.nasm", text), TARGETS), values)
    report = made.run(hashes=False)
    assert (report.problems, report.hazards) == ((), ())
    assert report.status is Status.FINISHED
    return made


class Pair(Choices):
    """A program for two cores, side by side, and what is looked at after the run."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.on = str(self.one_of(*PAIRS))
        self.swapped = self.flag()
        self.shared: list[str] = []
        self.sides: list[list[str]] = [[".core 0"], [".core 1"]]
        self.values: dict[str, Any] = {}
        self.checks: list[Callable[[Session], None]] = []

    def __repr__(self) -> str:
        first, second = self.sides[::-1] if self.swapped else self.sides
        return "\n".join([f".target {self.on}", *self.shared, *first, *second, ""])

    def tile(
        self, core: int, name: str, dtype: str, shape: tuple[int, ...], filled: bool
    ) -> tuple[str, tuple[slice, ...]]:
        """Declare a tile, whole or part of a larger tensor; how it is written, and where it is."""
        found = dtypes.find(dtype)
        assert found is not None
        start = self.number(0, 128 - shape[0]) if self.flag(0.3) else 0
        before, after = self.number(0, 2), self.number(0, 2)
        size = (start + shape[0], before + shape[1] + after, *shape[2:])
        self.sides[core].append(f".sbuf {name} {dtype}[{', '.join(map(str, size))}]")
        if filled:
            raw = self.numbers(0, 255, (*size, found.numpy.itemsize)).astype(np.uint8)
            self.values[name] = raw.view(found.numpy).reshape(size)
        cut = (slice(start, None), slice(before, before + shape[1]))
        return f"{name}[{start}:, {before} : +{shape[1]}]", cut

    def engine(self) -> str:
        return str(self.one_of(*ENGINES))

    def late(self, core: int, engine: str) -> None:
        """Let an engine come some time after the start."""
        self.sides[core] += [f"@{engine} Nop"] * self.one_of(0, 0, 1, 3, 40)


def pairs(case: Callable[[Pair], None]) -> Callable[[], None]:
    """Make a test of a function that draws one pair."""

    def drawn(random: Random) -> Pair:
        made = Pair(random)
        case(made)
        return made

    def check(pair: Pair) -> None:
        done = ran(str(pair), pair.values)
        for look in pair.checks:
            look(done)

    return examples(drawn, check, case.__name__)


def same_bits(got: Any, want: Any) -> None:
    got, want = np.ascontiguousarray(got), np.ascontiguousarray(want)
    np.testing.assert_array_equal(got.view(np.uint8), want.view(np.uint8))


@pytest.mark.parametrize("route", part(["dma", "gpsimd_dma"], 1))
def test_an_exchange_hands_each_core_the_bits_of_the_other(route: str) -> None:
    @pairs
    def exchanges(pair: Pair) -> None:
        dtype = str(pair.one_of(*DTYPES))
        most = 256 if route == "gpsimd_dma" else 300
        free = [pair.one_of(1, 2, 7, most, 0) or pair.number(1, most)]
        if pair.flag(0.3):
            free = [max(1, free[0] // 2), 2]
        shape = (int(pair.one_of(1, 3, 32, 127, 128)), *free)
        swapped = pair.flag(0.8)
        pipe = pair.number(0, 8)
        cuts, sent = {}, {}
        for core in (0, 1):
            other = 1 - core if swapped else core
            engine = "gpsimd" if route == "gpsimd_dma" else pair.engine()
            src, cut = pair.tile(core, f"src{core}", dtype, shape, True)
            sent[f"dst{other}"] = pair.values[f"src{core}"][cut]
            dst, cuts[f"dst{core}"] = pair.tile(core, f"dst{core}", dtype, shape, False)
            pair.late(core, engine)
            pair.sides[core].append(
                f"@{engine} SendRecv {dst}, {src}, send_to_rank={other}, recv_from_rank={other}, "
                f"pipe_id={pipe}, dma_engine={route}"
            )

        def check(done: Session) -> None:
            for name, cut in cuts.items():
                same_bits(done.read(name)[cut], sent[name])

        pair.checks.append(check)

    exchanges()


@pairs
def test_after_a_barrier_each_core_reads_what_the_other_wrote(pair: Pair) -> None:
    rows = pair.number(2, 19)
    split = pair.number(1, rows - 1)
    wanted = pair.numbers(-1000, 999, (rows, 8)).astype(np.int32)
    engine, mover = pair.engine(), pair.engine()
    rounds = pair.number(1, 3)
    pair.shared.append(f".hbm S i32[{rows}, 8]")
    for core, mine in ((0, slice(0, split)), (1, slice(split, rows))):
        part = f"{mine.start}:{mine.stop}"
        count = mine.stop - mine.start
        pair.sides[core] += [
            f".sbuf mine{core} i32[{count}, 8]",
            f".sbuf all{core} i32[{rows}, 8]",
            f".sem stored{core}, met{core}, loaded{core}",
        ]
        pair.late(core, mover)
        pair.values[f"mine{core}"] = wanted[mine]
        pair.sides[core].append(f"@{mover} DmaCopy S[{part}], mine{core}  $stored{core} += 16")
        pair.late(core, engine)
        wait = f"$stored{core} >= 16"
        for _ in range(rounds):
            pair.sides[core].append(f"@{engine} CoreBarrier S  {wait}  $met{core}++")
            wait = ""
        reader = pair.engine()
        pair.sides[core] += [
            f"@{reader} DmaCopy all{core}, S  $met{core} >= {rounds}  $loaded{core} += 16",
            f"@{reader} EventSemaphore  $loaded{core} >= 16",
        ]

    def check(done: Session) -> None:
        for core in (0, 1):
            np.testing.assert_array_equal(done.read(f"all{core}"), wanted)

    pair.checks.append(check)


@pairs
def test_the_rank_is_the_number_of_the_core(pair: Pair) -> None:
    engines = [pair.engine() for _ in range(2)]
    registers = [pair.number(0, 63) for _ in range(2)]
    for core in (0, 1):
        pair.sides[core].append(f"@{engines[core]} RankId %r{registers[core]}")

    def check(done: Session) -> None:
        for core in (0, 1):
            assert done.registers(f"{core}.{engines[core]}") == {registers[core]: core}

    pair.checks.append(check)
