"""The sync unit: mutexes, semaphores, waits."""

from nasm.targets.tensix.isa.table import Family
from nasm.targets.tensix.sync import gate, mutexes, semaphores

UNIT = Family(__name__)

ATGETM = UNIT.row("ATGETM", mutexes.ATGETM)
ATRELM = UNIT.row("ATRELM", mutexes.ATRELM)
STALLWAIT = UNIT.row("STALLWAIT", gate.STALLWAIT)
SEMINIT = UNIT.row("SEMINIT", semaphores.SEMINIT)
SEMPOST = UNIT.row("SEMPOST", semaphores.SEMPOST)
SEMGET = UNIT.row("SEMGET", semaphores.SEMGET)
SEMWAIT = UNIT.row("SEMWAIT", gate.SEMWAIT)
