"""The configuration unit."""

from nasm.targets.tensix.core import instruction_start, waits
from nasm.targets.tensix.isa import modes
from nasm.targets.tensix.isa.setups import REGISTERS
from nasm.targets.tensix.isa.table import Family
from nasm.targets.tensix.scalar import configuring
from nasm.targets.tensix.scalar.timing import UnitPace
from nasm.targets.tensix.state import Coprocessor
from nasm.targets.tensix.words.groups import SettingGroup
from nasm.targets.tensix.words.units import CONFIG
from nasm.targets.tensix.words.word import Described, Fields, Word

UNIT = Family(__name__)


def _written_by_WRCFG(core: Coprocessor, fields: Fields) -> range:
    return configuring.written_by_WRCFG(core, fields["Is128Bit"], fields["CfgIndex"])


def _written_by_CFGSHIFTMASK(core: Coprocessor, fields: Fields) -> range:
    return range(fields["CfgIndex"], fields["CfgIndex"] + 1)


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
    starts=instruction_start.writing_words(2, _written_by_WRCFG),
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

STREAMWRCFG = UNIT.row(
    Word(
        0xB7,
        "STREAMWRCFG",
        CONFIG,
        "Write a register of a stream of the NoC overlay to a configuration word.",
        "stream_id_sel[23:21] StreamRegAddr[20:11] CfgReg[10:0]",
        forms="StreamSelect[22:21] RegIndex[20:11] CfgIndex[10:0]",
        meanings={
            "StreamSelect": "which of STREAM_ID_SYNC_SEC0_BankSel to SEC3 says which stream",
            "RegIndex": "the number of the register; 29 is the phase",
        },
        chip="Blackhole A0",
    ),
    configuring.STREAMWRCFG,
    pace=UnitPace("configuration", 1, 5, shared=True, least=True),
    starts=instruction_start.configuring(5),
    waits=waits.for_configuration,
    since="blackhole",
    example="STREAMWRCFG RegIndex=29, CfgIndex=76",
    formula="word CfgIndex of the thread's bank = a register of a stream, after five cycles",
    hazard="It is written at the end of the fifth cycle: STALLWAIT with ConditionMask CFGEXU waits "
    "for that. Contention of the overlay, and that other instructions of the unit overtake it "
    "then, are not modelled.",
)

CFGSHIFTMASK = UNIT.row(
    Word(
        0xB8,
        "CFGSHIFTMASK",
        CONFIG,
        "Change bits of a configuration word by a rotated and masked scratch word.",
        "disable_mask_on_old_val[23] operation[22:20] mask_width[19:15] right_cshift_amt[14:10] "
        "scratch_sel[9:8] CfgReg[7:0]",
        forms="MaskMode[23] AluMode[22:20] MaskWidth[19:15] RotateAmt[14:10] ScratchIndex[9:8] "
        "CfgIndex[7:0]",
        values={"AluMode": modes.MASKED},
        meanings={
            "MaskMode": "0 clears the bits of the mask in the word first",
            "AluMode": "how the scratch word and the word are combined",
            "MaskWidth": "the number of bits of the mask, less one",
            "RotateAmt": "by how many bits the scratch word is rotated to the right",
            "ScratchIndex": "which scratch word; 3 is that of the thread's number",
        },
        chip="Blackhole A0",
    ),
    configuring.CFGSHIFTMASK,
    pace=UnitPace("configuration", 2, 2, shared=True),
    starts=instruction_start.writing_words(2, _written_by_CFGSHIFTMASK),
    waits=waits.for_configuration,
    since="blackhole",
    setup=".cfg SCRATCH_SEC0_val = 0xff",
    example="CFGSHIFTMASK MaskWidth=7, RotateAmt=24, CfgIndex=76",
    formula="word CfgIndex of the thread's bank, combined with a scratch word by AluMode",
)
