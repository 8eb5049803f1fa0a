"""What the network interfaces of tiles count of the requests that they send and receive.

Source: the public ISA documentation of Wormhole B0, NoC/Counters, which says at which moments of a
request which counters change. Assumed is that a request leaves when it has a virtual channel, that
the bytes of a write are read when its last flit has left, and that all of its flits are counted as
received when the last one is.
"""

from __future__ import annotations

import heapq
from functools import lru_cache
from typing import Any, Final, NamedTuple

from nasm.isa.effects import Packet
from nasm.isa.tile_grid import TilePlace

IDS: Final = 16
"""Transaction IDs."""

NAMES: Final = (
    "NIU_MST_ATOMIC_RESP_RECEIVED", "NIU_MST_WR_ACK_RECEIVED", "NIU_MST_RD_RESP_RECEIVED",
    "NIU_MST_RD_DATA_WORD_RECEIVED", "NIU_MST_CMD_ACCEPTED", "NIU_MST_RD_REQ_SENT",
    "NIU_MST_NONPOSTED_ATOMIC_SENT", "NIU_MST_POSTED_ATOMIC_SENT",
    "NIU_MST_NONPOSTED_WR_DATA_WORD_SENT", "NIU_MST_POSTED_WR_DATA_WORD_SENT",
    "NIU_MST_NONPOSTED_WR_REQ_SENT", "NIU_MST_POSTED_WR_REQ_SENT",
    "NIU_MST_NONPOSTED_WR_REQ_STARTED", "NIU_MST_POSTED_WR_REQ_STARTED",
    "NIU_MST_RD_REQ_STARTED", "NIU_MST_NONPOSTED_ATOMIC_STARTED",
    *(f"NIU_MST_REQS_OUTSTANDING_ID_{n}" for n in range(IDS)),
    *(f"NIU_MST_WRITE_REQS_OUTGOING_ID_{n}" for n in range(IDS)),
    "NIU_SLV_ATOMIC_RESP_SENT", "NIU_SLV_WR_ACK_SENT", "NIU_SLV_RD_RESP_SENT",
    "NIU_SLV_RD_DATA_WORD_SENT", "NIU_SLV_REQ_ACCEPTED", "NIU_SLV_RD_REQ_RECEIVED",
    "NIU_SLV_NONPOSTED_ATOMIC_RECEIVED", "NIU_SLV_POSTED_ATOMIC_RECEIVED",
    "NIU_SLV_NONPOSTED_WR_DATA_WORD_RECEIVED", "NIU_SLV_POSTED_WR_DATA_WORD_RECEIVED",
    "NIU_SLV_NONPOSTED_WR_REQ_RECEIVED", "NIU_SLV_POSTED_WR_REQ_RECEIVED",
    "NIU_SLV_NONPOSTED_WR_REQ_STARTED", "NIU_SLV_POSTED_WR_REQ_STARTED",
)  # fmt: skip
"""Counters in the order of their addresses."""

INDEX: Final = {name: number for number, name in enumerate(NAMES)}

OUTSTANDING: Final = INDEX["NIU_MST_REQS_OUTSTANDING_ID_0"]
OUTGOING: Final = INDEX["NIU_MST_WRITE_REQS_OUTGOING_ID_0"]
"""The first of those that count by transaction ID: requests without an answer, and writes whose
bytes have not left."""

_NARROW: Final = range(OUTSTANDING, OUTGOING + IDS)
"""Counters of 8 bits; others have 32."""

READ, WRITE, INLINE, ATOMIC = "RD", "WR", "WR, inline", "ATOMIC"
"""Kinds of requests."""

_ANSWERS: Final = {
    READ: "NIU_MST_RD_RESP_RECEIVED",
    WRITE: "NIU_MST_WR_ACK_RECEIVED",
    INLINE: "NIU_MST_WR_ACK_RECEIVED",
    ATOMIC: "NIU_MST_ATOMIC_RESP_RECEIVED",
}

Changes = tuple[tuple[int, int], ...]
"""Counters by number, each with what is added to it."""

MOST_DUE: Final = 128
"""Changes that are kept for later before those that are due are made."""


class RequestCounts(NamedTuple):
    """What a request changes: when it is issued, starts, and has left, at its sender.

    Then when it arrives at a receiver, and when an answer to it comes back.
    """

    issued: Changes
    started: Changes
    left: Changes
    arrived: Changes
    answered: Changes


def kind_of(packet: Packet) -> str:
    """The kind of request that a packet is; one that only raises a semaphore is atomic."""
    if packet.fetches:
        return READ
    if packet.atomic is not None or not packet.count:
        return ATOMIC
    return INLINE if packet.data else WRITE


def part(network: int, index: int) -> str:
    """The name of a counter of a tile's interface among the parts that change."""
    return f"noc{network} {NAMES[index]}"


def answering(packet: Packet) -> tuple[str, ...]:
    """The counters that an answer to a packet changes; none if there is no answer."""
    if not packet.reply:
        return ()
    found = INDEX[_ANSWERS[kind_of(packet)]], OUTSTANDING + packet.tag
    return tuple(part(packet.network, index) for index in found)


@lru_cache(maxsize=256)
def counts(kind: str, answered: bool, number: int, flits: int) -> RequestCounts:
    """The changes by a request of a kind with a transaction ID, and with so many flits of data."""

    def ones(*names: str) -> Changes:
        return tuple((INDEX[name], 1) for name in names)

    how = "NONPOSTED" if answered else "POSTED"
    outstanding = ((OUTSTANDING + number, 1),) if answered else ()
    over = tuple((index, -1) for index, _ in outstanding)
    accepted, data = (
        ones("NIU_MST_CMD_ACCEPTED"),
        ((INDEX["NIU_MST_RD_DATA_WORD_RECEIVED"], flits),),
    )
    if kind == READ:
        return RequestCounts(
            outstanding,
            (*accepted, *ones("NIU_MST_RD_REQ_STARTED", "NIU_MST_RD_REQ_SENT")),
            (),
            (
                *ones("NIU_SLV_REQ_ACCEPTED", "NIU_SLV_RD_REQ_RECEIVED", "NIU_SLV_RD_RESP_SENT"),
                (INDEX["NIU_SLV_RD_DATA_WORD_SENT"], flits),
            ),
            (*ones("NIU_MST_RD_RESP_RECEIVED"), *data, *over),
        )
    if kind == ATOMIC:
        started = ones("NIU_MST_NONPOSTED_ATOMIC_STARTED") if answered else ()
        sent = ones("NIU_SLV_ATOMIC_RESP_SENT") if answered else ()
        return RequestCounts(
            outstanding,
            (*accepted, *started, *ones(f"NIU_MST_{how}_ATOMIC_SENT")),
            (),
            (*ones("NIU_SLV_REQ_ACCEPTED", f"NIU_SLV_{how}_ATOMIC_RECEIVED"), *sent),
            (*ones("NIU_MST_ATOMIC_RESP_RECEIVED"), *over),
        )
    inline = kind == INLINE
    outgoing = () if inline else ((OUTGOING + number, 1),)
    words = () if inline else ((INDEX[f"NIU_MST_{how}_WR_DATA_WORD_SENT"], flits),)
    acknowledged = ones("NIU_SLV_WR_ACK_SENT") if answered else ()
    received = f"NIU_SLV_{how}_WR_DATA_WORD_RECEIVED"
    return RequestCounts(
        (*outstanding, *outgoing),
        (*accepted, *ones(f"NIU_MST_{how}_WR_REQ_STARTED", f"NIU_MST_{how}_WR_REQ_SENT"), *words),
        tuple((index, -1) for index, _ in outgoing),
        (
            *ones(f"NIU_SLV_{how}_WR_REQ_STARTED", f"NIU_SLV_{how}_WR_REQ_RECEIVED"),
            (INDEX[received], 1 if inline else flits),
            *acknowledged,
        ),
        (*ones("NIU_MST_WR_ACK_RECEIVED"), *over),
    )


class DueChange(NamedTuple):
    """Changes of the counters of an interface at a tick; of one tick in the order of numbers."""

    tick: int
    number: int
    network: int
    place: TilePlace
    changes: Changes


class NiuCounters:
    """The counters of all interfaces of a chip, and what is still to change them."""

    def __init__(self) -> None:
        self._due: list[DueChange] = []
        self._made = 0
        self._held: dict[tuple[int, TilePlace], list[int]] = {}

    def change(self, tick: int, network: int, place: TilePlace, changes: Changes) -> None:
        """Let counters of an interface change at a tick, from which on they are read so."""
        if changes:
            self._made += 1
            heapq.heappush(self._due, DueChange(tick, self._made, network, place, changes))

    def settle(self, now: int) -> None:
        """Make the changes that are due."""
        due, held = self._due, self._held
        while due and due[0].tick <= now:
            one = heapq.heappop(due)
            counted = held.get((one.network, one.place))
            if counted is None:
                counted = held[one.network, one.place] = [0] * len(NAMES)
            for index, by in one.changes:
                counted[index] = counted[index] + by & (0xFF if index in _NARROW else 0xFFFFFFFF)

    def tidy(self, now: int) -> None:
        """Make the changes that are due, if there are many."""
        if len(self._due) > MOST_DUE:
            self.settle(now)

    def value(self, network: int, place: TilePlace, index: int, now: int) -> int:
        """A counter of the interface of a tile, by its number."""
        self.settle(now)
        counted = self._held.get((network, place))
        return counted[index] if counted else 0

    def clear(self, network: int, place: TilePlace, ids: int, now: int) -> None:
        """Set counters of outstanding requests to 0: a bit for each transaction ID."""
        self.settle(now)
        counted = self._held.get((network, place))
        if counted is not None:
            for number in range(IDS):
                if ids >> number & 1:
                    counted[OUTSTANDING + number] = 0

    def save(self) -> Any:
        """What is counted, and what is still to be."""
        held = {where: tuple(counted) for where, counted in self._held.items()}
        return tuple(self._due), self._made, held

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""
        due, self._made, held = saved
        self._due = list(due)
        self._held = {where: list(counted) for where, counted in held.items()}
