"""What instructions of a tile's networks have in common: operands, costs, rules, packets.

Source: the public ISA documentation of Wormhole B0, NoC. A line is a request by one of the tile's
request initiators, whose registers are assumed to be written: it takes a cycle.
"""

from __future__ import annotations

from typing import Any, Final

from nasm.base.problems import Refused
from nasm.isa.effects import Packet
from nasm.isa.evidence import Cost, Evidence
from nasm.isa.implicit_kinds import Here
from nasm.isa.instruction import InstructionContext, Operand, Rule, of_operands
from nasm.isa.kinds import Choice, Flag, Number
from nasm.targets.tensix.chips import CHIPS
from nasm.targets.tensix.host.operands import WordValue
from nasm.targets.tensix.noc import chip_map, routes
from nasm.targets.tensix.noc.chip_map import MAPS, ChipMap
from nasm.targets.tensix.noc.counters import IDS
from nasm.targets.tensix.noc.links import INCLUDE, MAJOR
from nasm.targets.tensix.noc.operands import TileBytes, size
from nasm.targets.tensix.noc.requests import UNSAFE
from nasm.views.view import View

PAGE: Final = chip_map.SOURCE
NETWORK_QUEUES: Final = ("noc0", "noc1")
"""The request initiators of a tile, for each of its networks."""

UNSENDABLE: Final = "E0325"

COORDINATE = Number(integer=True, low=-1, high=63)
LENGTH = Number(integer=True, low=0, high=1 << 31)
CHANNEL = Number(integer=True, low=-1, high=5)
WORD = WordValue()

ENGINE = Operand("engine", Here("engine"))
HERE = TileBytes()
THERE = TileBytes(remote=True)
X_OF = Operand("X", COORDINATE, default=-1, doc="the other tile's column", keyword=True)
Y_OF = Operand("Y", COORDINATE, default=-1, doc="the other tile's row", keyword=True)
BYTES = Operand("Bytes", LENGTH, default=0, doc="how many; 0: those of the tensor", keyword=True)
STATIC = Operand(
    "Vc", CHANNEL, default=-1, doc="static virtual channel: class and buddy bit", keyword=True
)
ID = Operand(
    "Id",
    Number(integer=True, low=0, high=IDS - 1),
    default=0,
    doc="transaction ID: of its counters, for which NOC_BARRIER and NOC_FLUSH can wait",
    keyword=True,
)
ONLY_ID = Operand(
    "Id",
    Number(integer=True, low=-1, high=IDS - 1),
    default=-1,
    doc="only requests with this transaction ID; -1: all",
    keyword=True,
)
CORNERS = (
    Operand("X0", COORDINATE, doc="the first column of the rectangle", keyword=True),
    Operand("Y0", COORDINATE, doc="its first row", keyword=True),
    Operand("X1", COORDINATE, doc="its last column", keyword=True),
    Operand("Y1", COORDINATE, doc="its last row", keyword=True),
)
MAJOR_AXIS = Operand(
    "Major", Choice((routes.X, routes.Y), "axis"), default=routes.X, doc="along which it spreads"
)
SELF = Operand("Include", Flag(), default=False, doc="whether this tile receives it, too")


def map_of(context: InstructionContext) -> ChipMap:
    """The tiles of a program's chip."""
    return MAPS[context.generation.name]


def network_of(engine: str) -> int:
    """The number of the network of a request initiator."""
    return NETWORK_QUEUES.index(engine)


@of_operands
def requesting(_: InstructionContext) -> Cost:
    """A cycle, in which a request initiator is started."""
    return Cost(1, 1, Evidence.ASSUMED, f"{PAGE}: NIU request initiators; a store starts one")


@of_operands
def one(_: InstructionContext) -> Cost:
    """A cycle."""
    return Cost(1, 1, Evidence.ASSUMED, "a store of a core, or the end of its polling")


# -- rules


def lengths(*names: str) -> Rule:
    """The bytes of a packet fit its sides, whose operands these are, and a packet."""

    def check(context: InstructionContext) -> str | None:
        held = context.operands
        views = [held[name] for name in names if isinstance(held[name], View)]
        count = held.get("Bytes", 0) or (size(views[0]) if views else 0)
        if not count:
            return "it names no tensor and no number of Bytes"
        most = map_of(context).most_bytes
        if count > most:
            return f"{count:,} bytes; wanted at most {most:,}"
        if not held.get("Bytes", 0) and len({size(view) for view in views}) > 1:
            return f"its sides have {size(views[0]):,} and {size(views[1]):,} bytes"
        short = [view for view in views if size(view) < count]
        if short:
            return f"{count:,} bytes, of which {short[0].tensor.name} has {size(short[0]):,}"
        return None

    return Rule(UNSENDABLE, "a packet has 1 to 8192 bytes, on Blackhole 16384", PAGE, check)


def connected(there: str = "") -> Rule:
    """The coordinates are those of a tile that has memory, or left to a tensor."""

    def check(context: InstructionContext) -> str | None:
        held, network = context.operands, network_of(context.engine)
        x, y = held["X"], held["Y"]
        if x < 0 and y < 0:
            if isinstance(held[there], View):
                return None
            return "it names no tile: neither X and Y nor a tensor of another one"
        try:
            place = map_of(context).place_of(network, x, y)
        except Refused as refused:
            return refused.message
        kind = map_of(context).kind_of(place)
        if kind in chip_map.SILENT:
            return f"{x}, {y} is {chip_map.TITLES[kind]}, with nothing to read or write"
        return None

    return Rule(UNSENDABLE, "packets go to tiles with a memory", PAGE, check, relative=True)


def _rectangular(context: InstructionContext) -> str | None:
    held, network = context.operands, network_of(context.engine)
    try:
        first = map_of(context).place_of(network, held["X0"], held["Y0"])
        last = map_of(context).place_of(network, held["X1"], held["Y1"])
    except Refused as refused:
        return refused.message
    chip = map_of(context)
    own = chip.of_network(network, first), chip.of_network(network, last)
    tiles = routes.rectangle(chip, network, *own)
    if not any(map_of(context).kind_of(place) == chip_map.TENSIX for place in tiles):
        return "no tile of the rectangle listens: it has no Tensix tile"
    return None


RECTANGLE = Rule(UNSENDABLE, "Tensix tiles receive multicasts", PAGE, _rectangular, relative=True)

STATIC_CHANNEL = Rule(
    UNSENDABLE,
    "static channels of requests are 0 to 3, and 4 or 5 of multicasts",
    f"{PAGE}, MemoryMap: NOC_CTRL",
    lambda context: (
        f"channel {context.operands['Vc']}"
        if context.operands["Vc"] >= 0
        and (context.operands["Vc"] >= 4) != ("X0" in context.operands)
        else None
    ),
)


def _acknowledged(context: InstructionContext) -> str | None:
    held, there = context.operands, context.operands["Dst"]
    host = isinstance(there, View) and there.tensor.memory.name == chip_map.HOST_MEMORY
    return f"transaction ID {held['Id']}" if host and held["Id"] else None


HOST_ID = Rule(
    UNSENDABLE,
    "acknowledgements of the PCI Express tile are counted as those of transaction ID 0, by a bug",
    f"{PAGE}, MemoryMap: NOC_PACKET_TAG",
    _acknowledged,
)


SAFE: Final = Rule(
    "E0408",
    "writes in line reach L1 safely",
    "Tenstorrent ISA documentation, Blackhole A0: NoC, MemoryMap: NOC_CMD_WR_INLINE",
    lambda context: UNSAFE if CHIPS[context.generation.name].cores.unsafe_in_line else None,
)


def aligned(step: int) -> Rule:
    """Where it acts is a multiple of so many bytes."""

    def check(context: InstructionContext) -> str | None:
        address = address_of(context.operands["Dst"])
        return None if address % step == 0 else f"it acts at {address:#x}"

    sentence = f"atomic operations act on words, at a multiple of {step}"
    return Rule(UNSENDABLE, sentence, f"{PAGE}: Atomics", check, each=True)


# -- making packets


def address_of(where: Any) -> int:
    """The address of a place in L1: a number, or where a view begins."""
    return int(where.offset + (where.tensor.offset or 0) if isinstance(where, View) else where)


def count_of(bytes_: int, *places: object) -> int:
    """The bytes of a packet: as many as are named, or those of the first tensor."""
    return bytes_ or next(size(place) for place in places if isinstance(place, View))


def coordinates(x: int, y: int) -> tuple[int, ...]:
    """Where a packet goes, if that is named."""
    return () if x < 0 else (x, y)


def labels(identity: int, vc: int = -1) -> dict[str, Any]:
    """What a packet has of a transaction ID, and of a static virtual channel if one is named."""
    return {"tag": identity, "lane": None if vc < 0 else vc}


REQUEST: Final[dict[str, Any]] = {"engines": NETWORK_QUEUES, "cost": requesting(), "effect": Packet}
TENSORS: Final = (
    ".tile 1, 2\n.l1 a u32[8] = iota\n.l1 w u32[4] = random(seed=1)\n.sem got\n"
    ".tile 4, 4\n.l1 b u32[8] = random(seed=2)\n.l1 v u32[4] = zeros\n.sem there\n.tile 1, 2"
)


def spreading(
    network: int, corners: tuple[int, ...], major: str, include: bool, vc: int, identity: int = 0
) -> dict[str, Any]:
    """What a multicast to a rectangle has besides its bytes."""
    options = ((MAJOR, major), (INCLUDE, include))
    return {"network": network, "to": corners, "options": options} | labels(identity, vc)
