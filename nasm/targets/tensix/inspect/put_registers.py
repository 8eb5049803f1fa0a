"""Register files set by hand: Dst, SrcA and SrcB, LRegs and flags, number by number."""

from __future__ import annotations

from typing import Final

import numpy as np

from nasm.base.dtypes import round_tfloat32
from nasm.base.problems import Refused
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.inspect.put import Values, within
from nasm.targets.tensix.matrix import formats
from nasm.targets.tensix.matrix.dst import write_columns
from nasm.targets.tensix.matrix.formats import Style, u32
from nasm.targets.tensix.scalar.dst_order import follow_order
from nasm.targets.tensix.state import LANES, U32, Bools

FIXED: Final = (8, 9, 10)
"""LRegs that are constants of the hardware."""

SRC_INTEGER: Final = 1023
"""The largest integer of style INT8."""


def _finite(values: Values) -> None:
    if not np.isfinite(values.astype(np.float32)).all():
        raise Refused("E0301", "FP16 has no infinities here, nor NaNs")


def _bits16(values: Values) -> U32:
    return u32(values.view(np.uint16))


def _put_dst(core: Tensix, values: Values, which: Bools, wide: bool) -> None:
    """Bits of Dst as they are stored."""
    core.settle()
    follow_order(core)
    rows, columns = np.nonzero(which)
    write_columns(core.matrix, rows, columns, values[rows, columns], wide)


def dst16(core: Tensix, values: Values, which: Bools) -> None:
    """Rows of 16 bits, as they are stored."""
    _put_dst(core, values, which, False)


def dst32(core: Tensix, values: Values, which: Bools) -> None:
    """Rows of 32 bits, as they are stored."""
    _put_dst(core, values, which, True)


def dst(core: Tensix, values: Values, which: Bools) -> None:
    """Numbers in the format in which Dst is seen, which their dtype says."""
    kind = values.dtype.name
    if kind == "int32":
        within("Dst", values, which, 0x7FFFFFFF, -0x7FFFFFFF)
        bits = formats.dst_from_integers(values.astype(np.int64))
    elif kind == "float32":
        bits = formats.dst_from_fp32(values.view(np.uint32))
    elif kind == "float16":
        _finite(values[which])
        bits = formats.dst_from_fp16(_bits16(values))
    else:
        bits = formats.dst_from_bf16(_bits16(values))
    _put_dst(core, bits, which, kind in ("int32", "float32"))


def _src(values: Values, which: Bools, style: Style) -> U32:
    """Numbers as elements of SrcA or SrcB."""
    if style is Style.INT8:
        within("an integer of SrcA or SrcB", values, which, SRC_INTEGER, -SRC_INTEGER)
        magnitude = u32(np.abs(values))
        exponent = np.where(magnitude, 16 << 10, 0)
        return formats.src_from_fp16(u32(values < 0) << 15 | u32(exponent) | magnitude)
    if style is Style.FP16:
        _finite(values[which])
        return formats.src_from_fp16(_bits16(values))
    if style is Style.BF16:
        return formats.src_from_bf16(_bits16(values))
    return formats.src_from_tf32(round_tfloat32(values).view(np.uint32) >> 13)


def srca(core: Tensix, values: Values, which: Bools, style: Style) -> None:
    """Numbers of SrcA."""
    elements = _src(values, which, style)
    core.settle()
    core.matrix.srca[which] = elements[which]


def srcb(core: Tensix, values: Values, which: Bools, style: Style) -> None:
    """Numbers of SrcB."""
    elements = _src(values, which, style)
    core.settle()
    core.matrix.srcb[which] = elements[which]


def lregs(core: Tensix, values: Values, which: Bools) -> None:
    """LRegs, bit by bit."""
    for number in FIXED:
        if which[number].any():
            raise Refused("E0301", f"LReg[{number}] is a constant of the hardware")
    core.settle()
    chosen = which.reshape(-1, LANES)
    held = core.vector.registers[: len(chosen)]
    held[chosen] = values.view(np.uint32).reshape(-1, LANES)[chosen]


def flags(core: Tensix, values: Values, which: Bools) -> None:
    """Flags of lanes that use theirs."""
    chosen, v = which.reshape(-1), core.vector
    unused = np.flatnonzero(chosen & ~v.uses_flag)
    if len(unused):
        message = f"lane {int(unused[0])} does not use its flag"
        raise Refused("E0822", message, "SFPENCC makes lanes use them")
    core.settle()
    v.flag[chosen] = values.reshape(-1)[chosen] != 0
