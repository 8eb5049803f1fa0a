"""What instructions cost: units and cycles of the documents, as the machine asks for them.

Each function here makes the cost of one word of one kind; a row says of which kind it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from nasm.isa.evidence import Cost, Evidence
from nasm.targets.tensix.lanes.facts import Lanes
from nasm.targets.tensix.matrix.facts import UnitTiming
from nasm.targets.tensix.matrix.timing import ADDRESS_CYCLES
from nasm.targets.tensix.scalar.timing import Paces, UnitPace
from nasm.targets.tensix.words.word import Fields

Costs = Callable[[Fields, tuple[str, int, int]], Cost]
"""The cost of a word by its fields, and by its mnemonic, itself and its thread."""

_SHARED: Final[Mapping[str, str]] = {"scalar": "scalar", "configuration": "cfg", "sync": "sync"}
_OWN: Final[Mapping[str, str]] = {"configuration": "own cfg", "misc": "misc", "sync": "mutex"}


def always(cost: Cost) -> Costs:
    """The same for every word."""
    return lambda fields, key: cost


FRONT: Final = always(
    Cost(1, 1, Evidence.DOCUMENTED, "ISA documentation, Tensix coprocessor: front end")
)
UNKNOWN: Final = always(Cost(1, 1, Evidence.ASSUMED, "nothing executes it"))


def paced(pace: Paces) -> Costs:
    """Of the scalar, configuration, miscellaneous or sync unit."""
    if isinstance(pace, UnitPace):
        return always(_paced(pace))
    return lambda fields, key: _paced(pace(fields))


def _paced(pace: UnitPace) -> Cost:
    unit = (_SHARED if pace.shared else _OWN)[pace.unit]
    evidence = Evidence.ASSUMED if pace.least else Evidence.DOCUMENTED
    source = f"{pace.source}; a lower bound there" if pace.least else pace.source
    issue = pace.busy if pace.blocks else 0
    return Cost(pace.busy, pace.latency, evidence, source, unit=unit, issue=issue)


def of_matrix(timing: UnitTiming) -> Costs:
    """Of the matrix unit."""
    source = f"ISA documentation, {timing.source}"
    return always(Cost(timing.interval, timing.latency, Evidence.DOCUMENTED, source, unit="matrix"))


def of_vector(facts: Lanes) -> Costs:
    """Of the vector unit."""
    source = "ISA documentation, VectorUnit.md: instruction scheduling"

    def cost(fields: Fields, key: tuple[str, int, int]) -> Cost:
        latency = facts.latency_of(fields)
        return Cost(1, latency, Evidence.DOCUMENTED, source, unit="vector")

    return cost


# -- how long these are at work follows from the configuration when they start


def of_unpack(fields: Fields, key: tuple[str, int, int]) -> Cost:
    """Of an unpacker: what reads nothing takes a cycle."""
    unit = f"unpack{fields['WhichUnpacker']}"
    if fields["CfgContextCntInc"] or fields["SearchCacheFlush"]:
        text = f"ISA documentation, {key[0]}.md: a cycle for what reads nothing"
        return Cost(1, 1, Evidence.ASSUMED, text, unit=unit)
    cycles = ADDRESS_CYCLES
    source = f"ISA documentation, {key[0]}_Regular.md: performance"
    return Cost(
        cycles, cycles + 1, Evidence.DOCUMENTED, source, unit, pace="duration", key=key,
        issue=cycles,
    )  # fmt: skip


def of_unpack_nop(fields: Fields, key: tuple[str, int, int]) -> Cost:
    """Of a turn of an unpacker that reads nothing."""
    source = "a cycle; there is no page"
    return Cost(1, 1, Evidence.ASSUMED, source, f"unpack{fields['Unpack_block_selection']}")


def of_pack(fields: Fields, key: tuple[str, int, int]) -> Cost:
    """Of the packers that a word names."""
    mask = fields["PackerMask"] or 1
    parts = () if mask == 15 else tuple(str(n) for n in range(4) if mask >> n & 1)
    source = "ISA documentation, Packers: 16 bytes a cycle to L1"
    return Cost(1, 1, Evidence.DOCUMENTED, source, "pack", parts, pace="duration", key=key)


def of_interfaces(fields: Fields, key: tuple[str, int, int]) -> Cost:
    """Of the only packer there is, by the interfaces that a word names."""
    source = "16 bytes a cycle and interface to L1, as of each packer of Wormhole"
    return Cost(1, 1, Evidence.ASSUMED, source, "pack", ("0",), pace="duration", key=key)


def of_move(fields: Fields, key: tuple[str, int, int]) -> Cost:
    """Of the mover."""
    source = "ISA documentation, Mover.md: bandwidth measured there"
    return Cost(1, 1, Evidence.DOCUMENTED, source, "mover", pace="duration", key=key)
