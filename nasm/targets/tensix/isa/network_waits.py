"""What cores of a tile raise and wait for: semaphores, answers of the networks, the clock.

Source: the public ISA documentation of Wormhole B0, NoC. Semaphores that programs declare are words
of L1 that packets raise and cores poll.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from nasm.isa.core_state import Blocked
from nasm.isa.effects import Packet, UntilAnswered
from nasm.isa.implicit_kinds import CoreState, Here
from nasm.isa.instruction import InstructionContext, Operand, of_operands
from nasm.isa.kinds import Choice, Flag, Number
from nasm.targets.tensix import memory_map as at
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.host import blocks
from nasm.targets.tensix.isa.cores import COMPARISONS
from nasm.targets.tensix.isa.network_operands import (
    CORNERS,
    ENGINE,
    HERE,
    MAJOR_AXIS,
    NETWORK_QUEUES,
    ONLY_ID,
    PAGE,
    RECTANGLE,
    REQUEST,
    SELF,
    TENSORS,
    WORD,
    address_of,
    network_of,
    one,
    spreading,
)
from nasm.targets.tensix.isa.table import ISA


@ISA.instruction(
    ENGINE,
    signals=True,
    source=f"{PAGE}: Atomics, increment, posted",
    setup=TENSORS,
    example="NOC_INC $there++",
    formula="the semaphore of another tile grows by 1, when the packet is there",
    **REQUEST,
)
def NOC_INC(engine: str) -> Packet:
    """Raise the semaphore of another tile that the line updates, by an atomic increment.

    It is a packet of its own: it may overtake others, so that what is sent before it has to be
    acknowledged if others rely on it then.
    """
    return Packet(network_of(engine), 0, reply=False)


@ISA.instruction(
    *CORNERS,
    MAJOR_AXIS,
    SELF,
    ENGINE,
    signals=True,
    spreads=True,
    rules=(RECTANGLE,),
    source=f"{PAGE}: Atomics, increment, broadcast",
    setup=TENSORS,
    example="NOC_INC_MULTICAST X0=3, Y0=3, X1=4, Y1=4  $there++",
    formula="the semaphore of this number grows by 1 in each Tensix tile of a rectangle",
    **REQUEST,
)
def NOC_INC_MULTICAST(
    X0: int, Y0: int, X1: int, Y1: int, Major: str, Include: bool, engine: str
) -> Packet:
    """Raise the semaphore that the line updates in each tile of a rectangle.

    In other tiles it is the semaphore with the same number: the first that a tile declares is 0.
    """
    more = spreading(network_of(engine), (X0, Y0, X1, Y1), Major, Include, -1)
    return Packet(count=0, reply=False, **more)


@ISA.instruction(
    ONLY_ID,
    engines=NETWORK_QUEUES,
    cost=one(),
    effect=UntilAnswered,
    source=f"{PAGE}: Counters, NIU_MST_REQS_OUTSTANDING_ID",
    setup=f"{TENSORS}\n@noc0 NOC_READ a, b, Id=3",
    example="NOC_BARRIER Id=3",
    formula="wait until nothing that this queue sent is outstanding",
)
def NOC_BARRIER(Id: int) -> UntilAnswered:
    """Wait until all that this queue asked for has come back, and all it wrote is acknowledged.

    With Id it waits only for requests with this transaction ID, of which a counter of 8 bits says
    how many are outstanding. Posted writes and raised semaphores have no answer: it does not wait
    for these.
    """
    return UntilAnswered(None if Id < 0 else Id)


@ISA.instruction(
    ONLY_ID,
    engines=NETWORK_QUEUES,
    cost=one(),
    effect=UntilAnswered,
    source=f"{PAGE}: Counters, NIU_MST_WRITE_REQS_OUTGOING_ID",
    setup=f"{TENSORS}\n@noc0 NOC_WRITE_POSTED b, a",
    example="NOC_FLUSH",
    formula="wait until the bytes of all that this queue writes have left this tile",
)
def NOC_FLUSH(Id: int) -> UntilAnswered:
    """Wait until the bytes of all writes of this queue have been read here, posted ones among them.

    From then on they may be overwritten here; whether they are there is not known. That the last
    of them is read when the last flit enters the network is assumed.
    """
    return UntilAnswered(None if Id < 0 else Id, taken=True)


@ISA.instruction(
    engines=NETWORK_QUEUES,
    cost=one(),
    source="a load of a word of L1, repeated until it is as wanted",
    setup=TENSORS,
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
    setup=TENSORS,
    example="NOC_STAMP w[0:1]",
    formula="the word Dst = the low half of the wall clock",
)
def NOC_STAMP(Dst: Any, core: Tensix) -> None:
    """Store the low half of the wall clock in L1.

    The clock counts cycles from the start of the run. That the core loads and stores it in no time
    is assumed.
    """
    core.l1.write(address_of(Dst), np.array([core.around.now & 0xFFFFFFFF], "<u4").view(np.uint8))


WAITING: Final = NOC_NOP.name
"""The row that only waits and updates."""
