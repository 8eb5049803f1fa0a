"""The toy: two cores of two engines with clocks of their own, two memories and two channels.

Its figures are round numbers made up for working out ticks by hand. A tick is 2/3 ns: a cycle of
alpha (500 MHz) is 3 ticks, one of beta (300 MHz) 5.
"""

from __future__ import annotations

from typing import Any

from nasm.isa import effects
from nasm.isa.effects import Clear, Exchange, Jump, Plan, Rendezvous, Share
from nasm.isa.evidence import Evidence, Fact
from nasm.isa.figures import Figure
from nasm.isa.generation import Engine, Generation, Unit
from nasm.isa.implicit_kinds import Doubt, Here
from nasm.isa.instruction import InstructionContext, Operand, of_operands
from nasm.isa.kinds import Flag, Label, Number
from nasm.isa.literal_kinds import Text
from nasm.isa.target import Bursting, GenerationModel, Target
from nasm.views.tensor import Memory
from nasm.views.view import View
from tests.toy.base import (
    ANYWHERE,
    BOTH,
    ISA,
    LANES,
    REGISTER,
    SAME_SHAPE,
    SOURCE,
    issued,
    sequenced,
    walked,
)
from tests.toy.rack import PARTS, SETTINGS, Rack, ahead, burst, expand
from tests.toy.woven import ARRANGEMENTS

DISPATCH, NOTIFY, FLOOR = 20, 4, 10
"""Ticks: from issuing a move to its start, from landing to a waiter, and of a share's way."""


@ISA.instruction(
    Operand("dst", LANES, "w"),
    Operand("a", LANES),
    Operand("b", LANES),
    engines=BOTH,
    rules=(SAME_SHAPE,),
    cost=walked("dst"),
    example="Add y, x, x",
    source=SOURCE,
)
def Add(a: Any, b: Any) -> Any:
    """Add two tiles: dst = a + b."""
    return a + b


@ISA.instruction(
    Operand("dst", LANES, "w"),
    Operand("a", LANES),
    Operand("factor", Number(), default=1.0),
    engines=("alpha",),
    rules=(SAME_SHAPE,),
    cost=walked("dst"),
    example="Scale y, x, factor=0.5",
    source=SOURCE,
)
def Scale(a: Any, factor: float) -> Any:
    """Multiply a tile by a number: dst = a * factor."""
    return a * a.dtype.type(factor)


@ISA.instruction(
    Operand("dst", LANES, "w", partial=True),
    Operand("a", LANES),
    engines=("alpha",),
    rules=(SAME_SHAPE,),
    cost=walked("dst"),
    example="Pick y, x",
    source=SOURCE,
)
def Pick(a: Any) -> effects.Partial:
    """Copy the elements above 0 and leave the others of dst as they are."""
    return effects.Partial(a, a > 0)


@of_operands
def _ends(_: InstructionContext, view: View) -> tuple[View, ...]:
    """The first and the last partition of an operand."""
    return view.index([slice(0, 1)]), view.index([slice(-1, None)])


@ISA.instruction(
    Operand("dst", LANES, "w", footprint=_ends("dst")),
    Operand("a", LANES, footprint=_ends("a")),
    engines=("alpha",),
    cost=walked("dst"),
    example="Ends y, x",
    source=SOURCE,
)
def Ends(a: Any) -> Any:
    """Copy the first and the last partition and touch none between them."""
    return a


@ISA.instruction(
    Operand("a", LANES),
    Operand("prefix", Text(), default=""),
    engines=("beta",),
    cost=sequenced(),
    effect=effects.Say,
    example='Tell x, "x is "',
    source=SOURCE,
)
def Tell(a: Any, prefix: str) -> effects.Say:
    """Say what a tile holds."""
    return effects.Say(f"{prefix}{a.tolist()}")


@ISA.instruction(
    Operand("dst", LANES, "w"),
    Operand("a", LANES),
    Operand("doubt", Doubt("no element is below 0 (made up)"), "w"),
    engines=("alpha",),
    rules=(SAME_SHAPE,),
    cost=walked("dst"),
    example="Root y, x",
    source=SOURCE,
)
def Root(a: Any) -> tuple[Any, str | None]:
    """Take the square root of a tile, of the magnitude where that is below 0."""
    return abs(a) ** 0.5, "takes the root of less than 0" if (a < 0).any() else None


@ISA.instruction(
    Operand("dst", ANYWHERE, "@"),
    Operand("src", ANYWHERE, "@"),
    engines=BOTH,
    rules=(SAME_SHAPE,),
    cost=issued(),
    posts=2,
    effect=effects.Transfer,
    example="Move x, X",
    source=SOURCE,
)
def Move(dst: View, src: View) -> effects.Transfer:
    """Copy a tile beside the queues, by both channels; each posts 1 when its half has landed."""
    return effects.Transfer(((dst, src),))


@ISA.instruction(
    Operand("reg", REGISTER, "w"),
    Operand("value", Number(integer=True)),
    engines=BOTH,
    cost=sequenced(),
    example="Set %r0, 3",
    source=SOURCE,
)
def Set(value: int) -> int:
    """Put a number into a register."""
    return value


@ISA.instruction(
    Operand("reg", REGISTER, "rw"),
    Operand("by", Number(integer=True), default=-1),
    engines=BOTH,
    cost=sequenced(),
    setup="Set %r0, 3",
    example="Count %r0, by=-1",
    source=SOURCE,
)
def Count(reg: int, by: int) -> int:
    """Add a number to a register."""
    return reg + by


@ISA.instruction(
    Operand("reg", REGISTER),
    Operand("target", Label()),
    engines=BOTH,
    cost=issued(),
    effect=Jump,
    setup="Set %r0, 0",
    example="Loop %r0, target=again",
    source=SOURCE,
)
def Loop(reg: int, target: str) -> Jump:
    """Go on at a label unless a register holds 0."""
    return Jump(target if reg else None)


@ISA.instruction(
    Operand("name", Number(integer=True)),
    engines=BOTH,
    cost=sequenced(),
    effect=Rendezvous,
    setup=".core 1\nMeet 1\n.core 0",
    example="Meet 1",
    source=SOURCE,
)
def Meet(name: int) -> Rendezvous:
    """Go on once the other core is at a meeting of this name too."""
    return Rendezvous((0, 1), (("name", name),))


@ISA.instruction(
    Operand("dst", LANES, "@"),
    Operand("src", LANES, "@"),
    Operand("direct", Flag(), default=False),
    engines=BOTH,
    rules=(SAME_SHAPE,),
    cost=walked("dst"),
    effect=Rendezvous,
    setup=".core 1\n.bank p f32[4, 2]\n.bank q f32[4, 2]\n.sem t\nMove q, X $t += 2\n"
    "Wait $t >= 2\nSwap p, q\n.core 0",
    example="Swap y, x",
    source=SOURCE,
)
def Swap(dst: View, src: View, direct: bool) -> Rendezvous:
    """Exchange tiles with the other core, by the channels or by the engines themselves."""
    here = dst.tensor.core
    exchange = Exchange(dst, src, 1 - here, 1 - here, direct)
    return Rendezvous((0, 1), (), (("shape", src.shape), ("direct", direct)), exchange)


@ISA.instruction(
    Operand("first", Number(integer=True)),
    Operand("last", Number(integer=True)),
    engines=BOTH,
    cost=issued(),
    effect=Clear,
    example="Zero 0, 3",
    source=SOURCE,
)
def Zero(first: int, last: int) -> Clear:
    """Set semaphores to 0."""
    return Clear(first, last)


@ISA.instruction(
    Operand("reg", REGISTER, "w"),
    Operand("core", Here("core")),
    engines=BOTH,
    cost=sequenced(),
    example="Which %r0",
    source=SOURCE,
)
def Which(core: int) -> int:
    """Put the number of the core into a register."""
    return core


@ISA.instruction(engines=BOTH, cost=issued(), example="Wait", source=SOURCE)
def Wait() -> None:
    """Only wait, only update, or both."""


def plan(transfer: effects.Transfer, generation: Generation, engine: str) -> Plan:
    """Halve axis 0 between two channels; a byte takes a tick."""
    halves: list[list[tuple[int, int, int]]] = [[], []]
    for number, (dst, _) in enumerate(transfer.moves):
        half = (dst.shape[0] + 1) // 2 * (dst.size // dst.shape[0])
        halves[0].append((number, 0, half))
        if half < dst.size:
            halves[1].append((number, half, dst.size))
    sizes = [dst.dtype.itemsize for dst, _ in transfer.moves]
    return Plan(
        tuple(_share(n, tuple(ranges), sizes) for n, ranges in enumerate(halves)),
        0,
        DISPATCH,
        NOTIFY,
    )


def _share(channel: int, ranges: tuple[tuple[int, int, int], ...], sizes: list[int]) -> Share:
    size = sum((end - begin) * sizes[move] for move, begin, end in ranges)
    return Share(channel, ranges, size, size + FLOOR, size)


MEMORIES = {
    "ram": Memory(
        "ram",
        partitions=0,
        size=4096,
        io=True,
        shared=True,
        align=4,
        summary="linear memory",
        source=SOURCE,
    ),
    "drum": Memory(
        "drum",
        partitions=0,
        size=256,
        io=True,
        align=4,
        numbered=True,
        summary="256 bytes, each with a number",
        source=SOURCE,
    ),
    "bank": Memory(
        "bank",
        partitions=4,
        size=256,
        bank=128,
        align=4,
        summary="4 partitions of 256 bytes, 2 banks of 128 each",
        source=SOURCE,
    ),
}

FIGURES = (
    Figure(
        "semaphore_ns",
        "ns",
        "from a post by an engine until a waiter may start",
        {"toy": Fact(4, Evidence.ASSUMED, SOURCE)},
    ),
)

GENERATION = Generation(
    name="toy",
    spellings=("toy",),
    summary="the toy",
    ticks=1500,
    engines=(
        Engine("alpha", 3, "the fast one", SOURCE, ("a",), ("bank",), ("bank",)),
        Engine("beta", 5, "the slow one", SOURCE, ("b",), ("bank",), ("bank",)),
    ),
    memories=MEMORIES,
    dtypes=("float32", "bfloat16", "int32"),
    numbers={f.name: f.facts["toy"] for f in FIGURES},
    registers=4,
    semaphores=8,
    events=2,
    cores=2,
    channels=2,
    rings=1,
    units=(Unit("mill", "grinds and presses for both engines", SOURCE),),
)

MODEL = GenerationModel(settings=SETTINGS, parts=PARTS)

TARGET = Target(
    "toy",
    __name__,
    "two engines for tests",
    ISA,
    (GENERATION,),
    plan=plan,
    figures=FIGURES,
    holds=Rack,
    expand=expand,
    bursting=Bursting(ahead, burst),
    model=lambda name: MODEL,
    arrangements=ARRANGEMENTS,
)
TARGETS = {"toy": lambda: TARGET}
