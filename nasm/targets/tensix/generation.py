"""Wormhole, as data with sources: three threads, one memory, a clock."""

from __future__ import annotations

from nasm.isa.generation import Engine, Generation, Unit
from nasm.isa.options import defaults
from nasm.targets.tensix.isa.table import CORES, QUEUES
from nasm.targets.tensix.options import OPTIONS
from nasm.targets.tensix.state import L1_BYTES
from nasm.views.tensor import Memory

DOCS = "Tenstorrent ISA documentation, Wormhole B0"

TICKS = 1000
"""Ticks per microsecond: at 1 GHz a tick is a cycle."""

CLOCK = f"{DOCS}; a clock of 1 GHz, at which Tenstorrent states its throughput"


def _thread(name: str, does: str) -> Engine:
    return Engine(
        name,
        1,
        f"thread {name[1:]}, by custom that which {does}",
        CLOCK,
        reads=("l1",),
        writes=("l1",),
        spelled=name.upper(),
    )


def _core(name: str, thread: str) -> Engine:
    return Engine(
        name,
        1,
        f"the RISC-V core that pushes the instructions of {thread}",
        CLOCK,
        reads=("l1",),
        writes=("l1",),
        spelled=f"RISC-V {thread.upper()}",
        pushes=thread,
    )


_DOES = ("unpacks", "computes", "packs")


def _unit(name: str, what: str, page: str) -> Unit:
    return Unit(name, f"{what}, which the threads share", f"{DOCS}, {page}")


UNITS = (
    _unit("sync", "semaphores and waits", "SyncUnit"),
    _unit("unpack0", "the unpacker to SrcA and Dst", "Unpackers"),
    _unit("unpack1", "the unpacker to SrcB", "Unpackers"),
    _unit("matrix", "the matrix unit", "MatrixUnit"),
    _unit("pack", "the four packers", "Packers"),
    _unit("vector", "the vector unit", "VectorUnit"),
    _unit("scalar", "the scalar unit", "ScalarUnit"),
    _unit("cfg", "what writes the banks of the configuration", "ConfigurationUnit"),
    _unit("mover", "the mover", "Mover"),
)

WORMHOLE = Generation(
    name="wormhole",
    spellings=("wormhole",),
    summary="Tensix of Wormhole B0",
    ticks=TICKS,
    engines=(*map(_thread, QUEUES, _DOES), *map(_core, CORES, QUEUES)),
    memories={
        "l1": Memory(
            "l1",
            partitions=0,
            size=L1_BYTES,
            io=True,
            align=16,
            numbered=True,
            summary="the memory of the tile: 1464 KiB, in units of 16 bytes",
            source=f"{DOCS}, L1",
        )
    },
    dtypes=(
        "uint8",
        "int8",
        "uint16",
        "int16",
        "uint32",
        "int32",
        "float16",
        "bfloat16",
        "float32",
    ),
    numbers={},
    registers=0,
    semaphores=0,
    clock=QUEUES[0],
    units=UNITS,
    options=defaults(OPTIONS),
)

GENERATIONS = (WORMHOLE,)
