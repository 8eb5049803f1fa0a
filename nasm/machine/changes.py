"""Changes of a machine: what takes no time, or is not there, to see what it costs a program."""

from __future__ import annotations

from nasm.base.records import dataclass, replace
from nasm.isa.effects import Plan, Transfer
from nasm.isa.evidence import Cost
from nasm.program.shapes import Shape


@dataclass(frozen=True, slots=True)
class Changes:
    """How a machine differs from what its target says; values and order stay as they are.

    ``hand_off``: a waiter sees a post at once, that of an engine and that of a transfer.
    ``shares``: channels pass on what arrives at once, and it lands then. ``issue``: to issue a
    transfer takes a tick, and to make its descriptors no time. ``ports``: there are none that
    engines share. ``paces`` are those that are not there, by name. The instructions of an
    ``engine`` that walk tiles take a tick. What takes no time takes a tick where the scheduler
    needs one.
    """

    hand_off: bool = False
    shares: bool = False
    issue: bool = False
    ports: bool = False
    paces: frozenset[str] = frozenset()
    engine: str = ""

    def cost(self, shape: Shape) -> Cost:
        """What an instruction costs."""
        cost = shape.cost
        if cost.pace in self.paces:
            cost = replace(cost, pace="")
        return replace(cost, interval=0, latency=0, pace="") if self.frees(shape) else cost

    def frees(self, shape: Shape) -> bool:
        """Whether an instruction takes no time."""
        if shape.row.effect is not None:
            return self.issue and shape.row.effect is Transfer
        return shape.context.engine == self.engine and bool(shape.context.tiles)

    def plan(self, plan: Plan) -> Plan:
        """How a transfer is split, and what its parts take."""
        if self.hand_off:
            plan = replace(plan, notify=0)
        if self.issue:
            plan = replace(plan, maker="", making=0)
        if self.shares:
            shares = tuple(replace(share, busy=0, latency=0) for share in plan.shares)
            plan = replace(plan, shares=shares)
        return plan

    def delay(self, ticks: int) -> int:
        """How much later a waiter sees the post of an engine."""
        return 0 if self.hand_off else ticks


UNCHANGED = Changes()
