"""Words of the Sync Unit: mutexes, semaphores, waits."""

from __future__ import annotations

from nasm.targets.tensix.words.units import STALLS, SYNC
from nasm.targets.tensix.words.word import Word

WORDS = (
    Word(
        0xA0,
        "ATGETM",
        SYNC,
        "Acquire a mutex, once no other thread has it.",
        "mutex_index[15:0]",
        forms="Index[15:0]",
    ),
    Word(0xA1, "ATRELM", SYNC, "Release a mutex.", "mutex_index[15:0]", forms="Index[15:0]"),
    Word(
        0xA2,
        "STALLWAIT",
        STALLS,
        "Hold instructions back until all selected conditions are met.",
        "stall_res[23:15] wait_res[14:0]",
        forms="BlockMask[23:15] ConditionMask[14:0]",
    ),
    Word(
        0xA3,
        "SEMINIT",
        SYNC,
        "Set the values and maxima of semaphores.",
        "max_value[23:20] init_value[19:16] sem_sel[9:2]",
        forms="NewMax[23:20] NewValue[19:16] SemaphoreMask[9:2]",
    ),
    Word(
        0xA4,
        "SEMPOST",
        SYNC,
        "Add 1 to semaphores, up to 15.",
        "sem_sel[9:2]",
        forms="SemaphoreMask[9:2]",
    ),
    Word(
        0xA5,
        "SEMGET",
        SYNC,
        "Take 1 from semaphores, down to 0.",
        "sem_sel[9:2]",
        forms="SemaphoreMask[9:2]",
    ),
    Word(
        0xA6,
        "SEMWAIT",
        SYNC,
        "Hold instructions back while semaphores are 0, or at their maxima.",
        "stall_res[23:15] sem_sel[9:2] wait_sem_cond[1:0]",
        forms="BlockMask[23:15] SemaphoreMask[9:2] ConditionMask[1:0]",
    ),
)
