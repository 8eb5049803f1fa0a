"""What instructions wait for besides semaphores of programs, data and units, in words."""

from __future__ import annotations

CAUSES = {
    "src": "a bank of SrcA or SrcB",
    "dst": "rows of Dst just written",
    "matrix": "the matrix unit to take another kind of instruction",
    "vector": "an instruction of the vector unit that takes two cycles",
    "unpack addresses": "addresses of an unpacker",
    "cfg": "the configuration unit",
    "front end": "the expanders of its thread",
    "stallwait": "conditions at its wait gate",
    "semwait": "semaphores at its wait gate",
    "streamwait": "a stream of the NoC overlay, at its wait gate",
    "flush": "the units that it flushes",
    "mutex": "a mutex",
    "atomic": "an atomic operation",
    "host": "its RISC-V core to push it",
    "fifo": "room in the FIFO in front of the expanders",
    "ttsync": "the coprocessor, by TTSync",
    "mailbox": "a mailbox",
    "polling": "a word to have a value",
    "load": "a register that is loaded",
    "integer": "its integer unit, which multiplies or divides",
    "stores": "its queue of stores",
    "pc buffer": "a queue from RISC-V B",
    "reset": "the end of its reset",
    "outside": "an answer of the Ethernet firmware",
    "paused": "a debugger to let it continue",
}
"""Every cause that a :class:`~nasm.isa.blocked.Blocked` of this target has."""
