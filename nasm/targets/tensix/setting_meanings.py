"""What fields of the configuration are for, and names for their values, by the ends of their names.

After the ISA documentation of Wormhole B0; names of values are its own, and those of tt-llk.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from nasm.isa.field_values import one_of
from nasm.targets.tensix.format_names import FORMATS, LLK_FORMATS

RELU: Final = one_of(
    "",
    """
    0 NO_RELU            -  numbers stay
    1 ZERO_RELU          -  0 for x <= 0
    2 MIN_THRESHOLD_RELU -  0 for x <= ReluThreshold
    3 MAX_THRESHOLD_RELU -  0 for x <= 0, ReluThreshold for what is above it
    """,
)

_WORDS: Final = {"STACC_RELU_ApplyRelu": RELU}

_TEXT: Final = """
ALU_FORMAT_SPEC_REG0_SrcA$: the format of SrcA for the matrix unit
ALU_FORMAT_SPEC_REG1_SrcB$: the format of SrcB for the matrix unit, and of Dst for default loads
ALU_FORMAT_SPEC_REG2_Dstacc$: what packers take numbers of Dst for
ALU_ACC_CTRL_Fp32_enabled: 1 gives Dst 32 bits for the matrix unit
ALU_ACC_CTRL_SFPU_Fp32_enabled: 1 gives Dst 32 bits for the default of the vector unit
ALU_ACC_CTRL_INT8_math_enabled: 1 multiplies and adds integers
STACC_RELU_ApplyRelu: what packers do to negative numbers
STACC_RELU_ReluThreshold: the threshold of that, as BF16 or FP16
PCK_DEST_RD_CTRL_Read_32b_data: 1 lets packers read 32 bits of Dst
PCK_EDGE_OFFSET_SEC._mask: the columns that packers keep; others become 0 or minus infinity
PCK0_ADDR_CTRL_XY_REG_0_.stride: bytes of Dst from one X or Y of channel 0 to the next
PCK0_ADDR_CTRL_ZW_REG_0_.stride: bytes of Dst from one Z or W of channel 0 to the next
PCK0_ADDR_CTRL_.._REG_1_.stride: of L1, from one counter of channel 1 to the next
DEST_TARGET_REG_CFG_PACK_SEC._Offset: the row of Dst at which a packer begins
DEST_TARGET_REG_CFG_MATH_Offset: what is added to every row of Dst of the matrix and vector units
PACK_COUNTERS_SEC._pack_reads_per_xy_plane: rows of a face, after which a packer begins the next
TileDescriptor$: a tile in L1: format, 1 in bit 4 if not compressed, numbers in bits 31 to 16
TileDescriptor_InDataFormat: the format of a tile in L1
TileDescriptor_IsUncompressed: 1 says that a tile is not compressed
TileDescriptor_XDim: numbers of a row of a tile
TileDescriptor_YDim: rows of a tile; 0 of a block float means that it has no exponents
REG2_Out_data_format: the format that the unpacker writes
REG2_Throttle_mode: 0, 1 or 2: an unpacker reads 16, 32 or 64 bytes a cycle
REG2_Haloize_mode: 1 transposes faces of 16 by 16
REG2_Tileize_mode: 1 reads rows of 16 that are apart in L1
REG2_Unpack_[Ii]f_[Ss]el: 1 lets unpacker 0 write Dst
REG2_Disable_zero_compress_cntx.: 1 says that tiles are not compressed
REG3_Base(_cntx._)?_?address: where tiles are in L1, less 1, in units of 16 bytes
REG5_Dest_cntx._address: where unpacker 0 begins in SrcA, 64 for row 0, or in Dst
REG5_Tile_x_dim_cntx.: numbers of a row of a tile
REG[18]_L1_Dest_addr: where a packer writes in L1, less 1, in units of 16 bytes
REG[18]_In_data_format: the format that a packer's late conversion begins with
REG[18]_Out_data_format: the format that a packer writes
REG[18]_Disable_zero_compress: 1 says that a packer writes no compressed data
REG[18]_Pack_L1_Acc: 1 adds to what L1 has
ADDR_MOD_AB_SEC._Src.Incr: what an address modifier adds to the counter of SrcA or SrcB
ADDR_MOD_AB_SEC._Src.CR: 1 counts from the carriage return, which moves too
ADDR_MOD_AB_SEC._Src.Clear: 1 sets the counter to 0
ADDR_MOD_DST_SEC._DestIncr: what an address modifier adds to the counter of Dst
ADDR_MOD_DST_SEC._DestCR: 1 counts from the carriage return, which moves too
ADDR_MOD_DST_SEC._DestCToCR: 1 sets the carriage return to the new counter
ADDR_MOD_DST_SEC._DestClear: 1 sets the counter to 0
ADDR_MOD_DST_SEC._FidelityIncr: what is added to the fidelity phase
ADDR_MOD_DST_SEC._FidelityClear: 1 sets the fidelity phase to 0
ADDR_MOD_BIAS_SEC._BiasIncr: 1 lets 0 to 3 mean modifiers 4 to 7 from then on, or back
ADDR_MOD_BIAS_SEC._BiasClear: 1 lets 0 to 3 mean modifiers 0 to 3 again
ADDR_MOD_PACK_SEC._[YZ](src|dst)Incr: what a pack adds to the counter of channel 0 or 1
ADDR_MOD_SET_Base: 1 lets 0 to 3 mean modifiers 4 to 7
SRC._SET_SetOvrdWithAddr: 1 lets an unpacker fill all 64 rows of a bank by address
CLR_DVALID_Src._Disable: 1 keeps banks where flips would give them back
FIDELITY_BASE_Phase: what is added to the fidelity phase
CFG_STATE_ID_StateID: which bank of the configuration the thread uses
"""

_MEANINGS: Final = tuple(
    (re.compile(pattern), meaning)
    for pattern, _, meaning in (line.partition(": ") for line in _TEXT.strip().splitlines())
)


@cache
def meaning_of(name: str) -> str:
    """What a field is for; empty of most."""
    return next((meaning for pattern, meaning in _MEANINGS if pattern.search(name)), "")


def words_of(name: str, of_format: bool) -> Mapping[str, int]:
    """Words for values of a field, those that are printed first."""
    if of_format:
        return {word: int(form) for word, form in (*FORMATS.items(), *LLK_FORMATS.items())}
    values = _WORDS.get(name)
    return {} if values is None else {one.name: one.number for one in values.entries}
