"""What is tried out on a run: lines that are typed, and changes by hand."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from nasm.debugger.moving.past import MadeChange, Redoable
from nasm.debugger.moving.travel import Travel
from nasm.debugger.parts.expressions import ExpressionPart
from nasm.debugger.parts.memory import MemoryPart
from nasm.machine.records import Moment
from nasm.runs.execution import Execution

if TYPE_CHECKING:  # what is done rarely is imported when it is
    from nasm.debugger.changing.changes import Divert, Type
    from nasm.debugger.changing.core_bytes import CoreBytes
    from nasm.debugger.changing.interactive import Typed, Typing
    from nasm.debugger.changing.setting import Altered


class TypedText(NamedTuple):
    """A text that was typed, and the moment at which it was, with the changes that led there."""

    change: Type
    declares: bool
    moment: Moment
    before: tuple[MadeChange, ...]


class ChangePart:
    """Changes a run: each change is kept, and made again when it is gone back over."""

    def __init__(
        self, run: Execution, travel: Travel, expressions: ExpressionPart, memory: MemoryPart
    ) -> None:
        self.run, self.travel, self.past = run, travel, travel.past
        self.expressions, self.memory = expressions, memory
        self.texts: list[TypedText] = []

    @cached_property
    def _typing(self) -> Typing:
        from nasm.debugger.changing.interactive import Typing

        return Typing(self.run)

    def take(self, text: str, declares: bool = False) -> Type:
        """Assemble a typed text and make room for it, but do not make the change; raises Failure.

        One that ``declares`` has nothing else in it. ``texts`` are those that were taken.
        """
        typing, moment = self._typing, self.run.moment
        known = len(typing.taken)
        change = typing.take(text, () if declares else self.made, declarations=declares)
        if len(typing.taken) > known:
            before = tuple(self.past.changes[: self.run.changes_made])
            self.texts.append(TypedText(change, declares, moment, before))
        return change

    def change(self, change: Redoable) -> object:
        """Change something by hand; what lies ahead of now is forgotten, unless it has a name."""
        return self.past.change(change)

    def undo(self) -> Redoable | None:
        """Take back the last change by hand, and go to where it was made; None if there is none."""
        return self.travel.undo()

    @property
    def macros(self) -> frozenset[str]:
        """The macros that a typed text may call."""
        return frozenset(self._typing.macros)

    def execute(self, text: str) -> Typed:
        """Assemble a typed text and execute it now, its instructions as the next of their engines.

        An engine need not be named if it was chosen last, or if no other has the instruction. Other
        engines continue until all of it has completed; what cannot complete is a deadlock. Raises
        Failure if anything is wrong with the text: then nothing was done.
        """
        from nasm.debugger.changing.interactive import complete, typed_result

        change = self.take(text)
        with self.memory.comparing() as memory, self.run.watched() as done:
            self.change(change)
            complete(self.run, change)
        return typed_result(self.run, self._typing, change, done, tuple(memory))

    def declare(self, text: str) -> Typed:
        """Take declarations, which can be named from now on; raises Failure, and takes nothing."""
        from nasm.debugger.changing.interactive import typed_result

        change = self.take(text, declares=True)
        self.change(change)
        return typed_result(self.run, self._typing, change, (), ())

    def set(self, place: str, value: object) -> Altered:
        """Give a place a value: a tensor or a part of one, ``$semaphore``, or ``@engine %r0``.

        Or part of what a core holds: ``lreg3[0, 1]``. ``value`` is a number, an array, or a text:
        an expression as expectations have, or in quotes the name of an array file. It is
        broadcast, and rounded once. Raises Failure or Refused.
        """
        from nasm.debugger.changing import setting
        from nasm.debugger.changing.changes import SetElements, SetPart
        from nasm.debugger.moving.part_stops import changes, state

        change, what = setting.setting(self.run, place, value), str(place).strip()
        if isinstance(change, SetElements):
            with self.memory.comparing() as memory:
                self.change(change)
            return setting.Altered(what, memory=tuple(memory))
        if isinstance(change, SetPart):
            was = state(self.expressions.evaluate(what))
            self.change(change)
            count, few = changes(was, state(self.expressions.evaluate(what)))
            return setting.Altered(what, count=count, elements=few)
        before = setting.current_value(self.run, change)
        self.change(change)
        after = setting.current_value(self.run, change)
        assert after is not None
        return setting.Altered(what, before, after)

    def addressed(self, memory: str, core: int = 0) -> CoreBytes:
        """A memory of a core, such as ``"l1"``, to be read and written by byte address.

        Raises Refused if the machine has none, or no values.
        """
        from nasm.debugger.changing.changes import addressed
        from nasm.debugger.changing.core_bytes import CoreBytes

        addressed(self.run.machine, memory, core)
        return CoreBytes(self.run, self.change, memory, core)

    def skip(self, engine: str | None = None) -> Altered:
        """Let an engine go past its next instruction; it need not be named if no other has one."""
        from nasm.debugger.changing.setting import skipping

        return self._divert(skipping(self.run, engine))

    def set_pc(self, engine: str, place: int | str) -> Altered:
        """Send an engine to a pc, a label, or the first of its instructions on ``"line N"``."""
        from nasm.debugger.changing.setting import going_on_at

        return self._divert(going_on_at(self.run, engine, place))

    def _divert(self, change: Divert) -> Altered:
        from nasm.debugger.changing.setting import Altered

        queue = self.run.machine.scheduler.queues[change.queue]
        before = queue.pc
        self.change(change)
        return Altered(f"@{self.run.program.queue_name(change.queue)} pc", before, queue.pc)

    @property
    def made(self) -> tuple[Redoable, ...]:
        """What was changed by hand, up to this moment."""
        return tuple(made.change for made in self.past.changes[: self.run.changes_made])

    def trial(self, text: str) -> Typed:
        """Execute a typed text, and go back to how it is now; what it declares stays declared.

        It stops at no breakpoint.
        """
        with self.travel.breakpoints.aside(), self.past.trial():
            return self.execute(text)

    def typed_text(self) -> str:
        """The program followed by the typed lines, as a text that assembles; raises Refused."""
        from nasm.debugger.changing.interactive import program_text

        return program_text(self.run, self._typing, self.made)
