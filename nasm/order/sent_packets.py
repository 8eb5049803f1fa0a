"""What queues have sent by a network, and what is known of it: answered, taken, in which order.

Source of what lanes and drains are: :class:`~nasm.isa.effects.Packet`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import NamedTuple

from nasm.base.problems import Refused
from nasm.isa.effects import Packet, UntilAnswered
from nasm.isa.tile_grid import TilePlace
from nasm.order.skeleton import LANDS, Event
from nasm.program.program import Program
from nasm.program.receivers import effect_of, receivers


class SendingLine(NamedTuple):
    """A packet as its line says it; on a lane with the ``places`` to which it goes."""

    packet: Packet
    places: tuple[TilePlace, ...] = ()

    @property
    def way(self) -> Hashable:
        """What tells it from others whose answers say nothing of it; None of a plain one."""
        packet = self.packet
        if packet.lane is None and not packet.tag:
            return None
        return packet.tag, packet.lane, self.places


class SendingLines:
    """The instructions of a program that send packets, and those that wait for them."""

    def __init__(self, program: Program) -> None:
        self.program = program
        effects = ((number, one.row) for number, one in enumerate(program.instructions))
        some = {number: row for number, row in effects if row.effect in (Packet, UntilAnswered)}
        self.sending = {number for number, row in some.items() if row.moves}
        self.drains = {number for number, row in some.items() if row.effect is UntilAnswered}
        self._packets: dict[tuple[int, int], SendingLine] = {}
        self._drains: dict[int, UntilAnswered] = {}

    def of(self, queue: int, number: int) -> SendingLine:
        """The packet of an instruction, by its number."""
        known = self._packets.get((queue, number))
        if known is None:
            packet = effect_of(self.program, queue, self.program.instructions[number])
            places: tuple[TilePlace, ...] = ()
            if packet.lane is not None:
                try:
                    places = tuple(receivers(self.program, queue, packet))
                except Refused:  # it is never sent
                    places = ()
            known = self._packets[queue, number] = SendingLine(packet, places)
        return known

    def drain(self, queue: int, number: int) -> UntilAnswered:
        """What an instruction waits for, by its number."""
        known = self._drains.get(number)
        if known is None:
            found = effect_of(self.program, queue, self.program.instructions[number])
            known = self._drains[number] = found
        return known


class SentPacket(NamedTuple):
    """A packet that a queue has sent, and the number of its instruction among those executed."""

    number: int
    packet: Packet


class SentPackets:
    """The packets of a run, as far as it was looked at.

    ``taken`` says of those whose bytes a queue has waited for which of its instructions did.
    """

    def __init__(self, queues: int) -> None:
        self._unanswered: list[list[SentPacket]] = [[] for _ in range(queues)]
        self._kept: list[list[SentPacket]] = [[] for _ in range(queues)]
        self._written: dict[Hashable, dict[int, int]] = {}
        self.taken: list[dict[int, int]] = [{} for _ in range(queues)]

    def send(
        self, queue: int, index: int, line: SendingLine, column: int, count: int
    ) -> tuple[tuple[int, int], ...]:
        """An instruction sends a packet, known to have landed once a column has a count.

        Returns what has landed before, in the same way: what was written on its lane, if it reads.
        """
        packet = line.packet
        if packet.reply:
            self._unanswered[queue].append(SentPacket(index, packet))
        if packet.takes:
            self._kept[queue].append(SentPacket(index, packet))
        if packet.lane is None or packet.atomic is not None:
            return ()
        lane = queue, packet.lane, line.places
        if packet.fetches:
            return tuple(self._written.get(lane, {}).items())
        self._written.setdefault(lane, {})[column] = count
        return ()

    def drain(self, queue: int, index: int, drain: UntilAnswered) -> Iterator[Event]:
        """What has happened before an instruction starts that waits for packets."""
        some = self._kept[queue] if drain.taken else self._unanswered[queue]
        left = []
        for sent in some:
            if not drain.covers(sent.packet):
                left.append(sent)
            elif drain.taken:
                self.taken[queue][sent.number] = index
            else:
                yield Event(LANDS, queue, sent.number)
        some[:] = left
