"""Programs of several tiles: what packets move, where, and what is refused at its line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.targets import TARGETS
from tests.parts import part

HEAD = """\
.target wormhole
.tile 1, 1
.l1 a u32[8] @ 0x1000 = iota
.l1 r u32[4] @ 0x1100 = [100, 101, 102, 103]
.sem got
.tile 4, 1
.l1 b u32[8] @ 0x2000 = random(seed=1)
.l1 w u32[4] @ 0x2100 = [16, 2, 3, 4]
.sem there
.tile 1, 1
@noc0
"""


def session(lines: str, head: str = HEAD) -> Session:
    return Session.load(Source("t.nasm", head + lines), targets=TARGETS)


def ran(lines: str, head: str = HEAD) -> Session:
    made = session(lines, head)
    report = made.run()
    assert [p.message for p in (*report.problems, *report.hazards)] == []
    return made


def read(made: Session, name: str) -> list[Any]:
    return np.asarray(made.read(name)).reshape(-1).tolist()


IOTA = list(range(8))


@pytest.mark.parametrize(
    "line",
    ["NOC_WRITE b, a", "NOC_WRITE 0x2000, a, X=4, Y=1", "NOC_WRITE b, 0x1000",
     "NOC_WRITE_POSTED b, a", "NOC_WRITE 0x2000, 0x1000, X=21, Y=18, Bytes=32",
     "NOC_WRITE b[0:8], a[0:8]"],
)  # fmt: skip
def test_a_write_copies_bytes_to_another_tile(line: str) -> None:
    assert read(ran(line), "b") == IOTA


def test_coordinates_of_network_1_count_from_the_other_corner() -> None:
    made = ran("@noc1 NOC_WRITE 0x2000, a, X=5, Y=10")
    assert read(made, "b") == IOTA
    made = ran("@noc1 NOC_WRITE 0x2000, a, X=21, Y=18")
    assert read(made, "b") == IOTA


def test_a_part_of_a_tensor_is_written_to_a_part() -> None:
    made = ran("NOC_WRITE b[2:4], a[5:7]")
    before = read(session(""), "b")
    assert read(made, "b") == [*before[:2], 5, 6, *before[4:]]


def test_a_read_fetches_bytes_of_another_tile() -> None:
    made = ran("NOC_READ a, b")
    assert read(made, "a") == read(made, "b")


@pytest.mark.parametrize("line", ["NOC_READ e, a", "NOC_WRITE e, a"])
def test_a_program_without_tiles_sends_packets_to_itself(line: str) -> None:
    head = ".target wormhole\n.l1 a u32[8] = iota\n.l1 e u32[8] = zeros\n.sem got\n@noc0\n"
    made = ran(f"{line} $got++\nNOC_INC $got++\nNOC_NOP $got >= 2\n", head)
    assert read(made, "e") == IOTA


def test_tiled_tensors_move_as_the_bytes_that_they_are() -> None:
    head = (
        ".target wormhole\n.tile 1, 1\n.l1 a bf16[32, 64] tiled = iota\n"
        ".tile 8, 8\n.l1 b bf16[32, 64] tiled output = zeros\n.tile 1, 1\n@noc0\n"
    )
    made = ran("NOC_WRITE b, a\nNOC_BARRIER", head)
    np.testing.assert_array_equal(made.read("b"), made.read("a"))


def test_dram_and_the_host_are_memories_that_tiles_share() -> None:
    head = (
        ".target wormhole\n.dram3 d u32[8] input = iota\n.host h u32[8] output = zeros\n"
        ".dram0 t bf16[32, 32] tiled input = iota\n.l1 a u32[8] = zeros\n.sem got\n"
        ".l1 s bf16[32, 32] tiled = zeros\n@noc0\n"
    )
    made = ran("NOC_READ a, d\nNOC_BARRIER\nNOC_WRITE h, a\nNOC_READ s, t\nNOC_BARRIER", head)
    assert read(made, "h") == IOTA
    np.testing.assert_array_equal(made.read("s"), made.read("t"))


def test_a_dram_answers_at_the_nearest_of_its_places() -> None:
    # DRAM 3 is at 5, 2, 5, 9 and 5, 10: from 1, 1 on network 0 four and one hops, and all the rest.
    head = ".target wormhole\n.dram3 d u32[8] input = iota\n.l1 a u32[8] = zeros\n.sem got\n@noc0\n"
    made = ran("NOC_READ a, d $got++\nNOC_NOP $got >= 1", head)
    assert made.report().ticks == 5 + 5 * 9 + 5 + 5 + 17 * 9 + 5 + 1 + 1


def test_inline_writes_put_a_word_or_the_bytes_of_a_mask() -> None:
    assert read(ran("NOC_INLINE_WRITE w[1:2], 0x11223344"), "w") == [16, 0x11223344, 3, 4]
    assert read(ran("NOC_INLINE_WRITE 0x2104, -1, X=4, Y=1"), "w") == [16, 0xFFFFFFFF, 3, 4]
    made = ran("NOC_INLINE_WRITE 0x2100, 0x11223344, X=4, Y=1, Mask=0x8421")
    assert read(made, "w") == [0x44, 0x3300 | 2, 0x220003, 0x11000004]


def atomics(seed: int) -> tuple[list[str], list[int], list[int]]:
    """Random operations one after the other, and what they leave by the documents' definition."""
    rng = np.random.default_rng(seed)
    words, results, lines = [16, 2, 3, 4], [100, 101, 102, 103], []
    for n in range(6):
        at, back = (int(x) for x in rng.integers(4, size=2))
        before, kind = words[at], int(rng.integers(4))
        where = f"w[{at}:{at + 1}], r[{back}:{back + 1}]"
        value, mask = int(rng.integers(1 << 32)), int(rng.integers(1, 256))
        if kind == 0:
            width = int(rng.integers(32))
            bits = (2 << width) - 1
            words[at] = (before + value) & bits | before & ~bits & 0xFFFFFFFF
            lines.append(f"NOC_ATOMIC_INC {where}, {value}, IntWidth={width}")
        elif kind == 1:
            compare = before & 15 if n % 2 else 9
            words[at] = 5 if before == compare else before
            lines.append(f"NOC_ATOMIC_CAS {where}, {compare}, 5")
        elif kind == 2:
            words[at] = value
            lines.append(f"NOC_ATOMIC_SWAP {where}, {value}")
        else:
            halves = np.array(words, "<u4").view("<u2")
            for i in range(8):
                if mask >> i & 1:
                    halves[i] = value >> 16 * (i % 2) & 0xFFFF
            words = halves.view("<u4").tolist()
            lines.append(f"NOC_ATOMIC_SWAP {where}, {value}, Mask={mask}")
        results[back] = before
        lines.append("NOC_BARRIER")
    return lines, words, results


@pytest.mark.parametrize("seed", part(range(40), 5))
def test_atomic_operations_do_what_the_documents_define(seed: int) -> None:
    lines, words, results = atomics(seed)
    made = ran("\n".join(lines))
    assert (read(made, "w"), read(made, "r")) == (words, results)


def test_a_multicast_writes_the_same_place_of_each_listening_tile() -> None:
    places = [(x, y) for x in (4, 5, 6) for y in (5, 6, 7)]
    tiles = [(x, y) for x, y in places if x != 5 and y != 6]
    declared = "".join(
        f".tile {x}, {y}\n.l1 t_{x}_{y} u32[8] @ 0x3000 output = zeros\n" for x, y in tiles
    )
    head = HEAD.replace("@noc0\n", f"{declared}.tile 1, 1\n@noc0\n")
    made = ran(
        "NOC_MULTICAST 0x3000, a, X0=4, Y0=5, X1=6, Y1=7  $got += 4\nNOC_NOP $got >= 4", head
    )
    for x, y in tiles:
        assert read(made, f"t_{x}_{y}") == IOTA
    again = ran("NOC_MULTICAST t_4_5, a, X0=4, Y0=5, X1=6, Y1=7, Major=y\nNOC_BARRIER", head)
    assert read(again, "t_6_7") == IOTA


def test_a_multicast_in_translated_coordinates_swaps_corners_on_network_1() -> None:
    head = HEAD.replace("@noc0\n", "@noc1\n")
    made = ran("NOC_MULTICAST 0x2000, a, X0=21, Y0=18, X1=21, Y1=18 $got++", head)
    assert read(made, "b") == IOTA


def test_threads_and_networks_meet_by_the_semaphores_of_the_tensix() -> None:
    made = ran(
        "NOC_READ r, w $got++\nNOC_SEMPOST 1 $got >= 1\n"
        "@t0\n.cfg GPR0 = 0x1100 // 16\n.cfg GPR4 = 42\n.cfg SEM1_max = 2\n"
        "SEMWAIT BlockMask=STALL_THCON, SemaphoreMask=2, ConditionMask=STALL_ON_ZERO\n"
        "STOREIND MemHierSel=1, Size=1, OffsetHalfReg=2, DataReg=4\n"
        "STALLWAIT BlockMask=STALL_SYNC, ConditionMask=THCON\n"
        "SEMPOST SemaphoreMask=2\n"
        "@noc1\nNOC_SEMWAIT 1, 2\nNOC_WRITE b[0:4], r\n"
    )
    assert read(made, "b")[:4] == [42, 2, 3, 4]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("NOC_WRITE 0x2000, a, X=0, Y=2", "0, 2 is an empty tile"),
        ("NOC_WRITE 0x2000, a, X=0, Y=10", "0, 10 is the ARC tile"),
        ("NOC_WRITE 0x2000, a, X=10, Y=1", "no tile 10, 1"),
        ("NOC_WRITE 0x2000, a", "it names no tile"),
        ("NOC_WRITE b, 0x1000, Bytes=8193", "8,193 bytes; wanted at most 8,192"),
        ("NOC_READ 0x1000, 0x2000, X=4, Y=1", "no number of Bytes"),
        ("NOC_WRITE b[0:4], a", "its sides have 32 and 16 bytes"),
        ("NOC_WRITE b, a, Bytes=64", "64 bytes, of which a has 32"),
        ("NOC_ATOMIC_INC 0x2102, r[0:1], 1, X=4, Y=1", "it acts at 0x2102"),
        ("NOC_MULTICAST 0x2000, a, X0=1, Y0=6, X1=9, Y1=6", "no tile of the rectangle listens"),
        ("NOC_WRITE b, a, Vc=4", "channel 4"),
        ("NOC_MULTICAST b, a, X0=4, Y0=1, X1=4, Y1=1, Vc=1", "channel 1"),
    ],
)
def test_what_cannot_be_sent_is_refused_at_its_line(line: str, said: str) -> None:
    with pytest.raises(Failure) as caught:
        session(f"\n\n{line}\n")
    (problem,) = caught.value.problems
    assert (problem.code, problem.span is not None) == ("E0325", True)
    assert said in problem.message
    assert "legal on" not in problem.hint  # coordinates mean other tiles there


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("NOC_MULTICAST b, a, X0=1, Y0=1, X1=1, Y1=1", "E0325", "no tile receives"),
        ("NOC_READ a, 0x5000, X=7, Y=7", "E0325", "nothing on tile 7, 7 to read"),
        ("NOC_WRITE 0x2000, a, X=0, Y=0", "E0325", "no tensor of dram0 has the 32 bytes at 0x2000"),
        ("NOC_WRITE 0x16fff8, a, X=4, Y=1", "E0521", "l1 has 1,499,136"),
    ],
)
def test_what_depends_on_the_tile_is_refused_when_it_is_reached(
    line: str, code: str, said: str
) -> None:
    made = session(f"\n{line}\n")
    report = made.run()
    (problem,) = report.problems
    assert (problem.code, problem.span.line if problem.span else 0) == (code, 13)
    assert said in problem.message


@pytest.mark.parametrize(
    ("lines", "code", "said"),
    [
        ("NOC_NOP $there++", "E0320", "$there is of tile 4-1; this is 1-1"),
        ("NOC_NOP $there >= 1", "E0320", "core 0 can update it, but not wait"),
        ("@t0 NOP $got++", "E0320", "@t0 updates no semaphore of this kind"),
        ("@t0 NOP $got >= 1", "E0320", "@t0 waits for no semaphore of this kind"),
        ("NOC_WRITE b, a $got += 2", "E0314", "wanted '+= 1'"),
        ("NOC_INC $there += 2", "E0314", "wanted '+= 1'"),
        ("NOC_READ b, a", "E0319", "b is in l1 of core 1"),
    ],
)
def test_semaphores_of_other_tiles_are_raised_by_packets_alone(
    lines: str, code: str, said: str
) -> None:
    with pytest.raises(Failure) as caught:
        session(f"{lines}\n")
    assert (caught.value.problems[0].code, said in caught.value.problems[0].message) == (code, True)


def test_a_packet_to_a_tile_without_a_core_is_carried_and_lands_nowhere() -> None:
    made = ran("NOC_WRITE 0x2000, a, X=7, Y=7 $got++\nNOC_NOP $got >= 1")
    assert made.report().ticks == 198 + 20 + 1 + 1


@pytest.mark.parametrize("values", [True, False])
def test_times_need_no_values(values: bool) -> None:
    text = HEAD + "NOC_READ a, b $got++\nNOC_WRITE b, a $got >= 1\nNOC_BARRIER\n"
    made = Session.load(Source("t.nasm", text), targets=TARGETS, values=values)
    assert made.run().ticks == (110 + 1) + (110 + 1) + 2 - 1


STEPPED = (
    "NOC_READ a, b $got++\nNOC_INLINE_WRITE w[0:1], 9 $got >= 1\nNOC_BARRIER\nNOC_INC $there++\n"
    ".tile 4, 1\n@noc1 NOC_WRITE r, w $there >= 1\nNOC_BARRIER\n"
)


def test_steps_of_tiles_make_the_run_that_a_run_makes() -> None:
    def marks(of: Session) -> tuple[object, ...]:
        report = of.report()
        return report.ticks, report.trace_hash, report.memory_hash

    whole, stepped, advanced, back = (session(STEPPED) for _ in range(4))
    whole.run()
    while not stepped.over:
        stepped.step()
    while not advanced.over:
        advanced.advance(1, "4-1.noc1")
    back.run()
    back.back_cycles(200)
    back.run()
    assert marks(stepped) == marks(advanced) == marks(whole) == marks(back)
    assert read(whole, "r") == [9, 2, 3, 4]


AROUND = "X0=2, Y0=1, X1=4, Y1=1"


@pytest.mark.parametrize(
    "lines",
    [
        f"NOC_MULTICAST 0x2000, a, {AROUND}\n.drain",
        f"NOC_MULTICAST 0x2000, a, {AROUND}\n.drain\nNOC_MULTICAST 0x2100, r, {AROUND}\n.drain",
        f"NOC_MULTICAST 0x2000, a, {AROUND}\nNOC_MULTICAST 0x2100, r, {AROUND}\n.drain",
        f"NOC_MULTICAST 0x2000, a, {AROUND} $got += 3\nNOC_MULTICAST 0x2100, r, {AROUND}\n.drain",
        f"NOC_MULTICAST 0x2000, a, X0=1, Y0=1, X1=4, Y1=1, Include=true\n"
        f"NOC_MULTICAST 0x2100, r, {AROUND}\nNOC_WRITE 0x2200, a, X=4, Y=1\n.drain",
    ],
)
def test_a_drain_waits_for_every_receiver_of_each_multicast(lines: str) -> None:
    head = HEAD.replace("= random(seed=1)", "output = zeros").replace("= [16", "output = [16")
    made = ran(lines, head)  # where one is in flight at the end, that is reported
    assert read(made, "b") == IOTA


def test_a_moment_of_a_multicast_is_that_of_its_last_receiver() -> None:
    far = "X0=2, Y0=1, X1=4, Y1=1"
    made = ran(f"NOC_MULTICAST 0x2000, a, {far} post sent\nNOC_READ a, b after sent\nNOC_BARRIER")
    assert read(made, "a") == IOTA
