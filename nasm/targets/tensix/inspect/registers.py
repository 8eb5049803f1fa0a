"""Register files for display: Dst, SrcA and SrcB, LRegs with their flags, and GPRs."""

from __future__ import annotations

from typing import Final

import numpy as np

from nasm.base.problems import Refused
from nasm.isa.core_state import Part, Seen
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.inspect import put_registers as put
from nasm.targets.tensix.inspect.put import Values, into
from nasm.targets.tensix.inspect.put_shared import gprs
from nasm.targets.tensix.matrix import formats
from nasm.targets.tensix.matrix.dst import LOW_HALF, adjusted, read32
from nasm.targets.tensix.matrix.formats import Style
from nasm.targets.tensix.matrix.src import style_of_a, style_of_b, wide_dst
from nasm.targets.tensix.scalar.dst_order import follow_order, placed16
from nasm.targets.tensix.state import COLUMNS, LANES, U8, U16, U32, Bools

COMPUTES: Final = 1
"""The thread whose configuration says what numbers in Dst, SrcA and SrcB are."""

GRID: Final = LANES // COLUMNS, COLUMNS
WIDE_ROWS: Final = 512
CONSTANTS: Final = range(8, 16)
"""LRegs that are set by a configuration, or never."""

NAMES: Final = {
    Style.BF16: "bfloat16",
    Style.TF32: "TF32",
    Style.FP16: "float16",
    Style.INT8: "int8",
}
_STORED: Final = {
    Style.BF16: "bfloat16",
    Style.TF32: "tfloat32",
    Style.FP16: "float16",
    Style.INT8: "",
}
"""The dtypes to which what is set is rounded."""

LANE_CONFIG: Final = 0x3FFFF
LANE_NUMBERS: Final = 15
"""The register with integers of lanes, which as floats are no numbers that mean anything."""

_OWNERS: Final = "the unpackers", "the matrix unit"


def _style(core: Tensix, of_b: bool = False) -> Style:
    """What elements are taken for; as bfloat16 where the configuration names no format."""
    try:
        return (style_of_b if of_b else style_of_a)(core, COMPUTES)
    except Refused:
        return Style.BF16


# -- Dst


def _defined(defined: Bools, rows: int) -> str:
    count = int(defined.sum())
    return f"{count:,} of {rows:,} rows defined" if count else ""


def _mask(defined: Bools) -> Bools:
    return np.broadcast_to(defined[:, None], (len(defined), 16)).copy()


def _narrow_rows(core: Tensix) -> tuple[U16, Bools]:
    """All rows of 16 bits, and which of them are defined."""
    m, rows = core.matrix, placed16(np.arange(1024), follow_order(core))
    return m.dst[rows], m.defined[rows]


def _dst16(core: Tensix) -> Seen:
    held, defined = _narrow_rows(core)
    return Seen(held, _mask(defined), summary=_defined(defined, len(defined)), rests=True)


def _wide(core: Tensix) -> tuple[U32, Bools]:
    """All rows of 32 bits, and which of them are defined."""
    rows = np.arange(WIDE_ROWS)
    high = adjusted(rows, follow_order(core))
    defined: Bools = core.matrix.defined[high] & core.matrix.defined[high + LOW_HALF]
    return read32(core.matrix, rows), defined


def _dst32(core: Tensix) -> Seen:
    held, defined = _wide(core)
    return Seen(held, _mask(defined), summary=_defined(defined, WIDE_ROWS), rests=True)


def _dst(core: Tensix) -> Seen:
    """Numbers in the format that the configuration says."""
    style, stored = _style(core), ""
    if wide_dst(core, COMPUTES):
        held, defined = _wide(core)
        integer = style is Style.INT8
        name = "int32" if integer else "float32"
        array = formats.fp32_from_dst(held).view(np.float32)
        if integer:
            array = formats.integers_from_dst(held).astype(np.int32)
    else:
        held16, defined = _narrow_rows(core)
        name = NAMES[Style.FP16] if style is Style.FP16 else NAMES[Style.BF16]
        array, stored = _narrow(held16, style), name
    text = _defined(defined, len(defined))
    return Seen(array, _mask(defined), stored=stored, summary=f"{name}, {text}" if text else "")


def _narrow(dst: formats.Bits, style: Style) -> formats.Bits:
    """Numbers of 16 bits of Dst; FP16 has no infinities there, nor NaNs."""
    if style is not Style.FP16:
        return (formats.bf16_from_dst(dst) << 16).view(np.float32)
    return _five_bits(formats.fp16_from_dst(dst))


def _five_bits(bits: U32) -> formats.Bits:
    """Numbers of FP16 bits, of which all exponents are ordinary, and denormals are 0."""
    exponent, mantissa = bits >> 10 & 31, bits & 0x3FF
    size = np.ldexp(1 + mantissa / 1024, exponent.astype(np.int32) - 15)
    size[exponent == 0] = 0
    signed: formats.Bits = np.where(bits >> 15 & 1, -size, size).astype(np.float32)
    return signed


# -- SrcA and SrcB


def _source(held: U32, style: Style) -> formats.Bits:
    """Numbers that elements of SrcA or SrcB represent."""
    if style is Style.INT8:
        return formats.integers_from_src(held)
    bits = formats.tf32_from_src(held)
    if style is Style.FP16:
        return _five_bits(formats.u32(bits >> 3 & 0x8000 | bits & 0x7FFF))
    return (bits << 13).view(np.float32)


def _banks(owners: U8, computes: int, fills: int) -> str:
    banks = []
    for bank, owner in enumerate(owners.tolist()):
        here = [
            who
            for who, at in (("computing", computes), ("unpacking", fills))
            if at == bank and who == ("unpacking", "computing")[owner]
        ]
        banks.append(f"bank {bank} of {_OWNERS[owner]}" + "".join(f" ({who})" for who in here))
    return ", ".join(banks)


def _srca(core: Tensix) -> Seen:
    m, style = core.matrix, _style(core)
    text = f"{NAMES[style]}: {_banks(m.owner_a, m.matrix_a, m.unpack_a)}"
    rests = not (m.srca.any() or m.owner_a.any())
    return Seen(_source(m.srca, style), stored=_STORED[style], summary=text, rests=rests)


def _srcb(core: Tensix) -> Seen:
    m, style = core.matrix, _style(core, of_b=True)
    text = f"{NAMES[style]}: {_banks(m.owner_b, m.matrix_b, m.unpack_b)}"
    rests = not (m.srcb.any() or m.owner_b.any())
    return Seen(_source(m.srcb, style), stored=_STORED[style], summary=text, rests=rests)


def _put_srca(core: Tensix, values: Values, which: Bools) -> None:
    put.srca(core, values, which, _style(core))


def _put_srcb(core: Tensix, values: Values, which: Bools) -> None:
    put.srcb(core, values, which, _style(core, of_b=True))


# -- the vector unit


def _lregs(core: Tensix) -> Seen:
    held = core.vector.registers[:LANE_NUMBERS]
    used = [f"LReg[{n}]" for n in range(LANE_NUMBERS) if n not in CONSTANTS and held[n].any()]
    text = f"not 0: {', '.join(used)}" if used else "only constants"
    return Seen(held.reshape(-1, *GRID).copy().view(np.float32), summary=text, rests=not used)


def _lane_numbers(core: Tensix) -> Seen:
    return Seen(core.vector.registers[LANE_NUMBERS].reshape(GRID).copy().view(np.int32), rests=True)


def _flag(core: Tensix) -> Seen:
    """Flags of lanes that do not use them are never read."""
    v = core.vector
    uses = v.uses_flag.reshape(GRID).copy()
    lanes = int(v.uses_flag.sum())
    text = f"{int((v.flag & v.uses_flag).sum())} of {lanes} set" if lanes else ""
    return Seen(v.flag.reshape(GRID).copy(), uses, summary=text)


def _active(core: Tensix) -> Seen:
    v = core.vector
    active = v.flag | ~v.uses_flag
    count = int(active.sum())
    return Seen(active.reshape(GRID), summary=f"{count} of {LANES} lanes", rests=count == LANES)


def _stack(core: Tensix) -> Seen:
    """The flags that were pushed, the latest first."""
    rows = []
    for depth, (flag, uses) in enumerate(reversed(core.vector.stack)):
        flags, used = (np.frombuffer(part, np.bool_) for part in (flag, uses))
        rows.append((str(depth), _lanes(flags), _lanes(used)))
    text = f"{len(rows)} of 8 entries" if rows else ""
    return Seen(heads=(">depth", "flag", "uses flag"), rows=tuple(rows), summary=text)


def _lanes(mask: Bools) -> str:
    return f"0x{sum(1 << int(lane) for lane in np.flatnonzero(mask)):08x}"


def _lane_config(core: Tensix) -> Seen:
    return Seen(core.vector.lane_config.copy())


def _gprs(core: Tensix) -> Seen:
    return Seen(np.stack([thread.registers for thread in core.threads]))


PARTS: Final = (
    Part("dst", "Dst as numbers, in the format that t1's configuration says", _dst, put=put.dst,
         data=True),
    Part("dst16", "Dst as it is stored: 1024 rows of 16 bits", _dst16, put=put.dst16),
    Part("dst32", "Dst as 512 rows of 32 bits over the same storage", _dst32, put=put.dst32),
    Part("srca", "SrcA as numbers: two banks of 64 rows", _srca, put=_put_srca, data=True),
    Part("srcb", "SrcB as numbers: two banks of 64 rows", _srcb, put=_put_srcb, data=True),
    Part("lreg", "LReg[0] to LReg[14] as float32, 4 by 8 lanes; .view(i32) as integers", _lregs,
         tuple(f"lreg{n}" for n in range(LANE_NUMBERS)), put=put.lregs,
         data=True),
    Part("lreg15", "LReg[15], which is constant: twice the number of each lane", _lane_numbers),
    Part("flag", "the lanes' flags, where they are used", _flag, put=put.flags, data=True),
    Part("active", "which lanes execute", _active),
    Part("flag_stack", "flags that were pushed, the latest first; bit 0 is lane 0", _stack),
    Part("lane_config", "LaneConfig of the eight columns", _lane_config,
         put=into(lambda core: core.vector.lane_config, "LaneConfig", LANE_CONFIG)),
    Part("gpr", "the general registers of each thread", _gprs, by_queue=True, put=gprs,
         data=True),
)  # fmt: skip
"""What register files can be looked at."""
