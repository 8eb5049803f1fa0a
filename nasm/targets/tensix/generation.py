"""Wormhole and Blackhole, as data with sources: three threads, one memory, a clock."""

from __future__ import annotations

from nasm.isa.generation import Engine, Generation, Unit
from nasm.isa.options import defaults
from nasm.targets.tensix.chips import BLACKHOLE, WORMHOLE, Chip
from nasm.targets.tensix.engine_names import CORES, OTHER_CORES, QUEUES, RISCV_PREFIX
from nasm.targets.tensix.isa.host_requests import HOST_QUEUE
from nasm.targets.tensix.isa.network_operands import NETWORK_QUEUES
from nasm.targets.tensix.noc.chip_map import HOST_MEMORY, MAPS, NETWORKS, SOURCE
from nasm.targets.tensix.options import OPTIONS
from nasm.views.tensor import Memory

DTYPES = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "float16", "bfloat16", "float32")

SEMAPHORES = 16
"""Words of L1 that lines of the networks count with, on each tile; how many is assumed."""

_ABSENT = (HOST_QUEUE,)

CLOCKS = {
    WORMHOLE.name: (1000, "a clock of 1 GHz, at which Tenstorrent states its throughput"),
    BLACKHOLE.name: (1350, "VectorUnit: a clock of 1.35 GHz"),
}
"""Cycles in a microsecond, of which each is a tick, and where that is written."""

L1_SOURCES = {
    WORMHOLE.name: f"{WORMHOLE.docs}, L1",
    BLACKHOLE.name: "the public simulator of Blackhole",
}


def _thread(chip: Chip, name: str, does: str) -> Engine:
    return Engine(
        name,
        1,
        f"thread {name[1:]}, by custom that which {does}",
        f"{chip.docs}; {CLOCKS[chip.name][1]}",
        reads=("l1",),
        writes=("l1",),
        counts=False,
        instead="threads have the semaphores of the Tensix; lines of @noc0 and @noc1 count",
        spelled=name.upper(),
    )


def _core(chip: Chip, name: str, thread: str) -> Engine:
    return Engine(
        name,
        1,
        f"the RISC-V core that pushes the instructions of {thread}",
        f"{chip.docs}; {CLOCKS[chip.name][1]}",
        reads=("l1",),
        writes=("l1",),
        spelled=f"RISC-V {thread.upper()}",
        counts=False,
        instead="these cores poll what they wait for; lines of @noc0 and @noc1 count",
        pushes=thread,
        aliases=(thread.upper(),),
        prefix=RISCV_PREFIX,
    )


def _other(chip: Chip, name: str, letters: str, does: str) -> Engine:
    return Engine(
        name,
        1,
        f"the RISC-V core {letters}, {does}",
        f"{chip.docs}; {CLOCKS[chip.name][1]}",
        reads=("l1",),
        writes=("l1",),
        spelled=f"RISC-V {letters}",
        rare=True,
        aliases=(letters,),
        prefix=RISCV_PREFIX,
    )


_OTHERS = (
    (OTHER_CORES[0], "B", "which may push to every thread"),
    (OTHER_CORES[1], "NC", "which reaches no coprocessor"),
)


def _network(name: str) -> Engine:
    return Engine(
        name,
        1,
        f"the requests of the tile's cores to network {name[-1]}, in their order",
        SOURCE,
        reads=("l1",),
        writes=("l1",),
        spelled=f"NoC {name[-1]}",
        rare=True,
    )


def _host() -> Engine:
    return Engine(
        HOST_QUEUE,
        1,
        "the requests of a host to the base firmware of an Ethernet tile, in their order",
        SOURCE,
        reads=(HOST_MEMORY, "l1"),
        writes=(HOST_MEMORY, "l1"),
        rare=True,
        everywhere=True,
    )


def _shared(name: str, what: str, size: int) -> Memory:
    return Memory(
        name, partitions=0, size=size, io=True, shared=True, align=32, summary=what, source=SOURCE,
        arranges=True,
    )  # fmt: skip


def _outside(chip: Chip) -> dict[str, Memory]:
    """Memories that tiles reach by the networks."""
    tiles = MAPS[chip.name]
    size = f"{tiles.dram_bytes >> 30} GiB"
    drams = {
        name: _shared(name, f"DRAM {number} of the chip: {size}", tiles.dram_bytes)
        for number, name in enumerate(tiles.dram_memories)
    }
    return {**drams, HOST_MEMORY: _shared(HOST_MEMORY, "memory of the host, by PCI Express", 0)}


_DOES = ("unpacks", "computes", "packs")


def _units(chip: Chip) -> tuple[Unit, ...]:
    def unit(name: str, what: str, page: str) -> Unit:
        return Unit(name, f"{what}, which the threads share", f"{chip.docs}, {page}")

    packs = "the four packers" if chip is WORMHOLE else "the packer"
    return (
        unit("sync", "semaphores and waits", "SyncUnit"),
        unit("unpack0", "the unpacker to SrcA and Dst", "Unpackers"),
        unit("unpack1", "the unpacker to SrcB", "Unpackers"),
        unit("matrix", "the matrix unit", "MatrixUnit"),
        unit("pack", packs, "Packers"),
        unit("vector", "the vector unit", "VectorUnit"),
        unit("scalar", "the scalar unit", "ScalarUnit"),
        unit("cfg", "what writes the banks of the configuration", "ConfigurationUnit"),
        unit("mover", "the mover", "Mover"),
    )


def _generation(chip: Chip, order: int) -> Generation:
    size, tiles = f"{chip.l1_bytes >> 10} KiB", MAPS[chip.name]
    cores = tuple(_core(chip, *of) for of in zip(CORES, QUEUES, strict=True))
    cores += tuple(_other(chip, *of) for of in _OTHERS)
    return Generation(
        name=chip.name,
        spellings=(chip.name,),
        summary=f"Tensix of {chip.title}",
        ticks=CLOCKS[chip.name][0],
        engines=(
            *(_thread(chip, *of) for of in zip(QUEUES, _DOES, strict=True)),
            *cores,
            *map(_network, NETWORK_QUEUES),
            *((_host(),) if chip is WORMHOLE else ()),
        ),
        memories={
            "l1": Memory(
                "l1",
                partitions=0,
                size=chip.l1_bytes,
                io=True,
                align=16,
                numbered=True,
                summary=f"the memory of the tile: {size}, in units of 16 bytes",
                source=L1_SOURCES[chip.name],
            ),
            **_outside(chip),
        },
        dtypes=DTYPES,
        numbers={},
        registers=0,
        semaphores=SEMAPHORES,
        channels=NETWORKS,
        rings=NETWORKS,
        channel="network",
        order=order,
        cores=tiles.chips * len(tiles.tensix_columns) * len(tiles.tensix_rows),
        chips=tiles.chips,
        grid=tiles,
        clock=QUEUES[0],
        units=_units(chip),
        options=defaults(OPTIONS),
        absent={}
        if chip is WORMHOLE
        else dict.fromkeys(_ABSENT, f"these of {chip.title} are not modelled"),
    )


GENERATIONS = tuple(_generation(chip, order) for order, chip in enumerate((WORMHOLE, BLACKHOLE)))
