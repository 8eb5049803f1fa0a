"""A coprocessor with an L1 of its own, configured by the names of its fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from nasm.targets.tensix.chips import WORMHOLE
from nasm.targets.tensix.matrix.formats import Format
from nasm.targets.tensix.scalar.config import set_field
from nasm.targets.tensix.state import Coprocessor

PACKERS = ("SEC0_REG1", "SEC0_REG8", "SEC1_REG1", "SEC1_REG8")


class L1:
    """L1 as an array."""

    def __init__(self) -> None:
        self.bytes = np.zeros(WORMHOLE.l1_bytes, np.uint8)

    def read(self, address: int, count: int) -> Any:
        return self.bytes[address : address + count].copy()

    def write(self, address: int, data: Any) -> None:
        assert address % 16 == 0
        assert address + len(data) <= WORMHOLE.l1_bytes
        self.bytes[address : address + len(data)] = data


def coprocessor(**settings: int) -> Coprocessor:
    core = Coprocessor(L1())
    configure(core, settings)
    return core


def configure(core: Coprocessor, settings: Mapping[str, int], thread: int = 0) -> None:
    for name, value in settings.items():
        set_field(core, thread, name, value)


def set_x(core: Coprocessor, who: int, first: int, last: int, thread: int = 0) -> None:
    """The X counters of an unpacker or the packers."""
    core.threads[thread].adc[who, 0, 0, 0] = first
    core.threads[thread].adc[who, 1, 0, 0] = last


def unpacks(
    core: Coprocessor, unpacker: int, address: int, source: Format, target: Format, count: int
) -> dict[str, int]:
    """Configure an unpacker to read ``count`` numbers; the fields of UNPACR that go with it."""
    section = f"THCON_SEC{unpacker}"
    core.config[:, 52 + 40 * unpacker] = source | 1 << 4 | count << 16
    core.config[:, 53 + 40 * unpacker] = 1
    settings = {
        f"{section}_REG2_Out_data_format": target,
        f"{section}_REG2_Disable_zero_compress_cntx0": 1,
        f"{section}_REG3_Base_address": address // 16 - 1,
    }
    if not unpacker:
        settings |= {
            f"{section}_REG5_Dest_cntx0_address": 64,
            f"{section}_REG5_Tile_x_dim_cntx0": count,
            "SRCA_SET_SetOvrdWithAddr": 1,
        }
    configure(core, settings)
    set_x(core, unpacker, 0, count - 1)
    names = (
        "Ch1YInc Ch1ZInc Ch0YInc Ch0ZInc CfgContextCntInc ContextNumber ContextADC FlipSrc "
        "AllDatumsAreZero UseContextCounter RowSearch SearchCacheFlush"
    )
    fields = dict.fromkeys(names.split(), 0)
    return {**fields, "WhichUnpacker": unpacker, "MultiContextMode": 1, "FlipSrc": 1}


def packs(
    core: Coprocessor, address: int, middle: Format, target: Format, wide: bool, count: int
) -> dict[str, int]:
    """Configure all packers, a face each; the fields of PACR that go with it."""
    size = 4 if wide else 2
    configure(
        core,
        {
            "ALU_FORMAT_SPEC_REG2_Dstacc": middle,
            "PCK_DEST_RD_CTRL_Read_32b_data": int(wide),
            "PCK_EDGE_OFFSET_SEC0_mask": 0xFFFF,
            "PCK0_ADDR_CTRL_XY_REG_0_Xstride": size,
            "PCK0_ADDR_CTRL_XY_REG_0_Ystride": 16 * size,
        },
    )
    for i, section in enumerate(PACKERS):
        name = f"THCON_{section}"
        configure(
            core,
            {
                f"{name}_Disable_zero_compress": 1,
                f"{name}_In_data_format": middle,
                f"{name}_Out_data_format": target,
                f"{name}_L1_Dest_addr": address // 16 - 1,
                f"DEST_TARGET_REG_CFG_PACK_SEC{i}_Offset": 16 * i,
                f"PACK_COUNTERS_SEC{i}_pack_reads_per_xy_plane": 16,
            },
        )
    set_x(core, 2, 0, count - 1)
    names = "AddrMod ZeroWrite OvrdThreadId Concat Flush"
    return {**dict.fromkeys(names.split(), 0), "PackerMask": 15, "Last": 1}
