"""Gates: queues whose next instruction has a condition that does not hold.

A condition is asked when nothing else keeps the instruction from starting. While it does not hold
its queue waits for no resource, and it is asked again after every start and landing in the core,
and after every completion, if one may end it: at the same tick after a completion or landing, one
tick after a start, and at most once a tick. A start is seen by the queues that come after its own
at the same tick.

What ended it is, where the target tells of changes, the start that changed last what it waited
for; else whatever of the core started, completed or landed before it was asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Protocol

from nasm.isa.core_state import Blocked
from nasm.sim.queues import NEVER, Queue


class GateHost(Protocol):
    """What gates need of a scheduler."""

    now: int
    record: int
    queues: list[Queue]

    def retry(self, queue: Queue, tick: int) -> None:
        """Let a queue try to start its head at a tick, and not before."""


class Gates:
    """Asks conditions, and asks again those that did not hold.

    ``closed_queues`` are the queues, by number, whose condition did not hold when it was asked
    last. ``changes`` are the latest of each part of what a core holds: the number of the change,
    and of the start that made it. ``asked`` is, for each queue, how many there were when it was
    asked last.
    """

    def __init__(self, host: GateHost) -> None:
        self.host = host
        self.closed_queues: list[int] = []
        self.changes: dict[tuple[int, Hashable], tuple[int, int]] = {}
        self.count = 0
        self.asked: dict[int, int] = {}

    def closed(self, queue: Queue, condition: Callable[[], Blocked | None]) -> bool:
        """Whether the condition of a queue's head does not hold; if so, it is asked again."""
        blocked, before = condition(), queue.blocked
        if blocked is None:
            if before is not None:
                queue.blocked = None
                self.closed_queues.remove(queue.index)
                self._credit(queue, before)
            return False
        self._leave(queue)
        if before is None:
            self.closed_queues.append(queue.index)
        queue.blocked, queue.cause, queue.blocker = blocked, blocked.cause, None
        queue.because, queue.poster = queue.record, None
        queue.due, self.asked[queue.index] = NEVER, self.count
        if blocked.until is not None:
            self.host.retry(queue, max(blocked.until, self.host.now + 1))
        return True

    def _credit(self, queue: Queue, ended: Blocked) -> None:
        """Let a queue continue because of the start that changed last what it waited for."""
        if queue.cause != ended.cause:
            return  # its unit was what came last
        keys = ((queue.core, part) for part in ended.on)
        found = [self.changes[key] for key in keys if key in self.changes]
        if found:
            queue.because = max(found)[1]

    def note(self, core: int, part: Hashable, record: int) -> None:
        """A part of what a core holds is changed, by the start that has a number."""
        self.count += 1
        self.changes[core, part] = self.count, record

    def _leave(self, queue: Queue) -> None:
        """Line up for nothing: others may have what it does not take."""
        head = queue.head
        assert head is not None
        queue.asked = False
        for resource in (*head.resources, *head.ports):
            resource.waiting.pop(queue.index, None)
            resource.passed.discard(queue.index)

    def changed(self, core: int, at: int) -> None:
        """Something of a core has changed: what did not hold is asked again at a tick."""
        self._ask(core, at, completed=False)

    def completed(self, core: int) -> None:
        """Something of a core has completed: so are those that this may end, now."""
        self._ask(core, self.host.now, completed=True)

    def _ask(self, core: int, at: int, completed: bool) -> None:
        host = self.host
        for index in self.closed_queues:
            queue = host.queues[index]
            blocked = queue.blocked
            if blocked is not None:
                if completed and not blocked.completions:
                    continue
                if blocked.noted and not self._changed(queue, blocked):
                    continue
            if queue.core == core and queue.due > at:
                queue.because = host.record
                host.retry(queue, at)

    def _changed(self, queue: Queue, blocked: Blocked) -> bool:
        """Whether something that a queue waits for has changed since it was asked."""
        last, core, never = self.asked[queue.index], queue.core, (0, -1)
        return any(self.changes.get((core, part), never)[0] > last for part in blocked.on)

    def shut(self, queue: Queue) -> bool:
        """Whether a queue waits for a condition that nothing but another queue can change."""
        return queue.blocked is not None and queue.blocked.until is None

    def forget(self, queue: Queue) -> None:
        """Its next task was taken back."""
        if queue.blocked is not None:
            queue.blocked = None
            self.closed_queues.remove(queue.index)

    def save(self) -> Any:
        """The blocked queues, in order, and what has changed."""
        return tuple(self.closed_queues), dict(self.changes), self.count, dict(self.asked)

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""
        self.closed_queues[:], changes, self.count, asked = saved
        self.changes, self.asked = dict(changes), dict(asked)
