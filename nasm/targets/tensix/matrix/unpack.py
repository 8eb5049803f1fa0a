"""UNPACR and UNPACR_NOP: numbers of L1 to SrcA, SrcB or Dst, with the documentation's fields.

Sources: UNPACR_Regular.md, UNPACR_IncrementContextCounter.md, UNPACR_FlushCache.md. UNPACR_NOP has
no page and does what the public simulator and the vendor's field list say. What an instruction
reads and where it writes is decided when it starts, and counters and the bank pointer move then;
what it returns puts the numbers in place, and gives up the bank. Compressed data is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial

import numpy as np

from nasm.base.problems import Refused
from nasm.targets.tensix.matrix import dst as rows_of_dst
from nasm.targets.tensix.matrix.formats import BITS, BLOCK_FLOATS, INFINITE, U32, Bits, Format
from nasm.targets.tensix.matrix.src import (
    ROWS,
    data_format,
    first_row,
    hand_over,
    implied,
    set_row,
    unknown,
)
from nasm.targets.tensix.matrix.unpack_conversion import WIDE, checked, converted, numbers
from nasm.targets.tensix.matrix.unpack_job import ROW, UnpackJob, Y, Z, job_of, numbers_of
from nasm.targets.tensix.scalar.config import field
from nasm.targets.tensix.scalar.dst_order import follow_order
from nasm.targets.tensix.state import U8, Coprocessor

Done = Callable[[], None]


def _read(core: Coprocessor, address: int, count: int) -> U8:
    size = core.chip.l1_bytes
    if not 0 <= address <= address + count <= size:
        raise Refused(
            "E0701", f"UNPACR reads bytes {address:#x} to {address + count:#x} of L1 of {size:#x}"
        )
    return core.l1.read(address, count)


def _numbers(job: UnpackJob, address: int, first: int, count: int, form: Format) -> Bits:
    """Numbers of L1 from one of the tile on; rows may be apart."""
    bits = BITS[form]
    row = job.row(bits)
    start = address * 8 + first * bits
    if (job.tilized() or (not job.unpacker and job.own("REG2_Haloize_mode"))) and start % 128:
        raise unknown(f"a tilized or transposed UNPACR from bit {start}; wanted a multiple of 128")
    at, skip = job.wrapped(start // 8), start % 8 // bits
    stride = bits * row // 8
    if job.tilized():
        stride = sum(job.own(f"REG2_Shift_amount_cntx{i}") << 4 + 4 * i for i in range(3))
    if stride == bits * row // 8 and not job.own("REG2_Unpack_fifo_size"):
        data = _read(job.core, at, -(-(count + skip) * bits // 8))
        return numbers(data, form)[skip : skip + count]
    parts: list[Bits] = []
    for left in range(count, 0, -row):
        taken = min(row, left)
        data = _read(job.core, at, -(-(taken + skip) * bits // 8))
        parts.append(numbers(data, form)[skip : skip + taken])
        at = job.wrapped(at + stride)
    return np.concatenate(parts) if parts else np.zeros(0, np.uint32)


def _exponents(job: UnpackJob, address: int, first: int, count: int) -> Bits:
    """The shared exponent of each number."""
    if job.own("REG2_Force_shared_exp"):
        return np.full(count, job.unp("FORCED_SHARED_EXP_shared_exp"), np.uint32)
    held = []
    at = job.wrapped(address + first // 16)
    for _ in range((first % 16 + count + 15) // 16):
        held.append(_read(job.core, at, 1)[0])
        at = at + 1 if (at + 1) % 16 else job.wrapped(at + 1)
    return np.repeat(np.array(held, np.uint32), 16)[first % 16 : first % 16 + count]


def _values(job: UnpackJob, search: int, zero: int, target: Format, source: Format) -> U32:
    """What is read and converted, as it is stored in SrcA, SrcB or Dst."""
    if not job.uncompressed():
        raise Refused(
            "E0601",
            f"the tile that UNPACR reads by unpacker {job.unpacker} is compressed, says its "
            "configuration; how is only partly documented",
            f"set {job.says_uncompressed()}",
        )
    first, count = numbers_of(job, search)
    checked(source, target, job.to_dst())
    if zero:
        return np.zeros(count, np.uint32)
    address, shared = job.base(), None
    if source in BLOCK_FLOATS:
        shared = _exponents(job, address, first, count)
        section = source in (Format.BFP8, Format.BFP8A) or not job.descriptor(5, 1)
        if section and not job.own("REG2_Force_shared_exp"):
            of_tile = -(-int(np.prod(job.dims())) // 16)
            address += -(-of_tile // 16) * 16
    found = _numbers(job, address, first, count, source)
    name = "ALU_FORMAT_SPEC_REG0_Src" + ("B" if job.unpacker else "A") + "Unsigned"
    unsigned = bool(job.known.field(name))
    return converted(
        found,
        shared,
        source,
        target,
        to_dst=job.to_dst(),
        unsigned=unsigned,
        four_bits=job.four_bits(),
    )


def _first_place(job: UnpackJob, target: Format) -> int:
    """Where the first number goes: 16 times a row, and a column."""
    counters = tuple(job.counters(job.thread, 1)[Y:])
    key = _first_place, job.unpacker, job.many, job.context, target, counters
    return job.known.once(key, partial(_found_place, job, target, counters))


def _found_place(job: UnpackJob, target: Format, counters: Sequence[int]) -> int:
    place = job.unp("ADDR_BASE_REG_1_Base")
    for counter, stride in zip(counters, job.strides(), strict=True):
        place += counter * stride
    size = {32: 4, 16: 2}.get(BITS[target], 1)
    if place % size:
        raise unknown(f"UNPACR to byte {place} of numbers of {size} bytes")
    place //= size
    if job.many and not job.unpacker:
        context = job.own(f"REG5_Dest_cntx{job.context & 3}_address")
        added = job.to_dst() or job.unp("ADD_DEST_ADDR_CNTR_add_dest_addr_cntr")
        place = place + context if added else context
    return place


def rows_dropped(job: UnpackJob, target: Format) -> int:
    """How many rows unpacker 0 skips of what it reads for SrcA: it writes none before the fourth.

    0 where it writes Dst, and of unpacker 1.
    """
    return 0 if job.unpacker or job.to_dst() else max(0, 4 - (_first_place(job, target) >> 4))


def _spread(job: UnpackJob, values: U32) -> tuple[U32, int]:
    """Values and the zeros that upsampling puts after each, and how far each is from the next."""
    zeros = (1 << job.own("REG2_Upsample_rate")) - 1
    if not zeros:
        return values, 1
    if job.tilized():
        raise unknown("UNPACR that tilizes and upsamples")
    if job.own("REG2_Upsample_and_interleave"):
        return values, zeros + 1
    spread = np.zeros(len(values) * (zeros + 1), np.uint32)
    spread[:: zeros + 1] = values
    return spread, 1


@lru_cache(maxsize=256)
def _places(first: int, count: int, step: int) -> tuple[Bits, Bits]:
    """Rows and columns of numbers, from a place on; not to be written."""
    places = first + step * np.arange(count)
    found = places >> 4, places & 15
    for one in found:
        one.flags.writeable = False
    return found


@lru_cache(maxsize=256)
def _places_of_a(
    first: int, count: int, step: int, shift: int, absolute: bool, row: int, transposed: bool
) -> tuple[Bits | None, Bits]:
    """Which numbers SrcA takes, None for all, and where in a bank; raises Refused."""
    rows, columns = _places(first, count, step)
    kept = (rows >= 4) & (columns >= shift)
    rows, columns = rows[kept] - 4, columns[kept] - shift
    most = ROWS if absolute else ROW
    if len(rows) and rows.max() >= most:
        raise unknown(f"UNPACR to row {rows.max()} of SrcA; there it has {most}")
    if not absolute:
        rows = rows + row
    if transposed:
        rows, columns = rows & ~15 | columns, rows & 15
    if len(rows) and rows.max() >= ROWS:
        raise unknown(f"UNPACR to row {rows.max()} of SrcA, which has {ROWS}")
    return None if kept.all() else kept, rows << 4 | columns


def _put(job: UnpackJob, values: U32, target: Format) -> Done:
    """What writes the values."""
    values, step = _spread(job, values)
    first, count = _first_place(job, target), len(values)
    m, own = job.core.matrix, job.core.threads[job.thread]
    if job.unpacker:
        rows, columns = _places(first, count, step)
        return partial(
            _write, m.srcb[m.unpack_b], (rows + own.src_row[1] & 63) << 4 | columns, values
        )
    shift = 0 if job.tilized() else job.own(f"REG2_Shift_amount_cntx{job.context & 3}")
    transposed = bool(job.own("REG2_Haloize_mode"))
    absolute = bool(job.known.field("SRCA_SET_SetOvrdWithAddr"))
    if job.to_dst():
        follow_order(job.core, job.thread)
        if shift or transposed:
            raise unknown("UNPACR to Dst with a column shift or transposed")
        rows, columns = _places(first, count, step)
        rows = rows - 4 & (15 if absolute else 0x3FF)
        return partial(rows_of_dst.write_columns, m, rows, columns, values, target in WIDE)
    row = 0 if absolute else own.src_row[0]
    kept, places = _places_of_a(first, count, step, shift, absolute, row, transposed)
    return partial(_write, m.srca[m.unpack_a], places, values if kept is None else values[kept])


def _write(bank: U32, places: Bits, values: U32) -> None:
    """Put numbers at places of a bank, 16 to a row; of one place the last stays."""
    bank.reshape(-1)[places] = values


def _next_context(core: Coprocessor, thread: int, unpacker: int, context: int) -> None:
    """The context after one; after the last comes 0."""
    following = context + 1 & 7
    if following >= 1 << field(core, thread, f"THCON_SEC{unpacker}_REG2_Context_count"):
        following = 0
    own = core.threads[thread]
    own.context = (own.context[0], following) if unpacker else (following, own.context[1])


def _advance(job: UnpackJob, increments: tuple[tuple[int, int], tuple[int, int]]) -> None:
    """Counters Y and Z of both channels, of the thread and of whom the context names."""
    for thread in {job.thread, job.whose}:
        for channel, (y, z) in enumerate(increments):
            if y or z:
                counters = job.core.threads[thread].adc[job.unpacker, channel]
                widths = job.core.chip.tiles.counters
                counters[Y, 0] = int(counters[Y, 0]) + y & widths[Y]
                counters[Z, 0] = int(counters[Z, 0]) + z & widths[Z]


def UNPACR(
    core: Coprocessor,
    thread: int,
    WhichUnpacker: int,
    Ch1YInc: int,
    Ch1ZInc: int,
    Ch0YInc: int,
    Ch0ZInc: int,
    CfgContextCntInc: int,
    ContextNumber: int,
    ContextADC: int,
    MultiContextMode: int,
    FlipSrc: int,
    AllDatumsAreZero: int,
    UseContextCounter: int,
    RowSearch: int,
    SearchCacheFlush: int,
) -> Done | None:
    """Numbers of L1 to SrcA or Dst (unpacker 0) or SrcB; what is returned writes them.

    With CfgContextCntInc it only increments a context counter, with SearchCacheFlush it forgets
    what is cached, which is nothing here.
    """
    unpacker = WhichUnpacker
    if CfgContextCntInc:
        _next_context(core, thread, unpacker, core.threads[thread].context[unpacker])
        return None
    if SearchCacheFlush:
        return None
    counted, adc = UseContextCounter, ContextADC
    job = job_of(core, thread, unpacker, MultiContextMode, counted, ContextNumber, adc)
    source, target = job.formats()
    write = _put(job, _values(job, RowSearch, AllDatumsAreZero, target, source), target)
    if job.many and counted:
        _next_context(core, thread, unpacker, job.context)
    _advance(job, ((Ch0YInc, Ch0ZInc), (Ch1YInc, Ch1ZInc)))
    if not FlipSrc:
        if job.own("REG2_Unpack_Src_Reg_Set_Upd"):
            row = core.threads[thread].src_row[unpacker] + 16 + first_row(core, thread, unpacker)
            set_row(core, thread, unpacker, row)
        return write
    over = hand_over(core, thread, unpacker, target)

    def finish() -> None:
        write()
        over()

    return finish


CLEAR, NOTHING, CLEAR_INFINITE, SET_VALID = 1, 2, 5, 7
"""What UNPACR_NOP does, by its low three bits; the next are modifiers."""
BOTH_BANKS, AS_UNPACR, THEN_VALID = 8, 16, 64


def UNPACR_NOP(
    core: Coprocessor, thread: int, Unpack_block_selection: int, NoOp: int
) -> Done | None:
    """Clear an unpacker's bank, to 0 or in SrcA to minus infinity, or hand it over, or nothing."""
    unpacker, what = Unpack_block_selection, NoOp & 7
    if what not in (CLEAR, NOTHING, CLEAR_INFINITE, SET_VALID) or NoOp & ~0x5F:
        raise unknown(f"UNPACR_NOP {NoOp:#x}")
    if what == CLEAR_INFINITE and unpacker:
        raise unknown("UNPACR_NOP that makes SrcB minus infinity")
    value = {CLEAR: 0, CLEAR_INFINITE: INFINITE}.get(what)
    valid = bool(what == SET_VALID or NoOp & THEN_VALID)
    return turned(core, thread, unpacker, value, bool(NoOp & BOTH_BANKS), valid)


def turned(
    core: Coprocessor, thread: int, unpacker: int, value: int | None, both: bool, valid: bool
) -> Done:
    """A turn of an unpacker that reads nothing; what it returns ends it.

    It fills the bank of the unpacker, or both, with a value, if one is given, and gives the bank to
    the matrix unit where ``valid``, in the format that the unpacker writes.
    """
    m = core.matrix
    banks, bank = (m.srcb, m.unpack_b) if unpacker else (m.srca, m.unpack_a)
    cleared, over = banks if both else banks[bank], None
    if valid:
        code = field(core, thread, f"THCON_SEC{unpacker}_REG2_Out_data_format")
        form = data_format(code, f"Out of unpacker {unpacker}") if implied(core) else None
        over = hand_over(core, thread, unpacker, form)

    def finish() -> None:
        if value is not None:
            cleared[...] = value
        if over is not None:
            over()

    return finish
