"""The configuration unit."""

from nasm.targets.tensix.core import instruction_start, waits
from nasm.targets.tensix.isa import modes
from nasm.targets.tensix.isa.setups import REGISTERS
from nasm.targets.tensix.isa.table import Family
from nasm.targets.tensix.scalar import configuring
from nasm.targets.tensix.scalar.timing import UnitPace
from nasm.targets.tensix.words.groups import SettingGroup
from nasm.targets.tensix.words.units import CONFIG
from nasm.targets.tensix.words.word import Described, Word

UNIT = Family(__name__)

_BITS = "Mask=0xf0, NewValue=0x50, Index4=76"
_NEXT = (
    "The next instruction of the thread sees it. Units that are at work do not wait for it: wait "
    "for them before."
)
_CHANGES = UnitPace("configuration", 1, 1, shared=True)
_RMWCIB = "Mask[23:16] Data[15:8] CfgRegAddr[7:0]", "Mask[23:16] NewValue[15:8] Index4[7:0]"

WRCFG = UNIT.row(
    Word(
        0xB0,
        "WRCFG",
        CONFIG,
        "Write one register or four to configuration words.",
        "GprAddress[21:16] wr128b[15] CfgReg[10:0]",
        forms="InputReg[21:16] Is128Bit[15] CfgIndex[10:0]",
        values={"wr128b": modes.WORDS_WRITTEN},
    ),
    configuring.WRCFG,
    pace=UnitPace("configuration", 1, 2, shared=True),
    starts=instruction_start.writing_words(2, configuring.written_by_WRCFG),
    setup=REGISTERS,
    settings=SettingGroup.WORD,
    example="WRCFG InputReg=1, Is128Bit=0, CfgIndex=76",
    formula="word CfgIndex of the thread's bank = InputReg, after two cycles",
    hazard="What starts in the next cycle still sees the old word (E0552): one instruction in "
    "between, a NOP for example. Wait before it for units that are at work and use the word.",
)

RDCFG = UNIT.row(
    Word(
        0xB1,
        "RDCFG",
        CONFIG,
        "Read a configuration word into a register.",
        "GprAddress[23:16] CfgReg[15:0]",
        described=Described.YAML,
    ),
    configuring.RDCFG,
    pace=UnitPace("configuration", 1, 2, shared=True, least=True),
    starts=instruction_start.configuring(2),
    waits=waits.for_configuration,
    setup=".cfg THCON_SEC0_REG6_Source_address = 5",
    example="RDCFG GprAddress=3, CfgReg=76",
    formula="GprAddress = word CfgReg of the thread's bank",
    hazard="The register is there after the second cycle: what reads it in the next one sees "
    "what was there before.",
)

SETC16 = UNIT.row(
    Word(
        0xB2,
        "SETC16",
        CONFIG,
        "Set 16 bits of the configuration of the thread.",
        "setc16_reg[23:16] setc16_value[15:0]",
        forms="CfgIndex[23:16] NewValue[15:0]",
    ),
    configuring.SETC16,
    pace=UnitPace("configuration", 1, 1, shared=False),
    settings=SettingGroup.THREAD,
    example="SETC16 CfgIndex=12, NewValue=8",
    formula="word CfgIndex of the thread's own configuration = NewValue",
    hazard=_NEXT,
)

RMWCIB0 = UNIT.row(
    Word(
        0xB3,
        "RMWCIB0",
        CONFIG,
        "Change bits of byte 0 of a configuration word.",
        *_RMWCIB,
        page="RMWCIB",
    ),
    configuring.RMWCIB0,
    pace=_CHANGES,
    waits=waits.for_configuration,
    settings=SettingGroup.BYTE,
    example=f"RMWCIB0 {_BITS}",
    formula="byte 0 of word Index4 of the thread's bank = NewValue where Mask has ones",
    hazard=_NEXT,
)

RMWCIB1 = UNIT.row(
    Word(
        0xB4,
        "RMWCIB1",
        CONFIG,
        "Change bits of byte 1 of a configuration word.",
        *_RMWCIB,
        page="RMWCIB",
    ),
    configuring.RMWCIB1,
    pace=_CHANGES,
    waits=waits.for_configuration,
    settings=SettingGroup.BYTE,
    example=f"RMWCIB1 {_BITS}",
    formula="byte 1 of word Index4 of the thread's bank = NewValue where Mask has ones",
    hazard=_NEXT,
)

RMWCIB2 = UNIT.row(
    Word(
        0xB5,
        "RMWCIB2",
        CONFIG,
        "Change bits of byte 2 of a configuration word.",
        *_RMWCIB,
        page="RMWCIB",
    ),
    configuring.RMWCIB2,
    pace=_CHANGES,
    waits=waits.for_configuration,
    settings=SettingGroup.BYTE,
    example=f"RMWCIB2 {_BITS}",
    formula="byte 2 of word Index4 of the thread's bank = NewValue where Mask has ones",
    hazard=_NEXT,
)

RMWCIB3 = UNIT.row(
    Word(
        0xB6,
        "RMWCIB3",
        CONFIG,
        "Change bits of byte 3 of a configuration word.",
        *_RMWCIB,
        page="RMWCIB",
    ),
    configuring.RMWCIB3,
    pace=_CHANGES,
    waits=waits.for_configuration,
    settings=SettingGroup.BYTE,
    example=f"RMWCIB3 {_BITS}",
    formula="byte 3 of word Index4 of the thread's bank = NewValue where Mask has ones",
    hazard=_NEXT,
)
