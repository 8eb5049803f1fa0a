"""The page columns.md: the columns of every table that a profile is written as."""

from __future__ import annotations

from generator.examples import GENERATIONS
from generator.markdown import NOTE, code, joined, table
from nasm.show import schema

_HEAD = (
    "What `neuron-nasm profile --tables` writes, as described in "
    "[tools](tools.md#tables-of-a-profile). Columns named *nasm's* are not in the schema of the "
    "vendor's profiler; the others have its names. The columns of engines and banks are those of "
    "NeuronCore-v2, v3 and v4."
)
_ABOUT = {
    schema.INSTRUCTION: (
        "A row for every instruction that completed, in this order, and for every table that "
        "Scalar loaded (`ACT_TABLE_LOAD`, at the place of the instruction that needed it). The "
        "time of an instruction is from its start to its completion, as the profiler counts it: "
        "durations of one engine overlap, and their sum may exceed the run. What a `DmaCopy` "
        "makes DMA move counts for it, although it has ended by then. Bytes are those of the "
        "elements that operands walk: one that is touched twice counts twice. The profiler also "
        "has `performance_mode`. nasm does not keep which mode an instruction ran in: "
        "`occupied_ns` shows it."
    ),
    schema.TRANSFER: "A row for every transfer of which all shares have landed.",
    schema.UPDATE: (
        "A row for every change of a semaphore or an event, at the moment of the change: waiters "
        "see it [later](machine.md). Shares of a transfer that land together are one change."
    ),
    schema.USAGE: (
        "A row whenever more of PSUM has been written than before. The profiler shows how much is "
        "allocated; a program of nasm allocates nothing while it runs, so a bank is as full here "
        "as it has ever been."
    ),
    schema.SUMMARY: (
        "One row. For several cores, counts, times and bytes are those of all together, and "
        "percentages are of the time of all. Rates are defined in [profile](profile.md#bounds). "
        "The profiler's `mfu_estimated_percent` counts the model's operations where it knows the "
        "model; here it is counted from instructions."
    ),
}
"""What a row of each table is."""


def page() -> str:
    """Every table with its columns."""
    parts = [NOTE, "# Columns of profile tables", _HEAD]
    for name, columns in schema.tables(GENERATIONS[0]).items():
        rows = [
            [code(c.name), "nasm's" if c.own else "", c.unit or c.kind, c.meaning] for c in columns
        ]
        parts += [f"## {name}", _ABOUT[name], table(["column", "", "unit", "meaning"], rows)]
    return joined(*parts)
