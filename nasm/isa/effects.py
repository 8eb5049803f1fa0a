"""What semantics may ask for beyond returning values. Effects are data; the machine acts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import NDArray

from nasm.base.records import dataclass
from nasm.views.view import View


class Effect:
    """What an instruction asks of the machine beyond storing results; a row names its type."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Jump(Effect):
    """Continue at this label of the queue (None: with the next instruction)."""

    target: str | None


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """A result of which only the elements under ``where`` are stored; the others stay as they are.

    ``values`` are as any result's, ``where`` is a bool array that broadcasts to their shape. For
    operands marked ``partial``.
    """

    values: Any
    where: Any


COPY, SUM, ONTO = "copy", "sum", "onto"
"""What a transfer does with its elements: see :class:`Transfer`."""


@dataclass(frozen=True, slots=True)
class Say(Effect):
    """Put a message into the run's report; nothing else changes."""

    text: str


@dataclass(frozen=True, slots=True)
class Transfer(Effect):
    """Copy views to views, apart from the queues. The target plans which channels do it, and when.

    Each of ``moves`` is a destination and its source. ``op``: ``COPY``; ``SUM`` widens several
    sources to float32, adds them in order and rounds once; ``ONTO`` adds the source to what the
    destination holds when the data lands. ``axes`` transposes a copy on the way: axis i of the
    destination is axis ``axes[i]`` of the source, and a share is whole rows of the destination.
    ``skips`` leaves out what the run addresses out of bounds, which is a fault otherwise.
    """

    moves: tuple[tuple[View, ...], ...]
    options: tuple[tuple[str, object], ...] = ()
    op: str = COPY
    axes: tuple[int, ...] = ()
    skips: bool = False

    def option(self, name: str) -> object:
        """An option by name; None if it was not given."""
        return dict(self.options).get(name)


Atomic = Callable[[NDArray[Any]], tuple[NDArray[Any], NDArray[Any]]]
"""What an atomic operation makes of the aligned bytes at its place: what is put there, and what
comes back."""


@dataclass(frozen=True, slots=True, eq=False)
class Packet(Effect):
    """Bytes that cross a network between tiles, apart from the queues.

    ``here`` is a place of the tile that sends it, ``there`` one of the other tiles: a view or an
    address; None for none. They go from here there, or come here from there if it ``fetches``.
    ``to`` are the coordinates of the other tile, or of the first and the last corner of a
    rectangle of tiles; empty if the view ``there`` says it, or the semaphore that it posts to.
    ``data`` goes instead of what is here; of either only the bytes with the numbers ``only`` are
    written, if some are given. An ``atomic`` operation is made there, of which what comes back goes
    here. With a ``reply`` the sender learns when it has landed, and what it posts to is the
    sender's. ``tag`` is the number under which its network counts it until it is answered. What a
    queue sends on one ``lane`` to one place arrives in order, and what is written there is there
    for what is read on it later; None is no lane. ``options`` are the network's own.
    """

    network: int
    count: int
    here: View | int | None = None
    there: View | int | None = None
    to: tuple[int, ...] = ()
    fetches: bool = False
    reply: bool = True
    data: bytes = b""
    only: tuple[int, ...] = ()
    atomic: Atomic | None = None
    tag: int = 0
    lane: int | None = None
    options: tuple[tuple[str, object], ...] = ()

    def option(self, name: str) -> object:
        """An option by name; None if it was not given."""
        return dict(self.options).get(name)

    @property
    def takes(self) -> bool:
        """Whether it takes its bytes from the tile that sends it."""
        return not (self.fetches or self.data or self.atomic is not None) and self.count > 0

    @property
    def views(self) -> tuple[tuple[View, ...], tuple[View, ...]]:
        """The views that it reads and those that it writes; of a multicast, in one of the tiles."""
        here = (self.here,) if isinstance(self.here, View) else ()
        there = (self.there,) if isinstance(self.there, View) else ()
        if self.atomic is not None:
            return there, (*there, *here)
        return (there, here) if self.fetches else (here, there)


@dataclass(frozen=True, slots=True)
class UntilAnswered(Effect):
    """Hold the queue until the sender knows of all packets that it has sent before.

    With a ``tag`` only of those that have it. ``taken``: until the bytes have been taken of all
    packets that take some from here.
    """

    tag: int | None = None
    taken: bool = False

    def covers(self, packet: Packet) -> bool:
        """Whether it waits for a packet."""
        return self.tag in (None, packet.tag) and (packet.takes if self.taken else packet.reply)


@dataclass(frozen=True, slots=True, eq=False)
class OutsideCall(Effect):
    """Have what is outside of the cores act, and hold the queue until it has.

    ``ends`` gets that and the tick, and says when it will be over; then ``act`` gets it, the tick
    and the bytes of ``takes``, and returns bytes for each of ``gives``. Both are views of memories
    that cores share, or None.
    """

    act: Callable[[Any, int, bytes], Sequence[bytes]]
    ends: Callable[[Any, int], int]
    takes: View | None = None
    gives: tuple[View | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Clear(Effect):
    """Set the semaphores of the core from one number to another, both included, to 0."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a core sends and receives in a rendezvous.

    ``src`` goes to core ``to``, and what core ``source`` sends comes into ``dst``. The channels of
    the sender move it, and the rendezvous is over when all has landed; with ``direct`` the engines
    do it themselves, within the latency of the instruction.
    """

    dst: View
    src: View
    to: int
    source: int
    direct: bool = False


@dataclass(frozen=True, slots=True)
class Rendezvous(Effect):
    """Hold the queue until an instruction like this one is held on each of some cores.

    ``by`` names what distinguishes rendezvous of one instruction, ``alike`` what has to be the same
    on every side, as pairs of a name and a value.
    """

    cores: tuple[int, ...]
    by: tuple[tuple[str, object], ...] = ()
    alike: tuple[tuple[str, object], ...] = ()
    exchange: Exchange | None = None


@dataclass(frozen=True, slots=True)
class RankExchange(Effect):
    """Exchange tensors with other ranks, once each rank of a group has reached the same call.

    Ranks of one of the ``groups`` take part together; none are all ranks in one group, and a rank
    in no group takes no part if ``others`` may be absent. ``sources`` are what a rank sends, read
    until it is over; ``destinations`` what it receives, written when it is. ``operation`` and
    ``options``, pairs of a name and a value, say what becomes of the elements, which the target's
    :class:`~nasm.isa.collectives.RankExchanges` knows; they are the same on each rank of a group.
    """

    operation: str
    destinations: tuple[View, ...]
    sources: tuple[View, ...]
    groups: tuple[tuple[int, ...], ...] = ()
    options: tuple[tuple[str, object], ...] = ()
    others: bool = False


def moved(effect: object) -> tuple[tuple[View, ...], tuple[View, ...]]:
    """What an effect reads and what it writes; nothing, if it is one that moves nothing."""
    if isinstance(effect, Transfer):
        out = tuple([src for _, *srcs in effect.moves for src in srcs])
        return out, tuple([dst for dst, *_ in effect.moves])
    if isinstance(effect, Rendezvous) and effect.exchange is not None:
        return (effect.exchange.src,), (effect.exchange.dst,)
    if isinstance(effect, RankExchange):
        return effect.sources, effect.destinations
    if isinstance(effect, OutsideCall):
        given = tuple([view for view in effect.gives if view is not None])
        return () if effect.takes is None else (effect.takes,), given
    return effect.views if isinstance(effect, Packet) else ((), ())


MOVING = (Transfer, Rendezvous, RankExchange, Packet, OutsideCall)
"""The effects that may move something."""


@dataclass(frozen=True, slots=True)
class Share:
    """One channel's part of a transfer: element ranges (move, begin, end), moved in order.

    Ranges count elements of both sides in row-major order. Times are in ticks: ``busy`` occupies
    the channel, the data lands ``latency`` after the start, and not before all of it has passed.
    After each of its ``packets`` a share of another ring may have a turn; ``descriptors`` are the
    pieces that the channel moves one by one.
    """

    channel: int
    ranges: tuple[tuple[int, int, int], ...]
    busy: int
    latency: int
    bytes: int
    packets: int = 1
    descriptors: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A planned transfer. Each share posts 1 to the instruction's semaphore when it has landed.

    ``ring`` is the queue within each channel, ``dispatch`` the ticks before the first may start and
    ``notify`` the ticks from landing until a waiter may start. A channel serves the rings whose
    next share has the lowest ``urgency`` first. ``maker`` names what of the core works on the
    transfer before its shares arrive, one transfer at a time, for ``making`` ticks. ``shared`` says
    that a side is in a memory that cores share; ``descriptors`` are the pieces that its channels
    move one by one. ``figures`` are the names of those that its times depend on: of the "dispatch",
    the "shares", the "notification" and what the maker makes, the "descriptors".
    """

    shares: tuple[Share, ...]
    ring: int
    dispatch: int
    notify: int
    urgency: int = 0
    maker: str = ""
    making: int = 0
    shared: bool = False
    descriptors: int = 0
    figures: tuple[tuple[str, tuple[str, ...]], ...] = ()
