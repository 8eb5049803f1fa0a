"""Names for words at addresses of a tile: those of the vendor's headers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from nasm.targets.tensix.front.mop import WORDS as EXPANDER_WORDS
from nasm.targets.tensix.memory_map import (
    BOX_BYTES,
    CLOCK_HIGH,
    CLOCK_LOW,
    COPROCESSOR_DONE,
    DEBUG_CONTROL,
    DEBUG_ECHO,
    DEBUG_RESULT,
    DEBUG_VALUE,
    EXPANDER,
    EXPANDER_DONE,
    KEPT_IN_RESET,
    MAILBOXES,
    PACKED_SIZE,
    REGFILE,
    RESET_PC,
    RESET_PCS,
    SEMAPHORES,
    SOFT_RESET,
    TDMA_STATUS,
)

TEMPLATES: Final = "MOP expander".partition(" ")[0]
"""What names of words of the expander begin with, before the number of the template."""


def _names() -> Iterator[tuple[str, int]]:
    yield "CoprocessorDoneCheck", COPROCESSOR_DONE
    yield "MOPExpanderDoneCheck", EXPANDER_DONE
    for template, words in enumerate(EXPANDER_WORDS):
        for at, word in enumerate(words):
            if word:
                yield f"{TEMPLATES}{template}_{word}", EXPANDER + 4 * at
    for at in range(64):
        yield f"GPR{at}", REGFILE + 4 * at
    for at in range(8):
        yield f"SEM{at}", SEMAPHORES + 4 * at
    for at in range(4):
        yield f"TENSIX_MAILBOX{at}_BASE", MAILBOXES + BOX_BYTES * at
    yield "RISCV_DEBUG_REG_RISC_DBG_CNTL_0", DEBUG_CONTROL
    yield "RISCV_DEBUG_REG_RISC_DBG_CNTL_1", DEBUG_VALUE
    yield "RISCV_DEBUG_REG_RISC_DBG_STATUS_0", DEBUG_ECHO
    yield "RISCV_DEBUG_REG_RISC_DBG_STATUS_1", DEBUG_RESULT
    yield "RISCV_DEBUG_REG_SOFT_RESET_0", SOFT_RESET
    yield "RISCV_DEBUG_REG_DISABLE_RESET", KEPT_IN_RESET
    for at, name in enumerate(RESET_PCS):
        yield f"RISCV_DEBUG_REG_{name}", RESET_PC + 4 * at
    yield "RISCV_DEBUG_REG_WALL_CLOCK_L", CLOCK_LOW
    yield "RISCV_DEBUG_REG_WALL_CLOCK_H", CLOCK_HIGH
    yield "RISCV_TDMA_REG_STATUS", TDMA_STATUS
    yield "RISCV_TDMA_REG_ACC_PACKED_SIZE", PACKED_SIZE


ADDRESSES: Final = dict(_names())
"""Addresses that have names."""

_TEXTS: Final = {address: name for name, address in ADDRESSES.items()}


def address_text(address: int) -> str:
    """An address by its last name, or in hexadecimal."""
    return _TEXTS.get(address) or f"{address:#010x}"
