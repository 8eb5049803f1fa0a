"""What an engine waits for, followed back to what nothing else blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nasm.analysis.deadlock.blame import blame
from nasm.analysis.deadlock.groups import helpers
from nasm.analysis.deadlock.posts import Supply
from nasm.base.drawing import Drawn
from nasm.base.problems import clean, listed
from nasm.base.records import dataclass
from nasm.debugger.engines.context import Scene
from nasm.debugger.engines.records import EngineContext, Hold, Location

if TYPE_CHECKING:
    from nasm.sim.queues import Queue

TIME, CIRCLE, NEVER, OPEN, NOTHING = ENDS = ("time", "circle", "nobody", "open", "nothing")
"""How a chain ends: with something that is over at a known time, in a cycle, with a wait that
nothing can end, with something in progress whose end is not known, or at once."""


@dataclass(frozen=True, slots=True, repr=False)
class WaitLink:
    """A blocked engine, and why, in a ``sentence``."""

    at: Location
    sentence: str
    hold: Hold | None = None

    def __repr__(self) -> str:
        return clean(f"<{self.sentence}>")


@dataclass(frozen=True, slots=True, repr=False)
class WaitChain(Drawn):
    """Why an engine is blocked: each link is blocked by the next.

    ``end`` is one of :data:`ENDS`, ``sentence`` a sentence about it, ``hint`` what to do about it.
    """

    engine: str
    links: tuple[WaitLink, ...]
    end: str
    sentence: str
    hint: str = ""

    def __str__(self) -> str:
        text = [link.sentence for link in self.links] + [self.sentence]
        return clean("\n".join(filter(None, [*text, f"hint: {self.hint}" if self.hint else ""])))

    def __repr__(self) -> str:
        return clean(f"<why {self.engine}: {self.end}, {len(self.links)} links>")


def blocked(scene: Scene, queue: Queue) -> WaitChain:
    """What would unblock an engine, and which lines would do that."""
    found = scene.engine(queue)
    name = found.engine
    if found.at is None:
        text = f"{name} has nothing left to do"
        if found.doing:
            last = found.doing[-1]
            text = f"{name} executes its last instruction, until {scene.time(last.until)}"
        elif not found.length:
            text = f"{name} has no instructions"
        return WaitChain(name, (), NOTHING, f"{text}.")
    if not found.holds:
        return WaitChain(name, (), NOTHING, f"Nothing holds {found.at}: it starts now.")
    return _Search(scene).chain(queue)


class _Search:
    """The way from an engine to what holds it up."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.supply = Supply(scene.machine, scene.flows.changing)
        self.contexts: dict[int, EngineContext] = {}

    def context(self, queue: Queue) -> EngineContext:
        """What an engine does now."""
        if queue.index not in self.contexts:
            self.contexts[queue.index] = self.scene.engine(queue)
        return self.contexts[queue.index]

    def chain(self, queue: Queue) -> WaitChain:
        """Follow what holds an engine up."""
        links: list[WaitLink] = []
        met: dict[int, int] = {}
        name = self.context(queue).engine
        while queue.index not in met:
            found = self.context(queue)
            if found.at is None or not found.holds:
                return WaitChain(name, tuple(links), TIME, self._free(found))
            met[queue.index] = len(links)
            hold, over = found.holds[0], self._over(queue, found.holds[0])
            text = f"{found.at}, {hold.what or hold.reason}"
            if over is not None:
                links.append(WaitLink(found.at, f"{text}.", hold))
                return WaitChain(name, tuple(links), *over)
            queue, who = self._next(queue, met)
            links.append(WaitLink(found.at, f"{text}: {who}.", hold))
        own = links[met[queue.index] :]
        return WaitChain(name, tuple(links), CIRCLE, self._circle(own), _CIRCLE)

    def _free(self, found: EngineContext) -> str:
        """An engine that nothing holds up."""
        if found.at is not None:
            return f"Nothing holds that up: {found.at}, starts now."
        if found.doing:
            last = found.doing[-1].until
            return f"{found.engine} is about to: it is done at {self.scene.time(last)}."
        return f"{found.engine} has nothing left to do."

    def _over(self, queue: Queue, hold: Hold) -> tuple[str, str, str] | None:
        """How a chain ends here, if what blocks the engine is not blocked by another engine."""
        if hold.kind == "over":
            return NEVER, "", ""
        if hold.kind == "condition":
            if hold.until is not None:
                return OPEN, f"It is asked again at {self.scene.time(hold.until)}.", ""
            others = [n for n in self.supply.enders(queue) if n != queue.index]
            return None if others else (NEVER, "No engine that is left can end that.", "")
        if hold.kind not in ("semaphore", "core"):
            return TIME, "No other engine holds that up: it ends by itself.", ""
        waiting = self.scene.machine.rendezvous.waiting()
        if hold.kind == "core" and not any(m.queue == queue.index for m, _ in waiting):
            return (TIME if hold.certain else OPEN), "That is in progress.", ""
        if hold.enough:
            sure = all(t.certain for t in hold.transfers)
            text = f"What it waits for is in flight: {hold.detail}."
            return (TIME if sure else OPEN), text, ""
        if hold.transfers or self.supply.satisfied(queue, (queue.index,)):
            return None
        if hold.kind == "core":
            return NEVER, "No engine is left there to reach one.", ""
        found = blame(self.supply, queue)
        return NEVER, f"That will never be: {found.clause}.", found.hint

    def _next(self, queue: Queue, met: dict[int, int]) -> tuple[Queue, str]:
        """The engine that blocks another, and how: of several, one that is needed to continue."""
        queues = self.scene.scheduler.queues
        others = [n for n in dict.fromkeys(helpers(self.supply, queue.index)) if n != queue.index]
        if not others:
            return queue, "what it waits for would come after this wait"
        needed = [n for n in others if not self.supply.satisfied(queue, (n,))] or others
        chosen = queues[min(needed, key=lambda n: (n in met, n))]
        name = self.scene.program.queue_name(chosen.index)
        if queue.arrived is not None:
            return chosen, f"{name} has yet to reach one"
        if queue.blocked is not None:
            return chosen, f"{name} may end that"
        semaphore = self.supply.wait(queue).semaphore
        mine = [u for u in self.supply.updaters(semaphore) if u.queue == chosen.index and u.coming]
        pc = min((self.supply.coming(u) for u in mine), key=lambda pc: (pc < chosen.pc, pc))
        return chosen, f"{self.scene.place((chosen.index, pc))} would post it"

    def _circle(self, links: list[WaitLink]) -> str:
        """Engines that wait for each other."""
        if len(links) == 1:
            return f"So {links[0].at.engine} waits for itself."
        names = listed((link.at.engine for link in links), "and")
        return f"So {names} wait for each other."


_CIRCLE = "one of the updates has to come before a wait"
