"""Waiting, doing nothing, and synchronising with the other core of a pair."""

from __future__ import annotations

from nasm.isa.effects import Clear, Exchange, Rendezvous
from nasm.isa.implicit_kinds import Here
from nasm.isa.instruction import InstructionContext, Operand
from nasm.isa.kinds import Choice, Integers, Number, Tile
from nasm.targets.neuron import costs
from nasm.targets.neuron.isa.table import EVERY_ENGINE, ISA, SEQUENCERS, Names
from nasm.targets.neuron.rules import AVAILABLE, DTYPE, LIMIT, MODE, SHAPE, repeats, rule
from nasm.views.view import View

SCHEMA = "Neuron Explorer profile schema, control opcodes"
BARRIER, SENDRECV = "nki.isa.core_barrier", "nki.isa.sendrecv"
SEMAPHORE = Number(integer=True, low=0, high=255)
RANK = Number(integer=True, low=0, high=1)


@ISA.instruction(
    engines=SEQUENCERS,
    cost=costs.control("event_ns"),
    vendor=Names("", "EVENT_SEMAPHORE", ""),
    formula="wait, then update",
    example="EventSemaphore",
    source=f"{SCHEMA}; that the queue of the CC-cores has it is assumed",
)
def EventSemaphore() -> None:
    """Only wait for a semaphore, only update one, or both."""


@ISA.instruction(
    engines=SEQUENCERS,
    cost=costs.control("nop_ns"),
    vendor=Names("", "NOP", ""),
    formula="nothing",
    example="Nop",
    source=SCHEMA,
)
def Nop() -> None:
    """Do nothing; it may still wait and update."""


@rule(MODE, "first is at most last", f"{SCHEMA} (assumed)")
def in_order(context: InstructionContext) -> str | None:
    """A range runs upwards."""
    first, last = context.operands["first"], context.operands["last"]
    return f"first={first}, last={last}" if first > last else None


@ISA.instruction(
    Operand("first", SEMAPHORE, doc="the number of a semaphore: `.sem name = 7` chooses it"),
    Operand("last", SEMAPHORE, doc="the last one cleared"),
    engines=SEQUENCERS,
    rules=(in_order,),
    cost=costs.control("clear_ns"),
    effect=Clear,
    vendor=Names("", "EVENT_SEMAPHORE_RANGE_CLEAR", ""),
    formula="for n in first..last: semaphore n = 0",
    example="EventSemaphoreRangeClear 8, 15",
    source=f"{SCHEMA}; that it clears semaphores of its own core, when it completes, is assumed",
)
def EventSemaphoreRangeClear(first: int, last: int) -> Clear:
    """Set the core's semaphores from one number to another, both included, to 0.

    Events stay as they are. What waits for 0 may start, as after any other update.
    """
    return Clear(first, last)


@rule(MODE, "a barrier is between cores 0 and 1", BARRIER, about="cores")
def a_pair(context: InstructionContext) -> str | None:
    """Exactly the two cores that share HBM."""
    cores = context.operands["cores"]
    return None if cores == (0, 1) else f"cores={list(cores)}; wanted [0, 1]"


@ISA.instruction(
    Operand(
        "data",
        Tile(("hbm", "sbuf"), lanes=False),
        "@",
        doc="what both cores have written, in HBM, or a tile of each core, in SBUF",
    ),
    Operand("cores", Integers(length=2, what="the two cores, [0, 1]"), default=(0, 1)),
    Operand("engine", Here("engine")),
    engines=EVERY_ENGINE,
    since="v3",
    rules=(a_pair,),
    cost=costs.control(
        "barrier_ns",
        "A fixed time from the arrival of the last core; until then the queue is held.",
    ),
    effect=Rendezvous,
    vendor=Names("core_barrier", "PSEUDO_CORE_BARRIER", "CoreBarrier"),
    formula="wait until the other core is here too",
    setup=".core 1\nCoreBarrier A\n.core 0",
    example="CoreBarrier A",
    source=f"{BARRIER}; that barriers of the same engine pair up, in order, is assumed; a tile in "
    "SBUF is not documented: nki-library's moe_cte on intermediate shards passes one",
)
def CoreBarrier(data: View, cores: tuple[int, ...], engine: str) -> Rendezvous:
    """Hold this engine until the same engine of the other core reaches its barrier.

    Other engines continue, and so do transfers: wait for what the core itself has to finish before
    it, and let it update a semaphore for those who need what the other core wrote. The vendor's
    `engine` operand is the engine of the instruction.
    """
    tensor = data.tensor
    name = tensor.name if tensor.memory.shared else f"a tile in {tensor.memory.name}"
    return Rendezvous(cores, (("engine", engine),), (("data", name),))


@rule(DTYPE, "src and dst have one dtype", SENDRECV)
def one_dtype(context: InstructionContext) -> str | None:
    """Elements are moved as they are."""
    src, dst = context.operands["src"].dtype.name, context.operands["dst"].dtype.name
    return None if src == dst else f"src is {src}, dst {dst}"


@rule(SHAPE, "src and dst have one shape", SENDRECV)
def one_shape(context: InstructionContext) -> str | None:
    """The same partitions, and the same elements in each."""
    src, dst = context.operands["src"].shape, context.operands["dst"].shape
    return None if src == dst else f"src is {list(src)}, dst {list(dst)}"


@rule(SHAPE, "every element of dst is received once", f"{SENDRECV} (assumed)", about="dst")
def received_once(context: InstructionContext) -> str | None:
    """A step of 0 is for src."""
    return "dst walks some elements more than once" if repeats(context.operands["dst"]) else None


@rule(AVAILABLE, "dma_engine=gpsimd_dma runs on GpSimd only", SENDRECV, about="dma_engine")
def own_dma(context: InstructionContext) -> str | None:
    """The engine that has a DMA engine inside."""
    inside = context.operands["dma_engine"] == "gpsimd_dma"
    return (
        f"dma_engine=gpsimd_dma on {context.engine}"
        if inside and context.engine != "gpsimd"
        else None
    )


@rule(
    LIMIT,
    "gpsimd_dma moves up to 1024 bytes per partition of 32-bit dtypes, 512 of 16-bit and "
    "256 of 8-bit ones",
    SENDRECV,
    "dma_engine=dma has no such limit",
    about="src",
)
def short_enough(context: InstructionContext) -> str | None:
    """What GpSimd's DMA engine holds."""
    src = context.operands["src"]
    found, most = src.elements * src.dtype.itemsize, 256 * src.dtype.itemsize
    if context.operands["dma_engine"] == "dma" or found <= most:
        return None
    return f"src has {found} bytes per partition; wanted at most {most} of {src.dtype.name}"


@ISA.instruction(
    Operand("dst", Tile(("sbuf",), lanes=False), "@", doc="receives what the other core sends"),
    Operand("src", Tile(("sbuf",), lanes=False), "@", doc="what is sent"),
    Operand("send_to_rank", RANK, keyword=True, doc="the core that receives it"),
    Operand("recv_from_rank", RANK, keyword=True, doc="the core that sends to this one"),
    Operand(
        "pipe_id",
        Number(integer=True, low=0, high=2**31 - 1),
        doc="instructions of one pipe pair up; pipes do not wait for each other",
    ),
    Operand("dma_engine", Choice(("dma", "gpsimd_dma"), "dma_engine"), default="dma"),
    engines=EVERY_ENGINE,
    since="v3",
    rules=(one_dtype, one_shape, received_once, own_dma, short_enough),
    cost=costs.exchange("src", "dma_engine"),
    effect=Rendezvous,
    vendor=Names("sendrecv", "", "SendRecv"),
    formula="""dst of core send_to_rank = src

arrives             both are there    both have landed  complete
|---- waits --------|---- moves ------|---- 600 ns -----|
                                      @read posts here  else here""",
    setup=".core 1\n.sbuf there bf16[128, 8] = iota\n.sbuf back bf16[128, 8]\n"
    "SendRecv back, there, send_to_rank=0, recv_from_rank=0, pipe_id=0\n.core 0",
    tensors=".sbuf got bf16[128, 8]",
    example="SendRecv got, a[:, 0:8], send_to_rank=1, recv_from_rank=1, pipe_id=0",
    source=f"{SENDRECV}; that the barrier comes after the transfer is assumed",
)
def SendRecv(
    dst: View, src: View, send_to_rank: int, recv_from_rank: int, pipe_id: int, dma_engine: str
) -> Rendezvous:
    """Exchange tiles with the other core: both are held until both tiles have arrived.

    The core's 16 DMA engines move src; with `dma_engine=gpsimd_dma` GpSimd does it itself, in
    less time. Elements keep their bits. The update is posted when the exchange is complete. With
    `@read` it is posted when both tiles have landed, 600 ns earlier: from then on src may be
    written and dst be read. Of `dma_engine=gpsimd_dma` it then says that src has been read, and
    nothing of dst: that is there at completion.
    """
    exchange = Exchange(dst, src, send_to_rank, recv_from_rank, dma_engine == "gpsimd_dma")
    alike = (("shape", src.shape), ("dtype", src.dtype.name), ("dma_engine", dma_engine))
    return Rendezvous((0, 1), (("pipe_id", pipe_id),), alike, exchange)
