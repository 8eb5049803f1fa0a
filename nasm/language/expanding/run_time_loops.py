"""Loops at run time while their bodies are expanded: who goes through them, with which registers.

A loop's variable is a register in every queue that has a line in the body, and so is each affine
form of it that the body needs: set before the loop, stepped with it. Registers that the text
mentions are never taken. What a queue does to go through a loop is known at its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property, partial

from nasm.base.problems import Failure, Note, Problem, Refused
from nasm.base.records import dataclass, field
from nasm.base.source import Frame, Span, WrittenRound
from nasm.isa.list_kinds import views
from nasm.language.expanding.affine import Affine, Variable, combined
from nasm.language.expanding.scope import Scope
from nasm.program.builder import Made, ProgramBuilder
from nasm.program.text_items import Control, RunTimeLoop
from nasm.views.view import Reg

OTHER, ALONE, WRITTEN, FULL = "E0233", "E0234", "E0235", "E0236"
WORD = range(-(2**31), 2**31)

Bound = int | Reg | Affine

_MENTIONED = re.compile(r"%r([0-9]{1,4})(?![A-Za-z0-9_])")


@dataclass(slots=True)
class Open:
    """A loop whose body is being expanded.

    ``rounds`` are the values of its variable, if they are known; ``counter`` is the register that
    the text gives it, ``queue`` the only one that it is for. A ``steady`` one has all its rounds:
    no branch in it leads elsewhere. ``copies`` is how many rounds are written out. ``forms`` are
    the registers of a queue and what they hold, ``used`` those of loops inside that are over;
    ``lines`` says where each queue has its first line in it.
    """

    record: RunTimeLoop
    variable: Variable
    place: Span
    first: Bound
    stop: Bound
    rounds: range | None
    counter: Reg | None
    queue: int | None
    steady: bool
    copies: int = 1
    forms: dict[int, dict[Affine, Reg]] = field(default_factory=dict)
    used: dict[int, set[int]] = field(default_factory=dict)
    lines: dict[int, Span] = field(default_factory=dict)
    breaks: list[Span] = field(default_factory=list)

    def written(self, place: Span) -> Iterator[tuple[Affine, Frame]]:
        """The value of the variable in each round that is written out, and its frame."""
        variable, record = self.variable, self.record
        for copy in range(self.copies):
            offset = copy * record.step // self.copies
            value = combined("+", Affine.of(variable), offset)
            assert isinstance(value, Affine)
            what = f"{self.heading} + {offset}" if offset else self.heading
            yield value, Frame(what, place, None, WrittenRound(record.number, record.step, offset))

    @property
    def heading(self) -> str:
        """How its line begins."""
        return f".loop {self.variable.name}"

    def allotted(self, queue: int) -> dict[int, str]:
        """The registers that it was given in a queue, and what they hold."""
        return {r.number: str(form) for form, r in self.forms.get(queue, {}).items()}

    def own(self, queue: int) -> dict[int, str]:
        """The registers that belong to it in a queue, and what they hold."""
        held = self.allotted(queue)
        if self.counter is not None and queue == self.queue:
            held[self.counter.number] = f"the rounds of {self.heading}"
        return held


class Loops:
    """The loops at run time that are open, outermost first; ``text`` is that of the program."""

    def __init__(self, builder: ProgramBuilder, text: str) -> None:
        self.builder = builder
        self.open: list[Open] = []
        self._texts = [text]
        self._given: set[int] = set()

    def mention(self, text: str) -> None:
        """An included text names registers, too; refuses one that a loop has already."""
        self._texts.append(text)
        if "_mentioned" in self.__dict__:
            taken = sorted(_numbers(text) & self._given)
            if taken:
                message = f"this text names {Reg(taken[0])}, which a '.loop' before it was given"
                raise Refused(WRITTEN, message, "include it before the first '.loop'")
            del self._mentioned

    @cached_property
    def _mentioned(self) -> frozenset[int]:
        """The registers that texts name, and those of the program that they add to."""
        return frozenset(_registers(self.builder)).union(*map(_numbers, self._texts))

    @contextmanager
    def within(self, loop: Open, scope: Scope) -> Iterator[None]:
        """The body of a loop, from its begin to its end."""
        if loop.counter is not None and loop.queue is not None:
            self._free(loop.counter, loop.queue, loop.heading, loop.place)
        self.open.append(loop)
        looping, scope.looping, scope.reach = scope.looping, True, self.reach
        self.builder.recorded.begin(self.builder.position, loop.record)
        yield
        scope.looping = looping
        self._end()

    def _end(self) -> None:
        """The body of the innermost loop ends: what its queues do to go through it is known."""
        loop = self.open[-1]
        try:
            if len(loop.lines) > 1 and loop.breaks:
                raise _break_refused(loop)
            for queue in loop.lines:
                loop.record.parts[queue] = self._control(loop, queue)
                loop.record.registers[queue] = loop.allotted(queue)
        except Refused as refused:
            raise Failure(refused.at(loop.place)) from None
        except Failure as failure:
            raise Failure([p.at(loop.place) for p in failure.problems]) from None
        finally:
            self.open.pop()
            self.builder.recorded.end(self.builder.position)
            if self.open:
                for queue in loop.lines:
                    used = self.open[-1].used.setdefault(queue, set())
                    used |= {*loop.own(queue), *loop.used.get(queue, ())}

    # -- lines

    @contextmanager
    def line(self, queue: int, place: Span, scope: Scope) -> Iterator[None]:
        """While a line of a queue is evaluated: forms are registers of that queue."""
        self.enter(queue, place)
        before, scope.register = scope.register, partial(self.register, queue)
        try:
            yield
        finally:
            scope.register = before

    def enter(self, queue: int, place: Span) -> None:
        """A line of a queue belongs to all open loops; refuses one that is for another queue."""
        for loop in self.open:
            if loop.queue is not None and loop.queue != queue:
                theirs, ours = map(self.builder.program.queue_name, (loop.queue, queue))
                message = f"a line for @{ours} in a loop of @{theirs} alone"
                why = "its variable is a register, which belongs to one engine"
                hint = f"{why}: with a name, as in .loop k, it is for all that have a line in it"
                if loop.counter is None:
                    hint = "without '@' before '.loop' it is for all that have a line in it"
                note = (Note(f"{loop.heading} begins here", loop.place),)
                raise Failure(Problem(OTHER, message, place, hint, note))
            loop.lines.setdefault(queue, place)

    def check(self, queue: int, instruction: int, place: Span) -> None:
        """Refuse an instruction that writes a register by which rounds are counted."""
        made = self.builder.program.instructions[instruction]
        for operand in made.row.writes:
            value = made.operand(operand.name)
            if isinstance(value, Reg):
                self._free(value, queue, made.row.name, place)

    def _free(self, register: Reg, queue: int, who: str, place: Span) -> None:
        for loop in self.open:
            held = loop.own(queue).get(register.number)
            if held is not None:
                message = f"{who} writes {register}, which holds {held}"
                hint = "take another register; .break leaves a loop before its rounds are over"
                note = (Note(f"{loop.heading} begins here", loop.place),)
                raise Failure(Problem(WRITTEN, message, place, hint, note))

    # -- registers

    def register(self, queue: int, form: Affine) -> Reg:
        """The register that holds a form in a queue."""
        at = next(n for n, one in enumerate(self.open) if one.record.number == form.innermost)
        loop = self.open[at]
        forms = loop.forms.setdefault(queue, {})
        found = forms.get(form)
        if found is None:
            self._fits(form)
            found = forms[form] = self._allot(queue, at, form)
        return found

    def _allot(self, queue: int, at: int, form: Affine) -> Reg:
        """A register for an open loop: not one of loops around it, and of none within it."""
        taken = {*self._mentioned}
        for loop in self.open:
            taken.update(loop.own(queue))
        for loop in self.open[at:]:
            taken.update(loop.used.get(queue, ()))
        free = next(
            (n for n in reversed(range(self.builder.generation.registers)) if n not in taken), None
        )
        if free is None:
            raise self._full(queue, form)
        self._given.add(free)
        return Reg(free)

    def _full(self, queue: int, form: Affine) -> Failure:
        name, count = self.builder.program.queue_name(queue), self.builder.generation.registers
        message = f"no register of @{name} is left for {form}: it has {count}"
        notes = []
        for loop in self.open:
            held = [f"%r{n} {what}" for n, what in loop.own(queue).items()]
            if held:
                notes.append(Note(f"{loop.heading} holds {', '.join(held)}", loop.place))
        mentioned = len(self._mentioned & set(range(count)))
        hint = f"the text mentions {mentioned} by number, which are not taken for loops"
        return Failure(Problem(FULL, message, None, hint, tuple(notes)))

    def _fits(self, form: Affine) -> None:
        """Refuse a form that leaves the range of a register, where its rounds are known."""
        reached = self._between(form, 0)
        if reached is None:
            return
        low, high = reached
        if low not in WORD or high not in WORD:
            message = f"{form} leaves the 32 bits of a register: it goes from {low:,} to {high:,}"
            raise Refused("E0301", message)

    def reach(self, form: Affine) -> tuple[int, int] | None:
        """The least and the greatest value of a form, if all of them come."""
        loops = {one.record.number: one for one in self.open}
        steady = all(loops[variable.loop].steady for variable, _ in form.terms)
        return self._between(form, -1) if steady else None

    def _between(self, form: Affine, last: int) -> tuple[int, int] | None:
        """The values between which a form stays; ``last`` rounds more are counted."""
        rounds = {one.record.number: one.rounds for one in self.open}
        low = high = form.constant
        for variable, factor in form.terms:
            values = rounds[variable.loop]
            if values is None:
                return None
            final = _after(values) + last * values.step
            ends = sorted((factor * values.start, factor * final))
            low, high = low + ends[0], high + ends[1]
        return low, high

    # -- what a queue does to go through a loop

    def _control(self, loop: Open, queue: int) -> Control:
        counting, end = self._counting(loop, queue)
        upwards = loop.variable.step > 0
        if loop.rounds is not None:
            ((_, factor),) = counting.terms
            upwards = upwards == (factor > 0)
        enter = list(self._set(loop, queue))
        register = self._register_of(loop, queue, counting)
        limit = self._value(queue, end)
        leave = None
        if loop.rounds is None:
            done = "greater_equal" if upwards else "less_equal"
            leave = self.branch(queue, register, done, limit, loop.record.end)
        steps = [
            self._compute(queue, held, held, _step(form), "add")
            for form, held in self._registers(loop, queue)
        ]
        again = "less" if upwards else "greater"
        back = self.branch(queue, register, again, limit, loop.record.head)
        return Control(tuple(enter), leave, tuple(steps), back)

    def _counting(self, loop: Open, queue: int) -> tuple[Affine, Bound]:
        """The form that is compared at the end of a round, and with what.

        One that the body needs anyway, if all its values are known.
        """
        variable = Affine.of(loop.variable)
        if loop.counter is not None or loop.rounds is None:
            if loop.counter is None:
                self.register(queue, variable)
            return variable, loop.stop
        forms = loop.forms.get(queue, {})
        alone = [form for form in forms if len(form.terms) == 1]
        counting = variable if variable in forms or not alone else alone[0]
        self.register(queue, counting)
        ((_, factor),) = counting.terms
        return counting, factor * _after(loop.rounds) + counting.constant

    def _registers(self, loop: Open, queue: int) -> list[tuple[Affine, Reg]]:
        """The registers that a round of a loop steps, by what they hold."""
        own = list(loop.forms.get(queue, {}).items())
        if loop.counter is not None:
            own.append((Affine.of(loop.variable), loop.counter))
        return own

    def _register_of(self, loop: Open, queue: int, form: Affine) -> Reg:
        return loop.counter if loop.counter is not None else loop.forms[queue][form]

    def _set(self, loop: Open, queue: int) -> Iterator[int]:
        """Set what a loop steps before its first round."""
        for held, register in self._registers(loop, queue):
            *outer, (_, factor) = held.terms
            rest: Affine | int = held.constant
            if outer:
                rest = Affine(tuple(outer), held.constant)
            if not isinstance(loop.first, Reg):
                value = combined("+", combined("*", loop.first, factor), rest)
                yield self._move(queue, register, self._value(queue, value))
                continue
            first: Reg = loop.first
            if factor != 1:
                yield self._compute(queue, register, first, factor, "multiply")
                first = register
            if rest != 0:
                yield self._compute(queue, register, first, self._value(queue, rest), "add")
            elif first != register:
                yield self._move(queue, register, first)

    def _value(self, queue: int, value: Bound) -> int | Reg:
        return self.register(queue, value) if isinstance(value, Affine) else value

    # -- instructions

    def _made(self, queue: int, what: str, operands: Mapping[str, object]) -> int:
        sequencing = self.builder.target.sequencing
        if sequencing is None:
            raise Refused("E0601", f"{self.builder.target.name} has no loops at run time")
        row = self.builder.row(getattr(sequencing, what))
        return self.builder.make(queue, row, [], operands, None, None)[0]

    def _move(self, queue: int, to: Reg, value: int | Reg) -> int:
        return self._made(queue, "move", {"dst": to, "src": value})

    def _compute(self, queue: int, to: Reg, first: Reg, second: int | Reg, op: str) -> int:
        operands = {"dst": to, "src1": first, "src2": second, "op": op}
        return self._made(queue, "compute", operands)

    def branch(self, queue: int, first: int | Reg, op: str, second: int | Reg, target: str) -> int:
        """A branch of a queue to a label, if a comparison holds."""
        operands = {"reg1": first, "reg2": second, "op": op, "target": target}
        return self._made(queue, "branch", operands)

    def leave(self, queue: int, target: str) -> Made:
        """A branch to a label in any case."""
        return self._made(queue, "branch", {"target": target}), 0, 0


def _numbers(text: str) -> set[int]:
    return {int(number) for number in _MENTIONED.findall(text)}


def _step(held: Affine) -> int:
    variable, factor = held.terms[-1]
    return variable.step * factor


def _after(rounds: range) -> int:
    """The first value that is no round's."""
    return rounds.start + len(rounds) * rounds.step


def _break_refused(loop: Open) -> Failure:
    first, *others = loop.lines.items()
    del first
    message = "'.break' in a loop that several queues go through"
    hint = (
        "each queue counts its rounds by itself: the others would continue, and wait for updates "
        "that the one that left no longer makes. Only leave a loop that no other queue goes through"
    )
    notes = tuple(Note("another queue has a line in it here", place) for _, place in others[:1])
    return Failure([Problem(ALONE, message, place, hint, notes) for place in loop.breaks])


def _registers(builder: ProgramBuilder) -> Iterable[int]:
    """The registers that the instructions so far use."""
    for instruction in builder.program.instructions:
        for value in instruction.operands:
            if isinstance(value, Reg):
                yield value.number
            for view in views(value):
                yield from (moving.register for moving in view.dynamic)
