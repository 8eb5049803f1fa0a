"""Updates that a queue does not reach any more, and the branches that led past them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nasm.analysis.flow import Flow
from nasm.base.records import dataclass

if TYPE_CHECKING:
    from nasm.analysis.deadlock.posts import Supply, Updater

OVER, PAST, ON = "over", "past", "on"
"""How a branch left an update out: by jumping over it, by leading elsewhere, by not being taken."""


@dataclass(frozen=True, slots=True)
class SkippedUpdate:
    """An update that was left out, by its pc, and the branches of which one did so.

    ``times`` is how often that was; None if it is not known.
    """

    queue: int
    pc: int
    branches: tuple[tuple[int, str], ...]
    times: int | None


class Ways:
    """How often a queue has gone which way, from how often each instruction was executed."""

    def __init__(self, supply: Supply, queue: int) -> None:
        self.supply, self.queue, self.flow = supply, queue, supply.flow(queue)
        self.head = supply.machine.scheduler.queues[queue].pc

    def entered(self, block: int) -> int:
        """How often a block was entered, up to a head at its beginning."""
        if block == self.flow.end:
            return int(self.head >= self.flow.length)
        first = self.flow.starts[block]
        return self.supply.completed(self.queue, first) + (first == self.head)

    def gone(self, block: int, after: int) -> int | None:
        """How often a block was followed by another one; None if the counts do not say."""
        flow = self.flow
        total = self.supply.completed(self.queue, flow.last(block))
        others = [n for n in flow.next[block] if n != after]
        if not total or not others:
            return total
        if len(flow.before[after]) == 1 and after:
            return self.entered(after)
        (other,) = others
        if len(flow.before[other]) == 1 and other:
            return total - self.entered(other)
        return None


def skipped_update(supply: Supply, updater: Updater) -> SkippedUpdate | None:
    """How a line's update was left out for good; None if it was not."""
    ways = Ways(supply, updater.queue)
    for pc in updater.pcs:
        if any(supply.ahead(updater.queue, pc)):
            continue
        if supply.completed(updater.queue, pc) == 0:
            if ways.head < ways.flow.length and ways.flow.reaches(ways.head, pc):
                continue  # what will lead past it has not been decided yet
            times = None if ways.flow.in_loop(pc) else 1
            branches = _leaving(ways, pc) or _always_over(ways, pc)
            return SkippedUpdate(updater.queue, pc, branches, times)
        over = _jumping(ways, pc)
        if over is not None:
            return SkippedUpdate(updater.queue, pc, ((over[0], OVER),), over[1])
    return None


def _leaving(ways: Ways, pc: int) -> tuple[tuple[int, str], ...]:
    """The branch by which a queue has lost the way to an instruction, or those of which one was.

    That happens once: there is no way back.
    """
    flow = ways.flow
    leading = flow.leading_to(flow.block(pc))
    found = []
    for block in sorted(leading):
        away = [n for n in flow.next[block] if n not in leading]
        if len(away) != 1 or len(flow.next[block]) != 2:
            continue
        gone = ways.gone(block, away[0])
        if gone == 1:
            return (_how(flow, block, away[0], pc),)
        if gone is None:
            found.append(_how(flow, block, away[0], pc))
    return tuple(found)


def _always_over(ways: Ways, pc: int) -> tuple[tuple[int, str], ...]:
    """The last branch that jumps over an instruction whenever it is executed, and it was."""
    over = [
        branch.pc
        for branch in ways.flow.branches.values()
        if branch.pc < pc < branch.target
        and ways.flow.next[ways.flow.block(branch.pc)] == (ways.flow.block(branch.target),)
        and ways.supply.completed(ways.queue, branch.pc)
    ]
    return ((over[-1], OVER),) if over else ()


def _how(flow: Flow, block: int, away: int, pc: int) -> tuple[int, str]:
    branch = flow.branches[flow.last(block)]
    if flow.block(branch.target) != away:
        return branch.pc, ON
    return branch.pc, OVER if branch.pc < pc < branch.target else PAST


def _jumping(ways: Ways, pc: int) -> tuple[int, int] | None:
    """A branch that has jumped over an instruction at some times only, and how often it did."""
    flow = ways.flow
    for branch in flow.branches.values():
        target = flow.block(branch.target)
        if branch.pc < pc < branch.target and len(flow.next[flow.block(branch.pc)]) == 2:
            gone = ways.gone(flow.block(branch.pc), target)
            if gone:
                return branch.pc, gone
    return None
