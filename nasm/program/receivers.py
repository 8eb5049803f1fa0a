"""How often an instruction posts: of a packet to several tiles, once for each that receives it."""

from __future__ import annotations

from collections.abc import Sequence

from nasm.base.problems import Refused
from nasm.isa.effects import Packet
from nasm.isa.implicit_kinds import Here
from nasm.isa.tile_grid import TilePlace
from nasm.program.program import Instruction, Program


def receivers(program: Program, queue: int, instruction: Instruction) -> Sequence[TilePlace]:
    """The tiles to which an instruction of a queue spreads a packet; raises Refused for none."""
    row, lines = instruction.row, program.queues[queue]
    values = [
        lines.engine if isinstance(operand.kind, Here) else instruction.operand(operand.name)
        for operand in row.reads
    ]
    packet, network = row.semantics(*values), program.target.network
    assert isinstance(packet, Packet)
    assert network is not None
    return network(program.generation).receivers(packet, program.tiles[lines.core])


def posts_of(program: Program, queue: int, number: int) -> int:
    """How often the transfer of an instruction, by its number, posts; 0 of what transfers nothing.

    A packet that no tile receives is refused when it is sent.
    """
    instruction = program.instructions[number]
    if instruction.row.spreads and instruction.row.posts:
        try:
            return len(receivers(program, queue, instruction))
        except Refused:
            return instruction.row.posts
    return instruction.row.posts
