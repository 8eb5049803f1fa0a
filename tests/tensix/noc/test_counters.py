"""What network interfaces count: for each kind of request the changes that NoC/Counters lists.

The lists are written out here as the page has them, one for the sender and one for the receiver.
"""

from __future__ import annotations

import pytest

from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.isa.tile_grid import TilePlace
from nasm.targets import TARGETS
from nasm.targets.tensix.noc.counters import NAMES, NiuCounters
from nasm.targets.tensix.noc.links import Links

HEAD = """\
.target wormhole
.tile 1, 1
.l1 a u32[25] @ 0x1000 = iota
.l1 w u32[4] @ 0x1200 = zeros
.sem acked
.tile 4, 1
.l1 b u32[25] @ 0x2000 = zeros
.sem ready
.tile 1, 1
@noc0
"""

SENT = {
    "NOC_READ a, b": "CMD_ACCEPTED RD_REQ_STARTED RD_REQ_SENT RD_RESP_RECEIVED "
    "RD_DATA_WORD_RECEIVED=4",
    "NOC_WRITE b, a": "CMD_ACCEPTED NONPOSTED_WR_REQ_STARTED NONPOSTED_WR_REQ_SENT "
    "NONPOSTED_WR_DATA_WORD_SENT=4 WR_ACK_RECEIVED",
    "NOC_WRITE_POSTED b, a": "CMD_ACCEPTED POSTED_WR_REQ_STARTED POSTED_WR_REQ_SENT "
    "POSTED_WR_DATA_WORD_SENT=4",
    "NOC_INLINE_WRITE b[0:1], 7": "CMD_ACCEPTED NONPOSTED_WR_REQ_STARTED NONPOSTED_WR_REQ_SENT "
    "WR_ACK_RECEIVED",
    "NOC_ATOMIC_INC b[0:1], w[0:1], 5": "CMD_ACCEPTED NONPOSTED_ATOMIC_STARTED "
    "NONPOSTED_ATOMIC_SENT ATOMIC_RESP_RECEIVED",
    "NOC_INC $ready++": "CMD_ACCEPTED POSTED_ATOMIC_SENT",
    "NOC_MULTICAST 0x2000, a, X0=2, Y0=1, X1=4, Y1=1": "CMD_ACCEPTED NONPOSTED_WR_REQ_STARTED "
    "NONPOSTED_WR_REQ_SENT NONPOSTED_WR_DATA_WORD_SENT=4 WR_ACK_RECEIVED=3 "
    "REQS_OUTSTANDING_ID_0=254",
}  # fmt: skip
RECEIVED = {
    "NOC_READ a, b": "REQ_ACCEPTED RD_REQ_RECEIVED RD_RESP_SENT RD_DATA_WORD_SENT=4",
    "NOC_WRITE b, a": "NONPOSTED_WR_REQ_STARTED NONPOSTED_WR_DATA_WORD_RECEIVED=4 "
    "NONPOSTED_WR_REQ_RECEIVED WR_ACK_SENT",
    "NOC_WRITE_POSTED b, a": "POSTED_WR_REQ_STARTED POSTED_WR_DATA_WORD_RECEIVED=4 "
    "POSTED_WR_REQ_RECEIVED",
    "NOC_INLINE_WRITE b[0:1], 7": "NONPOSTED_WR_REQ_STARTED NONPOSTED_WR_REQ_RECEIVED "
    "NONPOSTED_WR_DATA_WORD_RECEIVED WR_ACK_SENT",
    "NOC_ATOMIC_INC b[0:1], w[0:1], 5": "REQ_ACCEPTED NONPOSTED_ATOMIC_RECEIVED ATOMIC_RESP_SENT",
    "NOC_INC $ready++": "REQ_ACCEPTED POSTED_ATOMIC_RECEIVED",
    "NOC_MULTICAST 0x2000, a, X0=2, Y0=1, X1=4, Y1=1": "NONPOSTED_WR_REQ_STARTED "
    "NONPOSTED_WR_DATA_WORD_RECEIVED=4 NONPOSTED_WR_REQ_RECEIVED WR_ACK_SENT",
}


def listed(text: str, side: str) -> dict[str, int]:
    pairs = (word.partition("=") for word in text.split())
    return {f"NIU_{side}_{name}": int(value or 1) for name, _, value in pairs}


def counters(session: Session) -> NiuCounters:
    packets = session.machine.packets
    assert packets is not None
    assert isinstance(packets.network, Links)
    return packets.network.counters


def counted(session: Session, place: TilePlace, now: int) -> dict[str, int]:
    made = counters(session)
    found = {name: made.value(0, place, index, now) for index, name in enumerate(NAMES)}
    return {name: value for name, value in found.items() if value}


def ran(lines: str) -> Session:
    made = Session.load(Source("t.nasm", HEAD + lines), targets=TARGETS)
    assert made.run().problems == ()
    return made


@pytest.mark.parametrize("line", SENT)
def test_a_request_changes_the_counters_of_its_list(line: str) -> None:
    made = ran(line)
    assert counted(made, (1, 1), 10_000) == listed(SENT[line], "MST")
    assert counted(made, (4, 1), 10_000) == listed(RECEIVED[line], "SLV")


def test_what_is_outstanding_and_outgoing_is_counted_in_between() -> None:
    """The request leaves at 0; 5 flits have left at 5; three hops there, seven back: 114 and 4."""
    made = ran("NOC_WRITE b, a")
    at = {now: counted(made, (1, 1), now) for now in (0, 4, 5, 113, 114)}
    assert [found.get("NIU_MST_WRITE_REQS_OUTGOING_ID_0", 0) for found in at.values()] == [
        1, 1, 0, 0, 0,
    ]  # fmt: skip
    assert [found.get("NIU_MST_REQS_OUTSTANDING_ID_0", 0) for found in at.values()] == [
        1, 1, 1, 1, 0,
    ]  # fmt: skip


def test_counters_of_outstanding_requests_are_cleared_by_transaction_id() -> None:
    made = NiuCounters()
    place = (1, 1)
    made.change(3, 1, place, ((16, 1), (17, 2), (18, 3)))
    made.clear(1, place, 0b101, 3)
    assert [made.value(1, place, index, 3) for index in (16, 17, 18)] == [0, 2, 0]
    assert made.value(0, place, 17, 3) == 0


def test_counters_wrap_at_their_width() -> None:
    made = NiuCounters()
    place = (1, 1)
    made.change(0, 0, place, ((16, -1), (1, -1)))
    assert (made.value(0, place, 16, 0), made.value(0, place, 1, 0)) == (0xFF, 0xFFFFFFFF)


def test_counters_go_back_with_a_run() -> None:
    made = ran("NOC_WRITE b, a\nNOC_BARRIER\nNOC_WRITE b, a\nNOC_BARRIER")
    kept = counters(made)
    saved = kept.save()
    assert kept.value(0, (1, 1), 1, 10_000) == 2
    kept.restore(saved)
    assert kept.value(0, (1, 1), 1, 114) == 1
