"""The host's side in Python: transfers of any length, and chips whose tiles are those of runs."""

from __future__ import annotations

import numpy as np
import pytest

import nasm
from nasm.base.problems import Refused
from nasm.targets.tensix.ethernet.commands import BroadcastHeader, ChipPlace, RoutingCommand
from nasm.targets.tensix.ethernet.firmware import EthernetNetwork
from nasm.targets.tensix.ethernet.host import N300_LINKS, EthernetHost, n300
from nasm.targets.tensix.ethernet.tile_memories import JoinedChip
from tests.parts import part

PRODUCES = """
.target wormhole
.tile 3, 4
.l1 x u32[4] @ 0x1000 output = zeros
@t0
.cfg GPR0 = 0x1000 // 16
.cfg GPR4 = 42
STOREIND  MemHierSel=1, Size=1, OffsetHalfReg=2, DataReg=4
"""
CONSUMES = """
.target wormhole
.tile 1, 1
.l1 a u32[4] @ 0x2000 = [1, 2, 3, 4]
.tile 4, 1
.l1 b u32[4] @ 0x3000 output = zeros
.tile 1, 1
@noc0 NOC_WRITE b, a
@noc0 NOC_BARRIER
"""


@pytest.mark.parametrize("seed", part(range(40), 6))
def test_bytes_of_any_length_and_place_are_those_of_an_array(seed: int) -> None:
    draw = np.random.default_rng(seed)
    host = n300()
    known = {(x, tile): np.zeros(8192, np.uint8) for x in (0, 1) for tile in ((1, 1), (8, 6))}
    for _ in range(12):
        x, tile = list(known)[int(draw.integers(4))]
        address, count = (4 * int(draw.integers(1, n)) for n in (1200, 840))
        data = draw.integers(0, 256, count, np.uint8)
        flags = 0x1000 if draw.integers(2) else 0
        host.write(x, 0, tile=tile, address=0x20000 + address, data=data.tobytes(), flags=flags)
        known[x, tile][address : address + count] = data
    for (x, tile), expected in known.items():
        found = host.read(x, 0, tile=tile, address=0x20004, count=8188)
        assert found == expected[4:].tobytes()
    counters = host.queues.submissions.counters
    assert counters["wr_req"] == counters["wr_resp"]
    assert counters["error"] == 0


def test_a_run_gives_its_bytes_to_that_of_another_chip() -> None:
    first, second = nasm.Session(PRODUCES), nasm.Session(CONSUMES)
    host = n300(first, second)
    assert first.run().ok
    data = host.read(0, 0, tile=(3, 4), address=0x1000, count=16)
    assert data == first.read("x").tobytes() == b"\x2a" + bytes(15)
    host.write(1, 0, tile=(1, 1), address=0x2000, data=data)
    assert second.run().ok
    assert second.read("b").tolist() == [42, 0, 0, 0]
    host.write(1, 0, tile=(4, 1), address=0x3004, data=b"\7\0\0\0")
    assert second.read("b").tolist() == [42, 7, 0, 0]


def test_what_is_written_to_a_run_is_a_change_that_is_gone_back_over() -> None:
    session = nasm.Session(CONSUMES)
    n300(None, session).write(1, 0, tile=(1, 1), address=0x2000, data=bytes([9, 0, 0, 0] * 4))
    assert [str(change) for change in session.changes.made] == ["16 bytes of l1 at 0x2000"]
    session.run()
    assert session.read("b").tolist() == [9] * 4
    end = session.report().memory_hash
    session.goto("0")
    session.run()
    assert session.report().memory_hash == end
    session.undo()
    session.run()
    assert session.read("b").tolist() == [1, 2, 3, 4]


def test_what_is_written_to_a_run_is_recorded_and_known_as_its_last_write() -> None:
    session = nasm.Session(CONSUMES)
    session.run()
    data = np.frombuffer(bytes([9, 0, 0, 0]), np.uint8)
    session.changes.addressed("l1", 1).write(0x3008, data)
    again = nasm.Session.replayed(session.recorded())
    for one in (session, again):
        assert one.read("b").tolist() == [1, 2, 9, 4]
        assert [str(change) for change in one.changes.made] == ["4 bytes of l1 at 0x3008"]
    assert again.recorded() == session.recorded()
    latest = session.why.latest(None)
    assert latest is not None
    assert {name: str(write.by) for name, write in latest.writes.items()} == {
        "b": "a change by hand"
    }
    with pytest.raises(Refused, match="l1 has"):
        session.changes.addressed("l1", 1).write(0x16E000, data)
    with pytest.raises(Refused, match="no bytes of a memory sbuf of core 0"):
        session.changes.addressed("sbuf")
    with pytest.raises(Refused, match="no bytes of a memory l1 of core 2"):
        session.changes.addressed("l1", 2)


def test_a_broadcast_reaches_the_tiles_of_runs_and_all_others() -> None:
    session = nasm.Session(CONSUMES)
    host = n300(None, session)
    host.broadcast(0x3000, b"\5\0\0\0" * 4)
    assert session.read("b").tolist() == [5] * 4
    for x in (0, 1):
        assert host.read(x, 0, tile=(9, 11), address=0x3000, count=4) == b"\5\0\0\0"
    assert host.read(1, 0, tile=(9, 0), address=0x3000, count=4) == bytes(4)
    host.broadcast(0x3004, b"\6\0\0\0" * 600, BroadcastHeader(rows=0xFFD, columns=0x3FD))
    assert host.read(0, 0, tile=(1, 1), address=0x3000, count=2404) == (
        b"\5\0\0\0" + b"\6\0\0\0" * 600
    )
    assert host.read(0, 0, tile=(2, 1), address=0x3004, count=4) == b"\5\0\0\0"


def test_code_of_a_run_is_not_overwritten() -> None:
    session = nasm.Session(".target wormhole\n.tile 1, 1\n.rv B\nnop\nebreak\n")
    host = n300(session)
    with pytest.raises(nasm.Refused, match="are code of RISC-V cores"):
        host.write(0, 0, tile=(1, 1), address=0, data=bytes(64))
    host.submit(RoutingCommand(0, 1, 1, flags=1))
    with pytest.raises(nasm.Refused, match="are code of RISC-V cores"):
        host.complete()
    with pytest.raises(nasm.Refused, match="was refused in flight"):
        host.complete()
    host.write(0, 0, tile=(1, 1), address=0x10000, data=bytes(64))


def test_a_full_queue_takes_no_more() -> None:
    host = n300()
    command = RoutingCommand(0x1000, 1, 1, ChipPlace(1), flags=4)
    assert [host.submit(command) for _ in range(4)] == [0, 1, 2, 3]
    with pytest.raises(Refused, match="the submission queue is full: it has four requests"):
        host.submit(command)
    with pytest.raises(Refused, match="other requests are in flight"):
        host.request(command)
    assert [host.complete()[0].flags for _ in range(4)] == [8] * 4
    with pytest.raises(Refused, match="no response is to come"):
        host.complete()
    assert host.submit(command) == 4


def test_what_a_host_cannot_ask_for_is_refused_with_a_sentence() -> None:
    host = n300()
    block = RoutingCommand(0x1000, 1, 1, ChipPlace(1), 64, 0x41)
    with pytest.raises(Refused, match="writes 64 bytes, and has 60"):
        host.submit(block, bytes(60))
    with pytest.raises(Refused, match="this request takes no block"):
        host.submit(RoutingCommand(0x1000, 1, 1, flags=1), bytes(4))
    with pytest.raises(Refused, match="not whole words"):
        host.read(0, 0, tile=(1, 1), address=2, count=4)
    with pytest.raises(Refused, match="no port leads to the chip at 3, 1 of shelf 0 in rack 0"):
        host.read(3, 1, tile=(1, 1), address=0, count=4)
    for wrong, said in (
        ({"tile": (0, 10)}, "is the ARC tile"), ({"tile": (40, 1)}, "no tile 40, 1"),
        ({"address": 0x16DFFC, "count": 8}, "4 bytes at 0x16e000"),
        ({"flags": 0x80}, "a broadcast"),
        ({"tile": 3}, "a column and a row, found 3"), ({"address": "x"}, "from 0 on, found 'x'"),
        ({"address": -4}, "address"), ({"count": -4}, "count"), ({"tile": (-1, 1)}, "column"),
    ):  # fmt: skip
        given = {"tile": (1, 1), "address": 0, "count": 4} | wrong
        with pytest.raises(Refused) as caught:
            host.read(0, 0, **given)  # type: ignore[arg-type]
        assert said in str(caught.value)
        assert host.read(0, 0, tile=(1, 1), address=0, count=4) == bytes(4)
    with pytest.raises(Refused, match="bytes or an array are written, found str"):
        host.write(0, 0, tile=(1, 1), address=0, data="text")  # type: ignore[arg-type]
    with pytest.raises(Refused, match="address of a command has 32 bits, found a"):
        host.submit(RoutingCommand("a", flags=4))  # type: ignore[arg-type]
    with pytest.raises(Refused, match="64 bytes at 0x3ffe0 of tile"):
        host.broadcast(0x3FFE0, bytes(64), BroadcastHeader())
    with pytest.raises(Refused, match="there is no E16 of a chip at 0, 0"):
        EthernetHost(host.network, (ChipPlace(), 16))
    with pytest.raises(Refused, match="is no memory of a chip"):
        JoinedChip(ChipPlace(), {(0, 2): host.network.host})
    with pytest.raises(Refused, match="no bytes of a memory"):
        n300(nasm.Session(PRODUCES, values=False))
    with pytest.raises(Refused, match="no bytes of a memory l1 of core 0"):
        n300(nasm.Session(".target trn1\n@vector Nop"))


def test_writes_that_are_only_counted_are_waited_for_by_the_counter() -> None:
    chips = [JoinedChip(ChipPlace(x)) for x in (0, 1)]
    host = EthernetHost(EthernetNetwork(chips, N300_LINKS, answers_writes=False))
    host.write(1, 0, tile=(2, 2), address=0x104, data=bytes(range(200)))
    assert host.read(1, 0, tile=(2, 2), address=0x104, count=200) == bytes(range(200))
    assert host.queues.completions.write_index == host.queues.completions.read_index
    with pytest.raises(Refused, match=r"WR_ACK\|DEST_UNREACHABLE"):
        host.write(2, 0, tile=(2, 2), address=0x100, data=bytes(4))
