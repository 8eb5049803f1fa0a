"""Words of the Configuration Unit."""

from __future__ import annotations

from nasm.targets.tensix.words.units import CONFIG
from nasm.targets.tensix.words.word import Told, Word

WORDS = (
    Word(
        0xB0,
        "WRCFG",
        CONFIG,
        "Write one register or four to configuration words.",
        "GprAddress[21:16] wr128b[15] CfgReg[10:0]",
        forms="InputReg[21:16] Is128Bit[15] CfgIndex[10:0]",
    ),
    Word(
        0xB1,
        "RDCFG",
        CONFIG,
        "Read a configuration word into a register.",
        "GprAddress[23:16] CfgReg[15:0]",
        told=Told.YAML,
    ),
    Word(
        0xB2,
        "SETC16",
        CONFIG,
        "Set 16 bits of the configuration of the thread.",
        "setc16_reg[23:16] setc16_value[15:0]",
        forms="CfgIndex[23:16] NewValue[15:0]",
    ),
    *(
        Word(
            0xB3 + byte,
            f"RMWCIB{byte}",
            CONFIG,
            f"Change bits of byte {byte} of a configuration word.",
            "Mask[23:16] Data[15:8] CfgRegAddr[7:0]",
            forms="Mask[23:16] NewValue[15:8] Index4[7:0]",
            page="RMWCIB",
        )
        for byte in range(4)
    ),
)
