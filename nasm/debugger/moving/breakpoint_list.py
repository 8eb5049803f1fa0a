"""The breakpoints that are set: by number and name, asked for, changed and deleted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import Any, Unpack

from nasm.base.drawing import Drawn
from nasm.base.problems import Failure, Refused, counted, number_of, quoted
from nasm.base.records import replace
from nasm.debugger.moving import specs
from nasm.debugger.moving.breakpoint_records import NAME, Armed, Breakpoint, BreakpointKeywords
from nasm.debugger.moving.line_tracking import followed
from nasm.debugger.moving.specs import StopRequest
from nasm.language.text.aliases import names_in
from nasm.runs.execution import Execution
from nasm.runs.settings import with_settings

WRONG = "E0822"


def _times(wanted: int) -> int:
    """How often to ignore something."""
    return number_of("times to ignore it", wanted)


class BreakpointList(Drawn):
    """Breakpoints in the order of their numbers.

    One is found by its number or its name: ``breakpoints[2]``, ``breakpoints["acc"]``.
    """

    def __init__(self, running: Execution) -> None:
        self.running = running
        self._set: dict[int, Armed] = {}
        self._last = 0

    def set(self, wanted: Breakpoint, number: int = 0) -> Breakpoint:
        """Set what a record ``asked`` for; raises Refused or Failure.

        It gets the next number, or one that is greater than those that there were.
        """
        spec = specs.asked_for(self.running, wanted.asked)
        condition = wanted.condition.strip()
        holds = specs.condition(self.running, condition) if condition else None
        self._free(wanted.name)
        self._last = max(number, self._last + 1)
        made = replace(
            wanted,
            number=self._last,
            what=spec.what,
            condition=condition,
            ignore=_times(wanted.ignore),
            note=spec.note,
        )
        self._set[self._last] = Armed(made, spec.test, holds)
        return made

    @with_settings(BreakpointKeywords, record=Breakpoint)
    def at(
        self, what: str | int, *, after: bool = False, **keywords: Unpack[BreakpointKeywords]
    ) -> Breakpoint:
        """Stop where ``what`` says; raises Refused or Failure.

        A line, a label, a mnemonic, an engine or ``tensor pc 3``: before such an instruction
        starts, or ``after`` it has completed. ``$loaded`` and ``$loaded >= 32``: when it changes,
        or becomes true. ``@scalar.%r0``; ``cycle 500``, ``2.5us``; ``transfer [start | land]
        [LOCATION]``; ``held N [ENGINE]``; ``hazard [CODE]``; ``nan``; ``if EXPRESSION``. Only if
        the ``condition`` holds, an expression that may use the variables of the loops around an
        instruction; the first ``ignore`` times not; if it is ``temporary`` only once. ``commands``
        are what the debugger does there. It is listed here, and deleted and disabled by
        its number or ``name``.
        """
        return self._new(StopRequest(str(what), specs.AFTER if after else ""), keywords)

    @with_settings(BreakpointKeywords, record=Breakpoint)
    def watch(
        self, what: str, how: str = "changed", **keywords: Unpack[BreakpointKeywords]
    ) -> Breakpoint:
        """Stop when memory is ``changed``, ``written`` or ``read``; raises Refused or Failure.

        ``what`` is a tensor or a part of one, ``psum bank 2``, ``sbuf 0:64 partitions 0:8``
        (bytes), a semaphore or a register; the rest is as for :meth:`at`.
        """
        return self._new(StopRequest(what, how), keywords)

    def _new(self, asked: StopRequest, keywords: BreakpointKeywords) -> Breakpoint:
        given: dict[str, Any] = {**keywords, "commands": specs.lines(keywords.get("commands", ()))}
        return self.set(Breakpoint(0, "", asked=asked, **given))

    def take_over(self, others: BreakpointList) -> tuple[tuple[Breakpoint, str], ...]:
        """Set the breakpoints of another session; returns those that cannot be, each with why.

        Those on a line go where its text is now, and their notes report it.
        """
        lost = []
        for one in others:
            try:
                what = one.asked.what
                if not one.watch:
                    what = followed(what, others.running, self.running)
                made = self.set(replace(one, hits=0, asked=one.asked._replace(what=what)))
                if what != one.asked.what:
                    note = f"it was {one.what}; its text is there now"
                    self._set[made.number].record = replace(made, note=note)
            except Refused as refused:
                lost.append((one, refused.message))
            except Failure as failure:
                lost.append((one, failure.problems[0].message))
        return tuple(lost)

    def read_again(self, names: Set[str]) -> None:
        """Some names mean other expressions now: what uses them is parsed again.

        Raises Refused, and leaves all as it is, if one of them cannot be.
        """
        made = []
        for one in self._set.values():
            record = one.record
            if not names & (names_in(record.asked.what) | names_in(record.condition)):
                continue
            try:
                spec = specs.asked_for(self.running, record.asked)
                holds = (
                    specs.condition(self.running, record.condition) if record.condition else None
                )
            except (Refused, Failure) as error:
                why = error.problems[0].message
                message = f"breakpoint {record} needs that, and would not be one: {why}"
                hint = f"delete {record.number}"
                raise Refused(WRONG, message, hint) from None
            made.append((one, spec, holds))
        for one, spec, holds in made:
            one.test, one.holds = spec.test, holds
            one.record = replace(one.record, what=spec.what, note=spec.note)

    def _free(self, name: str) -> None:
        """Refuse a name that another one has, or that is a number."""
        if not name:
            return
        if any(one.record.name == name for one in self._set.values()):
            hint = "give it another name, or delete the other one"
            raise Refused(WRONG, f"a breakpoint is called {quoted(name)} already", hint)
        if not NAME.fullmatch(name):
            message = f"'{quoted(name)}' is no name of a breakpoint"
            raise Refused(WRONG, message, "letters, digits, _ and -, and first a letter")

    def __iter__(self) -> Iterator[Breakpoint]:
        return iter([one.record for one in self._set.values()])

    def __len__(self) -> int:
        return len(self._set)

    def __bool__(self) -> bool:
        return True  # as an object; how many there are, len() says

    def __repr__(self) -> str:
        return f"<{counted(len(self), 'breakpoint')}>"

    def __getitem__(self, which: int | str) -> Breakpoint:
        return self._set[self._number(which)].record

    def _number(self, which: int | str) -> int:
        text = str(which)
        for number, one in self._set.items():
            if text and text in (str(number), one.record.name):
                return number
        there = ", ".join(str(n) for n in self._set)
        hint = f"known are {there}" if there else "there are none: 'break' sets one"
        raise Refused(WRONG, f"no breakpoint '{quoted(text)}'", hint)

    def change(
        self,
        which: int | str,
        *,
        enabled: bool | None = None,
        ignore: int | None = None,
        commands: str | Sequence[str] | None = None,
        name: str | None = None,
    ) -> Breakpoint:
        """Change what is given of a breakpoint, by its number or name; raises Refused."""
        one = self._set[self._number(which)]
        changes: dict[str, Any] = {}
        if enabled is not None:
            changes["enabled"] = bool(enabled)
        if ignore is not None:
            changes["ignore"] = _times(ignore)
        if commands is not None:
            changes["commands"] = specs.lines(commands)
        if name is not None and name != one.record.name:
            self._free(name)
            changes["name"] = name
        one.record = replace(one.record, **changes)
        return one.record

    def delete(self, which: int | str) -> Breakpoint:
        """Delete one, by its number or name; raises Refused."""
        return self._set.pop(self._number(which)).record
