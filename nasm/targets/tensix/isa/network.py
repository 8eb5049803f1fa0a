"""What the cores of a tile have its two networks do: reads, writes, multicasts, atomics, waits.

Source: the public ISA documentation of Wormhole B0, NoC. A line is a request by one of the tile's
request initiators, whose registers are assumed to be written: it takes a cycle. Semaphores that
programs declare are words of L1 that packets raise and cores poll.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from nasm.base.problems import Refused
from nasm.isa.core_state import Blocked
from nasm.isa.effects import Atomic, Packet, UntilAnswered
from nasm.isa.evidence import Cost, Evidence
from nasm.isa.implicit_kinds import CoreState, Here
from nasm.isa.instruction import InstructionContext, Operand, Rule, of_operands
from nasm.isa.kinds import Choice, Flag, Number
from nasm.targets.tensix import memory_map as at
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.host import blocks
from nasm.targets.tensix.host.operands import WordValue
from nasm.targets.tensix.isa.cores import COMPARISONS
from nasm.targets.tensix.isa.table import ISA
from nasm.targets.tensix.noc import chip_map, routes
from nasm.targets.tensix.noc.links import INCLUDE, MAJOR, MOST_BYTES, VC
from nasm.targets.tensix.noc.operands import TileBytes, size
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


def _network(engine: str) -> int:
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


def _lengths(*names: str) -> Rule:
    def check(context: InstructionContext) -> str | None:
        held = context.operands
        views = [held[name] for name in names if isinstance(held[name], View)]
        count = held.get("Bytes", 0) or (size(views[0]) if views else 0)
        if not count:
            return "it names no tensor and no number of Bytes"
        if count > MOST_BYTES:
            return f"{count:,} bytes; wanted at most {MOST_BYTES:,}"
        if not held.get("Bytes", 0) and len({size(view) for view in views}) > 1:
            return f"its sides have {size(views[0]):,} and {size(views[1]):,} bytes"
        short = [view for view in views if size(view) < count]
        if short:
            return f"{count:,} bytes, of which {short[0].tensor.name} has {size(short[0]):,}"
        return None

    return Rule(UNSENDABLE, f"a packet has 1 to {MOST_BYTES} bytes", PAGE, check)


def _connected(there: str = "") -> Rule:
    """The coordinates are those of a tile that has memory, or left to a tensor."""

    def check(context: InstructionContext) -> str | None:
        held, network = context.operands, _network(context.engine)
        x, y = held["X"], held["Y"]
        if x < 0 and y < 0:
            if isinstance(held[there], View):
                return None
            return "it names no tile: neither X and Y nor a tensor of another one"
        try:
            place = chip_map.place_of(network, x, y)
        except Refused as refused:
            return refused.message
        kind = chip_map.kind_of(place)
        if kind in (chip_map.EMPTY, chip_map.ARC):
            return f"{x}, {y} is {chip_map.TITLES[kind]}, with nothing to read or write"
        return None

    return Rule(UNSENDABLE, "packets go to tiles with a memory", PAGE, check)


def _rectangular(context: InstructionContext) -> str | None:
    held, network = context.operands, _network(context.engine)
    try:
        first = chip_map.place_of(network, held["X0"], held["Y0"])
        last = chip_map.place_of(network, held["X1"], held["Y1"])
    except Refused as refused:
        return refused.message
    own = chip_map.of_network(network, first), chip_map.of_network(network, last)
    tiles = routes.rectangle(network, *own)
    if not any(chip_map.kind_of(place) == chip_map.TENSIX for place in tiles):
        return "no tile of the rectangle listens: it has no Tensix tile"
    return None


RECTANGLE = Rule(UNSENDABLE, "Tensix tiles receive multicasts", PAGE, _rectangular)

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


def _aligned(step: int) -> Rule:
    def check(context: InstructionContext) -> str | None:
        where = context.operands["Dst"]
        address = where.offset + (where.tensor.offset or 0) if isinstance(where, View) else where
        return None if address % step == 0 else f"it acts at {address:#x}"

    sentence = f"atomic operations act on words, at a multiple of {step}"
    return Rule(UNSENDABLE, sentence, f"{PAGE}: Atomics", check, each=True)


# -- making packets


def _count(bytes_: int, *places: object) -> int:
    return bytes_ or next(size(place) for place in places if isinstance(place, View))


def _to(x: int, y: int) -> tuple[int, ...]:
    return () if x < 0 else (x, y)


def _channel(vc: int) -> tuple[tuple[str, object], ...]:
    return () if vc < 0 else ((VC, vc),)


_REQUEST: Final[dict[str, Any]] = {
    "engines": NETWORK_QUEUES,
    "cost": requesting(),
    "effect": Packet,
}
_TENSORS: Final = (
    ".l1 a u32[8] = iota\n.l1 w u32[4] = random(seed=1)\n.sem got\n"
    ".tile 4, 4\n.l1 b u32[8] = random(seed=2)\n.l1 v u32[4] = zeros\n.sem there\n.tile 1, 1"
)


@ISA.instruction(
    Operand("Dst", HERE, "@", doc="where they go, in this tile"),
    Operand("Src", THERE, "@", doc="where they are"),
    X_OF,
    Y_OF,
    BYTES,
    STATIC,
    ENGINE,
    rules=(_lengths("Dst", "Src"), _connected("Src"), STATIC_CHANNEL),
    posts=1,
    source=f"{PAGE}: NOC_CMD_RD",
    setup=_TENSORS,
    example="NOC_READ a, b  $got++",
    formula="Dst of this tile = Src of another one",
    **_REQUEST,
)
def NOC_READ(Dst: Any, Src: Any, X: int, Y: int, Bytes: int, Vc: int, engine: str) -> Packet:
    """Read bytes of another tile, of DRAM or of the host into L1.

    A request of one flit goes there, and the response with the bytes comes back. It posts once all
    of them have been written here.
    """
    count = _count(Bytes, Dst, Src)
    return Packet(_network(engine), count, Dst, Src, _to(X, Y), fetches=True, options=_channel(Vc))


def _writing(posted: bool) -> Callable[..., Packet]:
    def send(Dst: Any, Src: Any, X: int, Y: int, Bytes: int, Vc: int, engine: str) -> Packet:
        count = _count(Bytes, Src, Dst)
        return Packet(
            _network(engine), count, Src, Dst, _to(X, Y), reply=not posted, options=_channel(Vc)
        )

    return send


_WRITE_OPERANDS: Final = (
    Operand("Dst", THERE, "@", doc="where they go"),
    Operand("Src", HERE, "@", doc="where they are, in this tile"),
    X_OF,
    Y_OF,
    BYTES,
    STATIC,
    ENGINE,
)
_WRITE_RULES: Final = (_lengths("Src", "Dst"), _connected("Dst"), STATIC_CHANNEL)


@ISA.instruction(
    *_WRITE_OPERANDS,
    rules=_WRITE_RULES,
    posts=1,
    source=f"{PAGE}: NOC_CMD_WR, NOC_CMD_RESP_MARKED",
    setup=_TENSORS,
    example="NOC_WRITE b, a  $got++",
    formula="Dst of another tile = Src of this one",
    **_REQUEST,
)
def NOC_WRITE(Dst: Any, Src: Any, X: int, Y: int, Bytes: int, Vc: int, engine: str) -> Packet:
    """Write bytes of L1 to another tile, to DRAM or to the host, with an acknowledgement.

    It posts once that has come back. Request and acknowledgement together go once round the torus,
    on each axis on which the two tiles differ, so that the time does not depend on the distance.
    """
    return _writing(False)(Dst, Src, X, Y, Bytes, Vc, engine)


@ISA.instruction(
    *_WRITE_OPERANDS,
    rules=_WRITE_RULES,
    source=f"{PAGE}: NOC_CMD_WR without NOC_CMD_RESP_MARKED",
    setup=_TENSORS,
    example="NOC_WRITE_POSTED b, a",
    formula="Dst of another tile = Src of this one",
    **_REQUEST,
)
def NOC_WRITE_POSTED(
    Dst: Any, Src: Any, X: int, Y: int, Bytes: int, Vc: int, engine: str
) -> Packet:
    """Write bytes of L1 elsewhere, without an acknowledgement: nothing says when they are there."""
    return _writing(True)(Dst, Src, X, Y, Bytes, Vc, engine)


def _spreading(
    network: int, corners: tuple[int, ...], major: str, include: bool, vc: int
) -> dict[str, Any]:
    options = ((MAJOR, major), (INCLUDE, include), *_channel(vc))
    return {"network": network, "to": corners, "options": options}


_MULTICAST_OPERANDS: Final = (
    Operand("Dst", THERE, "@", doc="where they go in each tile: an address, or a tensor of one"),
    Operand("Src", HERE, "@", doc="where they are, in this tile"),
    *CORNERS,
    BYTES,
    MAJOR_AXIS,
    SELF,
    STATIC,
    ENGINE,
)
_MULTICAST_RULES: Final = (_lengths("Src", "Dst"), RECTANGLE, STATIC_CHANNEL)
_MULTICAST_EXAMPLE: Final = "b, a, X0=3, Y0=3, X1=4, Y1=4"


@ISA.instruction(
    *_MULTICAST_OPERANDS,
    rules=_MULTICAST_RULES,
    posts=1,
    spreads=True,
    source=f"{PAGE}: NOC_CMD_BRCST_PACKET; RoutingPaths",
    setup=_TENSORS,
    example=f"NOC_MULTICAST {_MULTICAST_EXAMPLE}  $got += 4",
    formula="Dst of each Tensix tile of a rectangle = Src of this tile",
    **_REQUEST,
)
def NOC_MULTICAST(
    Dst: Any,
    Src: Any,
    X0: int,
    Y0: int,
    X1: int,
    Y1: int,
    Bytes: int,
    Major: str,
    Include: bool,
    Vc: int,
    engine: str,
) -> Packet:
    """Write bytes of L1 to the same place of every Tensix tile of a rectangle.

    Both corners belong to it, and it goes round the torus where the first one is past the last.
    Tiles of other kinds do not listen. Each receiver's acknowledgement posts 1.
    """
    more = _spreading(_network(engine), (X0, Y0, X1, Y1), Major, Include, Vc)
    return Packet(count=_count(Bytes, Src, Dst), here=Src, there=Dst, **more)


@ISA.instruction(
    *_MULTICAST_OPERANDS,
    rules=_MULTICAST_RULES,
    source=f"{PAGE}: NOC_CMD_BRCST_PACKET without NOC_CMD_RESP_MARKED",
    setup=_TENSORS,
    example=f"NOC_MULTICAST_POSTED {_MULTICAST_EXAMPLE}",
    formula="Dst of each Tensix tile of a rectangle = Src of this tile",
    **_REQUEST,
)
def NOC_MULTICAST_POSTED(
    Dst: Any,
    Src: Any,
    X0: int,
    Y0: int,
    X1: int,
    Y1: int,
    Bytes: int,
    Major: str,
    Include: bool,
    Vc: int,
    engine: str,
) -> Packet:
    """Write bytes of L1 to every Tensix tile of a rectangle, without acknowledgements."""
    more = _spreading(_network(engine), (X0, Y0, X1, Y1), Major, Include, Vc)
    return Packet(count=_count(Bytes, Src, Dst), here=Src, there=Dst, reply=False, **more)


@ISA.instruction(
    Operand("Dst", THERE, "@", doc="the word, or with a Mask its 16 bytes"),
    Operand("Value", WORD, doc="32 bits"),
    X_OF,
    Y_OF,
    Operand(
        "Mask",
        Number(integer=True, low=0, high=0xFFFF),
        default=0,
        doc="which of the aligned 16 bytes get the value, repeated; 0: the word at Dst",
        keyword=True,
    ),
    STATIC,
    ENGINE,
    rules=(_connected("Dst"), STATIC_CHANNEL, _aligned(4)),
    posts=1,
    source=f"{PAGE}: NOC_CMD_WR_INLINE",
    setup=_TENSORS,
    example="NOC_INLINE_WRITE v[0:1], 42  $got++",
    formula="the word Dst of another tile = Value",
    **_REQUEST,
)
def NOC_INLINE_WRITE(
    Dst: Any, Value: int, X: int, Y: int, Mask: int, Vc: int, engine: str
) -> Packet:
    """Write a number to a word of another tile, in a packet of one flit; with acknowledgement."""
    word = (Value & 0xFFFFFFFF).to_bytes(4, "little")
    network, to, options = _network(engine), _to(X, Y), _channel(Vc)
    if not Mask:
        return Packet(network, 4, there=Dst, to=to, data=word, options=options)
    only = tuple(n for n in range(16) if Mask >> n & 1)
    there = Dst if isinstance(Dst, View) else Dst & -16
    return Packet(network, 16, there=there, to=to, data=4 * word, only=only, options=options)


# -- atomic operations


def _words(whole: NDArray[Any]) -> NDArray[np.uint32]:
    return whole.view("<u4").copy()


def _incrementing(at_word: int, add: int, width: int) -> Atomic:
    mask = (2 << width) - 1

    def act(whole: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        words = _words(whole)
        before = int(words[at_word])
        words[at_word] = (before + add & mask) | (before & ~mask & 0xFFFFFFFF)
        return words.view(np.uint8), np.array([before], "<u4").view(np.uint8)

    return act


def _comparing(at_word: int, compare: int, new: int) -> Atomic:
    def act(whole: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        words = _words(whole)
        before = int(words[at_word])
        if before == compare:
            words[at_word] = new
        return words.view(np.uint8), np.array([before], "<u4").view(np.uint8)

    return act


def _swapping(at_word: int, value: int) -> Atomic:
    def act(whole: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        words = _words(whole)
        before = words[at_word : at_word + 1].copy()
        words[at_word] = value & 0xFFFFFFFF
        return words.view(np.uint8), before.view(np.uint8)

    return act


def _masking(at_word: int, value: int, mask: int) -> Atomic:
    def act(whole: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        halves = whole.view("<u2").copy()
        before = _words(whole)[at_word : at_word + 1].copy()
        for n in range(8):
            if mask >> n & 1:
                halves[n] = value >> 16 * (n & 1) & 0xFFFF
        return halves.view(np.uint8), before.view(np.uint8)

    return act


def _word_of(where: Any) -> int:
    address = where.offset + (where.tensor.offset or 0) if isinstance(where, View) else where
    return int(address) >> 2 & 3


RESULT = Operand("Ret", HERE, "@", doc="the word of this tile that gets what was there")
TARGET_WORD = Operand("Dst", THERE, "@", doc="the word of another tile's L1")
_ATOMIC_RULES: Final = (_connected("Dst"), _aligned(4))


def _atomic(engine: str, where: Any, x: int, y: int, back: Any, act: Atomic) -> Packet:
    return Packet(_network(engine), 4, back, where, _to(x, y), atomic=act)


@ISA.instruction(
    TARGET_WORD,
    RESULT,
    Operand("Add", WORD, doc="what is added"),
    X_OF,
    Y_OF,
    Operand(
        "IntWidth",
        Number(integer=True, low=0, high=31),
        default=31,
        doc="bits of the counter, less 1; those above stay",
        keyword=True,
    ),
    ENGINE,
    rules=_ATOMIC_RULES,
    posts=1,
    source=f"{PAGE}: Atomics, increment",
    setup=_TENSORS,
    example="NOC_ATOMIC_INC v[0:1], w[0:1], 5  $got++",
    formula="Ret = Dst; Dst = Dst + Add, in IntWidth + 1 bits",
    **_REQUEST,
)
def NOC_ATOMIC_INC(
    Dst: Any, Ret: Any, Add: int, X: int, Y: int, IntWidth: int, engine: str
) -> Packet:
    """Add to a word of another tile's L1; the word as it was comes back to this one."""
    return _atomic(engine, Dst, X, Y, Ret, _incrementing(_word_of(Dst), Add, IntWidth))


NIBBLE = Number(integer=True, low=0, high=15)


@ISA.instruction(
    TARGET_WORD,
    RESULT,
    Operand("Compare", NIBBLE, doc="what the word is compared with, 4 bits"),
    Operand("Set", NIBBLE, doc="what it becomes if it is that, 4 bits"),
    X_OF,
    Y_OF,
    ENGINE,
    rules=_ATOMIC_RULES,
    posts=1,
    source=f"{PAGE}: Atomics, compare and swap",
    setup=_TENSORS,
    example="NOC_ATOMIC_CAS v[0:1], w[0:1], 0, 1  $got++",
    formula="Ret = Dst; if Dst == Compare: Dst = Set",
    **_REQUEST,
)
def NOC_ATOMIC_CAS(
    Dst: Any, Ret: Any, Compare: int, Set: int, X: int, Y: int, engine: str
) -> Packet:
    """Set a word of another tile's L1 if it is a number; the word as it was comes back."""
    return _atomic(engine, Dst, X, Y, Ret, _comparing(_word_of(Dst), Compare, Set))


@ISA.instruction(
    TARGET_WORD,
    RESULT,
    Operand("Value", WORD, doc="what it becomes"),
    X_OF,
    Y_OF,
    Operand(
        "Mask",
        Number(integer=True, low=0, high=255),
        default=0,
        doc="which of the eight halfwords of the 16 bytes get halves of Value; 0: the word at Dst",
        keyword=True,
    ),
    ENGINE,
    rules=_ATOMIC_RULES,
    posts=1,
    source=f"{PAGE}: Atomics, swap by index and by mask",
    setup=_TENSORS,
    example="NOC_ATOMIC_SWAP v[0:1], w[0:1], 7  $got++",
    formula="Ret = Dst; Dst = Value",
    **_REQUEST,
)
def NOC_ATOMIC_SWAP(
    Dst: Any, Ret: Any, Value: int, X: int, Y: int, Mask: int, engine: str
) -> Packet:
    """Swap a word of another tile's L1, or halfwords of its 16 bytes; what was there comes back."""
    word = _word_of(Dst)
    act = _masking(word, Value, Mask) if Mask else _swapping(word, Value)
    return _atomic(engine, Dst, X, Y, Ret, act)


# -- semaphores, waits


@ISA.instruction(
    ENGINE,
    signals=True,
    source=f"{PAGE}: Atomics, increment, posted",
    setup=_TENSORS,
    example="NOC_INC $there++",
    formula="the semaphore of another tile grows by 1, when the packet is there",
    **_REQUEST,
)
def NOC_INC(engine: str) -> Packet:
    """Raise the semaphore of another tile that the line updates, by an atomic increment.

    It is a packet of its own: it may overtake others, so that what is sent before it has to be
    acknowledged if others rely on it then.
    """
    return Packet(_network(engine), 0, reply=False)


@ISA.instruction(
    *CORNERS,
    MAJOR_AXIS,
    SELF,
    ENGINE,
    signals=True,
    spreads=True,
    rules=(RECTANGLE,),
    source=f"{PAGE}: Atomics, increment, broadcast",
    setup=_TENSORS,
    example="NOC_INC_MULTICAST X0=3, Y0=3, X1=4, Y1=4  $there++",
    formula="the semaphore of this number grows by 1 in each Tensix tile of a rectangle",
    **_REQUEST,
)
def NOC_INC_MULTICAST(
    X0: int, Y0: int, X1: int, Y1: int, Major: str, Include: bool, engine: str
) -> Packet:
    """Raise the semaphore that the line updates in each tile of a rectangle.

    In other tiles it is the semaphore with the same number: the first that a tile declares is 0.
    """
    more = _spreading(_network(engine), (X0, Y0, X1, Y1), Major, Include, -1)
    return Packet(count=0, reply=False, **more)


@ISA.instruction(
    engines=NETWORK_QUEUES,
    cost=one(),
    effect=UntilAnswered,
    source=f"{PAGE}: Counters, NIU_MST_REQS_OUTSTANDING_ID",
    setup=f"{_TENSORS}\n@noc0 NOC_READ a, b",
    example="NOC_BARRIER",
    formula="wait until nothing that this queue sent is outstanding",
)
def NOC_BARRIER() -> UntilAnswered:
    """Wait until all that this queue asked for has come back, and all it wrote is acknowledged.

    Posted writes and raised semaphores have no answer: it does not wait for these.
    """
    return UntilAnswered()


@ISA.instruction(
    engines=NETWORK_QUEUES,
    cost=one(),
    source="a load of a word of L1, repeated until it is as wanted",
    setup=_TENSORS,
    example="NOC_NOP $got++",
    formula="nothing but the wait and the update of the line",
)
def NOC_NOP() -> None:
    """Only wait for a semaphore, update one of this tile, or both."""


CORE = Operand("core", CoreState())
SEMAPHORE = Operand("Number", Number(integer=True, low=0, high=7), doc="which of the eight")


def _address(number: int) -> int:
    return at.SEMAPHORES + 4 * number


@ISA.instruction(
    SEMAPHORE,
    Operand("Take", Flag(), default=False, doc="take one back instead"),
    CORE,
    engines=NETWORK_QUEUES,
    cost=one(),
    source="Tenstorrent ISA documentation, Wormhole B0: SyncUnit; a store of a core",
    example="NOC_SEMPOST 1",
    formula="semaphore Number of the Tensix grows by 1",
)
def NOC_SEMPOST(Number: int, Take: bool, core: Tensix) -> Callable[[], None]:
    """Post a semaphore of the tile's threads, which wait for it by SEMWAIT."""
    blocks.store(core, -1, _address(Number), int(Take))
    return core.settle


@of_operands
def polled(_: InstructionContext, Number: int, Value: int, Op: str, core: Tensix) -> Blocked | None:
    """The semaphore compares so."""
    found = blocks.load(core, -1, _address(Number))
    if COMPARISONS[Op](found, Value):
        return None
    reason = f"semaphore {Number} is {found}, and it waits until that is {Op} {Value}"
    return Blocked("polling", reason, core.next_change(), on=(f"semaphore {Number}",))


@ISA.instruction(
    SEMAPHORE,
    Operand("Value", WORD, doc="what it is compared with"),
    Operand("Op", Choice(tuple(COMPARISONS), "comparison"), default="ge", doc="which ends it"),
    CORE,
    Operand("queue", Here("queue")),
    engines=NETWORK_QUEUES,
    cost=one(),
    condition=polled("Number", "Value", "Op", "core"),
    source="Tenstorrent ISA documentation, Wormhole B0: SyncUnit; loads of a core",
    example="NOC_SEMWAIT 1, 0",
    formula="wait until semaphore Number of the Tensix compares so with Value",
)
def NOC_SEMWAIT(Number: int, Value: int, Op: str, core: Tensix, queue: int) -> None:
    """Wait until a semaphore of the tile's threads compares with a number."""
    core.around.passed(queue, f"semaphore {Number}")


@ISA.instruction(
    Operand("Dst", HERE, "@", doc="the word that gets it"),
    CORE,
    engines=NETWORK_QUEUES,
    cost=one(),
    source="Tenstorrent ISA documentation, Wormhole B0: DebugTimestamper, wall clock",
    setup=_TENSORS,
    example="NOC_STAMP w[0:1]",
    formula="the word Dst = the low half of the wall clock",
)
def NOC_STAMP(Dst: Any, core: Tensix) -> None:
    """Store the low half of the wall clock in L1.

    The clock counts cycles from the start of the run. That the core loads and stores it in no time
    is assumed.
    """
    address = Dst.offset + (Dst.tensor.offset or 0) if isinstance(Dst, View) else Dst
    core.l1.write(address, np.array([core.around.now & 0xFFFFFFFF], "<u4").view(np.uint8))


WAITING: Final = NOC_NOP.name
"""The row that only waits and updates."""
