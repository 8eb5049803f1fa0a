"""Results that nothing read, against a shadow of every byte that says who wrote it last."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

import nasm
from nasm.machine import lost_results
from nasm.sim.events import Observer
from nasm.views.regions import REGISTERS, Region, covers
from tests.parts import part

HEAD = """\
.target trn2
.hbm  H f32[64, 48] = iota
.sbuf a f32[64, 16] @ 0:0
.sbuf b f32[64, 16] @ 0:32
.sbuf c u8[32, 64]  @ 32:16
.sbuf d f32[64, 16]
.psum p f32[64, 64]
.sem s
@{engine} Memset d, 1.0
"""


class Shadow(Observer):
    """For each byte which execution wrote it last, and of each execution what became of it.

    An execution that left something else than bytes is not counted, nor is a partial write.
    """

    def __init__(self, session: nasm.Session) -> None:
        self.last: dict[tuple[int, int, int], int] = {}
        self.bytes: dict[int, set[tuple[int, int, int]]] = {}
        self.who: dict[int, tuple[int, int]] = {}
        self.lost: Counter[tuple[int, int]] = Counter()
        self.read_: set[int] = set()
        self.keys: set[int] = set()
        self.count = 0
        session.machine.scheduler.observe(self)

    def places(self, region: Region) -> set[tuple[int, int, int]]:
        first, count, step = region.rows
        found = set()
        runs = region.spans().tolist()
        for n in range(count):
            for low, high in runs:
                found |= {(region.area, first + n * step, at) for at in range(low, high)}
        return found

    def read_of(self, regions: Any) -> None:
        for region in regions:
            if not region.place.startswith(REGISTERS):
                for place in self.places(region):
                    if place in self.last:
                        self.read_.add(self.last[place])

    def wrote(self, number: int, regions: Any) -> None:
        touched = set()
        for region in regions:
            for place in self.places(region):
                old = self.last.get(place)
                if old is not None and old != number:
                    self.bytes[old].discard(place)
                    touched.add(old)
                self.last[place] = number
                self.bytes[number].add(place)
        for old in touched:
            if not self.bytes[old] and old not in self.read_:
                self.lost[self.who[old]] += 1

    def started(self, queue: Any, task: Any, now: int) -> None:
        self.read_of(task.work.reads)

    def finished(self, queue: Any, done: Any) -> None:
        if done.task.work.writes:
            self.count += 1
            self.bytes[self.count], self.who[self.count] = set(), (done.queue, done.pc)
            self.wrote(self.count, done.task.work.writes)

    def read(self, group: Any, now: int) -> None:
        if group.bytes:
            self.read_of(group.flight.reads)

    def landed(self, group: Any, now: int) -> None:
        if group.bytes:  # all that move anything land together, in these programs
            assert group.flight.key not in self.keys
            self.keys.add(group.flight.key)
            self.count += 1
            self.bytes[self.count], self.who[self.count] = set(), group.flight.origin
            self.wrote(self.count, group.flight.writes)


class Landings(Observer):
    """When shares that move anything land, how many, and their bytes; and when others end."""

    def __init__(self, session: nasm.Session) -> None:
        self.found: list[tuple[int, int, int]] = []
        self.origin = (-1, -1)
        self.ends: list[int] = []
        session.machine.scheduler.observe(self)

    def landed(self, group: Any, now: int) -> None:
        if group.bytes:
            self.found.append((now, group.count, group.bytes))
            self.origin = group.flight.origin

    def finished(self, queue: Any, done: Any) -> None:
        self.ends.append(done.finish)


def cut(chance: random.Random, size: int) -> str:
    """A slice of an axis."""
    if chance.random() < 0.3:
        return f"0:{size}"
    low = chance.randrange(0, size)
    high = chance.randrange(low + 1, size + 1)
    step = chance.choice((1, 1, 1, 2, 3))
    return f"{low}:{high}:{step}"


def lines(chance: random.Random, engine: str) -> list[str]:
    """Some instructions of one engine that write and read parts of tensors that overlap."""
    found = []
    for _ in range(chance.randrange(6, 24)):
        name = chance.choice("aabcdp" if engine != "gpsimd" else "aabcd")
        rows = 32 if name == "c" else 64
        width = {"c": 64, "p": 64}.get(name, 16)
        row = chance.choice(("0:32", f"0:{rows}")) if name != "c" else "0:32"
        place = f"{name}[{row}, {cut(chance, width)}]"
        kind = chance.random()
        if kind < 0.45:
            found.append(f"Memset {place}, {chance.randrange(9)}")
        elif kind < 0.6:
            found.append(f"TensorScalar {place}, {place}, op0=multiply, operand0=1.0")
        elif kind < 0.75:
            at = chance.randrange(0, 12)
            found.append(f"TensorCopy a[0:32, {at}:{at + 4}], d[0:32, {at}:{at + 4}]")
        elif kind < 0.85:
            found.append("DmaCopy H[0:32, 0:4], d[0:32, 0:4]   $s += 16")
            found.append("EventSemaphore $s >= 16 $s = 0")
        else:
            at = chance.randrange(0, 12)
            found.append(f"DmaCopy a[0:32, {at}:{at + 4}], H[0:32, 0:4]   $s += 16")
            found.append("EventSemaphore $s >= 16 $s = 0")
    return found


def counted(session: nasm.Session) -> Counter[tuple[int, int]]:
    """How often the results of each line were lost, as the machine has it."""
    found: Counter[tuple[int, int]] = Counter()
    for _, (who, _, count) in session.machine.losses.lost:
        found[who] += count
    return found


def test_what_is_lost_is_what_a_shadow_of_every_byte_says() -> None:
    total, engine = 0, "vector"
    seeds = part(range(30), 5)
    for seed in seeds:
        chance = random.Random(f"{engine} {seed}")
        text = HEAD.format(engine=engine) + f"@{engine}\n" + "\n".join(lines(chance, engine))
        session = nasm.Session(text)
        shadow = Shadow(session)
        report = session.run()
        assert report.status.name == "FINISHED", (seed, report.problems)
        assert counted(session) == shadow.lost, (seed, text)
        total += sum(shadow.lost.values())
    assert total > len(seeds)


def test_covers_says_what_the_bytes_say() -> None:
    session, yes = nasm.Session(HEAD.format(engine="vector")), 0
    shadow = Shadow(session)
    for seed in range(300):
        chance = random.Random(seed)
        regions = []
        for _ in range(2):
            rows = chance.choice(("0:32", "0:64", "0:32", "32:64:4", "32:64:2"))
            text = f"{chance.choice('ab')}[{rows}, {cut(chance, 16)}]"
            regions.append(session.machine.addresses.region(session.view(text)))
        one, other = map(shadow.places, regions)
        assert covers(*regions) == (one >= other), regions
        yes += covers(*regions)
    assert yes > 15


def lost(text: str) -> list[tuple[int, int]]:
    """The pc and the count of each line of Vector or Tensor whose results were lost."""
    session = nasm.Session(HEAD.format(engine="gpsimd") + text)
    assert session.run().status.name == "FINISHED"
    return [(who[1], count) for _, (who, _, count) in session.machine.losses.lost]


def test_a_bank_that_is_used_again_before_it_was_evicted() -> None:
    text = """
.sbuf w f32[32, 64] = zeros
@tensor
LoadStationary w
MultiplyMoving p, w
MultiplyMoving p, w, accumulate=true
MultiplyMoving p, w
"""
    assert lost(text) == [(2, 1)]  # the second has read what it adds to


def test_what_is_unread_at_the_end_is_not_lost() -> None:
    assert lost("@vector Memset a, 1.0\n@vector Memset b[0:32, 0:4], 1.0\n") == []


def test_a_partial_write_overwrites_nothing_and_is_not_lost() -> None:
    text = "@vector\n.sbuf m u8[64, 16] = zeros\nMemset a, 1.0\nCopyPredicated a, d, m\n"
    assert lost(text) == []
    assert lost(text + "CopyPredicated a, d, m\nMemset a, 2.0\n") == [(0, 1)]


def test_what_also_leaves_accumulators_is_not_lost() -> None:
    plain = "Activation a[:, 0:4], d[:, 0:4], op=copy\n"
    assert lost("@scalar\n" + plain + plain) == [(0, 1)]
    acc = plain.replace("op=copy", "op=copy, reduce_op=add, reduce_cmd=reset_reduce")
    assert lost("@scalar\n" + acc + acc) == []


IN_PARTS = """
@sync
DmaCopy a[0:33, 0:4], H[0:33, 0:4]   $s += 16
@vector
"""
"""Eleven shares that move nothing land first, then that of row 32, then four with the others."""

ALL, BETWEEN = "EventSemaphore $s >= 16\n", 120 * "Memset a[32:33, 0:4], 0.0\n"
ROWS, ROW = "Memset a[0:32, 0:4], 1.0\n", "Memset a[32:33, 0:4], 1.0\n"
EARLY = "TensorCopy d[32:33, 0:4], a[32:33, 0:4]\n"
LATE = "TensorCopy d[0:32, 0:4], a[0:32, 0:4]\n"


@pytest.mark.parametrize(
    ("then", "once"),
    [
        (ALL + ROWS + ROW, True),
        (ALL + ROW + ROWS, True),
        (ALL + "Memset a[0:33, 0:4], 1.0\n", True),
        (BETWEEN + ALL + ROWS, True),  # a race: row 32 is gone before the others land
        (ALL + ROWS, False),
        (ALL + ROW, False),
        (BETWEEN + ALL, False),
        (ALL + EARLY + ROWS + ROW, False),
        (ALL + LATE + ROW + ROWS, False),
        (ALL + ROWS + EARLY + ROW, False),
        (ALL + ROW + LATE + ROWS, False),
    ],
)
def test_shares_that_land_at_different_moments_are_one_result(then: str, once: bool) -> None:
    session = nasm.Session(HEAD.format(engine="gpsimd") + IN_PARTS + then)
    landings = Landings(session)
    assert session.run().status.name == "FINISHED"
    (early, *one), (late, *others) = landings.found
    assert early < late
    assert (one, others) == ([1, 16], [4, 512])
    assert any(early < now < late for now in landings.ends) == then.startswith(BETWEEN)
    assert counted(session)[landings.origin] == once


def test_a_loop_counts_its_rounds_and_says_so() -> None:
    text = HEAD.format(engine="gpsimd") + "@vector\n.for i in 0..5\nMemset a, i\n.end"
    session = nasm.Session(text)
    (warning,) = (w for w in session.run().warnings if w.code == "E0525")
    assert "is lost, 4 times: vector pc 1 (Memset) overwrites all of it" in warning.message
    assert len(warning.notes) == 1
    session.restart()
    assert session.run(max_cycles=1).warnings == ()
    assert len(session.run().warnings) == 1


def test_of_too_many_pairs_of_places_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, parts = "Memset a, 1.0\n", "Memset a[:, 0:8], 2.0\nMemset a[:, 8:16], 1.0\n"
    assert lost(f"@vector\n{whole}{parts}") == [(0, 1)]
    with monkeypatch.context() as patch:
        patch.setattr(lost_results, "MOST", 0)
        assert lost(f"@vector\n{whole}{parts}") == []
    monkeypatch.setattr(lost_results, "WIDEST", 0)
    assert lost(f"@vector\n{whole}{parts}") == []


@pytest.mark.parametrize(("less", "found"), [(0, [(0, 1)]), (1, [])])
def test_how_wide_a_result_is_does_not_depend_on_where_it_begins(
    monkeypatch: pytest.MonkeyPatch, less: int, found: list[tuple[int, int]]
) -> None:
    session = nasm.Session(HEAD.format(engine="gpsimd"))
    whole = session.machine.addresses.access(session.view("b"))
    assert whole.low > 0
    monkeypatch.setattr(lost_results, "WIDEST", whole.high - whole.low - less)
    assert lost("@vector\nMemset b, 1.0\nMemset b[:, 0:8], 2.0\nMemset b[:, 8:16], 1.0\n") == found


def test_a_run_without_values_says_nothing() -> None:
    text = HEAD.format(engine="gpsimd") + "@vector Memset a, 1.0\n@vector Memset a, 2.0\n"
    assert nasm.Session(text, values=False).run().warnings == ()


def test_tiles_that_take_the_same_bytes_are_one_place() -> None:
    """What is kept grows with the bytes that are touched, not with the tensors that have them."""
    count = 40
    tiles = "".join(f".sbuf t{n} f32[64, 16] @ 0:128\n" for n in range(count))
    words = ".sbuf u u32[64, 16] @ 0:128\n"
    writes = "".join(f"Memset t{n}, 1.0\n" for n in range(count))
    read = "TensorCopy u[:, 0:4], u[:, 4:8]\n"
    session = nasm.Session(HEAD.format(engine="gpsimd") + f"{tiles}{words}@vector\n{writes}{read}")
    assert session.run().status.name == "FINISHED"
    machine = session.machine
    area = machine.losses.area(machine.state.areas[session.program.tensors["t0"].index])
    assert len(area.places) == 3  # of all tiles, and of the two parts
    assert [who[1] for _, (who, _, _) in machine.losses.lost] == list(range(count - 1))
    assert machine.addresses.access(session.view("u[0:32, :]")).uninitialised is False
