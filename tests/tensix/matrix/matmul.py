"""A 32 by 32 product from L1 to L1: unpack, sixteen MVMULs for each phase, pack."""

from __future__ import annotations

from typing import Any

import numpy as np

from nasm.targets.tensix.matrix.arithmetic import MVMUL
from nasm.targets.tensix.matrix.control import SETRWC, ZEROACC
from nasm.targets.tensix.matrix.formats import Format
from nasm.targets.tensix.matrix.pack import PACR
from nasm.targets.tensix.matrix.tiles import tile_bytes
from nasm.targets.tensix.matrix.unpack import UNPACR
from nasm.targets.tensix.state import Coprocessor
from tests.tensix.matrix.machine import configure, coprocessor, packs, unpacks
from tests.tensix.matrix.tiles import decode_tiles, encode_tiles

A, B, OUT = 0x4000, 0x8000, 0x10000
ORDER = (0, 1, 0, 2, 0, 1, 3, 0, 0, 1, 0, 2, 0, 1, 3, 1)
"""The address modifier of each MVMUL; behind 3 the numbers of the next mean four more."""

_MODIFIERS = (
    {"SrcBIncr": 8, "DestIncr": 8},
    {"SrcAIncr": 16, "SrcBCR": 1, "DestIncr": 8},
    {"SrcACR": 1, "SrcBCR": 1, "SrcBIncr": 32, "DestIncr": 8},
    {"SrcBIncr": 8, "DestIncr": 8, "BiasIncr": 1},
    {"SrcAIncr": 32, "SrcACR": 1, "SrcBIncr": 48, "SrcBCR": 1, "DestCR": 1, "BiasIncr": 1},
    {"SrcAClear": 1, "SrcBClear": 1, "DestClear": 1, "FidelityIncr": 1, "BiasIncr": 1},
)
_CLEAR = dict.fromkeys(["DstCtoCr", "DstCr", "SrcBCr", "SrcACr", "DstVal", "SrcBVal", "SrcAVal"], 0)


def modifiers(core: Coprocessor, thread: int = 0) -> None:
    for number, fields in enumerate(_MODIFIERS):
        for name, value in fields.items():
            part = "AB" if name.startswith("Src") else "BIAS" if name[0] == "B" else "DST"
            configure(core, {f"ADDR_MOD_{part}_SEC{number}_{name}": value}, thread)


def multiplied(x: Any, y: Any, form: Format, source: Format, wide: bool, phases: int) -> Any:
    """``x @ y`` of 32 by 32, in L1 as ``form``, in SrcA and SrcB as ``source``."""
    core = coprocessor(
        ALU_FORMAT_SPEC_REG0_SrcA=source,
        ALU_FORMAT_SPEC_REG1_SrcB=source,
        ALU_ACC_CTRL_Fp32_enabled=int(wide),
    )
    core.l1.write(A, encode_tiles(x, form))
    core.l1.write(B, encode_tiles(y, form))
    modifiers(core)
    for unpacker, address in enumerate((B, A)):
        unpack = UNPACR(core, 0, **unpacks(core, unpacker, address, form, source, 1024))
        assert unpack is not None
        unpack()
    ZEROACC(core, 0, UseDst32b=0, Mode=3, Revert=0, AddrMod=0, Imm10=0)
    for _ in range(phases):
        for number in ORDER:
            MVMUL(core, 0, 0, 0, 0, number, 0)
    SETRWC(core, 0, 1, 1, **_CLEAR, Fidelity=1, Dst=1, SrcB=1, SrcA=1)
    target = Format.FP32 if wide else form
    fields = packs(core, OUT, target, target, wide, 256)
    for packer in range(4):
        places = ("SEC0_REG1", "SEC0_REG8", "SEC1_REG1", "SEC1_REG8")
        start = (OUT + packer * tile_bytes(target) // 4) // 16 - 1
        configure(core, {f"THCON_{places[packer]}_L1_Dest_addr": start})
    PACR(core, 0, **fields)()
    return decode_tiles(core.l1.read(OUT, tile_bytes(target)), target, 32, 32)


def relative_error(form: Format, source: Format, wide: bool, phases: int, seed: int) -> float:
    """The Frobenius norm of what is wrong, over that of the product in float64."""
    rng = np.random.default_rng(seed)
    total = wrong = 0.0
    for _ in range(8):
        x, y = rng.standard_normal((2, 32, 32)).astype(np.float32)
        if form is Format.BF16:
            x, y = ((z.view(np.uint32) & 0xFFFF0000).view(np.float32) for z in (x, y))
        truth = x.astype(np.float64) @ y.astype(np.float64)
        wrong += ((multiplied(x, y, form, source, wide, phases) - truth) ** 2).sum()
        total += (truth**2).sum()
    return float(np.sqrt(wrong / total))
