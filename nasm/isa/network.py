"""A network between the tiles of a chip: what crosses it, and when it is where."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple, Protocol

from nasm.isa.effects import Packet
from nasm.isa.tile_grid import TilePlace


class Crossing(NamedTuple):
    """What becomes of a packet at one receiver, in ticks.

    Its bytes are ``taken`` from where they are, and ``landed`` where they go; the sender has
    ``known`` of that when what comes back has arrived: at the same tick if nothing does. It has
    ``left`` the sender's queue of requests.
    """

    place: TilePlace
    taken: int
    landed: int
    known: int
    left: int


class Network(Protocol):
    """The networks of a chip, with what is in them: saved and restored like all that changes.

    Nothing is at another tile before so many ticks have passed since it was sent: the ``soonest``.
    """

    @property
    def soonest(self) -> int:
        """The least number of ticks between two tiles."""

    def receivers(self, packet: Packet, sender: TilePlace) -> Sequence[TilePlace]:
        """Where a packet of a tile goes; raises Refused where it can go nowhere."""

    def cross(
        self, packet: Packet, sender: TilePlace, receivers: Sequence[TilePlace], now: int
    ) -> Sequence[Crossing]:
        """Send a packet, once for all of its receivers: what becomes of it at each."""

    def parts(self, packet: Packet) -> tuple[Hashable, ...]:
        """What of the sender's tile changes when a packet is answered, by names of the target."""

    def occupied(self, packet: Packet) -> int:
        """Ticks that a packet with bytes takes of each link that it crosses."""

    def home(self, memory: str, sender: TilePlace, network: int) -> TilePlace:
        """Where a memory is that tiles share, for a packet of a tile."""

    def named(self, network: int, place: TilePlace) -> tuple[int, int]:
        """The coordinates of a place in the system of a network."""

    def listens(self, place: TilePlace) -> bool:
        """Whether a place is a tile that may have a core."""

    def memory(self, place: TilePlace) -> str:
        """The name of the memory that tiles share which is at a place; empty if there is none."""

    def where(self, place: TilePlace) -> str:
        """What a place holds, in words."""

    @property
    def most_counted(self) -> int:
        """How many packets of one tag may be in flight before what counts them overflows."""

    def map(self) -> Sequence[Sequence[tuple[TilePlace, str, tuple[tuple[int, int], ...]]]]:
        """All places row by row: each with a letter for what is there, and its loads by network.

        Loads are the cycles in which the links along the row and the column carried something.
        """

    def save(self) -> Any:
        """What is in them."""

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""
