"""Programs of Tensix as texts, run on the machine: when what started, and what it left."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nasm.analysis.hazards.hazards import Hazards
from nasm.base.source import Source
from nasm.language.assemble import assemble
from nasm.machine import Machine, tensor_io
from nasm.targets import TARGETS
from nasm.targets.tensix.core.tensix import Tensix


def made(
    text: str,
    inputs: Mapping[str, Any] | None = None,
    set_up: Callable[[Tensix], None] = lambda core: None,
    target: str = "wormhole",
) -> Machine:
    program = assemble(Source("tensix.nasm", f".target {target}\n{text}\n"), TARGETS)
    machine = Machine(program, trace=True)
    tensor_io.load(program, machine.addresses, dict(inputs or {}))
    set_up(held(machine))
    return machine


def held(machine: Machine) -> Tensix:
    core = machine.holds[0]
    assert isinstance(core, Tensix)
    return core


def ran(text: str, **more: Any) -> Machine:
    machine = made(text, **more)
    machine.run(1_000_000)
    assert not machine.scheduler.blocked()
    return machine


def starts(machine: Machine, queue: int) -> list[int]:
    """The ticks at which the instructions of a thread started."""
    assert machine.trace is not None
    return sorted(start for _, q, _, _, start, _ in machine.trace.instructions if q == queue)


def hazards(machine: Machine) -> list[str]:
    """Codes of what was found."""
    return [problem.code for problem in (*Hazards(machine).run_errors, *Hazards(machine).warnings)]
