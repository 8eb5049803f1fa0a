"""Words of the front end: what expands into other instructions, and what does nothing."""

from __future__ import annotations

from nasm.targets.tensix.words.units import FRONT, NOTHING
from nasm.targets.tensix.words.word import Told, Word

WORDS = (
    Word(
        0x01,
        "MOP",
        FRONT,
        "Expand into a sequence of instructions, by one of two templates.",
        "mop_type[23] loop_count[22:16] zmask_lo16[15:0]",
        forms="Template[23] Count1[22:16] MaskLo[15:0]",
    ),
    Word(0x02, "NOP", NOTHING, "Do nothing.", told=Told.YAML),
    Word(
        0x03,
        "MOP_CFG",
        FRONT,
        "Set the upper half of the mask that the next MOP of template 0 uses.",
        "zmask_hi16[15:0]",
        forms="MaskHi[15:0]",
    ),
    Word(
        0x04,
        "REPLAY",
        FRONT,
        "Record the instructions that follow, or play back recorded ones.",
        "start_idx[18:14] len[9:4] execute_while_loading[1] load_mode[0]",
        forms="Index[18:14] Count[9:4] Exec[1] Load[0]",
    ),
)
