"""Lines of ``@host``: what they move and how long that takes, flags of firmware, and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.targets import TARGETS
from nasm.targets.tensix.ethernet.commands import FLAGS
from nasm.targets.tensix.ethernet.host import n300

HEAD = """\
.target wormhole
.host h u32[320] = iota
.host back u32[320] = zeros
.host answer u32[8] = zeros
.host block u32[16] = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25]
.host zeroed u32[16] = zeros
.tile 1, 1
.l1 a u32[320] @ 0x1000 = zeros
.sem got
.tile 4, 1, 1
.l1 b u32[320] @ 0x2000 = zeros
.sem go
.tile 1, 1
@host
"""
FLAG = {row.name: row.value for row in FLAGS}


def ran(lines: str) -> Session:
    made = Session.load(Source("t.nasm", HEAD + lines), targets=TARGETS)
    report = made.run()
    assert [p.message for p in (*report.problems, *report.hazards)] == []
    return made


def words(made: Session, name: str) -> list[Any]:
    return np.asarray(made.read(name)).reshape(-1).tolist()


def ticks(made: Session) -> int:
    return made.report().ticks


@pytest.mark.parametrize(
    "lines",
    [
        "ETH_WRITE b, h\nETH_READ back, b",
        "ETH_WRITE a, h\nETH_READ back, a",
        "ETH_WRITE 0x2000, h, Chip=1, X=4, Y=1\nETH_READ back, 0x2000, Chip=1, X=21, Y=18",
        "ETH_WRITE 0x2000, h, Chip=1, X=5, Y=10, Flags=USE_NOC1\nETH_READ back, b, Flags=USE_NOC1",
        "ETH_WRITE 0x12345664, h, X=0, Y=0\nETH_READ back, 0x12345664, X=0, Y=11",  # DRAM 0
        "ETH_WRITE b, h, Flags=ORDERED\nETH_READ back, b, Flags=ORDERED|TIMESTAMP",
        "ETH_BROADCAST b, h\nETH_READ back, b",
    ],
)
def test_what_is_written_to_a_tile_of_either_chip_can_be_read_back(lines: str) -> None:
    assert words(ran(lines), "back") == list(range(320))


def test_a_part_of_a_tensor_is_as_many_words() -> None:
    made = ran("ETH_WRITE b[1:4], h[7:10]\nETH_READ back[2:5], b[1:4]\nETH_READ back, b, Bytes=8")
    assert words(made, "b")[:6] == [0, 7, 8, 9, 0, 0]
    assert words(made, "back")[:6] == [0, 7, 7, 8, 9, 0]


@pytest.mark.parametrize("flags", [0, FLAG["TIMESTAMP"], FLAG["ORDERED"]])
def test_lines_take_the_time_that_the_same_calls_take_in_python(flags: int) -> None:
    host, data = n300(), bytes(1280)
    host.write(1, 0, tile=(4, 1), address=0x2000, data=data, flags=flags)
    one = host.network.now
    host.read(0, 0, tile=(1, 1), address=0x1004, count=200, flags=flags)
    made = ran(f"ETH_WRITE b, h, Flags={flags}\nETH_READ back, a[1:51], Bytes=200, Flags={flags}")
    assert ticks(made) == one + 1 + (host.network.now - one) + 1


def test_a_line_updates_semaphores_of_any_chip_and_waits_for_them() -> None:
    made = ran(
        "ETH_WRITE b, h $go++\n.tile 4, 1, 1\n@noc0 NOC_NOP $go >= 1\n@noc0 NOC_NOP $go++\n"
        ".tile 1, 1\n@host ETH_READ back, b $go >= 2"
    )
    assert words(made, "back") == list(range(320))


def test_a_broadcast_leaves_out_what_its_masks_say() -> None:
    lines = "ETH_BROADCAST 0x1000, h, Chips=0x100\nETH_READ back, 0x1000, Chip=1, X=7, Y=7"
    made = ran(f"{lines}\nETH_BROADCAST 0x2000, h, Rows=0xffd, Columns=0x3ef")
    assert words(made, "a") == list(range(320))
    assert words(made, "back") == [0] * 320
    assert words(made, "b") == list(range(320))  # row 1 and column 4 alone


REQUEST = "X=4, Y=1, ChipX=1"
REPEATED = FLAG["DATA_BLOCK"]


@pytest.mark.parametrize(
    ("request_", "flags", "data"),
    [
        (f"ETH_REQUEST 0x2008, {REQUEST}, Data=5, Flags=WR_REQ", FLAG["WR_ACK"], 0),
        (f"ETH_REQUEST 0x2008, {REQUEST}, Flags=RD_REQ", FLAG["RD_DATA"], 0),
        (f"ETH_REQUEST 0x2000, {REQUEST}, Data=64, Flags=RD_REQ|DATA_BLOCK",
         FLAG["RD_DATA"] | REPEATED, 64),
        (f"ETH_REQUEST 0x2000, {REQUEST}, Block=block, Flags=WR_REQ|DATA_BLOCK",
         FLAG["WR_ACK"] | REPEATED, 0),
        (f"ETH_REQUEST 0x2000, {REQUEST}, Data=64, Dma=zeroed, "
         "Flags=RD_REQ|DATA_BLOCK|DATA_BLOCK_DMA",
         FLAG["RD_DATA"] | REPEATED | FLAG["DATA_BLOCK_DMA"], 64),
        ("ETH_REQUEST 0x2000, X=4, Y=1, ChipY=1, Flags=RD_REQ",
         FLAG["RD_DATA"] | FLAG["DEST_UNREACHABLE"], 0),
        ("ETH_REQUEST 0x2000, X=4, Y=1, Rack=3, Shelf=2, Flags=WR_REQ|ORDERED",
         FLAG["WR_ACK"] | FLAG["DEST_UNREACHABLE"], 0),
        ("ETH_REQUEST 0x2000, Block=zeroed, Flags=WR_REQ|DATA_BLOCK|BROADCAST",
         FLAG["WR_ACK"] | REPEATED | FLAG["BROADCAST"], 0),
    ],
)  # fmt: skip
def test_a_response_has_the_flags_of_the_firmware(request_: str, flags: int, data: int) -> None:
    made = ran(f"{request_}\nETH_RESPONSE answer, Block=zeroed")
    assert words(made, "answer")[2:4] == [data, flags]


def test_blocks_come_and_go_in_buffers_and_in_the_memory_of_the_host() -> None:
    made = ran(
        f"ETH_REQUEST 0x2000, {REQUEST}, Block=block, Flags=WR_REQ|DATA_BLOCK\n"
        f"ETH_RESPONSE answer\n"
        f"ETH_REQUEST 0x2000, {REQUEST}, Data=64, Flags=RD_REQ|DATA_BLOCK\n"
        "ETH_RESPONSE answer, Block=zeroed\n"
        f"ETH_REQUEST 0x2000, {REQUEST}, Data=64, Dma=back, Flags=RD_REQ|DATA_BLOCK_DMA|DATA_BLOCK"
        "\nETH_RESPONSE answer\n"
        f"ETH_REQUEST 0x2040, {REQUEST}, Data=64, Dma=h, Flags=WR_REQ|DATA_BLOCK_DMA|DATA_BLOCK\n"
        "ETH_RESPONSE answer\n"
    )
    assert words(made, "zeroed") == words(made, "back")[:16] == list(range(10, 26))
    assert words(made, "b")[16:32] == list(range(16))


def test_latencies_are_in_the_structure_from_the_first_request_with_the_flag_on() -> None:
    lines = "ETH_READ back, b, Bytes=4\nETH_READ back, b, Bytes=4, Flags=TIMESTAMP\n"
    made = ran(f"{lines}ETH_WRITE a, h, Bytes=4\nETH_READ back, 0x11000, X=9, Y=6, Bytes=16")
    host = n300()
    host.read(1, 0, tile=(4, 1), address=0x2000, count=4)
    one = host.network.now
    host.write(0, 0, tile=(1, 1), address=0x1000, data=bytes(4))
    assert words(made, "back")[:4] == [one, 0, host.network.now - one, 0]


def test_four_requests_are_in_flight_and_answered_in_order() -> None:
    asks = "".join(f"ETH_REQUEST 0x{0x2000 + 4 * n:x}, {REQUEST}, Flags=RD_REQ\n" for n in range(4))
    takes = "".join(f"ETH_RESPONSE back[{8 * n}:{8 * n + 8}]\n" for n in range(4))
    made = ran(f"ETH_WRITE b, h[100:104]\n{asks}{takes}")
    assert words(made, "back")[2:32:8] == [100, 101, 102, 103]


@pytest.mark.parametrize(
    ("lines", "code", "said"),
    [
        ("ETH_RESPONSE answer", "E0326", "no response is to come"),
        (f"ETH_REQUEST 0x2000, {REQUEST}, Flags=RD_REQ\nETH_READ back, b", "E0326", "not taken"),
        (f".for n in 0..9\nETH_REQUEST 0x2000, {REQUEST}, Flags=RD_REQ\n.end", "E0326", "full"),
        ("ETH_WRITE 0x200000, h, X=1, Y=1", "E0326", "of tile 1, 1"),
        ("ETH_WRITE 0x2000, h, X=0, Y=3", "E0326", "PCI Express"),
    ],
)
def test_what_the_run_shows_to_have_no_meaning_is_reported_at_its_line(
    lines: str, code: str, said: str
) -> None:
    made = Session.load(Source("t.nasm", HEAD + lines), targets=TARGETS)
    (problem,) = made.run().problems
    assert (problem.code, said in problem.message) == (code, True)
    assert problem.span is not None


@pytest.mark.parametrize("line", ["ETH_WRITE 0x4, h, X=1, Y=1", "ETH_BROADCAST 0x0, h"])
def test_code_of_a_tile_is_not_overwritten_by_the_host(line: str) -> None:
    text = HEAD.replace(".tile 1, 1\n@host", ".tile 1, 1\n.rv B\nnop\nnop\nebreak\n@host")
    made = Session.load(Source("t.nasm", f"{text}{line}\n"), targets=TARGETS)
    (problem,) = made.run().problems
    assert (problem.code, "code of RISC-V cores" in problem.message) == ("E0325", True)
    assert problem.span is not None
    assert problem.span.line == text.count("\n") + 1


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        (f"ETH_REQUEST 0x2001, {REQUEST}, Flags=RD_REQ", "E0326", "multiple of 4"),
        (f"ETH_REQUEST 0x2000, {REQUEST}", "E0326", "reads or writes"),
        (f"ETH_REQUEST 0x2000, {REQUEST}, Flags=RD_REQ|WR_REQ", "E0326", "reads or writes"),
        (f"ETH_REQUEST 0x2004, {REQUEST}, Block=block, Flags=WR_REQ|DATA_BLOCK", "E0326", "of 32"),
        (f"ETH_REQUEST 0x2000, {REQUEST}, Data=8, Flags=WR_REQ|DATA_BLOCK", "E0326", "has a Block"),
        (f"ETH_REQUEST 0x2000, {REQUEST}, Block=block, Flags=RD_REQ", "E0326", "no Block"),
        (f"ETH_REQUEST 0x2000, {REQUEST}, Flags=WR_ACK", "E0301", "no flag"),
        (f"ETH_REQUEST 0x2000, {REQUEST}, Flags=0x80000000", "E0301", "no flag"),
        ("ETH_READ back, 0x2000", "E0326", "names no tile"),
        ("ETH_READ back, b, X=1, Y=1", "E0326", "whose tile is known"),
        ("ETH_READ a, b", "E0301", "host's memory"),
        ("ETH_WRITE back, h", "E0326", "own memory"),
        ("ETH_READ back[0:2], b, Bytes=12", "E0326", "of which back has 8"),
        ("NOC_READ a, b", "E0408", ""),
    ],
)
def test_what_has_no_meaning_is_refused_at_its_line(line: str, code: str, said: str) -> None:
    with pytest.raises(Failure) as caught:
        Session.load(Source("t.nasm", f"{HEAD}{line}\n"), targets=TARGETS)
    (problem,) = caught.value.problems
    assert (problem.code, said in problem.message) == (code, True)


def test_a_tile_races_with_the_host_where_nothing_orders_them() -> None:
    tile = "\n.tile 4, 1, 1\n@noc0 NOC_WRITE 0x8000, b, X=4, Y=1 {wait}\n@noc0 NOC_BARRIER\n"
    made = Session.load(
        Source("t.nasm", HEAD + "ETH_WRITE b, h $go++" + tile.format(wait="")), targets=TARGETS
    )
    (found,) = [h for h in made.run().hazards if h.code == "E0502"]
    assert {a["engine"] for a in found.facts["accesses"]} == {"1-1.host", "4-1.noc0"} or {
        a["engine"] for a in found.facts["accesses"]
    } == {"1-1.host", "1:4-1.noc0"}
    ran("ETH_WRITE b, h $go++" + tile.format(wait="$go >= 1"))


def test_going_back_makes_the_same_run() -> None:
    lines = f"ETH_WRITE b, h\nETH_REQUEST 0x2000, {REQUEST}, Flags=RD_REQ|TIMESTAMP\n"
    lines += "ETH_WRITE 0x9000, h, X=0, Y=0, Bytes=4\n".replace("ETH_WRITE", "; ETH_WRITE")
    lines += "ETH_RESPONSE answer\nETH_READ back, b"
    made = ran(lines)
    marks = made.report().trace_hash, made.report().memory_hash
    made.back(3)
    made.back(1)
    made.run()
    assert (made.report().trace_hash, made.report().memory_hash) == marks
    whole = Session.load(Source("t.nasm", HEAD + lines), targets=TARGETS, values=False)
    assert whole.run().ticks == ticks(made)
