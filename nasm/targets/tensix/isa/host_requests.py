"""What a host asks of the Ethernet base firmware: transfers, and single requests and responses.

Sources: those of the records and of the firmware's mock, in the package of Ethernet. A line is done
when what it waits for is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from nasm.base.problems import Refused
from nasm.base.records import dataclass
from nasm.isa.effects import OutsideCall
from nasm.isa.evidence import Cost, Evidence
from nasm.isa.instruction import InstructionContext, Operand, Rule, of_operands
from nasm.isa.kinds import WRONG_KIND, Kind, Number
from nasm.targets.tensix.ethernet.commands import (
    BLOCK,
    DMA,
    FLAGS,
    NOC1,
    SOURCE,
    UNDOCUMENTED,
    WR_REQ,
    BroadcastHeader,
    ChipPlace,
    RoutingCommand,
    flag_names,
)
from nasm.targets.tensix.ethernet.host import TENSIX_ONLY
from nasm.targets.tensix.ethernet.host_lines import HostLines, HostTransfer
from nasm.targets.tensix.ethernet.requests import check, target
from nasm.targets.tensix.isa.network_operands import THERE, X_OF, Y_OF
from nasm.targets.tensix.isa.table import ISA
from nasm.targets.tensix.noc.chip_map import HOST_MEMORY, WORMHOLE
from nasm.targets.tensix.noc.operands import TileBytes, size
from nasm.views.value_text import value_text
from nasm.views.view import View

HOST_QUEUE: Final = "host"
"""The queue of a host."""


@dataclass(frozen=True, slots=True)
class HostBytes(Kind):
    """Bytes of the host's memory: a tensor of it, or a part whose bytes follow each other."""

    def accept(self, value: object) -> object:
        """A view; raises Refused."""
        found = TileBytes().accept(value)
        if not isinstance(found, View) or found.tensor.memory.name != HOST_MEMORY:
            hint = f"declare one with .{HOST_MEMORY}"
            raise Refused(WRONG_KIND, f"wanted {self.describe()}, found {value_text(value)}", hint)
        return found

    def format(self, value: object) -> str:
        """As a program writes it."""
        return TileBytes().format(value)

    @property
    def placeholder(self) -> str:
        """A word for it."""
        return "tensor"

    def describe(self) -> str:
        """What it accepts."""
        return "a tensor of the host's memory, or a part of one whose bytes follow each other"

    @property
    def names(self) -> str:
        """It may name a tensor."""
        return "tensor"


_BITS: Final = {row.name: row.value for row in FLAGS if not row.response}


@dataclass(frozen=True, slots=True)
class RequestFlags(Kind):
    """Flags of a request, by number, or by their names with ``|`` between them."""

    def accept(self, value: object) -> object:
        """The flags as a number; raises Refused."""
        if isinstance(value, str) and value in _BITS:
            return _BITS[value]
        if type(value) is int and value >= 0 and not value & ~sum(_BITS.values()):
            return value
        message = f"{value_text(value)} is no flag of a request"
        raise Refused(WRONG_KIND, message, f"flags are {', '.join(_BITS)}")

    def format(self, value: object) -> str:
        """As a program writes it."""
        assert isinstance(value, int)
        return flag_names(value)

    @property
    def placeholder(self) -> str:
        """A word for them."""
        return "flags"

    @property
    def words(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(_BITS)

    @property
    def numeric(self) -> bool:
        """A program's own names come first."""
        return True

    def describe(self) -> str:
        """What it accepts."""
        return f"flags: {', '.join(_BITS)}"


def _number(bits: int) -> Number:
    return Number(integer=True, low=0, high=(1 << bits) - 1)


HERE: Final = HostBytes()
CHIP: Final = Operand(
    "Chip",
    Number(integer=True, low=0, high=WORMHOLE.chips - 1),
    default=0,
    doc="the chip of X and Y; that of a tensor is known",
    keyword=True,
)
BYTES: Final = Operand(
    "Bytes", Number(integer=True, low=0, high=1 << 31), default=0, doc="how many; 0: those of the "
    "tensor of the host", keyword=True,
)  # fmt: skip
MORE: Final = Operand(
    "Flags", RequestFlags(), default=0, doc="flags that each of its requests has, too", keyword=True
)


@of_operands
def answered(_: InstructionContext) -> Cost:
    """A cycle, once it is answered; until then the queue waits for that."""
    return Cost(1, 1, Evidence.ASSUMED, "the host takes no time of its own")


# -- rules


def _placed(name: str) -> Rule:
    def found(context: InstructionContext) -> str | None:
        held = context.operands
        there, named = held[name], held["X"] >= 0 and held["Y"] >= 0
        if isinstance(there, View):
            if there.tensor.memory.name == HOST_MEMORY:
                return f"{there.tensor.name} is in the host's own memory"
            return "it names a tensor, whose tile is known, and X and Y" if named else None
        return None if named else "it names no tile: neither X and Y nor a tensor of one"

    return Rule(UNDOCUMENTED, "a request is for a tile of a chip", SOURCE, found)


def _counted(context: InstructionContext) -> str | None:
    held = context.operands
    here = next(held[name] for name in ("Src", "Dst") if _is_host(held[name]))
    count = held.get("Bytes", 0) or size(here)
    if count > size(here):
        return f"{count:,} bytes, of which {here.tensor.name} has {size(here):,}"
    return f"{count:,} bytes are not whole words" if count % 4 else None


def _is_host(value: object) -> bool:
    return isinstance(value, View) and value.tensor.memory.name == HOST_MEMORY


COUNTED: Final = Rule(UNDOCUMENTED, "requests move whole words of 4 bytes", SOURCE, _counted)


def _command(held: dict[str, Any]) -> RoutingCommand:
    flags, block, dma = held["Flags"], held["Block"], held["Dma"]
    data = size(block) if isinstance(block, View) and not held["Data"] else held["Data"]
    place = ChipPlace(held["ChipX"], held["ChipY"], held["Rack"], held["Shelf"])
    address = 0 if dma is None else dma.offset + (dma.tensor.offset or 0)
    return RoutingCommand(held["Address"], held["X"], held["Y"], place, data, flags, address)


def _meaningful(context: InstructionContext) -> str | None:
    command, block = _command(context.operands), context.operands["Block"]
    try:
        command.pack()
        check(command)
        target(command)
    except Refused as refused:
        return refused.message
    writes = command.flags & (WR_REQ | BLOCK) == WR_REQ | BLOCK
    sends = writes and not command.flags & DMA
    if sends != isinstance(block, View):
        return "a write of a DATA_BLOCK has a Block, found none" if sends else "it sends no Block"
    if sends and command.data != size(block):
        return f"it writes {command.data:,} bytes, and its Block has {size(block):,}"
    if command.flags & DMA and context.operands["Dma"] is None:
        return "with DATA_BLOCK_DMA it names no tensor as Dma"
    return None


MEANINGFUL: Final = Rule(
    UNDOCUMENTED, "a request has a documented meaning", SOURCE, _meaningful, each=True
)

# -- transfers

_SETUP: Final = (
    ".host h u32[8] = iota\n.host back u32[8] = zeros\n.l1 a u32[8] = iota\n"
    ".tile 4, 1, 1\n.l1 b u32[8] = random(seed=2)\n.tile 1, 1"
)
_LINE: Final[dict[str, Any]] = {
    "engines": (HOST_QUEUE,),
    "cost": answered(),
    "effect": OutsideCall,
    "setup": _SETUP,
}


def _moving(
    verb: str, there: Any, here: View, place: tuple[int, int, int], count: int, flags: int
) -> OutsideCall:
    network, count = int(bool(flags & NOC1)), count or size(here)

    def transfer(outside: HostLines) -> HostTransfer:
        return HostTransfer(verb, outside.where(there, *place, network), count, flags)

    def act(outside: HostLines, now: int, data: bytes) -> Sequence[bytes]:
        found = outside.transfer(transfer(outside), data[:count])
        return (found,) if verb == "read" else ()

    def ends(outside: HostLines, now: int) -> int:
        return outside.over(transfer(outside), now)

    return OutsideCall(act, ends, *((None, (here,)) if verb == "read" else (here,)))


@ISA.instruction(
    Operand("Dst", HERE, "@", doc="where they go, in the host's memory"),
    Operand("Src", THERE, "@", doc="where they are: a tensor of any chip, or an address"),
    CHIP,
    X_OF,
    Y_OF,
    BYTES,
    MORE,
    rules=(_placed("Src"), COUNTED),
    source=f"{SOURCE}: RD_REQ, DATA_BLOCK",
    example="ETH_READ back, b",
    formula="Dst of the host = Src of a tile",
    **_LINE,
)
def ETH_READ(Dst: Any, Src: Any, Chip: int, X: int, Y: int, Bytes: int, Flags: int) -> OutsideCall:
    """Read bytes of a tile or of DRAM of either chip into the host's memory.

    Words up to an address that is a multiple of 32, then blocks of at most 1,024 bytes: a request
    each, one after the other.
    """
    return _moving("read", Src, Dst, (Chip, X, Y), Bytes, Flags)


@ISA.instruction(
    Operand("Dst", THERE, "@", doc="where they go: a tensor of any chip, or an address"),
    Operand("Src", HERE, "@", doc="where they are, in the host's memory"),
    CHIP,
    X_OF,
    Y_OF,
    BYTES,
    MORE,
    rules=(_placed("Dst"), COUNTED),
    source=f"{SOURCE}: WR_REQ, DATA_BLOCK",
    example="ETH_WRITE b, h",
    formula="Dst of a tile = Src of the host",
    **_LINE,
)
def ETH_WRITE(Dst: Any, Src: Any, Chip: int, X: int, Y: int, Bytes: int, Flags: int) -> OutsideCall:
    """Write bytes of the host's memory to a tile or to DRAM of either chip."""
    return _moving("write", Dst, Src, (Chip, X, Y), Bytes, Flags)


@ISA.instruction(
    Operand("Dst", THERE, "@", doc="where they go in each tile: an address, or a tensor of one"),
    Operand("Src", HERE, "@", doc="where they are, in the host's memory"),
    Operand(
        "Rows", _number(16), default=TENSIX_ONLY.rows, doc="a bit for each row that is left out",
        keyword=True,
    ),
    Operand(
        "Columns", _number(16), default=TENSIX_ONLY.columns, doc="the same of columns",
        keyword=True,
    ),
    Operand("Chips", _number(32), default=0, doc="the same of chips: bit 8x + y", keyword=True),
    BYTES,
    MORE,
    rules=(COUNTED,),
    source=f"{SOURCE}: BROADCAST; the public header of the firmware",
    example="ETH_BROADCAST 0x2000, h",
    formula="Dst of many tiles of all chips = Src of the host",
    **_LINE,
)  # fmt: skip
def ETH_BROADCAST(
    Dst: Any, Src: Any, Rows: int, Columns: int, Chips: int, Bytes: int, Flags: int
) -> OutsideCall:
    """Write bytes of the host's memory to the same address of every tile that is not left out.

    Without masks the rows and columns that have no Tensix tiles are left out, as network 0 counts
    them.
    """
    flags, count = Flags, Bytes or size(Src)
    header = BroadcastHeader(bytes(12), Chips, Rows, Columns)

    def transfer(outside: HostLines) -> HostTransfer:
        where = outside.where(Dst, 0, 0, 0, 0)
        return HostTransfer("broadcast", where, count, flags, header)

    def act(outside: HostLines, now: int, data: bytes) -> Sequence[bytes]:
        outside.transfer(transfer(outside), data[:count])
        return ()

    return OutsideCall(act, lambda outside, now: outside.over(transfer(outside), now), Src)


# -- single requests


@ISA.instruction(
    Operand("Address", _number(32), doc="where in the tile, or in DRAM"),
    Operand("X", _number(6), default=0, doc="the tile's column", keyword=True),
    Operand("Y", _number(6), default=0, doc="its row", keyword=True),
    Operand("ChipX", _number(6), default=0, doc="the chip's column on its shelf", keyword=True),
    Operand("ChipY", _number(6), default=0, doc="its row there", keyword=True),
    Operand("Rack", _number(8), default=0, doc="the rack of the shelf", keyword=True),
    Operand("Shelf", _number(8), default=0, doc="the shelf", keyword=True),
    Operand("Data", _number(32), default=0, doc="a word, or the bytes of a block", keyword=True),
    Operand("Flags", RequestFlags(), default=0, doc="what it asks for", keyword=True),
    Operand("Block", HERE, "@", default=None, doc="the block that it writes", keyword=True),
    Operand("Dma", HERE, "@", default=None, doc="the block in the host's memory", keyword=True),
    rules=(MEANINGFUL,),
    source=f"{SOURCE}: routing_cmd_t",
    example="ETH_REQUEST 0x2000, X=4, Y=1, ChipX=1, Flags=RD_REQ",
    formula="push a request",
    **_LINE | {"setup": f"{_SETUP}\n.host answer u32[8] = zeros"},
)
def ETH_REQUEST(
    Address: int,
    X: int,
    Y: int,
    ChipX: int,
    ChipY: int,
    Rack: int,
    Shelf: int,
    Data: int,
    Flags: int,
    Block: Any,
    Dma: Any,
) -> OutsideCall:
    """Push one request, of at most four that have no response yet, and do not wait for it.

    The block of a broadcast begins with its header of 32 bytes.
    """
    command = _command(
        {
            "Address": Address, "X": X, "Y": Y, "ChipX": ChipX, "ChipY": ChipY, "Rack": Rack,
            "Shelf": Shelf, "Data": Data, "Flags": Flags, "Block": Block, "Dma": Dma,
        }
    )  # fmt: skip

    def act(outside: HostLines, now: int, data: bytes) -> Sequence[bytes]:
        outside.submit(now, command, data)
        return ()

    return OutsideCall(act, lambda outside, now: now, Block)


@ISA.instruction(
    Operand("Dst", HERE, "@", doc="its 32 bytes: data is word 2, flags are word 3"),
    Operand("Block", HERE, "@", default=None, doc="where its block goes", keyword=True),
    source=f"{SOURCE}: completion queue",
    example="ETH_RESPONSE answer",
    formula="Dst of the host = the oldest response, which is popped",
    **_LINE | {"setup": f"{_SETUP}\n.host answer u32[8] = zeros\n@host ETH_REQUEST 0x1000, "
               "X=1, Y=1, Flags=RD_REQ"},
)  # fmt: skip
def ETH_RESPONSE(Dst: Any, Block: Any) -> OutsideCall:
    """Wait for the oldest response, store it in the host's memory, and pop it."""

    def act(outside: HostLines, now: int, data: bytes) -> Sequence[bytes]:
        response, block = outside.response(now)
        return response.pack(), block

    return OutsideCall(act, lambda outside, now: outside.answered(now), None, (Dst, Block))
