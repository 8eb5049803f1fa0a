"""The semaphore that an instruction waits for: which lines post it, and when."""

from __future__ import annotations

from nasm.base.problems import listed
from nasm.debugger.engines.moment import Situation, Start, briefly, by_line
from nasm.debugger.engines.records import Hold, Location
from nasm.debugger.engines.transfers import NOTIFYING, TransferRecord
from nasm.sim.counters import TRANSFER, Post, Semaphore, Who, holds
from nasm.sim.queues import NEVER, Queue, Task, Wait

SHOWN = 2
"""Posters of a semaphore that a sentence names."""


class Awaiting(Situation):
    """What queues wait for that wait for semaphores."""

    def waits(self, queue: Queue, wait: Wait, start: Start) -> None:
        """The semaphore that the instruction waits for."""
        number, op, value = wait
        semaphore = self.scheduler.semaphores.get(number) or Semaphore()
        name = f"${self.program.semaphore_name(number)}"
        check = self.now if start.tick is None else start.tick
        if queue.parked:
            found = self._noticed(queue, semaphore)
        else:
            found = seen(semaphore, op, value, check)
        if found is None:
            start.hold(self._unmet(queue, wait, semaphore, name))
        elif found[0] > check or queue.parked:
            at, post = found
            start.hold(self._notification(queue, number, name, at, post))
        elif self._changes(queue, number):
            start.certain = False

    @staticmethod
    def _noticed(queue: Queue, semaphore: Semaphore) -> tuple[int, Post | None] | None:
        """When a parked queue was released; None if it was not."""
        if queue.due == NEVER:
            return None
        posts = (p for p in semaphore.pending if p.record == queue.because and p.at == queue.due)
        return queue.due, next(posts, None)

    def _notification(
        self, queue: Queue, number: int, name: str, at: int, post: Post | None
    ) -> Hold:
        """A post has been made, and is not seen yet."""
        by: tuple[Location, ...] = ()
        who = queue.blocker if post is None else post.by
        poster = queue.poster if post is None else post.poster
        if isinstance(who, tuple):
            by = (self.place(who),)
        what = "the notification" if poster == TRANSFER else "the hand-off"
        text = f"waits for {what} of {name}, {self.more(at)}"
        if self._sooner(queue, number, at):
            return Hold("notification", f"{text} at most", self.now, False, by, name)
        return Hold("notification", text, at, True, by, name)

    def _changes(self, queue: Queue, number: int) -> bool:
        """Whether anything else may change a semaphore before a queue looks at it."""
        others = any(who[0] != queue.index for who in self.flows.posters(number))
        flying = any(
            flying.task.update is not None and flying.task.update[0] == number
            for other in self.scheduler.queues
            for flying in other.flight
        )
        clearing = any(
            number in flying.task.work.clears
            for other in self.scheduler.queues
            for flying in other.flight
        )
        moving = any(flight.semaphore == number for flight in self.scheduler.transfers.values())
        return others or flying or clearing or moving

    def _sooner(self, queue: Queue, number: int, at: int) -> bool:
        """Whether a post that is yet to be made might be seen before a tick."""
        if self.now + self.scheduler.delay >= at:
            return self._landing_sooner(number, at)
        acting = any(
            not self.program.instruction(*who).row.posts and who[0] != queue.index
            for who in self.flows.posters(number)
        )
        flying = any(
            flying.task.update is not None and flying.task.update[0] == number
            for other in self.scheduler.queues
            for flying in other.flight
        )
        return acting or flying or self._landing_sooner(number, at)

    def _landing_sooner(self, number: int, at: int) -> bool:
        """Whether shares of a transfer might be seen to land before a tick."""
        flights = self.scheduler.transfers.values()
        return any(f.semaphore == number and self.now + f.notify < at for f in flights)

    def _unmet(self, queue: Queue, wait: Wait, semaphore: Semaphore, name: str) -> Hold:
        """What the instruction waits for has not been posted yet."""
        number, op, value = wait
        coming = tuple(
            t
            for t in self.transfers
            if t.semaphore == name[1:] and t.phase != NOTIFYING and self._of(t, number)
        )
        acting = [
            (queue_.index, flying.pc)
            for queue_ in self.scheduler.queues
            for flying in queue_.flight
            if self._posts(flying.task, number)
        ]
        posters = [who for who in self.flows.posters(number) if who not in acting]
        left = sum(t.left for t in coming)
        enough = left + sum(self._adds(who) for who in acting) + semaphore.value
        parts = [self._landing(coming)] if coming else []
        if acting:
            posts = "posts" if len(acting) == 1 else "post"
            parts.append(f"{self._listed(acting)} {posts} on completing")
        if posters and not holds(enough, op, value):
            parts.append(self._to_post(queue, posters))
        if not parts:
            parts.append("nothing that is left posts it")
        text = f"waits for {name} {op} {value} (it is {semaphore.value})"
        until = None
        if coming and not acting and not posters and semaphore.value + left == value:
            until = max([*(t.seen for t in coming), *(p.at for p in semaphore.pending)])
        certain = until is not None and all(t.certain for t in coming)
        return Hold(
            "semaphore",
            f"{text}: {'; '.join(parts)}",
            until if certain else None,
            certain,
            tuple(map(self.place, (*acting, *posters))),
            name,
            semaphore.value,
            value,
            coming,
            text,
            "; ".join(parts),
            f"{text}, {self._in_short(coming, [*acting, *posters])}",
            holds(enough, op, value) and bool(coming or acting),
        )

    def _in_short(self, coming: tuple[TransferRecord, ...], others: list[Who]) -> str:
        """Who posts, in a few words."""
        spans = [t.span for t in coming] + [self.program.span(*who) for who in others]
        if any(spans):
            return f"posted by {briefly(spans)}"
        places = [f"{t.engine} pc {t.pc}" for t in coming] + [str(self.place(w)) for w in others]
        return f"posted by {listed(places, 'and')}" if places else "nothing posts it"

    def _adds(self, who: Who) -> int:
        """What an instruction adds to the semaphore that it updates."""
        update = self.program.updates[self.program.queues[who[0]].updates[who[1]]]
        return update.value if update is not None and update.op == "+" else 0

    @staticmethod
    def _posts(task: Task, number: int) -> bool:
        update = task.update
        return (update is not None and update[0] == number and not update[3]) or (
            number in task.work.clears
        )

    def _of(self, transfer: TransferRecord, number: int) -> bool:
        """Whether a transfer posts to this semaphore: names are of one core, numbers of all."""
        flight = self.scheduler.transfers.get(transfer.number)
        return flight is not None and flight.semaphore == number

    def _landing(self, coming: tuple[TransferRecord, ...]) -> str:
        """Transfers that will post, and when they have all landed."""
        last = max(coming, key=lambda t: t.lands)
        of = briefly(sorted((t.span for t in coming), key=by_line)) or coming[0].engine
        one = len(coming) == 1
        certain = all(t.certain for t in coming)
        when = (
            f"lands at {self.time(last.lands)}"
            if certain
            else (f"lands not before {self.time(last.lands)}")
        )
        phase = f"{coming[0].phase}, " if one else ""
        count = "the transfer" if one else f"{len(coming)} transfers"
        return f"{count} of {of}: {phase}{when}" if one else f"{count} of {of}, the last {when}"

    def _listed(self, who: list[Who]) -> str:
        text = [str(self.place(one)) for one in who[:SHOWN]]
        if len(who) > SHOWN:
            text.append(f"{len(who) - SHOWN} more")
        return listed(text, "and")

    def _to_post(self, queue: Queue, posters: list[Who]) -> str:
        """The lines that would post, and where their queues are."""
        parts = []
        for index, pc in posters[:SHOWN]:
            other = self.scheduler.queues[index]
            place = self.place((index, pc))
            if index == queue.index:
                parts.append(f"{place} posts it, after this wait")
            elif other.pc == pc:
                state = "waits itself" if other.parked else "is next there"
                parts.append(f"{place} posts it, and {state}")
            else:
                here = self.place((index, other.pc)).where
                parts.append(f"{place} posts it, and {place.engine} is at {here}")
        if len(posters) > SHOWN:
            parts.append(f"{len(posters) - SHOWN} more engines post it")
        return "; ".join(parts)


def seen(semaphore: Semaphore, op: str, value: int, tick: int) -> tuple[int, Post | None] | None:
    """When a condition is seen to hold from a tick on, as :meth:`Semaphore.visible`.

    But it changes nothing, so that the tick may lie ahead.
    """
    if not holds(semaphore.value, op, value):
        return None
    have, at, by = semaphore.seen, tick, None
    for post in semaphore.pending:
        if post.at > tick and holds(have, op, value):
            break
        have = have + post.value if post.op == "+" else post.value
        if post.at > tick:
            at, by = post.at, post
    return (at, by) if holds(have, op, value) else None
