"""Our words: what the documentation, messages and the debugger mean by them."""

from __future__ import annotations

WORDS: dict[str, str] = {
    "target": "an instruction set and the machines that run it: here `neuron`",
    "generation": (
        "one member of a target: NeuronCore-v2, v3 or v4. Everything that differs is data"
    ),
    "queue": "the instructions of one engine, in order, with its program counter `pc`",
    "head": "the next instruction of a queue",
    "tick": "the unit of time: an integer that divides every clock of a generation",
    "cycle": "one period of the clock of the engine named next to it: a whole number of ticks",
    "interval": "how long an instruction occupies its unit",
    "latency": "from the start of an instruction to its results; never less than its interval",
    "unit": (
        "the part of an engine an instruction occupies: its datapath, its sequencer, or the "
        "weight loader of Tensor"
    ),
    "start": "the moment an instruction leaves its queue and reads its operands",
    "commit": (
        "the moment results appear in memory: the completion of an instruction, the landing "
        "of a share"
    ),
    "in flight": "started and not completed (an instruction), issued and not landed (a transfer)",
    "post": "a change of a semaphore or event",
    "rendezvous": (
        "instructions of several cores that wait for each other and then execute together"
    ),
    "channel": "a server that moves data in parallel with the queues: here one DMA engine",
    "ring": "a queue of shares within a channel: AWS's DMA queue, 16 in each engine",
    "transfer": "what one DMA instruction moves",
    "share": "the part of a transfer that one channel moves",
    "uninitialised": "of a byte, an element or a register: nothing has written it yet",
    "comes before": (
        "of two accesses: the one is over before the other begins, in every execution: "
        "[order](#order)"
    ),
    "race": (
        "two accesses with a byte in common, one a write, of which neither comes before the other"
    ),
    "hazard": "legal text, wrong program: a race, a read of something uninitialised",
    "fault": "something the machine cannot do; the run ends there",
    "deadlock": "nothing is left to happen, and some queue is not done",
    "expectation": "what a program says must hold after its run (`.expect`)",
    "moment": (
        "a point of a run between two events: its time, and how many events there have been. "
        "`mark` gives one a name. In a program: when an instruction is complete, or its transfer "
        "has landed, by the name with which it is posted (`post load[r]`)"
    ),
    "stop": "what ends a move of the debugger before its end: a breakpoint, a watchpoint, a hazard",
    "breakpoint": "a place, a time or a condition at which a run stops",
    "watchpoint": "memory, a semaphore or a register at whose change, write or read a run stops",
    "context": (
        "what every engine is doing at a moment, what is next there, and why that does not start"
    ),
    "by hand": (
        "of a change: made at the prompt, with `set`, `skip` or a typed instruction, not by the "
        "program"
    ),
    "checkpoint": "a moment whose whole state is kept, so that the run can be done again from it",
}
"""Every word with its meaning, in Markdown, in the order in which they build on each other."""
