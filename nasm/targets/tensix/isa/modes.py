"""The modes of other units' instructions, which their rows name.

Names: the ISA documentation of Wormhole B0, and tt-llk's headers.
"""

from typing import Final

from nasm.isa.field_values import bits_of_mask, one_of

TEMPLATES: Final = one_of(
    "",
    """
    0 - MASK_LOOP    a round for each bit of a mask: A0 to A3 and B, or SkipA0 and SkipB
    1 - DOUBLE_LOOP  two loops: StartOp, LoopOp …, Loop1Last or Loop0Last, EndOp0, EndOp1
    """,
    scope="p_mop",
)

DIMENSIONS: Final = one_of(
    "",
    """
    0 - SET_X  X
    1 - SET_Y  Y
    2 - SET_Z  Z
    3 - SET_W  W
    """,
    scope="p_setadc",
)

CHANNELS: Final = one_of(
    "",
    """
    0 - CH_0  channel 0, of the source
    1 - CH_1  channel 1, of the destination
    """,
    scope="p_setadc",
)

GIVEN: Final = one_of(
    "",
    """
    1 - SET_A   SrcA
    2 - SET_B   SrcB
    3 - SET_AB  both
    """,
    scope="p_setrwc",
)

ZEROS_PACKED: Final = one_of(
    "",
    """
    0 - P_ZERO_OUTPUT_DISABLED  what Dst has
    1 - P_ZERO_OUTPUT_ENABLED   zeros
    """,
    scope="p_pacr",
)

PACKERS: Final = one_of(
    "",
    """
    0  - -  packer 0
    1  - -  packer 0
    2  - -  packer 1
    4  - -  packer 2
    8  - -  packer 3
    3  - -  packers 0 and 1
    12 - -  packers 2 and 3
    15 - -  all four
    """,
)

UNPACKERS: Final = one_of(
    "",
    """
    0 - SrcA  unpacker 0, to SrcA or Dst
    1 - SrcB  unpacker 1, to SrcB
    """,
    scope="Srcs",
)

RAREFIED: Final = one_of(
    "",
    """
    0 - RAREFYB_DISABLE  every row is written
    1 - RAREFYB_ENABLE   no public source says
    """,
    scope="p_unpacr",
)

TURNS: Final = one_of(
    "",
    """
    0    - UNP_POP                        nothing that is documented
    2    - UNP_NOP                        nothing, for a turn of the unpacker
    1    - UNP_ZEROSRC                    the bank = 0
    5    - UNP_NEGINFSRC                  the bank of SrcA = minus infinity
    7    - UNP_SET_DVALID                 the bank belongs to the matrix unit
    9    - UNP_ZEROSRC_RESET_ALL_BANKS    both banks = 0
    17   - UNP_ZEROSRC_STALL_RESET_WR_RDY the bank = 0, once the unpackers own theirs
    0x41 - UNP_ZEROSRC_SET_DVALID         the bank = 0, and belongs to the matrix unit
    """,
    scope="p_unpacr_nop",
)

TURNED: Final = one_of(
    "",
    """
    0 - UNP0  unpacker 0
    1 - UNP1  unpacker 1
    """,
    scope="p_unpacr_nop",
)

RIGHT_OPERANDS: Final = one_of(
    "",
    """
    0 - REG_PLUS_REG  a register
    1 - REG_PLUS_IMM  a number
    """,
    scope="p_adddmareg",
)

BITWISE: Final = one_of(
    "BITWOPDMAREG_MODE_",
    """
    0 AND AND  ResultReg = LeftReg & right
    1 OR  OR   ResultReg = LeftReg | right
    2 XOR XOR  ResultReg = LeftReg ^ right
    """,
    scope="p_alu",
)

SHIFTS: Final = one_of(
    "SHIFTDMAREG_MODE_",
    """
    0 LEFT  -  to the left
    1 RIGHT -  to the right, zeros come in
    """,
)

COMPARISONS: Final = one_of(
    "CMPDMAREG_MODE_",
    """
    0 GT -  LeftReg > right
    1 LT -  LeftReg < right
    2 EQ -  LeftReg == right
    """,
)

SIGNALS: Final = one_of(
    "",
    """
    0 - MODE_IMMEDIATE  half a register = NewValue
    1 - MODE_SIGNAL     registers = what packers keep
    """,
    scope="p_setdmareg",
)

PAYLOADS: Final = one_of(
    "",
    """
    0 - PAYLOAD_16BIT/PAYLOAD_IMMEDIATE  16 bits
    1 - PAYLOAD_32BIT                    32 bits
    2 - PAYLOAD_128BIT                   128 bits
    3 - PAYLOAD_TILE_HEADER              a tile header
    """,
    scope="p_setdmareg",
)

FLUSHED: Final = bits_of_mask(
    "",
    """
    1 C0 -  the scalar unit has requests of the thread in flight
    2 C1 -  unpacker 0 has an instruction of the thread
    4 C2 -  unpacker 1 has an instruction of the thread
    8 C3 -  packer 0 has an instruction of the thread
    """,
)

WRITTEN_SIZES: Final = one_of(
    "",
    """
    0 - WRITE_16B  16 bytes
    1 - WRITE_4B   4 bytes
    2 - WRITE_2B   2 bytes
    3 - WRITE_1B   1 byte
    """,
    scope="p_reg2flop",
)

SIZES: Final = one_of(
    "",
    """
    0 - LD_16B    16 bytes, to four registers
    1 - LD_32bit  4 bytes
    2 - LD_16bit  2 bytes, to the low half
    3 - LD_8bit   1 byte, to the low byte
    """,
    scope="p_ind",
)

INCREMENTS: Final = one_of(
    "",
    """
    0 - INC_NONE  the offset stays
    1 - INC_2B    offset += 2
    2 - INC_4B    offset += 4
    3 - INC_16B   offset += 16
    """,
    scope="p_ind",
)

STORED_SIZES: Final = one_of(
    "",
    """
    0 - LD_16B    16 bytes, of four registers
    1 - LD_32bit  4 bytes
    2 - LD_16bit  2 bytes, of the low half
    3 - LD_8bit   1 byte, of the low byte
    """,
    scope="p_ind",
)

HIERARCHIES: Final = one_of(
    "",
    """
    0 - HIER_REGFILE  to SrcA, SrcB or the memory map
    1 - HIER_L1       to L1
    """,
    scope="p_ind",
)

WORDS_WRITTEN: Final = one_of(
    "",
    """
    0 - WRCFG_32b   one word
    1 - WRCFG_128b  four words, from four registers
    """,
    scope="p_cfg",
)

CONDITIONS: Final = bits_of_mask(
    "",
    """
    0x1    C0  THCON              the scalar unit has requests of the thread in flight
    0x2    C1  UNPACK0            unpacker 0 has an instruction of the thread
    0x4    C2  UNPACK1            unpacker 1 has an instruction of the thread
    0x6    -   UNPACK             either unpacker has
    0x8    C3  PACK0              packer 0 has an instruction of the thread
    0x10   C4  PACK1              packer 1 has
    0x20   C5  PACK2              packer 2 has
    0x40   C6  PACK3              packer 3 has
    0x78   -   PACK               any packer has
    0x80   C7  MATH               the matrix unit has an instruction of the thread
    0x100  C8  SRCA_CLR           the unpackers do not own their bank of SrcA
    0x200  C9  SRCB_CLR           the unpackers do not own their bank of SrcB
    0x400  C10 SRCA_VLD           the matrix unit does not own its bank of SrcA
    0x800  C11 SRCB_VLD           the matrix unit does not own its bank of SrcB
    0x1000 C12 XMOV               the mover has requests in flight
    0x2000 C13 TRISC_CFG          the thread's RISC-V core has requests in flight
    0x4000 C14 WAIT_SFPU/SFPU1    the vector unit has an instruction of the thread
    """,
    scope="p_stall",
)

STREAM_CONDITIONS: Final = one_of(
    "",
    """
    0 C0 PHASE     its phase is less than the target
    1 C1 NUM_MSGS  it has received fewer messages than that
    """,
)

SEMAPHORE_CONDITIONS: Final = bits_of_mask(
    "",
    """
    0x1 C0 STALL_ON_ZERO  a selected semaphore is 0
    0x2 C1 STALL_ON_MAX   a selected semaphore is not below its maximum
    """,
    scope="p_stall",
)

MASKED: Final = one_of(
    "",
    """
    0 OR      -  word | scratch
    1 AND     -  word & scratch
    2 XOR     -  word ^ scratch
    3 ADD     -  word + scratch
    4 OR_NOT  -  word | ~scratch
    5 AND_NOT -  word & ~scratch
    6 XOR_NOT -  word ^ ~scratch
    7 SUB     -  word - scratch
    """,
)
"""Of Blackhole; the names are ours: the page has numbers alone."""
