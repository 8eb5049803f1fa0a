"""The sync unit: mutexes, semaphores, waits."""

from nasm.targets.tensix.isa.table import Family

UNIT = Family(__name__)

ATGETM = UNIT.row("ATGETM")
ATRELM = UNIT.row("ATRELM")
STALLWAIT = UNIT.row("STALLWAIT")
SEMINIT = UNIT.row("SEMINIT")
SEMPOST = UNIT.row("SEMPOST")
SEMGET = UNIT.row("SEMGET")
SEMWAIT = UNIT.row("SEMWAIT")
