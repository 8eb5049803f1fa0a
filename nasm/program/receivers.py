"""What instructions send by a network, as their operands say it: packets, and who receives them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nasm.base.problems import Refused
from nasm.base.records import replace
from nasm.isa.effects import Packet
from nasm.isa.implicit_kinds import Here
from nasm.isa.network import Network
from nasm.isa.tile_grid import TilePlace, chip_of, on_chip, tile_name
from nasm.program.program import Instruction, Program
from nasm.views.view import View


def effect_of(program: Program, queue: int, instruction: Instruction) -> Any:
    """What an instruction of a queue asks of the networks: a packet, or to wait for answers."""
    engine = program.queues[queue].engine
    values = [
        engine if isinstance(operand.kind, Here) else instruction.operand(operand.name)
        for operand in instruction.row.reads
    ]
    return instruction.row.semantics(*values)


def addressed(
    program: Program, network: Network, packet: Packet, sender: TilePlace, semaphore: int | None
) -> Packet:
    """A packet of a tile with the coordinates of where it goes.

    That is where the tensor is that it names, or the ``semaphore`` that it raises. Raises Refused
    if it names nothing.
    """
    if packet.to:
        return packet
    there, chip = packet.there, chip_of(sender)
    if isinstance(there, View) and there.tensor.memory.shared:
        place = network.home(there.tensor.memory.name, sender[:2], packet.network)
    elif isinstance(there, View):
        place = program.places[there.tensor.core]
    elif semaphore is not None:
        place = program.places[program.generation.counter(semaphore)[0]]
    else:
        raise Refused("E0325", "the other tile is not named", "give X and Y")
    if chip_of(place) != chip:
        message = f"a packet of chip {chip} to tile {tile_name(place)}, of chip {chip_of(place)}"
        raise Refused("E0862", message, "networks are of one chip: lines of @host reach others")
    return replace(packet, to=network.named(packet.network, place[:2]))


def receivers(program: Program, queue: int, packet: Packet) -> Sequence[TilePlace]:
    """The tiles that receive a packet of a queue, of which each posts; raises Refused for none."""
    assert program.target.network is not None
    network = program.target.network(program.generation)
    sender = program.places[program.queues[queue].core]
    packet = addressed(program, network, packet, sender, None)
    return [on_chip(place, chip_of(sender)) for place in network.receivers(packet, sender[:2])]


def posts_of(program: Program, queue: int, number: int) -> int:
    """How often the transfer of an instruction, by its number, posts; 0 of what transfers nothing.

    A packet that no tile receives is refused when it is sent.
    """
    instruction = program.instructions[number]
    if instruction.row.spreads and instruction.row.posts:
        try:
            return len(receivers(program, queue, effect_of(program, queue, instruction)))
        except Refused:
            return instruction.row.posts
    return instruction.row.posts
