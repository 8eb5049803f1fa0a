"""PACR: numbers of Dst to L1, by one to four packers, with the documentation's fields.

Sources: PACR.md and the pages of the packers (InputAddressGenerator.md, OutputAddressGenerator.md,
EdgeMasking.md, ExponentHistogram.md and those that ``writing`` names). Addresses are taken and Dst
is read when the instruction starts; what it returns writes L1. Compression, downsampling, L1 as a
source and stochastic rounding are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from nasm.base.problems import Refused
from nasm.targets.tensix.matrix import dst as rows_of_dst
from nasm.targets.tensix.matrix import pack_conversion
from nasm.targets.tensix.matrix.bfp import packed, shared
from nasm.targets.tensix.matrix.formats import BITS, BLOCK_FLOATS, Bits, Format
from nasm.targets.tensix.matrix.pack_conversion import KINDS, NumberKind
from nasm.targets.tensix.matrix.pack_job import (
    FIFOS,
    PLACES,
    ROW,
    Job,
    count_of,
    jobs_of,
    places_of,
)
from nasm.targets.tensix.matrix.src import unknown
from nasm.targets.tensix.matrix.streams import (
    ADDERS,
    DATA,
    EXPONENTS,
    ROW_STARTS,
    L1Write,
    emitted,
    summed,
)
from nasm.targets.tensix.matrix.unpack_conversion import fp16_from_fp32
from nasm.targets.tensix.scalar.addr_mods import apply_pack_addr_mod
from nasm.targets.tensix.scalar.config import field
from nasm.targets.tensix.state import U8, Coprocessor
from nasm.targets.tensix.words.word import Fields

_UNKNOWN: Final = (
    "Dis_shared_exp_assembler",
    "Enable_out_fifo",
    "Force_pack_per_max_xy_plane",
    "Read_mode",
    "Auto_set_last_pacr_intf_sel",
    "pack_start_intf_pos",
    "Add_tile_header_size",
    "pack_dis_y_pos_start_offset",
)
"""Fields of a packer, on generations that have them, whose effect no document describes in full."""
_ROW_SETS: Final = "TILE_ROW_SET_MAPPING_0_row_set_mapping_0"
_FACE_SETS: Final = "TILE_FACE_SET_MAPPING_0_face_set_mapping_0"
"""The first fields that map rows and faces of a tile to sets."""


def _supported(job: Job) -> bool:
    """Refuse what is not modelled, by name."""
    override = "SEC0_REG1_All_pack_disable_zero_compress"
    uncompressed = job.own("Disable_zero_compress")
    if job.all(f"THCON_{override}_ovrd"):
        if not job.has("All_pack_disable_zero_compress"):
            raise Refused("E0601", f"THCON_{override}_ovrd is set")
        uncompressed = job.all(f"THCON_{override}") >> job.packer & 1
    if not uncompressed:
        raise Refused(
            "E0601",
            f"packer {job.packer} compresses, says its configuration; how is only partly "
            "documented",
            f"set {job.section(job.packer)}_Disable_zero_compress to 1",
        )
    if job.own("Downsample_rate") or job.own("Downsample_mask") not in (0, 0xFFFF):
        raise Refused("E0601", f"packer {job.packer} downsamples", "set its mask and rate to 0")
    if not job.packer and job.own("Source_interface_selection"):
        raise Refused("E0601", "packer 0 reads L1 instead of Dst")
    for name in _UNKNOWN:
        if job.has(name) and job.own(name):
            raise Refused("E0601", f"{job.section(job.packer)}_{name} is set")
    if job.all("ALU_ROUNDING_MODE_Packer_srnd_en") or job.all("ALU_ROUNDING_MODE_Gasket_srnd_en"):
        raise Refused("E0601", "a packer that rounds stochastically")
    return True


def _masked(job: Job, x: Bits, kind: NumberKind, columns: Bits) -> Bits:
    """Numbers of Dst, 0 or minus infinity where the edge mask of their place in the tile is 0."""
    places = _tile_places(job, len(x))
    if _keeps(job):
        return x
    y, z = places()
    if job.all("PCK_EDGE_TILE_FACE_SET_SELECT_enable"):
        faces = job.pair("PCK_EDGE_TILE_FACE_SET_SELECT_select")
        word = job.known.word(_word_of(job, _FACE_SETS) + faces)
        offset = job.all(f"DEST_TARGET_REG_CFG_PACK_SEC{job.packer}_ZOffset")
        sets = word >> 2 * (offset + z & 15) & 3
    else:
        sets = np.full(len(x), job.pair("PCK_EDGE_TILE_ROW_SET_SELECT_select"))
    words, masks = _masks(job)
    chosen = np.array(words)[sets] >> 2 * (y & 15) & 3
    kept = np.array(masks)[chosen] >> columns & 1
    if kept.all():
        return x
    if job.all("PCK_EDGE_MODE_mode") and kind not in pack_conversion.MINUS_INFINITY:
        raise unknown(f"an edge mask that makes {kind.name} numbers minus infinity")
    filler = pack_conversion.MINUS_INFINITY[kind] if job.all("PCK_EDGE_MODE_mode") else 0
    return np.where(kept, x, np.uint32(filler))


def _masks(job: Job) -> tuple[list[int], list[int]]:
    """The words that map rows to masks, and these: four each."""
    first = _word_of(job, _ROW_SETS)
    words = [job.known.word(first + n) for n in range(4)]
    return words, [job.all(f"PCK_EDGE_OFFSET_SEC{n}_mask") for n in range(4)]


def _keeps_all(job: Job) -> bool:
    """Whether no mask leaves anything out that may be chosen, of one set of rows."""
    words, masks = _masks(job)
    if job.all("PCK_EDGE_TILE_FACE_SET_SELECT_enable"):
        return False
    word = words[job.pair("PCK_EDGE_TILE_ROW_SET_SELECT_select")]
    return all(masks[word >> 2 * row & 3] == 0xFFFF for row in range(16))


def _word_of(job: Job, name: str) -> int:
    """The word of the configuration in which a field is."""
    return job.core.layout.fields[name].word


def _tile_places(job: Job, count: int) -> Callable[[], tuple[Bits, Bits]]:
    """What makes Y and Z in the tile of so many numbers; the packer is after them now."""
    if job.interfaces:
        return _tile_rows(job, count)
    p = job.core.packers[job.packer]
    at_x, at_y, at_z = p.position
    plane = job.all(f"PACK_COUNTERS_SEC{job.packer}_pack_reads_per_xy_plane")
    turned = job.all(f"PACK_COUNTERS_SEC{job.packer}_pack_yz_transposed")
    inner, outer = (at_z, at_y) if turned else (at_y, at_z)

    def after(steps: Any) -> tuple[Any, Any]:
        """Y and Z after some rows."""
        first, second = inner + steps, 0 * steps
        if inner < plane:
            second, first = divmod(first, plane)
        return (outer + second, first) if turned else (first, outer + second)

    p.position = (at_x + count) % 16, *after((at_x + count) // 16)
    return lambda: after((at_x + np.arange(count)) // 16)


def _tile_rows(job: Job, count: int) -> Callable[[], tuple[Bits, Bits]]:
    """The same of interfaces: each is one row further, and a plane ends exactly at its last row."""
    if job.all("PACK_COUNTERS_SEC0_pack_yz_transposed"):
        raise unknown("PACR with pack_yz_transposed")
    p, rows = job.core.packers[job.packer], len(job.interfaces)
    _, y, z = p.position
    after = y + rows & 0xFF
    ends = after == job.all("PACK_COUNTERS_SEC0_pack_reads_per_xy_plane")
    p.position = (0, 0, z + 1) if ends else (0, after, z)
    each = count // rows
    return lambda: (np.repeat(y + np.arange(rows) & 0xFF, each), np.full(count, z))


def _from_dst(job: Job, count: int) -> tuple[Bits, NumberKind]:
    """Numbers of Dst after the early conversion and the edge mask."""
    places = places_of(job, count)
    how, m, rows = job.reading(), job.core.matrix, places >> 4
    if count and int(places[-1] - places[0]) == count - 1 and not job.interfaces:
        lines, first = np.arange(rows[0], rows[-1] + 1), int(places[0]) & 15
        stored = rows_of_dst.read(m, lines, how.wide).reshape(-1)[first : first + count]
    else:
        lines, which = np.unique(rows, return_inverse=True)
        stored = rows_of_dst.read(m, lines, how.wide)[which, places & 15]
    early, kind = pack_conversion.early(stored, how)
    return _masked(job, early, kind, places & 15), kind


class _Converted(NamedTuple):
    """Numbers within a packer, and what becomes of them for L1."""

    inside: Bits
    kind: NumberKind
    out: Bits


def _converted(jobs: Sequence[Job], count: int) -> list[_Converted] | None:
    """What packers make of whole rows of Dst, where all do the same; nothing is changed.

    None where they do not, where a mask leaves something out, or one of them is refused.
    """
    first = jobs[0]
    if len(jobs) < 2 or count % ROW or not count or first.interfaces:
        return None
    try:
        how = _how(first)
        if not all(_keeps(job) and _how(job) == how for job in jobs):
            return None
        begins = [int(places_of(job, 1)[0]) for job in jobs]
        if any(at % ROW or at + count > PLACES for at in begins):
            return None
        lines = np.concatenate([np.arange(at // ROW, (at + count) // ROW) for at in begins])
        stored = rows_of_dst.read(first.core.matrix, lines, how.reading.wide).reshape(-1)
        early, kind = pack_conversion.early(stored, how.reading)
        inside = _relu(first, early, kind)
        out = _late(first, inside, kind)
    except Refused:
        return None
    parts = (slice(at, at + count) for at in range(0, count * len(jobs), count))
    return [_Converted(inside[part], kind, out[part]) for part in parts]


class _How(NamedTuple):
    """What decides, besides what packers share, what one makes of a number."""

    reading: pack_conversion.DstReading
    source: Format
    target: Format
    own: tuple[int, ...]


def _how(job: Job) -> _How:
    return job.known.once((_how, job.packer), partial(_found_how, job))


def _found_how(job: Job) -> _How:
    own = tuple(job.own(name) for name in ("Exp_threshold_en", "Exp_threshold") if job.has(name))
    return _How(job.reading(), job.form("In"), job.form("Out"), (*own, _four_bits(job)))


def _keeps(job: Job) -> bool:
    return job.known.once((_keeps_all, job.packer), partial(_keeps_all, job))


def _observed(job: Job, x: Bits, kind: NumberKind) -> None:
    """Count exponents in the packer's histogram."""
    found, p = pack_conversion.exponents(x, kind), job.core.packers[job.packer]
    if found is None or not len(found):
        return
    p.largest_exponent = max(p.largest_exponent, int(found.max()))
    if any(field(job.core, t, "ENABLE_ACC_STATS_Enable") for t in range(3)):
        total = p.histogram + np.bincount(found & 31, minlength=32)
        p.histogram[:] = np.minimum(total, 255)


def _numbers(job: Job, count: int, zero: int, converted: _Converted | None) -> Bits:
    """What the packer has for L1, number by number: BF16 or FP16 bits for block floats.

    They may have been ``converted`` before.
    """
    if converted is not None:
        _tile_places(job, count)
        _observed(job, converted.inside, converted.kind)
        return converted.out
    source = job.form("In")
    if zero:
        kind = KINDS.get(source)
        if kind is None:
            raise unknown(f"a packer with an input format of {source.name}")
        return _late(job, _relu(job, np.zeros(count, np.uint32), kind), kind)
    x, kind = _from_dst(job, count)
    x = _relu(job, x, kind)
    _observed(job, x, kind)
    return _late(job, x, kind)


def _relu(job: Job, x: Bits, kind: NumberKind) -> Bits:
    threshold = job.all("STACC_RELU_ReluThreshold")
    return pack_conversion.relu(x, kind, job.all("STACC_RELU_ApplyRelu") & 3, threshold)


def _late(job: Job, x: Bits, kind: NumberKind) -> Bits:
    """Numbers after the threshold of exponents and the late conversion."""
    if job.own("Exp_threshold_en"):
        x = pack_conversion.thresholded(x, kind, job.own("Exp_threshold"))
    if kind is NumberKind.FP32 and job.intermediate() is Format.FP16:
        x, kind = fp16_from_fp32(x), NumberKind.FP16
    source, target = job.form("In"), job.form("Out")
    return pack_conversion.late(x, kind, source, target, four_bits=_four_bits(job))


def _four_bits(job: Job) -> bool:
    return job.has("Pac_LF8_4b_exp") and bool(job.own("Pac_LF8_4b_exp"))


def _bytes(x: Bits, form: Format) -> tuple[U8, U8]:
    """Numbers as bytes, and the bytes of the exponents that they share."""
    none = np.zeros(0, np.uint8)
    if form in BLOCK_FLOATS:
        if len(x) % 16:
            raise Refused("E0601", f"PACR of {len(x)} {form.name} numbers; wanted blocks of 16")
        top, values = shared(x.reshape(-1, 16), form)
        return packed(values, form), top.astype(np.uint8)
    if BITS[form] == 8:
        return x.astype(np.uint8), none
    return x.astype(np.uint32 if BITS[form] == 32 else np.uint16).view(np.uint8), none


def _base(job: Job) -> int:
    """Where the output begins, in units of 16 bytes; packers 1 to 3 may follow 0."""

    def stated(packer: int) -> int:
        section = job.section(packer)
        header = not job.all(f"{section}_Sub_l1_tile_header_size")
        return job.all(f"{section}_L1_Dest_addr") + header

    first = stated(0) & 0xFFFFFFFF
    if job.packer and first >> 31:
        return stated(job.packer) + first & 0xFFFFFFFF
    return stated(job.packer) & 0xFFFFFFFF


def _take_addresses(job: Job) -> None:
    """Give streams new addresses where they need one."""
    p, at = job.core.packers[job.packer], _base(job)
    further = job.strided(1)
    at = at + (further >> 4 if job.core.chip.tiles.output_bytes else further & ~15) & 0xFFFFFFFF
    if job.own("Add_l1_dest_addr_offset"):
        at = at + p.offset & 0xFFFFFFFF
    if at > job.all(f"THCON_{FIFOS[job.packer]}_limit_address") * 2 + 1:
        at = at - job.all(f"THCON_{FIFOS[job.packer]}_fifo_size") * 2 & 0xFFFFFFFF
    if job.own("Out_data_format") & 2:
        _take(job, EXPONENTS, at)
        at += job.own("Exp_section_size")
    _take(job, DATA, at)


def _take(job: Job, stream: int, at: int) -> None:
    p = job.core.packers[job.packer]
    if p.needs_address[stream]:
        p.addresses[stream] = (at & 0x1FFFF) << 4
        p.needs_address[stream] = False


def _packed(
    job: Job, zero: int, flush: int, last: int, converted: _Converted | None
) -> list[L1Write]:
    """One packer's work, as the writes that it leaves; its numbers may be ``converted``."""
    job.known.once((_supported, job.packer), partial(_supported, job))
    target, p = job.form("Out"), job.core.packers[job.packer]
    added = target if job.own("Pack_L1_Acc") else None
    if added is not None and added not in ADDERS:
        raise unknown(f"packer {job.packer} accumulates {added.name} in L1")
    count = count_of(job, flush)
    data, exponents = _bytes(_numbers(job, count, zero or flush, converted), target)
    _take_addresses(job)
    end = bool(last or flush)
    writes = [emitted(p, EXPONENTS, exponents, end, None), emitted(p, DATA, data, end, added)]
    if end:
        p.needs_address[[ROW_STARTS, EXPONENTS, DATA]] = True
        p.position = 0, 0, 0
    found = [w for w in writes if w is not None]
    for w in found:
        if w.address + len(w.data) > job.core.chip.l1_bytes:
            end_of = w.address + len(w.data)
            raise Refused(
                "E0701",
                f"packer {job.packer} writes bytes {w.address:#x} to {end_of:#x} of L1; "
                f"it has {job.core.chip.l1_bytes:#x}",
            )
    return found


def _together(jobs: Sequence[Job]) -> list[_Converted] | None:
    """What packers have for L1, if all do the same."""
    try:
        counts = {count_of(job, 0) for job in jobs}
    except Refused:
        return None
    return _converted(jobs, counts.pop()) if len(counts) == 1 else None


def PACR(
    core: Coprocessor,
    thread: int,
    AddrMod: int,
    ZeroWrite: int,
    PackerMask: int,
    OvrdThreadId: int,
    Concat: int,
    Flush: int,
    Last: int,
) -> Callable[[], None]:
    """Numbers of Dst to L1; what is returned writes them. Concat is of compressed data alone."""
    fields = {"PackerMask": PackerMask, "OvrdThreadId": OvrdThreadId}
    return packs(core, thread, fields, AddrMod, ZeroWrite, Flush, Last)


def packs(
    core: Coprocessor,
    thread: int,
    fields: Fields,
    AddrMod: int,
    ZeroWrite: int,
    Flush: int,
    Last: int,
) -> Callable[[], None]:
    """Numbers of Dst to L1, by the packers that fields name; what is returned writes them."""
    jobs = jobs_of(core, thread, fields)
    made = None if ZeroWrite or Flush else _together(jobs)
    writes = [
        w
        for number, job in enumerate(jobs)
        for w in _packed(job, ZeroWrite, Flush, Last, None if made is None else made[number])
    ]
    owners = sorted({job.whose for job in jobs})
    for channel in (0, 1):
        apply_pack_addr_mod(core, thread, AddrMod, owners, channel)

    def finish() -> None:
        for w in writes:
            data = w.data
            if w.added is not None:
                data = summed(core.l1.read(w.address, len(data)), data, w.added)
            core.l1.write(w.address, data)

    return finish
