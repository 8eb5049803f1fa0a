"""The sync unit: mutexes, semaphores, waits."""

from nasm.targets.tensix.isa.setups import LANES, SEMAPHORE
from nasm.targets.tensix.isa.table import Family
from nasm.targets.tensix.sync import gate, mutexes, semaphores

UNIT = Family(__name__)

ATGETM = UNIT.row("ATGETM", mutexes.ATGETM, example="ATGETM Index=2")
ATRELM = UNIT.row("ATRELM", mutexes.ATRELM, setup="ATGETM Index=2", example="ATRELM Index=2")
STALLWAIT = UNIT.row(
    "STALLWAIT",
    gate.STALLWAIT,
    setup=LANES,
    example="STALLWAIT BlockMask=0x40, ConditionMask=0x4000",
)
SEMINIT = UNIT.row("SEMINIT", semaphores.SEMINIT, example=SEMAPHORE)
SEMPOST = UNIT.row(
    "SEMPOST", semaphores.SEMPOST, setup=SEMAPHORE, example="SEMPOST SemaphoreMask=1"
)
SEMGET = UNIT.row("SEMGET", semaphores.SEMGET, setup=SEMAPHORE, example="SEMGET SemaphoreMask=1")
SEMWAIT = UNIT.row(
    "SEMWAIT",
    gate.SEMWAIT,
    setup=SEMAPHORE,
    example="SEMWAIT BlockMask=1, SemaphoreMask=1, ConditionMask=1",
)
