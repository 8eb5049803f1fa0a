"""The front end: expansion, and what does nothing."""

from nasm.targets.tensix.core import costs
from nasm.targets.tensix.front.expanding import ExpanderAction
from nasm.targets.tensix.isa import modes
from nasm.targets.tensix.isa.setups import EXPANDED
from nasm.targets.tensix.isa.table import Family
from nasm.targets.tensix.scalar import unit
from nasm.targets.tensix.scalar.timing import MISC_PACE
from nasm.targets.tensix.words.groups import SettingGroup
from nasm.targets.tensix.words.units import FRONT, NOTHING
from nasm.targets.tensix.words.word import Described, Word

UNIT = Family(__name__)

MOP = UNIT.row(
    Word(
        0x01,
        "MOP",
        FRONT,
        "Expand into a sequence of instructions, by one of two templates.",
        "mop_type[23] loop_count[22:16] zmask_lo16[15:0]",
        forms="Template[23] Count1[22:16] MaskLo[15:0]",
        values={"Template": modes.TEMPLATES},
    ),
    cost=costs.FRONT,
    expands=ExpanderAction.TEMPLATE,
    setup=EXPANDED,
    example="MOP Template=1",
    formula="instructions of a template instead of this one",
    hazard="It takes no cycle itself: its expansion follows, an instruction a cycle. What is no "
    "MOP loses a cycle after it. The words of its template must not change meanwhile.",
)

NOP = UNIT.row(
    Word(0x02, "NOP", NOTHING, "Do nothing.", described=Described.YAML),
    unit.NOP,
    pace=MISC_PACE,
    formula="nothing, for a cycle",
)

MOP_CFG = UNIT.row(
    Word(
        0x03,
        "MOP_CFG",
        FRONT,
        "Set the upper half of the mask that the next MOP of template 0 uses.",
        "zmask_hi16[15:0]",
        forms="MaskHi[15:0]",
    ),
    cost=costs.FRONT,
    expands=ExpanderAction.MASK,
    settings=SettingGroup.MASK,
    example="MOP_CFG MaskHi=5",
    formula="the upper half of the mask of the next MOP = MaskHi",
    hazard="Nothing waits for it.",
)

REPLAY = UNIT.row(
    Word(
        0x04,
        "REPLAY",
        FRONT,
        "Record the instructions that follow, or play back recorded ones.",
        "start_idx[18:14] len[9:4] execute_while_loading[1] load_mode[0]",
        forms="Index[18:14] Count[9:4] Exec[1] Load[0]",
        meanings={"Index": "the first slot of 32"},
    ),
    cost=costs.FRONT,
    expands=ExpanderAction.BUFFER,
    setup="REPLAY Index=0, Count=2, Load=1\nSFPLOADI VD=0, Imm16=0x3f80\nSFPMOV VC=0, VD=1",
    example="REPLAY Index=0, Count=2",
    formula="record the next Count instructions, or execute recorded ones",
    hazard="Recording takes a cycle for each instruction, whether it executes or not; playing "
    "back follows without a gap. A recording holds no MOP.",
)

RESOURCEDECL = UNIT.row(
    Word(
        0x05,
        "RESOURCEDECL",
        FRONT,
        "Declare which resources a class of instructions uses, and for how long.",
        "linger_time[23:13] resources[12:4] op_class[3:0]",
        forms="Resources[12:4] Class[3:0]",
        meanings={"Class": "the class of instructions, as the page of Auto TTSync numbers them"},
        page="AutoTTSync",
        chip="Blackhole A0",
    ),
    cost=costs.FRONT,
    expands=ExpanderAction.DECLARES,
    since="blackhole",
    formula="automatic TTSync takes it that Class uses Resources; it is off after a reset",
)
