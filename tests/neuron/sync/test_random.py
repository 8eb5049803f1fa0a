"""Exchanges and barriers of two cores on random tiles, machines and moments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nasm import dtypes
from nasm.asm.assemble import assemble
from nasm.records import Status
from nasm.session import Session
from nasm.source import Source
from nasm.targets import TARGETS

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
CASES = 200
Random = np.random.Generator


def ran(text: str, values: dict[str, Any]) -> Session:
    made = Session(assemble(Source("pair.nasm", text), TARGETS), values)
    report = made.run(hashes=False)
    assert (report.problems, report.hazards) == ((), ()), text
    assert report.status is Status.FINISHED
    return made


class Pair:
    """The text of a program for two cores, side by side."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.on = str(random.choice(PAIRS))
        self.sides: list[list[str]] = [[".core 0"], [".core 1"]]
        self.values: dict[str, Any] = {}

    def text(self, *shared: str) -> str:
        first, second = self.sides if self.random.random() < 0.5 else self.sides[::-1]
        return "\n".join([f".target {self.on}", *shared, *first, *second, ""])

    def tile(self, core: int, name: str, dtype: str, shape: tuple[int, ...], filled: bool) -> str:
        """Declare a tile, whole or part of a larger tensor; returns how it is written."""
        random, found = self.random, dtypes.find(dtype)
        assert found is not None
        start = int(random.integers(0, 129 - shape[0])) if random.random() < 0.3 else 0
        before, after = (int(n) for n in random.integers(0, 3, 2))
        size = (start + shape[0], before + shape[1] + after, *shape[2:])
        self.sides[core].append(f".sbuf {name} {dtype}[{', '.join(map(str, size))}]")
        cut = (slice(start, None), slice(before, before + shape[1]))
        if filled:
            raw = random.integers(0, 256, (*size, found.numpy.itemsize), np.uint8)
            self.values[name] = raw.view(found.numpy).reshape(size)
        self.cut = cut
        return f"{name}[{start}:, {before} : +{shape[1]}]"

    def late(self, core: int, engine: str) -> None:
        """Let an engine come some time after the start."""
        self.sides[core] += [f"@{engine} Nop"] * int(self.random.choice([0, 0, 1, 3, 40]))


def same_bits(got: Any, want: Any) -> None:
    np.testing.assert_array_equal(got.view(np.uint8), np.ascontiguousarray(want).view(np.uint8))


@pytest.mark.parametrize("route", ["dma", "gpsimd_dma"])
def test_an_exchange_hands_each_core_the_bits_of_the_other(route: str) -> None:
    for seed in range(CASES):
        random = np.random.default_rng([seed, len(route)])
        pair = Pair(random)
        dtype = str(random.choice(DTYPES))
        most = 256 if route == "gpsimd_dma" else 300
        free = [int(random.choice([1, 2, 7, most, random.integers(1, most + 1)]))]
        if random.random() < 0.3:
            free = [max(1, free[0] // 2), 2]
        shape = (int(random.choice([1, 3, 32, 127, 128])), *free)
        swapped = bool(random.random() < 0.8)
        pipe, cuts = int(random.integers(0, 9)), {}
        for core in (0, 1):
            other = 1 - core if swapped else core
            engine = "gpsimd" if route == "gpsimd_dma" else str(random.choice(ENGINES))
            src = pair.tile(core, f"src{core}", dtype, shape, True)
            cuts[f"src{core}"] = pair.cut
            dst = pair.tile(core, f"dst{core}", dtype, shape, False)
            cuts[f"dst{core}"] = pair.cut
            pair.late(core, engine)
            pair.sides[core].append(
                f"@{engine} SendRecv {dst}, {src}, send_to_rank={other}, recv_from_rank={other}, "
                f"pipe_id={pipe}, dma_engine={route}"
            )
        done = ran(pair.text(), pair.values)
        for core in (0, 1):
            name = f"src{1 - core if swapped else core}"
            sent = np.ascontiguousarray(pair.values[name][cuts[name]])
            got = np.ascontiguousarray(done.read(f"dst{core}")[cuts[f"dst{core}"]])
            same_bits(got, sent)


def test_after_a_barrier_each_core_reads_what_the_other_wrote() -> None:
    for seed in range(CASES):
        random = np.random.default_rng(seed)
        pair = Pair(random)
        rows = int(random.integers(2, 20))
        split = int(random.integers(1, rows))
        wanted = random.integers(-1000, 1000, (rows, 8)).astype(np.int32)
        engine, mover = str(random.choice(ENGINES)), str(random.choice(ENGINES))
        rounds = int(random.integers(1, 4))
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
            reader = str(random.choice(ENGINES))
            pair.sides[core] += [
                f"@{reader} DmaCopy all{core}, S  $met{core} >= {rounds}  $loaded{core} += 16",
                f"@{reader} EventSemaphore  $loaded{core} >= 16",
            ]
        done = ran(pair.text(f".hbm S i32[{rows}, 8]"), pair.values)
        for core in (0, 1):
            np.testing.assert_array_equal(done.read(f"all{core}"), wanted)


def test_the_rank_is_the_number_of_the_core() -> None:
    random = np.random.default_rng(0)
    for _ in range(CASES):
        pair = Pair(random)
        engines = [str(random.choice(ENGINES)) for _ in range(2)]
        registers = [int(random.integers(0, 64)) for _ in range(2)]
        for core in (0, 1):
            pair.sides[core].append(f"@{engines[core]} RankId %r{registers[core]}")
        done = ran(pair.text(), {})
        for core in (0, 1):
            assert done.registers(f"{core}.{engines[core]}") == {registers[core]: core}
