"""Outlines: instructions and transfers without values, for runs that ask about time alone.

An outline says what an instruction touches, as its kernel would, and computes nothing but what
decides the run: registers, branches, and the arguments of transfers and rendezvous. A register that
was loaded from memory is unknown, and so is what follows from it; what cannot continue without
knowing is refused when it starts, unless something follows all that it may be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NoReturn

from nasm.base.problems import Failure, Problem, Refused
from nasm.isa.core_state import Holds
from nasm.isa.effects import Jump, Plan, Transfer
from nasm.isa.instruction import Row
from nasm.isa.list_kinds import views
from nasm.isa.ranges import Unknown
from nasm.machine.addresses import Addresses
from nasm.machine.changes import UNCHANGED, Changes
from nasm.machine.findings import Findings
from nasm.machine.following import Follower
from nasm.machine.indirect_transfers import TransferStart
from nasm.machine.lost_results import Losses
from nasm.machine.state import UNKNOWN, EngineState, Registers
from nasm.machine.transfers import Launched, Mover, Transfers, direct_start
from nasm.program.footprint.layout import Regions
from nasm.program.footprint.reach import located
from nasm.program.footprint.traits import Footprint, Traits, here
from nasm.program.shapes import Shape
from nasm.sim.channels import Portion
from nasm.sim.counters import Who
from nasm.sim.queues import Work
from nasm.views.regions import Region
from nasm.views.view import Reg, View

NO_VALUES = "E0518"
DOES_NOT_KNOW = ": a run without values does not know it"
"""How the refusal of what depends on a value ends."""

HINT = "run it with values: without --no-values, in Python with values=True"
LOADED = "which follows from what was loaded from memory"


def refused(text: str) -> Refused:
    """The refusal of what depends on a value that the run does not have."""
    return Refused(NO_VALUES, text + DOES_NOT_KNOW, HINT)


def unread(memory: str, address: int) -> Refused:
    """The refusal of bytes that come into what a core holds, and with that may decide the run."""
    return refused(f"{memory} is read at {address:#x}, and what is there may decide the time")


class NoValues(Failure):
    """A run without values was asked for one."""

    @classmethod
    def of(cls, what: str) -> NoValues:
        """Asked what something holds."""
        return cls(Problem(NO_VALUES, f"{what}: a run without values has none", None, HINT))


class RegionAddresses(Addresses):
    """The regions of views; they have no memory."""

    CACHES = ("_regions",)

    def __init__(self, areas: Mapping[int, int], losses: Losses) -> None:
        super().__init__({}, areas, losses)
        self._regions = Regions(areas)

    def region(self, view: View) -> Region:
        """The bytes that a view touches, or may touch."""
        return located(self._regions, view)

    def access(self, view: View) -> NoReturn:
        """A view bound to its memory: there is none."""
        raise NoValues.of(f"the elements of {view.tensor.name}")


def unknown_address(row: Row, register: int) -> Refused:
    """The refusal of an address that a register holds which was loaded from memory."""
    return refused(f"{row.name} is addressed by {Reg(register)}, {LOADED}")


class Outline:
    """An instruction of which the run needs more than its regions."""

    __slots__ = ("delay", "engine", "findings", "following", "operands", "registers", "traits")

    def __init__(
        self,
        traits: Traits,
        operands: tuple[object, ...],
        registers: Registers,
        engine: EngineState,
        findings: Findings,
        delay: int,
        following: Follower | None = None,
    ) -> None:
        self.traits, self.operands, self.delay = traits, operands, delay
        self.registers, self.engine, self.findings = registers, engine, findings
        self.following = following

    def start(self, now: int) -> Any:
        """Compute what registers get; what stays in the engine is there after the interval."""
        traits, ready = self.traits, self.engine.ready
        for kind in traits.loaded:
            if kind.name not in ready:
                raise Refused("E0503", f"the engine holds no {kind.name} yet", kind.how)
        arguments, known = self._arguments()
        for name in traits.held:
            ready[name] = now + self.delay
        if not traits.computes:
            return UNKNOWN
        if not known:
            return UNKNOWN if self.following is None else self._bounded(arguments)
        return traits.row.semantics(*arguments)

    def _bounded(self, arguments: list[Any]) -> Any:
        """What is known of what registers get."""
        assert self.following is not None
        tiles = [view for n, _ in self.traits.reads for view in views(self.operands[n])]
        if self.traits.results > 1:
            return [Unknown.within() for _ in range(self.traits.results)]
        return self.following.result(self.traits.row, arguments, tiles)

    def act(self, now: int) -> Any:
        """Change what the core holds; returns what is left to be done at completion."""
        return self.values()

    def finish(self, result: Any) -> None:
        """Store what registers get."""
        several, registers = self.traits.results > 1, self.registers
        for position, at in self.traits.stored:
            register = self.operands[position]
            assert isinstance(register, Reg)
            number = register.number
            value = result[at] if several and result is not UNKNOWN else result
            if self.following is not None:
                before, known = registers.values[number], registers.known[number]
                value = self.following.stored(before, known, value)
            if isinstance(value, Unknown):
                registers.lose(number, value)
            else:
                registers.set(number, int(value))

    def values(self) -> Any:
        """What the semantics return; refused if that depends on what memory holds."""
        arguments, known = self._arguments()
        row, following = self.traits.row, self.following
        if known:
            found = row.semantics(*arguments)
            return found if following is None or row.effect is not Jump else following.goes(found)
        if following is not None and row.effect is Jump and row.ways is not None:
            return following.decide(row, arguments)
        raise refused(f"{row.name} {self._depends()}")

    def _arguments(self) -> tuple[list[Any], bool]:
        """What the semantics take, and whether all of it is known."""
        traits, registers = self.traits, self.registers
        arguments, unknown = traits.arguments.copy(), traits.blind
        for position, at in traits.constants:
            arguments[at] = self.operands[position]
        for position, at in traits.registers:
            number = self.operands[position].number  # type: ignore[attr-defined]
            if not registers.known[number]:
                self.findings.register(number)
            arguments[at] = registers.values[number]
            unknown = unknown or isinstance(arguments[at], Unknown)
        return arguments, not unknown

    def _depends(self) -> str:
        """What it depends on that is unknown."""
        for position, _ in self.traits.registers:
            register = self.operands[position]
            assert isinstance(register, Reg)
            if isinstance(self.registers.values[register.number], Unknown):
                return f"depends on {register}, {LOADED}"
        for position, _ in self.traits.reads:
            view = self.operands[position]
            assert isinstance(view, View)
            return f"needs the elements of {view.tensor.name}"
        return "needs what the engine holds"


class Outlines:
    """Binds the instructions of one queue to their regions."""

    CACHES = ("_traits",)

    def __init__(
        self,
        core: int,
        cycle: int,
        places: Addresses,
        registers: Registers,
        state: EngineState,
        findings: Findings,
        changes: Changes = UNCHANGED,
        holds: Holds | None = None,
        rank: int | None = 0,
    ) -> None:
        self.rank = rank
        self.core, self.cycle, self.places, self.changes = core, cycle, places, changes
        self.holds = holds
        self.registers, self.state, self.findings = registers, state, findings
        self.following: Follower | None = None
        self._traits: dict[Shape, tuple[Traits, int, bool]] = {}

    def forget(self) -> None:
        """Make everything again."""
        self._traits.clear()

    def bind(self, number: int, shape: Shape, operands: tuple[object, ...]) -> tuple[Work, Outline]:
        """An instruction as work for the scheduler, and its outline."""
        known = self._traits.get(shape)
        if known is None:
            known = self._traits[shape] = self._traits_of(shape)
        traits, delay, apart = known
        state, registers = self.state, self.registers
        outline = Outline(traits, operands, registers, state, self.findings, delay, self.following)
        if apart and self.following is None:
            return Work(number, nothing, nothing), outline
        vague = self.following is not None and vague_views(operands)
        if traits.tile is not None and shape.row.effect is None and self.following is None:
            refuse = partial(_refuse, _by_tile(shape.row, traits.tile))
            return Work(number, refuse, nothing), outline
        reads = self._regions(traits.reads, shape, operands)
        writes = self._regions(traits.writes, shape, operands)
        if vague:
            reads += map(self.places.region, entry_tiles(operands))
            self._vague(number, operands, (*reads, *writes))
        for position, _ in traits.registers:
            reads.append(registers.region(operands[position].number))  # type: ignore[attr-defined]
        for position, _ in traits.stored:
            writes.append(registers.region(operands[position].number))  # type: ignore[attr-defined]
        gate = state.gate(traits.states)
        start: Callable[[int], Any] = nothing
        finish: Callable[[Any], None] = nothing
        if traits.stored or traits.registers or traits.loaded or traits.held:
            start = outline.start
            finish = outline.finish if traits.stored else nothing
        if traits.computes and traits.acts:
            start, finish = outline.act, _acted
        work = Work(number, start, finish, tuple(reads), tuple(writes), gate)
        work.uses, work.sets = tuple(traits.states), tuple(traits.held)
        return work, outline

    def _traits_of(self, shape: Shape) -> tuple[Traits, int, bool]:
        """Those of a shape, the ticks of its interval, and whether all it does is its effect."""
        traits = Traits(shape, self.core, self.holds, self.rank)
        touched = traits.reads or traits.writes or traits.registers or traits.stored
        held = traits.states or traits.held
        apart = shape.row.effect is not None and not (touched or held or traits.acts)
        return traits, self.changes.cost(shape).interval * self.cycle, apart

    def _regions(
        self, places: list[tuple[int, Footprint | None]], shape: Shape, operands: tuple[object, ...]
    ) -> list[Region]:
        region, found = self.places.region, []
        for position, footprint in places:
            view = operands[position]
            assert isinstance(view, View)
            if footprint is None:
                found.append(region(view))
            elif view.dynamic or view.offsets is not None:
                found.append(region(View.whole(view.tensor)))
            else:
                found += map(region, footprint(here(shape.context, operands)))
        return found

    def _vague(self, number: int, operands: Sequence[object], regions: Iterable[Region]) -> None:
        """Say which of some bytes an instruction touches in part, it is not known which."""
        assert self.following is not None
        areas = {self.places.areas[view.tensor.index] for view in vague_views(operands)}
        self.following.vague(number, [r for r in regions if r.area in areas])


def vague_views(operands: Iterable[object]) -> list[View]:
    """The views among some operands whose addresses are not known."""
    every = (view for operand in operands for view in views(operand))
    return [view for view in every if view.dynamic or view.offsets is not None]


def entry_tiles(operands: Iterable[object]) -> list[View]:
    """The tiles of entries that address some operands."""
    every = (view for operand in operands for view in views(operand))
    return [view.offsets.tile for view in every if view.offsets is not None]


def _by_tile(row: Row, tile: View) -> Refused:
    return refused(f"{row.name} is addressed by the elements of {tile.tensor.name}")


def _refuse(why: Refused, _: Any) -> Any:
    raise why


def nothing(*_: Any) -> None:
    """What most instructions do when they start, and when they complete."""


def _acted(then: Callable[[], None] | None) -> None:
    if then is not None:
        then()


# -- transfers


class OutlinedTransfer:
    """A transfer of which only the places and the times are known."""

    __slots__ = ("_start", "plan", "portions")

    def __init__(self, plan: Plan, portions: tuple[Portion, ...], start: TransferStart) -> None:
        self.plan, self.portions, self._start = plan, portions, start

    def start(self, who: Who) -> TransferStart:
        """What it touches: always the same."""
        return self._start

    def cargo(self, *_: Any) -> None:
        """What its shares move: nothing."""


class RefusedTransfer:
    """A transfer whose addresses a tile decides."""

    __slots__ = ("plan", "portions", "tile")

    def __init__(self, plan: Plan, portions: tuple[Portion, ...], tile: View) -> None:
        self.plan, self.portions, self.tile = plan, portions, tile

    def start(self, who: Who) -> TransferStart:
        """It cannot start."""
        raise refused(f"the transfer is addressed by the elements of {self.tile.tensor.name}")

    def cargo(self, *_: Any) -> None:
        """What its shares move: nothing."""


class Still:
    """A move that moves nothing."""

    def take(self, *_: Any) -> None:
        """Take no bytes."""

    def put(self, *_: Any) -> None:
        """Deliver none."""


class OutlinedTransfers(Transfers):
    """Transfers that take their time, and move nothing."""

    following: Follower | None = None

    def direct(self, pair: tuple[View, View]) -> Mover:
        """A copy of one view to another that is none."""
        return Still()

    def bind(self, transfer: Transfer, plan: Plan) -> Launched:
        """A transfer as the target splits it."""
        if self.following is None:
            for move in transfer.moves:
                for view in move:
                    if view.offsets is not None:
                        return RefusedTransfer(plan, self.portions(plan), view.offsets.tile)
            start = direct_start(self.addresses, transfer, self.fresh())
            return OutlinedTransfer(plan, self.portions(plan), start)
        every = [view for move in transfer.moves for view in move]
        start = direct_start(self.addresses, transfer, self.fresh())
        vague = vague_views(every)
        if vague:
            start = start._replace(tangled=False)
            regions = map(self.addresses.region, every if transfer.skips else vague)
            self.following.vague(-start.number, regions)
        return OutlinedTransfer(plan, self.portions(plan), start)
