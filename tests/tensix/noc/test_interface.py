"""Cores start requests by the registers of network interfaces, and learn of answers by counters.

What registers mean is of NoC/MemoryMap and NoC/Atomics; times and counts are those of the lines of
the networks that ask for the same.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from nasm.debugger.session import Session
from nasm.machine.records import Status
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.noc.counters import NAMES
from nasm.targets.tensix.noc.links import Links
from tests.parts import part
from tests.tensix.noc.initiators import (
    AT,
    BE,
    BROADCAST,
    BY_Y,
    INCLUDE,
    INLINE,
    MARKED,
    RD,
    STATIC,
    WR,
    answered,
    mid,
    session,
    started,
)

HEAD = """\
.tile 4, 1
.l1 b u32[64] @ 0x2000 {output} = {there}
.tile 1, 1
.l1 a u32[64] @ 0x1000 {output} = {here}
"""
HERE, THERE = mid(1, 1), mid(4, 1)


def ran(code: str, here: str = "iota", there: str = "zeros", more: str = "") -> Session:
    head = HEAD.format(output="output", here=here, there=there)
    made = session(f"{head}{more}.rv B\n{code}ebreak\n")
    report = made.run(max_cycles=100_000)
    assert [p.message for p in (*report.problems, *report.hazards)] == []
    assert report.status is Status.FINISHED
    return made


def words(made: Session, name: str) -> list[int]:
    return [int(value) for value in np.asarray(made.read(name)).ravel()]


def counted(made: Session, network: int, place: tuple[int, int], now: int) -> dict[str, int]:
    packets = made.machine.packets
    assert packets is not None
    assert isinstance(packets.network, Links)
    counters = packets.network.counters
    found = {name: counters.value(network, place, n, now) for n, name in enumerate(NAMES)}
    return {name: value for name, value in found.items() if value}


# -- what each request does


def test_a_write_moves_bytes_and_is_acknowledged() -> None:
    made = ran(
        started(TARG=0x1008, TARG_MID=HERE, RET=0x2010, RET_MID=THERE, CTRL=WR | MARKED, LEN=12)
        + answered()
    )
    assert words(made, "b")[:8] == [0, 0, 0, 0, 2, 3, 4, 0]


def test_a_read_fetches_bytes() -> None:
    made = ran(
        started(TARG=0x2004, TARG_MID=THERE, RET=0x1080, RET_MID=HERE, CTRL=RD, LEN=8)
        + answered(counter=0x208, until=1),
        there="iota",
    )
    assert words(made, "a")[31:35] == [31, 1, 2, 34]


@pytest.mark.parametrize("mask", [0xF0, 0x00F00000, 0xF, 0x0FF0, 0x8001, 0x10002])
def test_an_inline_write_puts_bytes_where_its_mask_has_bits(mask: int) -> None:
    value = 0xD4C3B2A1
    made = ran(
        started(TARG=0x2014, TARG_MID=THERE, CTRL=WR | INLINE | MARKED, LEN=mask, DATA=value)
        + answered()
    )
    wanted = bytearray(16)
    for n in range(16):
        if mask >> n & 1 or mask >> 16 + n & 1:
            wanted[n] = value >> 8 * (n & 3) & 0xFF
    assert words(made, "b")[4:8] == np.frombuffer(bytes(wanted), "<u4").tolist()
    assert not any(words(made, "b")[:4] + words(made, "b")[8:])


def test_a_write_with_a_mask_writes_some_of_32_bytes() -> None:
    control = WR | BE | MARKED
    made = ran(
        started(TARG=0x1004, TARG_MID=HERE, RET=0x200C, RET_MID=THERE, CTRL=control, LEN=0x80F000F0)
        + answered(),
        there="iota",
    )
    held = np.array(words(made, "b"), "<u4").view(np.uint8)
    source, wanted = np.arange(64, dtype="<u4").view(np.uint8), np.arange(64, dtype="<u4")
    for n in range(32):
        if 0x80F000F0 >> n & 1:
            wanted.view(np.uint8)[n] = source[n]
    assert held.tolist() == wanted.view(np.uint8).tolist()


def test_a_multicast_reaches_a_rectangle_and_is_acknowledged_by_each() -> None:
    more = ".tile 3, 2\n.l1 c u32[64] @ 0x2000 output = zeros\n.tile 1, 1\n"
    made = ran(
        started(
            TARG=0x1004, TARG_MID=HERE, RET=0x2000, RET_MID=mid(4, 2, 3, 1),
            CTRL=WR | MARKED | BROADCAST, LEN=8,
        )
        + answered(counter=0x204, until=4),
        more=more,
    )  # fmt: skip
    assert words(made, "b")[:3] == words(made, "c")[:3] == [1, 2, 0]


def test_a_multicast_may_include_its_sender() -> None:
    for include, wanted in ((0, [0, 1]), (INCLUDE, [9, 10])):
        made = ran(
            started(
                TARG=0x1024, TARG_MID=HERE, RET=0x1000, RET_MID=mid(4, 1, 1, 1),
                CTRL=WR | MARKED | BROADCAST | BY_Y | include, LEN=8,
            )
            + answered(counter=0x204, until=4 if include else 3),
        )  # fmt: skip
        assert words(made, "a")[:2] == wanted


def test_dram_is_reached_by_address_at_each_of_its_places() -> None:
    """DRAM 2 is at 5, 0, at 5, 1 and at 5, 11 of network 0."""
    more = ".dram2 d u32[64] @ 0x4000 = iota\n"
    for x, y in ((5, 0), (5, 1), (5, 11)):
        made = ran(
            started(TARG=0x4010, TARG_MID=mid(x, y), RET=0x1000, RET_MID=HERE, CTRL=RD, LEN=8)
            + answered(),
            more=more,
        )
        assert words(made, "a")[:3] == [4, 5, 2]


# -- atomic operations, against a loop over the words of NoC/Atomics


def reference(held: list[int], address: int, word: int, data: int) -> tuple[list[int], int]:
    """The four words after an operation, and the result, as the page's C has it."""
    found, code, at = list(held), word >> 12 & 7, word & 3
    result = held[address >> 2 & 3]
    if code == 1:
        mask = ((2 << (word >> 2 & 31)) - 1) & 0xFFFFFFFF
        found[at] = (held[at] + data) & mask | held[at] & ~mask & 0xFFFFFFFF
    elif code == 4:
        if held[at] == word >> 2 & 15:
            found[at] = word >> 6 & 15
    elif code == 3:
        for n in range(8):
            if word >> 2 + n & 1:
                half, shift = data >> 16 * (n & 1) & 0xFFFF, 16 * (n & 1)
                found[n >> 1] = found[n >> 1] & ~(0xFFFF << shift) | half << shift
    elif code == 6:
        found[at] = data
    else:
        found[word >> 2 & 3] = data
    return found, result


@pytest.mark.parametrize("seed", part(range(48), 12))
def test_atomic_operations_are_those_of_the_page(seed: int) -> None:
    choose = random.Random(seed)
    held = [choose.choice((choose.randrange(16), choose.getrandbits(32))) for _ in range(4)]
    address, data = 0x2000 + 4 * choose.randrange(4), choose.getrandbits(32)
    word = choose.choice((1, 3, 4, 6, 7)) << 12 | choose.getrandbits(10)
    if word >> 12 == 6:
        word = word & ~7 | 4 | choose.randrange(4)
    if word >> 12 == 4 and choose.randrange(2):
        word = word & ~0x3C | (held[word & 3] & 15) << 2
    head = HEAD.format(output="", here="zeros", there="zeros")
    stores = "".join(f"li t0, {v}\nsw t0, {4 * n}(t3)\n" for n, v in enumerate(held))
    made = session(
        f"{head}.tile 4, 1\n.rv B\nli t3, 0x2000\n{stores}ebreak\n.tile 1, 1\n.rv B\n"
        + "nop\n" * 60
        + started(
            TARG=address, TARG_MID=THERE, RET=0x1010, RET_MID=HERE, CTRL=AT | MARKED, LEN=word,
            DATA=data,
        )
        + answered()
        + "ebreak\n"
    )  # fmt: skip
    assert made.run(max_cycles=100_000).problems == ()
    after, result = reference(held, address, word, data)
    assert words(made, "b")[:4] == after
    assert words(made, "a")[4] == result


def test_a_posted_atomic_changes_a_word_of_each_tile_of_a_rectangle() -> None:
    more = ".tile 3, 1\n.l1 c u32[64] @ 0x2000 output = iota\n.tile 1, 1\n"
    head = HEAD.format(output="", here="iota", there="iota")
    made = session(
        f"{head}{more}.rv B\n"
        + started(
            TARG=0x2008, TARG_MID=mid(4, 1, 3, 1), CTRL=AT | BROADCAST, LEN=1 << 12 | 31 << 2 | 2,
            DATA=5,
        )
    )  # fmt: skip
    assert made.run(max_cycles=1000).problems == ()
    assert words(made, "b")[:4] == words(made, "c")[:4] == [0, 1, 7, 3]


# -- one mechanism: the same as lines of the networks


SAME = {
    "NOC_WRITE b, a, Bytes=100": {"TARG": 0x1000, "TARG_MID": HERE, "RET": 0x2000,
                                  "RET_MID": THERE, "CTRL": WR | MARKED, "LEN": 100},
    "NOC_WRITE_POSTED b, a, Bytes=32": {"TARG": 0x1000, "TARG_MID": HERE, "RET": 0x2000,
                                        "RET_MID": THERE, "CTRL": WR, "LEN": 32},
    "NOC_WRITE b, a, Bytes=64, Vc=2": {"TARG": 0x1000, "TARG_MID": HERE, "RET": 0x2000,
                                       "RET_MID": THERE, "CTRL": WR | MARKED | STATIC | 2 << 13,
                                       "LEN": 64},
    "NOC_READ a, b, Bytes=100": {"TARG": 0x2000, "TARG_MID": THERE, "RET": 0x1000,
                                 "RET_MID": HERE, "CTRL": RD, "LEN": 100},
    "NOC_INLINE_WRITE b[0:1], 7": {"TARG": 0x2000, "TARG_MID": THERE, "LEN": 15,
                                   "CTRL": WR | INLINE | MARKED, "DATA": 7},
    "NOC_ATOMIC_INC b[0:1], a[0:1], 7": {"TARG": 0x2000, "TARG_MID": THERE, "RET": 0x1000,
                                         "RET_MID": HERE, "CTRL": AT | MARKED,
                                         "LEN": 1 << 12 | 31 << 2, "DATA": 7},
    "NOC_MULTICAST 0x2000, a, Bytes=64, X0=3, Y0=1, X1=6, Y1=4": {
        "TARG": 0x1000, "TARG_MID": HERE, "RET": 0x2000, "RET_MID": mid(6, 4, 3, 1), "LEN": 64,
        "CTRL": WR | MARKED | BROADCAST},
}  # fmt: skip


@pytest.mark.parametrize("network", [0, 1])
@pytest.mark.parametrize("line", SAME)
def test_a_request_is_that_of_a_line_of_the_network(line: str, network: int) -> None:
    head, values = HEAD.format(output="", here="iota", there="iota"), dict(SAME[line])
    if network:
        for name in ("TARG_MID", "RET_MID"):
            if name in values:
                values[name] = _turned(values[name])
        line = line.replace("X0=3, Y0=1, X1=6, Y1=4", "X0=3, Y0=7, X1=6, Y1=10")
    of_line = session(f"{head}@noc{network} {line}\n@noc{network} NOC_BARRIER\n")
    of_code = session(f"{head}.rv B\n{started(network, **values)}ebreak\n")
    for made in (of_line, of_code):
        assert made.run(max_cycles=10_000).problems == ()
    assert words(of_line, "a") == words(of_code, "a")
    assert words(of_line, "b") == words(of_code, "b")
    begin = _store(of_code)
    for now in (0, 1, 2, 4, 5, 20, 50, 80, 100, 109, 110, 112, 113, 114, 115, 200, 500):
        for place in ((1, 1), (4, 1)):
            assert counted(of_line, network, place, now) == counted(
                of_code, network, place, now + begin
            ), (now, place)


def _turned(word: int) -> int:
    """Coordinates of network 0 in the system of network 1; corners in the same order."""
    x, y, x0, y0 = (word >> low & 63 for low in (4, 10, 16, 22))
    if not (x0 or y0):
        return mid(9 - x, 11 - y)
    return mid(9 - x0, 11 - y0, 9 - x, 11 - y)


def _store(made: Session) -> int:
    """The tick of the store that has started the request."""
    core = made.machine.holds[1]
    assert isinstance(core, Tensix)
    return int(core.sending.max())


# -- what code learns


@pytest.mark.parametrize(("x", "y", "hops"), [(4, 1, 90), (1, 3, 108), (4, 3, 198)])
def test_an_acknowledged_write_takes_the_published_cycles(x: int, y: int, hops: int) -> None:
    """90, 108 and 198 cycles of hops (ISA documentation, NoC), 20 into and out of routers."""
    code = started(TARG=0x2000, TARG_MID=mid(x, y), CTRL=WR | INLINE | MARKED, LEN=15, DATA=1)
    made = session(f"{HEAD.format(output='', here='iota', there='zeros')}.rv B\n{code}")
    made.run(max_cycles=1000)
    begin = _store(made)
    counts = [counted(made, 0, (1, 1), begin + after) for after in (hops + 19, hops + 20)]
    assert [found.get("NIU_MST_WR_ACK_RECEIVED", 0) for found in counts] == [0, 1]


def test_each_transaction_id_has_its_own_counter_which_code_may_clear() -> None:
    write = {"TARG_MID": THERE, "CTRL": WR | INLINE | MARKED, "LEN": 15}
    made = ran(
        started(TARG=0x2000, TAG=5 << 10, DATA=1, **write)
        + started(initiator=1, TARG=0x2010, TAG=6 << 10, DATA=2, **write)
        + "li t3, 0x1000\nli s2, 0xFFB20000\n"
        + "".join(f"lw t4, {0x240 + 4 * n}(s2)\nsw t4, {4 * n}(t3)\n" for n in range(8))
        + "li t0, 0x40\nsw t0, 0x50(s2)\nlw t4, 0x258(s2)\nsw t4, 32(t3)\n"
        + answered(counter=0x204, until=2)
        + "lw t4, 0x254(s2)\nsw t4, 36(t3)\nlw t4, 0x258(s2)\nsw t4, 40(t3)\n"
    )
    assert words(made, "a")[:11] == [0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0xFF]


def test_an_initiator_is_busy_until_its_request_leaves() -> None:
    """The second waits for the 257 flits of the first."""
    head = ".tile 4, 1\n.l1 b u32[4096] @ 0x8000 = zeros\n.tile 1, 1\n.l1 a u32[2048] @ 0x4000"
    write = {"TARG_MID": HERE, "RET_MID": THERE, "CTRL": WR, "LEN": 8192}
    made = session(
        f"{head} = iota\n.l1 c u32[4] @ 0x1000 output = zeros\n.rv B\n"
        + started(TARG=0x4000, RET=0x8000, **write)
        + started(initiator=2, TARG=0x4000, RET=0xA000, **write)
        + "li t3, 0x1000\nli s3, 0xFFB20000\nlw t4, 0x28(s3)\nlw t5, 0x54(s3)\nlw t6, 0x28(s0)\n"
        + "sw t4, 0(t3)\nsw t5, 4(t3)\nsw t6, 8(t3)\n"
        + "wait:\nlw t6, 0x28(s0)\nbnez t6, wait\n"
        + started(initiator=2, TARG=0x4000, RET=0x8000, **write)
    )
    assert made.run(max_cycles=10_000).problems == ()
    assert words(made, "c") == [0, 4, 1, 0]


def test_an_interface_knows_where_it_is() -> None:
    loads = "".join(
        f"li t0, {0xFFB20000 + 0x10000 * n + offset}\nlw t1, 0(t0)\nsw t1, {8 * n + at}(t3)\n"
        for n in (0, 1)
        for at, offset in ((0, 0x2C), (4, 0x138))
    )
    made = ran(f"li t3, 0x1000\n{loads}")
    sizes = 10 << 12 | 12 << 19
    assert words(made, "a")[:4] == [
        1 | 1 << 6 | sizes | 1 << 28, 18 | 18 << 6, 8 | 10 << 6 | sizes, 18 | 18 << 6,
    ]  # fmt: skip


def test_translated_coordinates_mean_the_same_and_are_written_back() -> None:
    for network, x, y in ((0, 4, 1), (1, 5, 10)):
        made = ran(
            started(
                network, TARG=0x2000, TARG_MID=mid(21, 18), CTRL=WR | INLINE | MARKED, LEN=15,
                DATA=9,
            )
            + answered(network)
            + "lw t1, 4(s0)\nli t3, 0x1000\nsw t1, 0(t3)\n"
        )  # fmt: skip
        assert (words(made, "b")[0], words(made, "a")[0]) == (9, mid(x, y))


def test_lines_of_the_network_and_code_count_together() -> None:
    head = HEAD.format(output="", here="iota", there="zeros")
    made = session(
        f"{head}@noc0 NOC_WRITE b[0:4], a[0:4]\n@noc0 NOC_BARRIER\n.rv B\n"
        + started(TARG=0x2040, TARG_MID=THERE, CTRL=WR | INLINE | MARKED, LEN=15, DATA=1)
        + answered(counter=0x204, until=2)
    )
    report = made.run(max_cycles=10_000)
    assert (report.status, report.problems) == (Status.FINISHED, ())


# -- order


WRITE = {"TARG": 0x1000, "TARG_MID": HERE, "RET": 0x2000, "RET_MID": THERE, "LEN": 64}
AGAIN = "li t3, 0x1000\nsw zero, 0(t3)\n"


@pytest.mark.parametrize(
    ("poll", "right"),
    [
        (answered(), True),
        (answered(counter=0x204, until=1), True),
        ("", False),
        (answered(counter=0x208), False),  # no read is outstanding: that says nothing of writes
        (answered(counter=0x244), False),  # nor of another transaction ID
        (answered(network=1), False),
    ],
)
def test_what_is_sent_may_be_written_once_its_acknowledgement_is_counted(
    poll: str, right: bool
) -> None:
    head = HEAD.format(output="", here="iota", there="zeros")
    code = started(CTRL=WR | MARKED, **WRITE) + poll + AGAIN + answered(tag="last")
    found = session(f"{head}.rv B\n{code}").run(max_cycles=10_000).hazards
    assert [p.code for p in found] == ([] if right else ["E0502"])
    assert right or "poll what counts that before" in (found[0].hint or "")


@pytest.mark.parametrize(
    ("poll", "right"),
    [
        (answered(counter=0x204, until=1), False),  # of the write, which was sent later
        (answered(counter=0x208, until=1), True),
        (answered(), False),
        (answered(counter=0x248), True),
    ],
)
def test_answers_of_one_kind_or_number_say_nothing_of_others(poll: str, right: bool) -> None:
    head = HEAD.format(output="", here="iota", there="zeros")
    read = {**WRITE, "TARG": 0x2080, "TARG_MID": THERE, "RET": 0x1080, "RET_MID": HERE}
    code = started(CTRL=RD, TAG=2 << 10, **read) + started(CTRL=WR | MARKED, TAG=0, **WRITE)
    code += poll + "li t3, 0x1080\nlw t4, 0(t3)\n"
    code += answered(tag="x") + answered(counter=0x248, tag="y")
    found = session(f"{head}.rv B\n{code}").run(max_cycles=10_000).hazards
    assert [p.code for p in found] == ([] if right else ["E0502"])


@pytest.mark.parametrize(
    ("back", "right"), [("", False), ("lw t5, 4(t3)\nmv t5, t5\n", True), ("lw t5, 0(t3)\n", False)]
)
def test_what_is_stored_may_be_sent_once_it_was_loaded(back: str, right: bool) -> None:
    """Stores to L1 and to an interface may be processed in another order: MemoryOrdering."""
    head = HEAD.format(output="", here="iota", there="zeros")
    code = f"li t3, 0x1000\nli t4, 7\nsw t4, 4(t3)\n{back}"
    code += started(CTRL=WR | MARKED, **WRITE) + answered()
    found = session(f"{head}.rv B\n{code}").run(max_cycles=10_000).hazards
    assert [p.code for p in found] == ([] if right else ["E0502"])
    assert right or (found[0].hint or "").startswith("before line 2")


def test_another_core_of_the_tile_may_poll() -> None:
    head = HEAD.format(output="", here="iota", there="zeros")
    sends = f".rv B\n{started(CTRL=WR | MARKED, **WRITE)}"
    for poll, right in ((answered(counter=0x204, until=1), True), ("nop\n" * 200, False)):
        other = f".rv NC\n{poll}{AGAIN}"
        found = session(f"{head}{sends}{other}").run(max_cycles=10_000).hazards
        assert [p.code for p in found] == ([] if right else ["E0502"])


def test_an_output_that_is_posted_is_reported() -> None:
    head = HEAD.format(output="output", here="iota", there="zeros")
    (found,) = session(f"{head}.rv B\n{started(CTRL=WR, **WRITE)}").run(max_cycles=10_000).hazards
    assert (found.code, found.hint) == (
        "E0514", "send what is answered, and poll what counts that before the code ends",
    )  # fmt: skip


def test_a_run_goes_back_to_before_a_request() -> None:
    head = HEAD.format(output="output", here="iota", there="zeros")
    made = session(f"{head}.rv B\n{started(CTRL=WR | MARKED, **WRITE)}{answered()}ebreak\n")
    made.step("1-1.brisc", 10)
    saved = made.machine.save()
    made.machine.run(10_000)
    first = made.machine.scheduler.now, words(made, "b")
    made.machine.restore(saved)
    assert words(made, "b")[1] == 0
    made.machine.run(10_000)
    assert (made.machine.scheduler.now, words(made, "b")) == first
    assert first[1][1] == 1


# -- what is refused


@pytest.mark.parametrize(
    ("code", "number", "said"),
    [
        (started(**{**WRITE, "CTRL": 3}), "E0701", "request type 3, which is reserved"),
        (started(**{**WRITE, "CTRL": WR | 1 << 6}), "E0601", "NOC_CMD_VC_LINKED"),
        (started(**{**WRITE, "CTRL": WR | 1 << 27}), "E0601", "NOC_CMD_ARB_PRIORITY"),
        (started(**{**WRITE, "CTRL": WR, "TAG": 1 << 9}), "E0601", "HEADER_STORE"),
        (started(**{**WRITE, "CTRL": WR, "LEN": 8193}), "E0601", "8,193: a packet has 1 to 8,192"),
        (started(**{**WRITE, "CTRL": WR, "LEN": 0}), "E0325", "NOC_AT_LEN_BE is 0"),
        (started(**{**WRITE, "CTRL": WR, "RET_MID": mid(0, 2)}), "E0325", "is an empty tile"),
        (started(**{**WRITE, "CTRL": WR, "RET_MID": mid(12, 1)}), "E0318", "no tile 12, 1"),
        (started(**{**WRITE, "CTRL": WR | MARKED, "TARG_MID": THERE}), "E0601", "another tile"),
        (started(**{**WRITE, "CTRL": WR, "RET": 0x170000}), "E0521", "at 0x170000"),
        (started(**{**WRITE, "CTRL": WR, "TARG": 0xFFB20000}), "E0601", "beyond L1"),
        (started(**{**WRITE, "CTRL": RD | BROADCAST, "RET_MID": HERE}), "E0701", "is broadcast"),
        (started(**{**WRITE, "CTRL": WR | STATIC | 4 << 13}), "E0325", "static channel 4"),
        (started(TARG=0x2001, TARG_MID=THERE, CTRL=AT, LEN=0x1000), "E0325", "no multiple of 4"),
        (started(TARG=0x2000, TARG_MID=THERE, CTRL=AT, LEN=0x5000), "E0701", "operation 5"),
        (started(TARG=0x2000, TARG_MID=THERE, CTRL=WR | INLINE), "E0325", "no byte"),
        (started(**{**WRITE, "CTRL": WR, "RET_MID": mid(5, 1)}), "E0325", "no tensor of dram2 has"),
        (started(**{**WRITE, "CTRL": WR, "RET_MID": mid(1, 0)}), "E0325", "is an Ethernet tile"),
        ("li s0, 0xFFB20000\nlw t0, 8(s0)\n", "E0701", "0x8 of the interface of NoC 0"),
        ("li s0, 0xFFB20000\nsw t0, 0x240(s0)\n", "E0601", "does not model that register"),
        ("li s0, 0xFFB30000\nlw t0, 0x30(s0)\n", "E0701", "NOC_ENDPOINT_ID is not documented"),
        ("li s0, 0xFFB20000\nsb t0, 0x20(s0)\n", "E0701", "a store of a byte"),
    ],
)  # fmt: skip
def test_what_is_refused_at_its_line(code: str, number: str, said: str) -> None:
    head = HEAD.format(output="", here="iota", there="zeros")
    (problem,) = session(f"{head}.rv B\n{code}").run(max_cycles=1000).problems
    assert problem.code == number
    assert said in problem.message
    assert problem.span is not None
    assert problem.span.line == (head + code).count("\n") + 2


def test_code_of_another_tile_is_not_overwritten() -> None:
    head = HEAD.format(output="", here="iota", there="zeros")
    other = ".tile 4, 1\n.rv B\nnop\nnop\n.tile 1, 1\n"
    code = started(**{**WRITE, "CTRL": WR, "RET": 4})
    (problem,) = session(f"{head}{other}.rv B\n{code}").run(max_cycles=1000).problems
    assert (problem.code, "code of RISC-V cores" in problem.message) == ("E0325", True)
