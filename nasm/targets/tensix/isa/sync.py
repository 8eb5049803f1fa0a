"""The sync unit: mutexes, semaphores, waits."""

from nasm.targets.tensix.core import instruction_start, waits
from nasm.targets.tensix.isa import modes
from nasm.targets.tensix.isa.setups import LANES, SEMAPHORE
from nasm.targets.tensix.isa.table import Family
from nasm.targets.tensix.scalar.timing import MUTEX_PACE, SEMAPHORE_PACE
from nasm.targets.tensix.sync import gate, mutexes, semaphores
from nasm.targets.tensix.words.groups import SettingGroup
from nasm.targets.tensix.words.units import STALLS, SYNC
from nasm.targets.tensix.words.word import Word

UNIT = Family(__name__)

ATGETM = UNIT.row(
    Word(
        0xA0,
        "ATGETM",
        SYNC,
        "Acquire a mutex, once no other thread has it.",
        "mutex_index[15:0]",
        forms="Index[15:0]",
        meanings={"Index": "the mutex: 0, or 2 to 7"},
    ),
    mutexes.ATGETM,
    pace=MUTEX_PACE,
    waits=waits.for_mutex,
    settings=SettingGroup.MUTEX,
    example="ATGETM Index=2",
    formula="wait until mutex Index is free, then hold it",
    hazard="A thread that holds it already continues.",
)

ATRELM = UNIT.row(
    Word(
        0xA1,
        "ATRELM",
        SYNC,
        "Release a mutex.",
        "mutex_index[15:0]",
        forms="Index[15:0]",
        meanings={"Index": "the mutex: 0, or 2 to 7"},
    ),
    mutexes.ATRELM,
    pace=MUTEX_PACE,
    starts=instruction_start.next_cycle(instruction_start.of_mutex),
    waits=waits.to_release,
    setup="ATGETM Index=2",
    example="ATRELM Index=2",
    formula="mutex Index is free, if the thread holds it",
    hazard="A mutex that the thread does not hold stays as it is.",
)

STALLWAIT = UNIT.row(
    Word(
        0xA2,
        "STALLWAIT",
        STALLS,
        "Hold instructions back until all selected conditions are met.",
        "stall_res[23:15] wait_res[14:0]",
        forms="BlockMask[23:15] ConditionMask[14:0]",
        values={"ConditionMask": modes.CONDITIONS},
        meanings={
            "ConditionMask": "what they wait for: while any of these holds; 0 means C0 to C6"
        },
    ),
    gate.STALLWAIT,
    pace=SEMAPHORE_PACE,
    starts=instruction_start.latching,
    setup=LANES,
    example="STALLWAIT BlockMask=0x40, ConditionMask=0x4000",
    formula="instructions of BlockMask wait at the gate while any of ConditionMask holds",
    hazard="The thread continues: instructions of BlockMask wait at its gate, and all that "
    "come after the first of these. A later STALLWAIT or SEMWAIT takes its place, unless "
    "BlockMask has B1. What follows in the next cycle is held for a cycle at least.",
)

SEMINIT = UNIT.row(
    Word(
        0xA3,
        "SEMINIT",
        SYNC,
        "Set the values and maxima of semaphores.",
        "max_value[23:20] init_value[19:16] sem_sel[9:2]",
        forms="NewMax[23:20] NewValue[19:16] SemaphoreMask[9:2]",
    ),
    semaphores.SEMINIT,
    pace=SEMAPHORE_PACE,
    starts=instruction_start.next_cycle(instruction_start.of_semaphores),
    settings=SettingGroup.SEMAPHORE,
    example=SEMAPHORE,
    formula="value = NewValue, maximum = NewMax, of selected semaphores",
    hazard="Others may post at the same time: set a semaphore before the threads use it.",
)

SEMPOST = UNIT.row(
    Word(
        0xA4,
        "SEMPOST",
        SYNC,
        "Add 1 to semaphores, up to 15.",
        "sem_sel[9:2]",
        forms="SemaphoreMask[9:2]",
    ),
    semaphores.SEMPOST,
    pace=SEMAPHORE_PACE,
    starts=instruction_start.posting,
    setup=SEMAPHORE,
    example="SEMPOST SemaphoreMask=1",
    formula="value = min(value + 1, 15), of selected semaphores",
    hazard="It does not wait for the units of its thread: STALLWAIT with BlockMask STALL_SYNC "
    "before it. Above its maximum a semaphore still counts, up to 15.",
)

SEMGET = UNIT.row(
    Word(
        0xA5,
        "SEMGET",
        SYNC,
        "Take 1 from semaphores, down to 0.",
        "sem_sel[9:2]",
        forms="SemaphoreMask[9:2]",
    ),
    semaphores.SEMGET,
    pace=SEMAPHORE_PACE,
    starts=instruction_start.next_cycle(instruction_start.of_semaphores),
    setup=SEMAPHORE,
    example="SEMGET SemaphoreMask=1",
    formula="value = max(value - 1, 0), of selected semaphores",
    hazard="It never waits: of 0 it makes 0. SEMWAIT with BlockMask STALL_SYNC before it.",
)

SEMWAIT = UNIT.row(
    Word(
        0xA6,
        "SEMWAIT",
        SYNC,
        "Hold instructions back while semaphores are 0, or at their maxima.",
        "stall_res[23:15] sem_sel[9:2] wait_sem_cond[1:0]",
        forms="BlockMask[23:15] SemaphoreMask[9:2] ConditionMask[1:0]",
        values={"ConditionMask": modes.SEMAPHORE_CONDITIONS},
        meanings={"ConditionMask": "what they wait for; 0 means C0 to C6 of units"},
    ),
    gate.SEMWAIT,
    pace=SEMAPHORE_PACE,
    starts=instruction_start.latching,
    setup=SEMAPHORE,
    example="SEMWAIT BlockMask=1, SemaphoreMask=1, ConditionMask=1",
    formula="instructions of BlockMask wait at the gate while a selected semaphore is 0, or "
    "at its maximum",
    hazard="As with STALLWAIT instructions of BlockMask wait at the gate, and all that "
    "come after the first of these. It takes nothing from a semaphore: SEMGET does. With B1 in "
    "BlockMask a SEMGET after it waits, too.",
)

STREAMWAIT = UNIT.row(
    Word(
        0xA7,
        "STREAMWAIT",
        STALLS,
        "Hold instructions back until a stream of the NoC overlay has a phase or a count.",
        "stall_res[23:15] target_value[14:4] target_sel[3] wait_stream_sel[2:0]",
        forms="BlockMask[23:15] TargetValueLo[13:4] ConditionIndex[3] StreamSelect[1:0]",
        values={"ConditionIndex": modes.STREAM_CONDITIONS},
        meanings={
            "TargetValueLo": "the lower ten bits of the target; STREAMWAIT_PHASE_HI_Val or "
            "STREAMWAIT_NUM_MSGS_HI_Val has the upper ones",
            "StreamSelect": "which of STREAM_ID_SYNC_SEC0_BankSel to SEC3 says which stream",
        },
        chip="Blackhole A0",
    ),
    gate.STREAMWAIT,
    pace=SEMAPHORE_PACE,
    starts=instruction_start.latching_stream,
    since="blackhole",
    setup="@t1 STOREREG DataReg=0, AddrLo=0x1001d",
    example="STREAMWAIT BlockMask=0x40, TargetValueLo=0",
    formula="instructions of BlockMask wait at the gate until a stream has a phase, or a count",
    hazard="Streams stay idle here: their phase is what is written to STREAM_CURR_PHASE, and they "
    "have received no messages.",
)
