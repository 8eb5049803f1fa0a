"""What would break if engines did not wait for their own earlier results.

The order of the run is judged once more as if there were no interlock: an instruction that reads
what an earlier one of its queue writes is in order with it then only if its queue has waited for
something that comes after the completion of that one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from nasm.machine.machine import Machine
from nasm.order.accesses import ByteAccess
from nasm.order.check import Check, Line, Race
from nasm.order.events import Sources
from nasm.order.observer import Watch
from nasm.program.program import Program
from nasm.runs.check.accesses import Touches
from nasm.runs.check.records import Executable, Reliance
from nasm.views.regions import REGISTERS, Region


def relied(machine: Machine, watch: Watch, touches: Touches) -> tuple[Reliance, ...]:
    """The reads that nothing but the interlock orders, a line and a writer's line at a time."""
    check = Check(Sources(machine.program), watch, held=False)
    check.settle()
    times = Counter(
        check.line(queue, index) for queue, pcs in enumerate(watch.pcs) for index in range(len(pcs))
    )
    found = [
        one
        for race in check.races
        if race.first.queue == race.second.queue and not (race.first.moves or race.second.moves)
        for one in _reliances(machine, touches, check, race, times)
    ]
    return tuple(sorted(found, key=lambda one: (one.queue, one.reader.pc, one.writer.pc)))


def _reliances(
    machine: Machine, touches: Touches, check: Check, race: Race, times: Mapping[Line, int]
) -> Iterator[Reliance]:
    """What one line reads that another one has written: by the name of what it is."""
    program = machine.program
    pairs: dict[str, tuple[ByteAccess, ByteAccess, set[int]]] = {}
    for writer, reader in race.pairs:
        pc = check.watch.pcs[reader.queue][reader.index]
        what = _what(machine, touches, reader.queue, pc, reader.region)
        pairs.setdefault(what, (writer, reader, set()))[2].add(reader.index)
    for what, (writer, reader, readers) in pairs.items():
        yield Reliance(
            program.queue_name(reader.queue),
            _executable(program, check, reader),
            _executable(program, check, writer),
            what,
            len(readers),
            times[check.line(reader.queue, reader.index)],
        )


def _executable(program: Program, check: Check, access: ByteAccess) -> Executable:
    queue, pc = access.queue, check.watch.pcs[access.queue][access.index]
    return Executable(pc, program.instruction(queue, pc).row.name, program.span(queue, pc))


def _what(machine: Machine, touches: Touches, queue: int, pc: int, region: Region) -> str:
    """What a region is called that an instruction reads."""
    if region.place.startswith(REGISTERS):
        return f"%r{region.low // 4}"
    areas = machine.state.areas
    names = [
        view.tensor.name
        for view in touches.of(queue, pc).reads
        if areas[view.tensor.index] == region.area
    ]
    return names[0] if names else "a result"
