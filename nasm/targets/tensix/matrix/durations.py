"""What an unpack or a pack asks of L1, as the configuration stands: bytes, and at which speed.

With ``timing`` these are cycles: an unpacker takes ``ADDRESS_CYCLES`` and then as many as its bytes
need at the speed that ``shared_speed`` leaves it.
"""

from __future__ import annotations

from nasm.targets.tensix.matrix.formats import BITS, BLOCK_FLOATS, Format
from nasm.targets.tensix.matrix.pack import count_of, jobs_of
from nasm.targets.tensix.matrix.timing import pack_cycles, wanted_speed
from nasm.targets.tensix.matrix.unpack import job_of, numbers_of
from nasm.targets.tensix.state import Coprocessor


def bytes_of(count: int, form: Format) -> int:
    """Bytes of so many numbers, and of the exponents that they share."""
    shared = -(-count // 16) if form in BLOCK_FLOATS else 0
    return -(-count * BITS[form] // 8) + shared


def unpack_demand(
    core: Coprocessor,
    thread: int,
    WhichUnpacker: int,
    CfgContextCntInc: int,
    ContextNumber: int,
    ContextADC: int,
    MultiContextMode: int,
    UseContextCounter: int,
    RowSearch: int,
    SearchCacheFlush: int,
) -> tuple[int, int]:
    """Bytes that an unpack reads, and the speed that it wants, in 16 bytes a cycle."""
    if CfgContextCntInc or SearchCacheFlush:
        return 0, 1
    job = job_of(
        core, thread, WhichUnpacker, MultiContextMode, UseContextCounter, ContextNumber, ContextADC
    )
    source, _ = job.formats()
    zeros = (1 << job.own("REG2_Upsample_rate")) - 1
    speed = wanted_speed(
        job.own("REG2_Throttle_mode"),
        source,
        tilized=job.tilized(),
        to_dst=job.to_dst(),
        upsampling=zeros,
    )
    return bytes_of(numbers_of(job, RowSearch)[1], source), speed


def pack_durations(
    core: Coprocessor, thread: int, PackerMask: int, OvrdThreadId: int, Flush: int
) -> dict[int, int]:
    """Cycles in which each packer of a pack writes L1, by packer."""
    found = {}
    for job in jobs_of(core, thread, PackerMask, OvrdThreadId):
        size = bytes_of(count_of(job, Flush), job.form("Out"))
        found[job.packer] = pack_cycles(size, accumulates=bool(job.own("Pack_L1_Acc")))
    return found
