"""Transaction IDs, flushes and static virtual channels: what they wait for, and what they order.

Random requests of one queue are judged by the definition of the documents: a request is over once
a later line has waited for its answer, or, of the bytes that it takes, until they have left; what
was written on a static virtual channel is there for what is read on it later at the same tile.
"""

from __future__ import annotations

import random
from typing import NamedTuple

import numpy as np
import pytest

from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.targets import TARGETS
from nasm.targets.tensix.noc.counters import OUTSTANDING
from tests.parts import part

HEAD = """\
.target wormhole
.tile 1, 1
.l1 a u32[2, 8] @ 0x1000 = iota
.l1 large u32[2048] @ 0x4000 = iota
.sem got
.tile 4, 1
.l1 b u32[2, 8] @ 0x2000 = random(seed=1)
.l1 wide u32[2048] @ 0x4000 = zeros
.tile 6, 1
.l1 c u32[2, 8] @ 0x2000 = random(seed=2)
.tile 1, 1
@noc0
"""


def ran(lines: str) -> Session:
    made = Session.load(Source("t.nasm", HEAD + lines), targets=TARGETS)
    made.run()
    return made


def codes(lines: str) -> list[str]:
    report = ran(lines).report()
    return [problem.code for problem in (*report.problems, *report.hazards)]


class Line(NamedTuple):
    """A line of one queue: ``kind`` R, W, P (posted), B (barrier) or F (flush)."""

    kind: str
    here: int = 0
    tile: str = "b"
    there: int = 0
    identity: int = 0
    channel: int = -1

    @property
    def text(self) -> str:
        if self.kind in "BF":
            name = "NOC_BARRIER" if self.kind == "B" else "NOC_FLUSH"
            return name if self.identity < 0 else f"{name} Id={self.identity}"
        here, there = f"a[{self.here}, 0:8]", f"{self.tile}[{self.there}, 0:8]"
        name = {"R": "NOC_READ", "W": "NOC_WRITE", "P": "NOC_WRITE_POSTED"}[self.kind]
        sides = f"{here}, {there}" if self.kind == "R" else f"{there}, {here}"
        lane = "" if self.channel < 0 else f", Vc={self.channel}"
        return f"{name} {sides}, Id={self.identity}{lane}"

    @property
    def accesses(self) -> list[tuple[tuple[object, ...], bool, bool]]:
        """The bytes, whether it writes them, and whether it takes them from its own tile."""
        if self.kind in "BF":
            return []
        here, there = ("a", self.here), (self.tile, self.there)
        reads = self.kind == "R"
        return [(here, reads, not reads), (there, not reads, False)]


def drawn(seed: int) -> list[Line]:
    rng, found = random.Random(seed), []
    for _ in range(rng.randint(2, 7)):
        kind = rng.choice("RRWWPPBF")
        if kind in "BF":
            found.append(Line(kind, identity=rng.randint(-1, 1)))
        else:
            numbers = (rng.randint(0, 1), rng.choice("bc"), rng.randint(0, 1), rng.randint(0, 1))
            found.append(Line(kind, *numbers, rng.choice((-1, 0, 1))))
    return found


def same_lane(one: Line, other: Line) -> bool:
    return one.channel >= 0 and (one.channel, one.tile) == (other.channel, other.tile)


def answered(lines: list[Line], one: int, before: int) -> bool:
    """Whether a line between two has waited for the answer of the first."""
    line = lines[one]
    waits = (n for n in range(one + 1, before) if lines[n].kind == "B")
    return line.kind != "P" and any(lines[n].identity in (-1, line.identity) for n in waits)


def over(lines: list[Line], one: int, other: int, takes: bool) -> bool:
    """Whether an access of a line is over before any of a later one."""
    line = lines[one]
    if answered(lines, one, other):
        return True
    flushes = (n for n in range(one + 1, other) if lines[n].kind == "F")
    if takes and any(lines[n].identity in (-1, line.identity) for n in flushes):
        return True
    later = (n for n in range(one + 1, other + 1) if lines[n].kind == "R")
    return line.kind in "WP" and any(
        same_lane(line, lines[n]) and (n == other or answered(lines, n, other)) for n in later
    )


def truth(lines: list[Line]) -> set[tuple[int, int]]:
    """The pairs of lines that race, by their numbers."""
    return {
        (one, other)
        for other in range(len(lines))
        for one in range(other)
        for bytes_, writes, takes in lines[one].accesses
        for others, changes, _ in lines[other].accesses
        if bytes_ == others and (writes or changes) and not over(lines, one, other, takes)
    }


@pytest.mark.parametrize("seed", part(range(600), 60))
def test_what_random_requests_race_with_is_found(seed: int) -> None:
    lines = drawn(seed)
    report = ran("\n".join(line.text for line in lines) + "\n").report()
    found = [h for h in report.hazards if h.code == "E0502"]
    assert not [h for h in report.hazards if h.code not in ("E0502", "E0514", "E0501")]
    pairs = {tuple(sorted(a["pc"] for a in h.facts["accesses"])) for h in found}
    wanted = truth(lines)
    assert pairs <= wanted
    assert bool(pairs) == bool(wanted)


def test_a_barrier_of_one_transaction_does_not_wait_for_others() -> None:
    slow, quick = "NOC_READ large, wide, Id=3\n", "NOC_READ a[0, 0:8], b[0, 0:8], Id=4\n"
    waited = [
        int(np.asarray(ran(f"{quick}{slow}{barrier}\nNOC_STAMP a[1, 0:1]\n").read("a"))[1, 0])
        for barrier in ("NOC_BARRIER Id=4", "NOC_BARRIER Id=3", "NOC_BARRIER", "NOC_BARRIER Id=9")
    ]
    # A flit goes 90 hops' cycles and 20; the wide one has 257 flits, sent one cycle later.
    assert waited == [110 + 1 + 1, 1 + 110 + 256 + 1 + 1, 1 + 110 + 256 + 1 + 1, 3]


def test_a_flush_waits_until_the_last_flit_of_a_posted_write_has_left() -> None:
    lines = "NOC_WRITE_POSTED wide, large\nNOC_FLUSH\nNOC_STAMP a[1, 0:1]\n"
    assert int(np.asarray(ran(lines).read("a"))[1, 0]) == 257 + 1


def test_a_counter_of_eight_bits_is_not_waited_on_beyond_what_it_counts() -> None:
    def many(count: int, barrier: str) -> list[str]:
        return codes(f".for n in 0..{count}\nNOC_WRITE wide, large, Id=2\n.end\n{barrier}\n")

    assert "E0860" in many(300, "NOC_BARRIER Id=2")
    assert "E0860" not in many(300, "NOC_BARRIER")
    assert "E0860" not in many(250, "NOC_BARRIER Id=2")


def test_the_tile_of_the_host_takes_transaction_0_only() -> None:
    with pytest.raises(Failure, match="transaction ID 2"):
        ran(".host h u32[8] output = zeros\nNOC_WRITE h, a[0, 0:8], Id=2\n")
    assert codes(".host h u32[8] = zeros\nNOC_WRITE_POSTED h, a[0, 0:8], Id=2\n") == []


def test_a_barrier_ends_when_the_counter_of_its_transaction_is_0() -> None:
    lines = "NOC_READ large, wide, Id=3\nNOC_READ a[0, 0:8], b[0, 0:8], Id=4\nNOC_BARRIER Id=4\n"
    made = ran(f"{lines}NOC_STAMP a[1, 0:1]\n")
    ended = int(np.asarray(made.read("a"))[1, 0]) - 1
    assert made.machine.packets is not None
    counters = made.machine.packets.network.counters  # type: ignore[attr-defined]
    counted = [counters.value(0, (1, 1), OUTSTANDING + 4, now) for now in (ended - 1, ended)]
    assert counted == [1, 0]
