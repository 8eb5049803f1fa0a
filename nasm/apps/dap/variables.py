"""What a client shows of a run: scopes and variables; and what it sets there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from nasm.apps.dap import values
from nasm.apps.dap.messages import WRONG, RequestArguments
from nasm.apps.dap.state import Body, Debugger, FramePlace, ShownVariable, request
from nasm.base.problems import Failure, Refused, clean, quoted
from nasm.debugger.moving.locations import rounds
from nasm.show import steps
from nasm.views.tensor import Tensor
from nasm.views.view import View

if TYPE_CHECKING:
    from nasm.debugger.engines.records import EngineContext
    from nasm.debugger.session import Session
    from nasm.debugger.values.engine_state import StatePart

MANY = 60
"""Tensors that are listed together; more are grouped by the memory they are in."""


@request("scopes")
def scopes(debugger: Debugger, given: RequestArguments) -> Body:
    """What there is to see at a frame: its engine and instruction, and all of the machine."""
    frame = debugger.frame(given.get("frameId", int))
    session = debugger.session
    name = session.program.queue_name(frame.queue)
    parts = [
        (name, "locals", lambda bits: list(_engine(debugger, frame))),
        ("Tensors", "", lambda bits: _tensors(session, session.program.tensors.values())),
        ("Semaphores", "", lambda bits: list(_semaphores(session, bits))),
        ("Engines", "", lambda bits: list(_engines(debugger))),
        ("Transfers", "", lambda bits: list(_transfers(debugger))),
        ("Names", "", lambda bits: list(_names(session))),
    ]
    return {
        "scopes": [
            {"name": label, "variablesReference": debugger.reference(inside),
             "expensive": not hint, **({"presentationHint": hint} if hint else {})}
            for label, hint, inside in parts
        ]
    }  # fmt: skip


@request("variables")
def variables(debugger: Debugger, given: RequestArguments) -> Body:
    """What is in a scope or a variable."""
    bits = given.part("format").get("hex", bool, False)
    items = debugger.inside(given.get("variablesReference", int), bits)
    start, count = given.get("start", int, 0), given.get("count", int, 0)
    if start or count:
        items = items[max(0, start) :][: count if count > 0 else None]
    return {"variables": [shown(debugger, item) for item in items]}


def shown(debugger: Debugger, item: ShownVariable) -> Body:
    """A variable as a client gets it."""
    hint = {} if item.place else {"presentationHint": {"attributes": ["readOnly"]}}
    return {
        "name": item.name,
        "value": clean(item.value),
        "variablesReference": debugger.reference(item.inside),
        **({"type": item.kind} if item.kind else {}),
        **({"evaluateName": item.text} if item.text else {}),
        **hint,
    }


# ---------------------------------------------------------------- what there is


def _engine(debugger: Debugger, frame: FramePlace) -> Iterator[ShownVariable]:
    """An engine: what its instruction works with, loops, registers, and what it does."""
    session = debugger.session
    engine = next(e for e in debugger.context.engines if e.index == frame.queue)
    if frame.pc < len(session.program.queues[frame.queue]):
        yield from _operands(session, frame)
        for name, number in rounds(session.execution, frame.queue, frame.pc).items():
            yield ShownVariable(name, f"{number}", "the variable of a loop", name)
    yield from _registers(session, engine.engine)
    yield from _state(debugger, engine)


def _operands(session: Session, frame: FramePlace) -> Iterator[ShownVariable]:
    """The tensors, or parts of them, that an instruction reads and writes."""
    made = session.program.instruction(frame.queue, frame.pc)
    for operand, value in zip(made.row.operands, made.operands, strict=True):
        if operand.implicit or not isinstance(value, View) or value.dynamic:
            continue
        text = operand.kind.format(value)
        try:
            yield values.item(session, f"{operand.name} = {text}", session.evaluate(text),
                              place=text, text=text)  # fmt: skip
        except (Failure, Refused):
            continue


def _registers(session: Session, engine: str) -> Iterator[ShownVariable]:
    loops = session.loop_registers(engine)
    for number, value in session.registers(engine).items():
        text, bits = steps.register(value)
        name = steps.register_name(number, loops)
        yield ShownVariable(name, text, bits, f"@{engine}.%r{number}", f"@{engine} %r{number}")


def _state(debugger: Debugger, engine: EngineContext) -> Iterator[ShownVariable]:
    units = debugger.context.units
    yield ShownVariable("cycle", f"{engine.cycle:,}")
    yield ShownVariable("completed", f"{engine.completed:,} of its {engine.length:,} instructions")
    for doing in engine.doing:
        until = f"{units.microseconds(doing.until):,.3f} µs"
        yield ShownVariable("executes", f"{doing.text}, until {until}")
    if engine.at is not None:
        yield ShownVariable("next", engine.text)
        for hold in engine.holds:
            yield ShownVariable("waits", hold.reason)
        if engine.starts is not None:
            yield ShownVariable("starts", f"{units.microseconds(engine.starts):,.3f} µs")


def _engines(debugger: Debugger) -> Iterator[ShownVariable]:
    session = debugger.session
    for engine in debugger.context.engines:

        def inside(_: bool, engine: EngineContext = engine) -> Sequence[ShownVariable]:
            held = () if not session.values else session.engines.held(engine.engine)
            own = (part for part in held if part.engine)
            return [*_state(debugger, engine), *_registers(session, engine.engine),
                    *(_part(session, part) for part in own)]  # fmt: skip

        value = "idle" if engine.idle else engine.brief or "executing"
        yield ShownVariable(engine.engine, value, inside=inside)
    for part in session.program.held_parts:
        for core in range(session.program.cores):
            name = part.name if session.program.cores == 1 else f"@{core}.{part.name}"
            yield _core_part(session, name)


def _core_part(session: Session, name: str) -> ShownVariable:
    """A part of what a core holds, read when it is opened."""

    def inside(_: bool) -> Sequence[ShownVariable]:
        (part,) = session.engines.held(name)
        return [values.item(session, label or name, value, place=name if not label else "")
                for label, value in part.parts]  # fmt: skip

    return ShownVariable(name, "", "a part of the core", name, "", inside)


def _part(session: Session, part: StatePart) -> ShownVariable:
    def inside(_: bool) -> Sequence[ShownVariable]:
        return [values.item(session, label or part.name, value) for label, value in part.parts]

    text = part.summary or (values.brief(part.parts[0][1]) if part.parts else "nothing")
    return ShownVariable(part.name, text, inside=inside if part.parts else None)


def _tensors(session: Session, tensors: Iterable[Tensor]) -> Sequence[ShownVariable]:
    """Tensors, each read when it is opened; grouped by memory if there are many."""
    every = list(tensors)
    if len(every) > MANY and len({tensor.memory.name for tensor in every}) > 1:
        groups: dict[str, list[Tensor]] = {}
        for tensor in every:
            groups.setdefault(tensor.memory.name, []).append(tensor)
        return [_group(session, name, some) for name, some in groups.items()]
    return [_tensor(session, tensor) for tensor in every]


def _group(session: Session, name: str, some: Sequence[Tensor]) -> ShownVariable:
    return ShownVariable(
        name, f"{len(some):,} tensors", inside=lambda bits: _tensors(session, some)
    )


def _tensor(session: Session, tensor: Tensor) -> ShownVariable:
    sizes = ", ".join(map(str, tensor.shape))
    kind = f"{tensor.dtype.name}[{sizes}] in {tensor.memory.name}"
    if not session.values:
        return ShownVariable(tensor.name, kind, kind)

    def inside(bits: bool) -> Sequence[ShownVariable]:
        value = session.evaluate(tensor.name)
        found = values.item(session, tensor.name, value, place=tensor.name, text=tensor.name)
        return found.inside(bits) if found.inside else [found]

    share = session.memory.written(tensor.name)
    written = "" if share == 1 else ", not written" if not share else f", {share:.0%} written"
    return ShownVariable(tensor.name, f"{kind}{written}", kind, tensor.name, tensor.name, inside)


def _semaphores(session: Session, bits: bool) -> Iterator[ShownVariable]:
    for one in session.semaphores():
        waiting = f"  ({', '.join(one.waiting)} waiting)" if one.waiting else ""
        value = f"{one.value:#x}" if bits else f"{one.value}"
        kind = "event" if one.event else "semaphore"
        yield ShownVariable(
            f"${one.name}", f"{value}{waiting}", kind, f"${one.name}", f"${one.name}"
        )


def _transfers(debugger: Debugger) -> Iterator[ShownVariable]:
    units = debugger.context.units
    for number, one in enumerate(debugger.context.transfers):
        yield ShownVariable(
            f"[{number}]", clean(repr(one).strip("<>")), units.moment(debugger.context.tick)
        )


def _names(session: Session) -> Iterator[ShownVariable]:
    for name, value in session.program.constants.items():
        yield ShownVariable(name, str(value), "constant", name)
    for name, text in session.named.items():
        yield ShownVariable(name, text, "let", name)


# ---------------------------------------------------------------- setting


@request("setVariable")
def set_variable(debugger: Debugger, given: RequestArguments) -> Body:
    """Give a tensor, a part of one, a semaphore or a register a value: undone by stepping back."""
    name, reference = given.get("name", str), given.get("variablesReference", int)
    item = next((one for one in debugger.inside(reference) if one.name == name), None)
    if item is None or not item.place:
        raise Refused(WRONG, f"'{quoted(name)}' cannot be set")
    return _set(debugger, item.place, item.text, given.get("value", str))


@request("setExpression")
def set_expression(debugger: Debugger, given: RequestArguments) -> Body:
    """The same of what an expression names."""
    text = given.get("expression", str)
    return _set(debugger, text, text, given.get("value", str))


def _set(debugger: Debugger, place: str, text: str, value: str) -> Body:
    session = debugger.session
    session.set(place, value)
    debugger.renew()
    if debugger.client.get("supportsInvalidatedEvent", bool, False):
        debugger.channel.event("invalidated", areas=["all"])
    found = session.evaluate(text)
    shown_now = values.item(session, "", found, place=place, text=text)
    reference = debugger.reference(shown_now.inside)
    return {"value": clean(shown_now.value), "type": shown_now.kind,
            "variablesReference": reference}  # fmt: skip
