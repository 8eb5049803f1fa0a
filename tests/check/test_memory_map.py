"""Who owns which bytes when: worked by hand, or by asking every moment of the run."""

from __future__ import annotations

from pathlib import Path

import pytest

import nasm
from nasm.runs.check import Claim, MemoryMap
from nasm.show import memory_map
from nasm.sim.events import Observer

ROOT = Path(__file__).parents[2]

TEXT = """\
.target trn2
.hbm   X  f32[128, 8]  input = iota
.hbm   Y  f32[128, 8]  output
.sbuf  a  f32[128, 8]  @ 0:0
.sbuf  b  f32[128, 8]  @ 0:16
.sbuf  c  f32[128, 8]  @ 0:96
.sbuf  d  f32[32, 8]   @ 32:0
.psum  e  f32[128, 8]
.sem   loaded, done, stored
@sync    DmaCopy     a, X                   $loaded += 16
@vector  TensorCopy  c, a    $loaded >= 16
@vector  TensorCopy  e, c
@vector  Memset      b, 0.0                 $done++
@sync    DmaCopy     Y, c    $done >= 1     $stored += 16
@sync    Nop                 $stored >= 16
"""


def memory(name: str, text: str = TEXT) -> MemoryMap:
    return next(m for m in nasm.check(text).memories if m.memory == name)


def claim(name: str, text: str = TEXT) -> Claim:
    return next(c for m in nasm.check(text).memories for c in m.claims if c.name == name)


def test_claims_are_in_the_order_of_their_addresses() -> None:
    assert [(c.name, c.low, c.high, c.partition, c.partitions) for c in memory("sbuf").claims] == [
        ("a", 0, 32, 0, 128),
        ("d", 0, 32, 32, 32),
        ("b", 16, 48, 0, 128),
        ("c", 96, 128, 0, 128),
    ]


def test_bytes_that_several_own_are_counted_once() -> None:
    """0 to 48 and 96 to 128 of each partition."""
    assert memory("sbuf").placed == 80


def test_the_most_that_is_in_use_is_that_of_one_moment() -> None:
    """A has been read when c is written; b and c are in use together."""
    assert memory("sbuf").most == 64
    assert memory("sbuf").at == claim("b").begin


def test_a_tensor_is_in_use_from_its_first_write_to_its_last_use() -> None:
    session = nasm.Session(TEXT, values=False)
    seen: dict[str, list[float]] = {}
    us = session.machine.microseconds

    class Watch(Observer):
        """When instructions of Vector start and complete, and when transfers are issued."""

        def started(self, queue, task, now) -> None:  # type: ignore[no-untyped-def]
            seen.setdefault(f"{queue.engine}{queue.pc}", []).append(
                session.machine.microseconds(now)
            )

        def finished(self, queue, done) -> None:  # type: ignore[no-untyped-def]
            seen[f"{queue.engine}{done.pc}"].append(us(done.finish))

        def read(self, group, now) -> None:  # type: ignore[no-untyped-def]
            seen.setdefault(f"dma{group.flight.key}", []).append(us(now))

        def landed(self, group, now) -> None:  # type: ignore[no-untyped-def]
            seen[f"dma{group.flight.key}"].append(us(now))

    session.machine.scheduler.observe(Watch())
    report = session.run()
    a, b, c, x, y = map(claim, "abcXY")
    assert (a.begin, a.end) == (seen["sync0"][0], seen["vector0"][0])
    assert (b.begin, b.end) == tuple(seen["vector2"])
    assert (c.begin, c.end) == (seen["vector0"][0], seen["dma2"][0])
    assert (x.begin, x.end) == (0.0, seen["dma1"][0])
    assert (y.begin, y.end) == (seen["sync1"][0], report.microseconds)


def test_who_writes_and_reads_is_named_by_engine_and_transfers_apart() -> None:
    assert (claim("a").writers, claim("a").readers) == (("sync DMA",), ("vector",))
    assert (claim("c").writers, claim("c").readers) == (("vector",), ("vector", "sync DMA"))
    assert (claim("X").writers, claim("X").readers) == ((), ("sync DMA",))


def test_a_tensor_that_nothing_touches_is_in_use_at_no_time() -> None:
    assert (claim("d").begin, claim("d").end) == (None, None)


def test_tensors_that_share_bytes_are_reported_with_whether_their_times_meet() -> None:
    shares = {s.name: s for s in claim("a").sharing}
    assert set(shares) == {"b", "d"}
    assert (shares["b"].low, shares["b"].high, shares["b"].meets) == (16, 32, False)
    assert (shares["d"].low, shares["d"].high, shares["d"].meets) == (0, 32, False)
    again = TEXT.replace("Memset      b, 0.0 ", "TensorTensor b, a, a, op=add")
    meets = next(s.meets for s in claim("a", again).sharing if s.name == "b")
    assert not meets  # read at the very start of what writes the other
    later = again.replace("@sync    DmaCopy     Y, c", "@sync    DmaCopy     Y, a")
    assert next(s.meets for s in claim("a", later).sharing if s.name == "b")


def test_tensors_of_other_partitions_share_nothing() -> None:
    text = TEXT.replace("f32[32, 8]   @ 32:0", "f32[32, 8]   @ 0:200")
    assert claim("d", text).sharing == ()


def test_an_accumulation_reads_what_it_adds_to() -> None:
    text = """\
.target trn2
.sbuf  a  bf16[128, 128]
.sbuf  b  bf16[128, 64]
.psum  acc  f32[128, 64]
@tensor
    LoadStationary a
    MultiplyMoving acc, b
    MultiplyMoving acc, b, accumulate={}
"""
    assert claim("acc", text.format("true")).readers == ("tensor",)
    assert claim("acc", text.format("false")).readers == ()


def test_memories_of_each_core_are_apart_and_shared_ones_are_one() -> None:
    found = nasm.check(ROOT / "programs" / "ring.nasm").memories
    assert [(m.memory, m.core) for m in found] == [
        ("hbm", 0), ("sbuf", 0), ("psum", 0), ("sbuf", 1), ("psum", 1),
    ]  # fmt: skip


def test_what_an_exchange_brings_is_written_by_the_engine_that_received_it() -> None:
    found = nasm.check(ROOT / "programs" / "ring.nasm").memories
    got = next(c for m in found for c in m.claims if c.name == "got0")
    assert got.writers == ("0.gpsimd",)
    assert got.begin is not None


# -- as it is shown


def lines(
    found: MemoryMap, end: float, width: int | None = None, ascii_only: bool = True
) -> list[str]:
    return [text.plain for text in memory_map.shown(found, end, False, width, ascii_only)]


CLAIMS = (
    Claim("a", 0, 128, 0, 100, 0.0, 5.0, ("sync DMA",), ("vector",)),
    Claim("b", 0, 64, 200, 300, 5.0, 10.0, ("vector",), ()),
    Claim("c", 0, 64, 300, 301, None, None, (), ()),
)


def test_a_map_shows_owners_gaps_and_times() -> None:
    found = MemoryMap("sbuf", 0, 1000, 0, 201, 100, 0.0, CLAIMS)
    assert lines(found, 10.0, 81) == [
        "sbuf: 201 of 1,000 bytes of each partition have an owner, at most 100 are in use at one "
        "time (0.000 µs)",
        "",
        "       bytes  tensor  partitions  from µs     to µs  writers   readers  0  10.000",
        "    0 .. 100  a       0 to 127      0.000     5.000  sync DMA  vector   #####....",
        "  100 .. 200  (free)",
        "  200 .. 300  b       0 to 63       5.000    10.000  vector             ....#####",
        "  300 .. 301  c       0 to 63              not used                     .........",
        "301 .. 1,000  (free)",
    ]


def test_what_shares_bytes_is_named_below() -> None:
    assert lines(memory("sbuf"), 3.0)[-3:] == [
        "a and d share bytes 0 .. 32: not both are used",
        "a and b share bytes 16 .. 32: at different times",
        "d and b share bytes 16 .. 32: not both are used",
    ]


def test_banks_are_named_where_a_memory_has_them() -> None:
    (line,) = (text for text in lines(memory("psum"), 3.0) if "  e  " in text)
    assert line.split()[:6] == ["0", "..", "32", "0", "e", "0"]


def test_a_bar_is_in_use_where_its_tensor_is() -> None:
    found = MemoryMap("sbuf", 0, 1000, 0, 201, 100, 0.0, CLAIMS)
    shown = [line.split()[-1] for line in lines(found, 10.0, 100) if "#" in line]
    half = len(shown[0]) // 2
    assert shown == ["#" * half + "." * half, "." * half + "#" * half]


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    for found in nasm.check(ROOT / "programs" / "digits.nasm").memories:
        table = lines(found, 10.0, width)[1:]
        assert max(map(len, table)) <= width
