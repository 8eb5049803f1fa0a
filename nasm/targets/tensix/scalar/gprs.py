"""General registers of a thread: 64 words of 32 bits, or 128 halves of 16."""

from __future__ import annotations

from nasm.targets.tensix.state import U8, U16, U32, Coprocessor


def quad(core: Coprocessor, thread: int, register: int) -> U32:
    """The four aligned registers that a register is one of, to read and to write."""
    first = register & ~3
    return core.threads[thread].registers[first : first + 4]


def halves(core: Coprocessor, thread: int) -> U16:
    """All halves of a thread's registers, the low one first, to read and to write."""
    return core.threads[thread].registers.view("<u2")


def data(words: U32) -> U8:
    """Words as bytes, the lowest first."""
    return words.astype("<u4").view("u1")
