"""The breakpoints of a client as the session has them: which are met, and which stop it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

from nasm.apps.dap.messages import sentence
from nasm.base.problems import Failure, Refused
from nasm.base.records import dataclass
from nasm.debugger.moving.breakpoint_records import HAZARDS, Hit
from nasm.debugger.session import Session

Body = Mapping[str, Any]

LINE, NAME, DATA, INSTRUCTION, EXCEPTION = (
    "breakpoint", "function breakpoint", "data breakpoint", "instruction breakpoint", "exception",
)  # fmt: skip
"""Kinds of breakpoints, as the reason of a stop says them."""

HAZARD, BIRTH, DEADLOCK, FAULT, EXPECTATION = "hazard", "nan", "deadlock", "fault", "expectation"


@dataclass(slots=True)
class SetBreakpoint:
    """A breakpoint that the session has now, and what the client knows of it."""

    number: int
    shown: dict[str, Any]
    counts: Callable[[int], bool] | None = None
    log: str = ""


@dataclass(slots=True, eq=False)
class Kept:
    """A breakpoint that was set: the number of the session's, and what the client calls it.

    ``shown`` is what the client knows of it.
    """

    key: Hashable
    kind: str
    number: int
    counts: Callable[[int], bool] | None
    log: str
    shown: dict[str, Any]


class Stops:
    """The breakpoints of a client, by group: the lines of a source, names, data, instructions.

    ``session`` gives the session, ``changed`` tells the client that a breakpoint is elsewhere, and
    ``log`` writes the message of one. ``filters`` are the exceptions at which it stops, ``asked``
    the requests that set all of it.
    """

    def __init__(
        self,
        session: Callable[[], Session],
        changed: Callable[[Body], None],
        log: Callable[[Kept, Hit], None],
    ) -> None:
        self._session, self._changed, self._log = session, changed, log
        self.groups: dict[Hashable, list[Kept]] = {}
        self.filters: set[str] = set()
        self.asked: dict[Hashable, Callable[[], Sequence[Body]]] = {}
        self._last = 0

    @property
    def session(self) -> Session:
        """The session."""
        return self._session()

    def replace(
        self, group: Hashable, wanted: Iterator[tuple[Hashable, str, Callable[[], SetBreakpoint]]]
    ) -> list[Body]:
        """Set the breakpoints of a group, and delete those that are not wanted any more.

        What is as it was is kept, with how often it was met.
        """
        before, now = self.groups.get(group, []), list[Kept]()
        answers: list[Body] = []
        for key, kind, make in wanted:
            kept = next((one for one in before if one.key == key and one not in now), None)
            if kept is None:
                try:
                    made = make()
                except (Failure, Refused) as error:
                    answers.append({"verified": False, "message": sentence(error)})
                    continue
                self._last += 1
                shown = {"id": self._last, "verified": True, **made.shown}
                kept = Kept(key, kind, made.number, made.counts, made.log, shown)
            now.append(kept)
            answers.append(kept.shown)
        self.groups[group] = now
        for one in before:
            if one not in now:
                self.session.breakpoints.delete(one.number)
        return answers

    def found(self, number: int) -> Kept | None:
        """The breakpoint that the session knows by a number."""
        return next((k for g in self.groups.values() for k in g if k.number == number), None)

    def forget(self) -> None:
        """There is another session: set all again that was asked for, and tell where it is."""
        self.groups.clear()
        for again in list(self.asked.values()):
            for answer in again():
                if "id" in answer:
                    self._changed(answer)

    # -- what was met

    def stopping(self, hits: Sequence[Hit]) -> list[tuple[Kept | None, Hit]]:
        """Of what was met, that at which to stop; messages are logged."""
        found: list[tuple[Kept | None, Hit]] = []
        for hit in hits:
            kept = self.found(hit.breakpoint.number)
            if kept is None or (hit.breakpoint.number == HAZARDS):
                found.append((None, hit))
            elif kept.counts is not None and not kept.counts(hit.breakpoint.hits):
                continue
            elif kept.log:
                self._log(kept, hit)
            else:
                found.append((kept, hit))
        return found
