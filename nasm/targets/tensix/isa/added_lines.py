"""Lines that programs with RISC-V code have without writing them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from nasm.isa.target import AddedLine
from nasm.program.program import Program, QueueProgram
from nasm.targets.tensix.engine_names import CORES, HARTS, QUEUES, RISCV_PREFIX
from nasm.targets.tensix.isa.cores import PUSHED
from nasm.targets.tensix.isa.riscv import END, PUSHED_BY
from nasm.targets.tensix.risc_state import B
from nasm.targets.tensix.riscv.feeding import FED_LINES

_END: Final = f"{RISCV_PREFIX}{END}"


def is_code(name: str) -> bool:
    """Whether a row is of RISC-V code, by its name."""
    return name.startswith(RISCV_PREFIX)


def added_lines(program: Program) -> Iterator[AddedLine]:
    """The lines that a program has besides those of its text.

    Code ends with one. Threads to which it may push have two that are fed with that, unless they
    have lines of their own.
    """
    for core in range(program.cores):
        queues = {q.engine: q for q in program.queues if q.core == core}
        code = [name for name in HARTS if name in queues and _names(program, queues[name])]
        code = [name for name in code if is_code(_names(program, queues[name])[0])]
        threads: dict[str, str] = {}
        for name in code:
            names = _names(program, queues[name])
            if _END not in names:
                yield AddedLine(core, name, _END, 1, name)
            if name in CORES:
                threads.setdefault(QUEUES[CORES.index(name)], name)
            elif name == HARTS[B] and PUSHED_BY.intersection(names):
                for thread in QUEUES:
                    threads.setdefault(thread, name)
        for thread, name in threads.items():
            if thread not in queues or not len(queues[thread]):
                yield AddedLine(core, thread, PUSHED.name, FED_LINES, name)


def _names(program: Program, lines: QueueProgram) -> list[str]:
    return [program.instructions[number].row.name for number in lines.instructions]
