"""The tables that a profile can be written as: their columns, named as the vendor's schema does.

The vendor's profiler writes the same tables of a device (schema 7.4.0). A column that it does not
have is marked as nasm's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nasm.base.records import dataclass
from nasm.isa.generation import Generation
from nasm.views.tensor import Memory

INTEGER, NUMBER, TEXT = "integer", "number", "text"
"""What a column holds, or null."""

INSTRUCTION, TRANSFER, UPDATE, USAGE, SUMMARY = (
    "Instruction",
    "DmaPacketAggregated",
    "SemaphoreUpdate",
    "PsumUsage",
    "Summary",
)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table; ``own`` ones are not in the vendor's schema."""

    name: str
    kind: str
    unit: str
    meaning: str
    own: bool = False


Tables = Mapping[str, tuple[Column, ...]]


def tables(generation: Generation) -> Tables:
    """Every table of a generation, with its columns."""
    return {
        INSTRUCTION: tuple(_instruction(generation)),
        TRANSFER: TRANSFERS,
        UPDATE: UPDATES,
        USAGE: tuple(_usage(banked(generation))),
        SUMMARY: tuple(_summary(generation)),
    }


def banked(generation: Generation) -> Memory | None:
    """The memory with banks, whose usage is a table."""
    return next((memory for memory in generation.memories.values() if memory.banks), None)


def _when(start: str, end: str) -> tuple[Column, ...]:
    return (
        Column("start_ts", INTEGER, "ns", f"when {start}, rounded down"),
        Column("end_ts", INTEGER, "ns", f"when {end}, rounded down"),
        Column("duration_ns", INTEGER, "ns", "from one to the other"),
    )


MICRO = Column(
    "micro", INTEGER, "", "which of the instructions it is that this pc was expanded to, or null",
    own=True,
)  # fmt: skip
CORE = Column("pcore_idx", INTEGER, "", "the core")
PLACE = Column("bir_debug_info_source_location", TEXT, "", "where it is written: file and line")


def _instruction(generation: Generation) -> Iterator[Column]:
    yield from _when("it started", "it had completed")
    yield Column("id", INTEGER, "", "its number among the starts of the run")
    yield CORE
    yield Column("engine", TEXT, "", "the engine")
    yield Column("opcode", TEXT, "", "the profiler's name of it; empty where none is published")
    yield Column("mnemonic", TEXT, "", "nasm's name of it; empty of a table load", own=True)
    yield Column("operands", TEXT, "", "its wait, its update and its operands, as nasm writes them")
    yield Column("pc", INTEGER, "", "its place in its queue")
    yield MICRO
    yield PLACE
    yield Column(
        "evt_wait_time_ns", INTEGER, "ns",
        "from when nothing but its wait held it back until that was over; 0 without a wait",
    )  # fmt: skip
    yield Column("occupied_ns", INTEGER, "ns", "for how long its unit is taken", own=True)
    yield Column(
        "tensor_instruction_type", TEXT, "", "`REGULAR` or `TRANSPOSE`; null if it is no matmul"
    )
    yield Column("raw_flops", INTEGER, "flops", "two for each product and sum; null likewise")
    yield Column("adjusted_flops", NUMBER, "flops", "the same in those that the peak is given for")
    yield Column("flops_transpose", INTEGER, "flops", "those of a transpose, else 0; null likewise")
    yield Column("adjusted_flops_transpose", NUMBER, "flops", "adjusted ones of a transpose")
    for memory in generation.memories.values():
        for verb, done in (("read", "reads from"), ("write", "writes to")):
            text = f"what it {done} {memory.name}, with what it lets DMA move"
            yield Column(f"{memory.name}_{verb}_bytes", INTEGER, "bytes", text)


TRANSFERS = (
    *_when("the first of its shares started", "the last had landed"),
    Column("id", INTEGER, "", "its number among the transfers of the run"),
    CORE,
    Column("engine", TEXT, "", "the engine that issued it", own=True),
    Column("pc", INTEGER, "", "the place of that instruction in its queue", own=True),
    MICRO,
    PLACE,
    Column("queue_idx", INTEGER, "", "the DMA queue of each DMA engine, `queue=` of the program"),
    Column("dma_engines", TEXT, "", "the DMA engines that move bytes, as in `0-15`", own=True),
    Column("source", TEXT, "", "the memories that it reads"),
    Column("dest", TEXT, "", "the memories that it writes"),
    Column("read_bytes", INTEGER, "bytes", "what it reads"),
    Column("write_bytes", INTEGER, "bytes", "what it writes"),
    Column("transfer_bytes", INTEGER, "bytes", "what its shares move"),
    Column("descriptors", INTEGER, "", "the pieces that DMA engines move one by one", own=True),
    Column("throughput", NUMBER, "bytes/s", "`transfer_bytes` by the duration; null if that is 0"),
    Column("semaphore_id", TEXT, "", "the semaphore that its shares post to; null without one"),
    Column("trigger", INTEGER, "ns", "when the instruction that issued it started"),
    Column("completion", INTEGER, "ns", "when that ended; null of what cores exchange"),
)

UPDATES = (
    Column("timestamp", INTEGER, "ns", "when the value changed, rounded down"),
    CORE,
    Column("id", TEXT, "", "the semaphore: `S[3] (name)`; an event: `E[3] (name)`"),
    Column("value", INTEGER, "", "its value from then on"),
    Column("update_source", TEXT, "", "the engine that changed it, or `DMA`"),
    Column(
        "update_operation_type", TEXT, "",
        "`sem_inc`, `sem_dec`, `sem_add_imm`, `sem_sub_imm`, `sem_wr_imm`, `evt_set` or `evt_clr`",
    ),
)  # fmt: skip


def _usage(memory: Memory | None) -> Iterator[Column]:
    yield Column("timestamp", INTEGER, "ns", "when that changed, rounded down")
    yield CORE
    if memory is None:
        return
    text = "how much of {} has been written since the start of the run, of all partitions"
    yield Column("avg_util_percent", NUMBER, "percent", text.format("all banks"))
    for bank in range(memory.banks):
        name = f"bank_{bank}_util_percent"
        yield Column(name, NUMBER, "percent", text.format(f"bank {bank}"))


def _summary(generation: Generation) -> Iterator[Column]:
    def seconds(name: str, meaning: str) -> Column:
        return Column(name, NUMBER, "s", meaning)

    def percent(name: str, meaning: str) -> Column:
        return Column(name, NUMBER, "percent", meaning)

    def count(name: str, meaning: str, unit: str = "") -> Column:
        return Column(name, INTEGER, unit, meaning)

    yield seconds("total_time", "the run, without launch and exit of the kernel")
    yield count("neuroncore_cycle_count", "the same in cycles of the base clock", "cycles")
    for engine in generation.engines:
        name = f"{engine.name}_engine"
        yield count(f"{name}_instruction_count", f"instructions of {engine.name} that completed")
        yield seconds(f"{name}_instruction_time", "their durations together")
        yield seconds(f"{name}_active_time", "while any of them was in progress")
        yield percent(f"{name}_active_time_percent", "the same of the run")
    yield count("matmul_instruction_count", "matmuls, transposes included")
    yield count("hardware_flops", "operations of all matmuls, transposes included", "flops")
    yield count("transpose_flops", "those of transposes", "flops")
    yield Column("adjusted_hardware_flops", NUMBER, "flops", "in those that the peak is given for")
    yield Column("adjusted_transpose_flops", NUMBER, "flops", "likewise, of transposes")
    yield percent("mfu_estimated_percent", "operations but transposes, of the peak")
    yield percent("mfu_inst_estimated_percent", "the same: instructions are all there is to count")
    yield percent("hfu_estimated_percent", "all operations, of the peak")
    yield percent("mbu_estimated_percent", "bytes of HBM, of its peak")
    yield Column(
        "mm_arithmetic_intensity", NUMBER, "flops/byte", "without transposes, by HBM bytes"
    )
    yield Column("peak_flops_bandwidth_ratio", NUMBER, "flops/byte", "the peaks by each other")
    yield percent("mfu_max_achievable_estimated_percent", "the quotient of these, at most 100")
    for memory in generation.memories.values():
        yield count(f"{memory.name}_read_bytes", f"bytes read from {memory.name}", "bytes")
        yield count(f"{memory.name}_write_bytes", f"bytes written to {memory.name}", "bytes")
    yield count("spill_save_bytes", "bytes of tiles without room that are saved to HBM", "bytes")
    yield count("spill_reload_bytes", "bytes of them that are loaded again", "bytes")
    yield seconds("dma_active_time", "while any share had started and not landed")
    yield percent("dma_active_time_percent", "the same of the run")
    yield count("dma_active_cycles", "the same in cycles of the base clock", "cycles")
    yield seconds("dma_packet_time", "the busy time of all DMA engines together")
    yield count("dma_transfer_count", "transfers that landed")
    yield seconds("dma_transfer_time", "their durations together")
    yield count("dma_transfer_total_bytes", "their bytes", "bytes")
    yield Column("dma_transfer_average_bytes", NUMBER, "bytes", "the mean of a transfer")
