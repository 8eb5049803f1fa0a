"""Code of a core that starts requests: stores to the registers of an initiator, as text."""

from __future__ import annotations

from collections.abc import Mapping

from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.targets import TARGETS

REGISTERS = {
    "TARG": 0, "TARG_MID": 4, "RET": 0xC, "RET_MID": 0x10, "TAG": 0x18, "CTRL": 0x1C,
    "LEN": 0x20, "DATA": 0x24,
}  # fmt: skip
START, OUTSTANDING = 0x28, 0x240

RD, AT, WR = 0, 1, 2
BE, INLINE, MARKED, BROADCAST, STATIC, BY_Y, INCLUDE = (1 << n for n in (2, 3, 4, 5, 7, 16, 17))
"""Bits of NOC_CTRL, by NoC/MemoryMap."""


def mid(x: int, y: int, x0: int = 0, y0: int = 0) -> int:
    """The upper half of an address: a tile, or the last corner of a rectangle and its first."""
    return x << 4 | y << 10 | x0 << 16 | y0 << 22


def started(network: int = 0, initiator: int = 0, **values: int) -> str:
    """Lines that write registers, and start the request."""
    lines = [f"li s0, {0xFFB20000 + 0x10000 * network + 0x400 * initiator}"]
    for name, value in values.items():
        lines += [f"li t0, {value & 0xFFFFFFFF}", f"sw t0, {REGISTERS[name]}(s0)"]
    return "\n".join((*lines, "li t0, 1", f"sw t0, {START}(s0)")) + "\n"


def answered(network: int = 0, counter: int = OUTSTANDING, until: int = 0, tag: str = "") -> str:
    """Lines that load a counter until it is a number."""
    label = f"wait{network}_{counter:x}_{until}{tag}"
    base = 0xFFB20000 + 0x10000 * network
    return f"li s1, {base}\nli t2, {until}\n{label}:\nlw t1, {counter}(s1)\nbne t1, t2, {label}\n"


def session(text: str, inputs: Mapping[str, object] | None = None) -> Session:
    made = Session.load(Source("t.nasm", f".target wormhole\n{text}"), targets=TARGETS)
    for name, value in (inputs or {}).items():
        made.set(name, value)
    return made
