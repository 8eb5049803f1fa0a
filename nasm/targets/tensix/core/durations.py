"""How long unpackers, packers and the mover are at work, by the configuration as it is."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Final, NamedTuple

from nasm.base.problems import Refused
from nasm.isa.generation import Generation
from nasm.isa.pace import Pace
from nasm.targets.tensix.matrix.formats import BITS, BLOCK_FLOATS, Format
from nasm.targets.tensix.matrix.pack_job import count_of, jobs_of
from nasm.targets.tensix.matrix.timing import ADDRESS_CYCLES, pack_cycles, wanted_speed
from nasm.targets.tensix.matrix.unpack_job import UnpackJob, job_of_fields, numbers_of
from nasm.targets.tensix.scalar.config import field
from nasm.targets.tensix.scalar.mover import duration
from nasm.targets.tensix.state import Coprocessor
from nasm.targets.tensix.words.word import Fields


def bytes_of(count: int, form: Format) -> int:
    """Bytes of so many numbers, and of the exponents that they share."""
    shared = -(-count // 16) if form in BLOCK_FLOATS else 0
    return -(-count * BITS[form] // 8) + shared


def unpack_demand(core: Coprocessor, thread: int, fields: Fields) -> tuple[int, int]:
    """Bytes that an unpack reads, and the speed that it wants, in 16 bytes a cycle."""
    if fields["CfgContextCntInc"] or fields["SearchCacheFlush"]:
        return 0, 1
    return _demand(job_of_fields(core, thread, fields), fields["RowSearch"])


def _demand(job: UnpackJob, search: int) -> tuple[int, int]:
    (source, _), speed = job.formats(), job.once(_speed)
    return bytes_of(numbers_of(job, search)[1], source), speed


def _speed(job: UnpackJob) -> int:
    """The speed that an unpacker wants."""
    source, zeros = job.formats()[0], (1 << job.own("REG2_Upsample_rate")) - 1
    return wanted_speed(
        job.throttle(), source, tilized=job.tilized(), to_dst=job.to_dst(), upsampling=zeros
    )


def pack_durations(core: Coprocessor, thread: int, fields: Fields) -> dict[int, int]:
    """Cycles in which each packer of a pack writes L1, by packer; interfaces write side by side."""
    found = {}
    for job in jobs_of(core, thread, fields):
        size = bytes_of(count_of(job, fields["Flush"]), job.form("Out"))
        size = -(-size // max(1, len(job.interfaces)))
        found[job.packer] = pack_cycles(size, accumulates=bool(job.own("Pack_L1_Acc")))
    return found


LINE = 16
"""Bytes of a line of L1."""


class Amount(NamedTuple):
    """So many units of 16 bytes, and the speed that is wanted, in these a cycle."""

    lines: int
    speed: int


def unpacked(job: UnpackJob, fields: Fields) -> Amount:
    """What a regular unpack reads; raises Refused as it does."""
    return _amount(_demand(job, fields["RowSearch"]), fields)


def _amount(demand: tuple[int, int], fields: Fields) -> Amount:
    size, speed = demand
    read = 0 if fields["AllDatumsAreZero"] else size
    return Amount(max(1, -(-read // LINE)), speed)


def packed(core: Coprocessor, thread: int, fields: Fields) -> Mapping[int, int]:
    """Cycles of a pack, by packer."""
    found = pack_durations(core, thread, fields)
    return {packer: max(1, cycles) for packer, cycles in found.items()}


def moved(core: Coprocessor, thread: int) -> int:
    """Cycles of a move."""
    count = (field(core, thread, "THCON_SEC0_REG6_Buffer_size") & 0xFFFF) << 4
    direction = field(core, thread, "THCON_SEC0_REG6_Transfer_direction")
    return max(1, duration(direction, count))


def of_unpack(core: Coprocessor, thread: int, fields: Fields) -> int:
    """Cycles of a regular unpack, unless another one slows it."""
    amount = _amount(unpack_demand(core, thread, fields), fields)
    return ADDRESS_CYCLES - -amount.lines // amount.speed


def of_pack(core: Coprocessor, thread: int, fields: Fields) -> int:
    """Cycles until the last packer has written."""
    return max(packed(core, thread, fields).values())


def of_move(core: Coprocessor, thread: int, fields: Fields) -> int:
    """Cycles of the mover."""
    return moved(core, thread)


Lasts = Callable[[Coprocessor, int, Fields], int]

LASTS: Final[dict[str, Lasts]] = {}
"""By mnemonic, how long each takes whose cycles follow from the configuration, as rows declare."""


class Durations(Pace):
    """Tells the machine how long what starts takes; an unpacker's least, if another slows it."""

    label, without = "durations", "durations as if all were a cycle"

    def __init__(self, generation: Generation) -> None:
        self.cycle = 1

    def at(self, key: Hashable, now: int, interval: int, latency: int) -> tuple[int, int]:
        """Interval and latency of a task that starts now."""
        assert isinstance(key, tuple)
        mnemonic, word, thread = key
        try:
            fields = self.holds.chip.words.fields_of(mnemonic, word)
            cycles = LASTS[mnemonic](self.holds, thread, fields)
        except Refused:
            return interval, latency
        return cycles, cycles

    def save(self) -> Any:
        """It remembers nothing."""
        return ()

    def restore(self, saved: Any) -> None:
        """It remembers nothing."""
