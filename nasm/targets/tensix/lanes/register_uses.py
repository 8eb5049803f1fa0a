"""Which registers of lanes an instruction reads and writes, and flags: from its fields alone."""

from __future__ import annotations

from nasm.base.records import dataclass
from nasm.targets.tensix.lanes.facts import LANES, Fields, Registers, VectorTable, facts_of


@dataclass(frozen=True, slots=True)
class Uses:
    """What an instruction may read and write: numbers of registers, and flags."""

    reads: Registers
    writes: Registers
    reads_flags: bool
    writes_flags: bool


def uses(
    mnemonic: str, fields: Fields, dest_index: bool = False, lanes: VectorTable = LANES
) -> Uses:
    """What an instruction uses.

    Args:
        mnemonic: An instruction of the vector unit.
        fields: Its fields, by the documents' names.
        dest_index: Whether ENABLE_DEST_INDEX is set somewhere: some instructions then use more
            registers.
        lanes: The instructions of the generation.
    """
    facts = facts_of(mnemonic, lanes)
    reads, writes = facts.reads(fields), facts.writes(fields)
    if dest_index:
        reads, writes = facts.indexed(reads, writes, fields)
    return Uses(reads, writes, facts.reads_flags, facts.sets_flags(fields))
