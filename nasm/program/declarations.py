"""What a program declares: its cores, tensors, counters, transfers and settings, each name once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from nasm.base import dtypes
from nasm.base.dtypes import DType
from nasm.base.names import identifier
from nasm.base.numbers import plain
from nasm.base.problems import Note, Refused, counted, did_you_mean, listed, quoted
from nasm.base.source import Span
from nasm.isa.declared_transfer import DeclaredTransfer
from nasm.isa.generation import Generation
from nasm.isa.list_kinds import mentioned
from nasm.isa.settings import MISPLACED, Assigned
from nasm.isa.target import Target
from nasm.isa.tile_grid import on_chip
from nasm.program import arguments
from nasm.program.initializers import possible
from nasm.program.notes import another, declared_note
from nasm.program.placement import fixed_problem
from nasm.program.program import Instruction, Program, QueueProgram
from nasm.program.pushes import PUSHING, Pushes
from nasm.program.settings import assigned, settings_of
from nasm.views.arrangement import Arrangement
from nasm.views.methods import dtype_named
from nasm.views.tensor import Memory, Tensor
from nasm.views.view import View

if TYPE_CHECKING:
    from nasm.isa.tile_grid import TileGrid, TilePlace

BAD_ARRANGEMENT = "E0246"
OVER, FILLED = "E0240", "E0241"


class CounterAllocation:
    """Which semaphores and events of which core are taken, and by whom."""

    def __init__(self, generation: Generation) -> None:
        self._generation = generation
        self._holders: dict[int, tuple[str, bool]] = {}
        self._next: dict[tuple[int, bool], int] = {}

    def free(self, core: int, event: bool, number: int | None) -> int:
        """The index among those of all cores of a number, or of the next one that is free."""
        generation = self._generation
        what = "event" if event else "semaphore"
        count = generation.events if event else generation.semaphores
        base = core * generation.counters + (generation.semaphores if event else 0)
        if number is not None and not 0 <= number < count:
            text = f"a core has 0 to {count - 1}" if count else f"{generation.summary} has none"
            raise Refused("E0312", f"{what} {number}: {text}")
        if number is not None and base + number in self._holders:
            name, chosen = self._holders[base + number]
            raise Refused(
                "E0312",
                f"{what} {number} {'is already' if chosen else 'was already given to'} ${name}",
                "" if chosen else f"declare numbered {what}s before those without a number",
            )
        if number is None:
            number = self._next.get((core, event), 0)
            while base + number in self._holders:
                number += 1
            self._next[core, event] = number
        if number >= count:
            text = f"a core has {count} {what}s, and all are declared"
            raise Refused("E0312", text if count else f"{generation.summary} has no {what}s")
        return base + number

    def give(self, name: str, index: int, chosen: bool) -> None:
        """Let a name have one; ``chosen`` says that the program chose the number."""
        self._holders[index] = (name, chosen)


class Blocks:
    """The blocks of a program: which are open, and which tensors were declared in one.

    ``over`` are those of blocks that have ended, with where. In ``use`` are all of a program
    that runs: what a block declares in a text that adds to it shares bytes with none.
    """

    def __init__(self) -> None:
        self._open: list[int] = []
        self._count = 0
        self.use = False
        self.held: dict[int, Tensor] = {}
        self.over: dict[int, Span | None] = {}
        self._before: dict[int, Span | None] = {}
        self._mentioned: dict[int, tuple[int, ...]] = {}

    def keep(self) -> None:
        """A text begins: what has ended before stays so."""
        self._before = dict(self.over)

    def forget(self) -> None:
        """Forget which blocks have ended in the text."""
        self.over = dict(self._before)

    def begin(self) -> None:
        """A block begins."""
        self._count += 1
        self._open.append(self._count)

    def end(self, span: Span | None) -> None:
        """The innermost block ends."""
        number = self._open.pop()
        for index, tensor in self.held.items():
            if number in tensor.block:
                self.over.setdefault(index, span)

    def hold(self, tensor: Tensor) -> None:
        """Note a tensor on a chip that is declared in a block; refuses one with initial values."""
        if (
            not self._open
            or self.use
            or tensor.memory.shared
            or not tensor.memory.size
            or tensor.fixed
        ):
            return
        if tensor.init is not None:
            text = (
                f"{tensor.name} has initial values, which another tensor of its block's bytes may"
            )
            raise Refused(FILLED, f"{text} overwrite before", "declare it outside of the '.scope'")
        tensor.block = tuple(self._open)
        self.held[tensor.index] = tensor

    def check(self, number: int, instruction: Instruction) -> None:
        """Refuse an instruction that mentions a tensor of a block that has ended."""
        named = self._mentioned.get(number)
        if named is None:
            named = self._mentioned[number] = _named(instruction)
        for index in named:
            if index in self.over:
                name = self.held[index].name
                notes = (Note("it ends here", self.over[index]),) if self.over[index] else ()
                raise Refused(
                    OVER,
                    f"{name} belongs to a '.scope' that has ended: its bytes may be another's now",
                    "use it before the '.end', or declare it outside of the '.scope'",
                    notes,
                )


def _named(instruction: Instruction) -> tuple[int, ...]:
    """The indices of the tensors that an instruction mentions."""
    kinds = View, tuple, DeclaredTransfer
    named = [operand for operand in instruction.operands if isinstance(operand, kinds)]
    return tuple(tensor.index for operand in named for tensor in mentioned(operand))


MOST_RANKS = 4_096
"""Machines that run one program: the limit is nasm's."""


class Declarations:
    """The part of a builder that takes declarations: what instructions can name."""

    def __init__(self, target: Target, generation: Generation) -> None:
        self.target, self.generation = target, generation
        self.program = Program(target, generation)
        self._queues: dict[tuple[int, str], int] = {}
        self._counters = CounterAllocation(generation)
        self._declared: dict[str, Span | None] = {}
        self._resumed = False
        self._blocks = Blocks()
        self.pushes = Pushes(self.program)
        self._entered = -1
        self._within: TilePlace | None = None

    def enter(self, core: int) -> None:
        """Use a core of the generation, and all before it; refuses one that does not exist."""
        if type(core) is int and 0 <= core <= self._entered:
            return
        core = arguments.whole("a core", core)
        arguments.core_exists(self.target, self.generation, core)
        for number in range(self._entered + 1, core + 1):
            for engine in self.generation.engines:
                if not (engine.optional or (number and self.generation.grid)):
                    self._add_queue(engine.name, number)
        self._entered = max(self._entered, core)
        self.program.cores = self._entered + 1

    def select(self, core: int) -> None:
        """Use a core by its number; refuses one that is a tile which the program has not named."""
        tiles = self.program.tiles
        if self.generation.grid is not None and core != 0 and not 0 <= core < len(tiles):
            message = f"no core {core}: each core of {self.generation.summary} is a tile"
            raise Refused("E0318", message, "select it by its coordinates, as .tile 3, 4")
        self.enter(core)

    def choose_grid(self, columns: int, rows: int) -> None:
        """Count tiles within a grid of so many columns and rows from now on; raises Refused."""
        self._tile_grid().logical(columns - 1, rows - 1)
        self._within = columns, rows

    def _tile_grid(self) -> TileGrid:
        grid = self.generation.grid
        if grid is None:
            others = [g.name for g in self.target.generations if g.grid is not None]
            hint = f"{listed(others, 'and')} has some" if others else "select a core, as .core 1"
            raise Refused("E0318", f"{self.generation.summary} has no tiles", hint)
        return grid

    def tile(self, x: int, y: int, chip: int = 0) -> int:
        """The core of a tile of a chip by its coordinates, in use from now on; raises Refused.

        In a grid that was chosen they count the tiles of that from 0 on.
        """
        grid, tiles = self._tile_grid(), self.program.tiles
        x, y = arguments.whole("a column", x), arguments.whole("a row", y)
        if self._within is not None and not (0 <= x < self._within[0] and 0 <= y < self._within[1]):
            columns, rows = self._within
            message = f"no tile {x}, {y} in a grid of {columns} columns and {rows} rows"
            raise Refused("E0318", message, "the first is .tile 0, 0")
        place = grid.place(x, y) if self._within is None else grid.logical(x, y)
        if not 0 <= (chip := arguments.whole("a chip", chip)) < self.generation.chips:
            message = f"no chip {chip}: {counted(self.generation.chips, 'chip')} can be joined"
            raise Refused("E0861", message, f"write 0 to {self.generation.chips - 1}")
        place = on_chip(place, chip)
        if not tiles and not self._resumed:
            tiles.append(place if self._bare else grid.first)
        if place not in tiles:
            if self._resumed:
                message = f"the tile {x}, {y} has no cores in a run that has begun"
                raise Refused("E0318", message, "name it in the program")
            tiles.append(place)
            self.enter(len(tiles) - 1)
        return tiles.index(place)

    @property
    def _bare(self) -> bool:
        """Whether the program says nothing of its first core yet."""
        program = self.program
        named = program.tensors or program.semaphores or program.events or program.settings
        return not named and not len(program)

    def several(self, ranks: int) -> None:
        """Have so many machines run the program; refuses none, and too many."""
        ranks = arguments.whole("a number of ranks", ranks)
        if not 1 <= ranks <= MOST_RANKS:
            raise Refused("E0249", f"{ranks} ranks; wanted 1 to {MOST_RANKS:,}")
        if ranks > 1 and self.target.collectives is None:
            message = f"{self.target.name} has no collectives, in which ranks could meet"
            raise Refused("E0249", message, "leave .ranks out")
        self.program.ranks = ranks

    def queue(self, engine: str, core: int = 0) -> int:
        """The index of an engine's queue; of one that is everywhere the same for all cores."""
        found = self._queues.get((core, engine))
        if found is None:
            known = self.generation.engine(str(engine))
            whose = 0 if known.everywhere else core
            self.enter(core)
            if (whose, known.name) not in self._queues:
                self._add_queue(known.name, whose)
            found = self._queues[core, engine] = self._queues[whose, known.name]
        return found

    def has_queue(self, engine: str, core: int = 0) -> bool:
        """Whether an engine has a queue: one that pushes others may have none."""
        return (core, engine) in self._queues

    def _add_queue(self, engine: str, core: int) -> None:
        pushes = self.generation.engine(engine).pushes
        if pushes and self._resumed:
            message = f"the instructions of {pushes} come without {engine} in a run that has begun"
            raise Refused(PUSHING, message, f"give {engine} a line in the program")
        if self._resumed:
            name = self.program.named(core, engine)
            message = f"the program has no line for {name}, and its run has begun without it"
            raise Refused("E0243", message, f"give {name} a line in the program")
        number = self._queues[core, engine] = len(self.program.queues)
        self.program.queues.append(QueueProgram(core, engine))
        if pushes:
            self.pushes.add(number, self.queue(pushes, core))

    def memory(self, name: str) -> Memory:
        """A memory of the generation by name."""
        found = self.generation.memories.get(name)
        if found is None:
            names = list(self.generation.memories)
            raise Refused(
                "E0204",
                f"no memory or directive '.{name}'",
                did_you_mean(name, names, ".")
                or f"the memories are {listed(('.' + n for n in names), 'and')}",
            )
        return found

    def tensor(
        self,
        memory: str,
        name: str,
        dtype: DType | str,
        shape: Sequence[int],
        *,
        role: str = "",
        init: object = None,
        partition: int | None = None,
        offset: int | None = None,
        bank: int | None = None,
        core: int = 0,
        span: Span | None = None,
        arrangement: str = "",
    ) -> Tensor:
        """Declare a tensor; without a place it is given one when the program is finished.

        With an ``arrangement`` of the target ``dtype`` may be a format that it stores.
        """
        identifier(name)
        self.enter(core)
        space = self.memory(memory)
        sizes = arguments.shape(shape)
        arguments.shape_fits(name, sizes, space)
        arranged = _arranged_as(self.target, arrangement, dtype, space, sizes)
        if arranged is not None:
            dtype = arranged.dtype
        kind = dtype if isinstance(dtype, DType) else dtype_named(dtype)
        if arguments.role(role) and not space.io:
            raise Refused(
                "E0313",
                f"{name} is {role}, and {memory} holds no inputs or outputs",
                f"only {listed(m for m, s in self.generation.memories.items() if s.io)} does",
            )
        filled = arguments.initialiser(init)
        partition = arguments.optional("a partition", partition)
        offset, bank = arguments.optional("an offset", offset), arguments.optional("a bank", bank)
        self._new_name(name, span)
        made = Tensor(name, space, kind, sizes, span, role, filled, int(core))
        made.arrangement = arranged
        if filled is not None:
            possible(made)
        if bank is not None:
            partition, offset = 0, self._bank_offset(made, bank)
        if partition is not None or offset is not None:
            made.partition, made.offset, made.fixed = partition or 0, offset or 0, True
            wrong = fixed_problem(made)
            if wrong:
                raise Refused("E0310", wrong)
        made.index = len(self.program.tensors)
        self._blocks.hold(made)
        self.program.tensors[name] = made
        return made

    def begin_block(self) -> None:
        """A block begins whose tensors live until its end: then their bytes may be another's."""
        self._blocks.begin()

    def end_block(self, span: Span | None) -> None:
        """The innermost block ends: no instruction after it may mention its tensors."""
        self._blocks.end(span)

    @property
    def in_blocks(self) -> bool:
        """Whether a tensor was declared in a block."""
        return bool(self._blocks.held)

    def _bank_offset(self, tensor: Tensor, bank: int) -> int:
        memory = tensor.memory
        if not memory.bank:
            raise Refused("E0310", f"{memory.name} has no banks")
        if not 0 <= bank < memory.banks:
            raise Refused("E0310", f"no bank {bank}: {memory.name} has 0 to {memory.banks - 1}")
        return bank * memory.bank

    def _new_name(self, name: str, span: Span | None) -> None:
        if name in self._declared:
            before = self._declared[name]
            notes = declared_note(name, before)
            hint = another(name, span, before)
            raise Refused("E0202", f"'{name}' is already declared", hint, notes)
        self._declared[name] = span

    @property
    def declared(self) -> Mapping[str, Span | None]:
        """Every name declared so far and where; labels are the queues' own."""
        return self._declared

    def semaphore(
        self,
        name: str,
        number: int | None = None,
        span: Span | None = None,
        *,
        core: int = 0,
        event: bool = False,
    ) -> str:
        """Declare a semaphore or event, at a number of its own or at the next one that is free."""
        identifier(name)
        self.enter(core)
        number = arguments.optional("a number", number)
        index = self._counters.free(int(core), event, number)
        self._new_name(name, span)
        self._counters.give(name, index, number is not None)
        (self.program.events if event else self.program.semaphores)[name] = index
        return name

    def transfer(
        self,
        name: str,
        moves: Sequence[tuple[View, View]],
        options: Mapping[str, object] | None = None,
        span: Span | None = None,
    ) -> DeclaredTransfer:
        """Declare a prepared transfer: pairs (dst, src), moved in order.

        Options are ``queue``, and ``priority`` where the generation has one.
        """
        identifier(name)
        chosen = {option: plain(value) for option, value in (options or {}).items()}
        for option, value in chosen.items():
            arguments.option_fits(self.target, self.generation, option, value)
        self._new_name(name, span)
        made = DeclaredTransfer(name, arguments.moves(moves), tuple(chosen.items()), span)
        self.program.transfers[name] = made
        return made

    def set(
        self, name: str, value: object, engine: str = "", core: int = 0, span: Span | None = None
    ) -> Assigned:
        """Set what a core holds before the run, or what one of its queues does; raises Refused.

        ``value`` is an integer or a word of the setting.
        """
        self.enter(core)
        if engine:
            engine = self.program.queues[self.queue(engine, core)].engine
        made = assigned(self.program, name, value, engine, int(core), span)
        if self._resumed:
            message = "settings hold from the start of a run on, and it has begun"
            known = settings_of(self.target, self.generation)
            hint = f"write .write {name} = {value}" if known.written is not None else ""
            raise Refused(MISPLACED, message, hint)
        self.program.settings.append(made)
        return made


def _arranged_as(
    target: Target, word: str, dtype: DType | str, memory: Memory, shape: tuple[int, ...]
) -> Arrangement | None:
    """What a word means of elements of a dtype or a stored format; None for no word.

    Raises Refused, also for a shape that cannot be arranged so.
    """
    if not word and not target.arrangements:
        return None
    known = dtypes.find(dtype) if isinstance(dtype, str) else dtype
    stored = known.name if known is not None else str(dtype)
    if not word:
        storing = [a.name for a in target.arrangements if a.stored == stored]
        if known is None and storing:
            message = f"{stored} is a format that is only stored"
            raise Refused("E0205", message, f"write {listed(storing)} after the shape")
        return None
    alike = [a for a in target.arrangements if a.name == word]
    if not alike:
        words = sorted({a.name for a in target.arrangements})
        hint = did_you_mean(word, words) or (f"there is {listed(words, 'and')}" if words else "")
        raise Refused(
            BAD_ARRANGEMENT, f"no arrangement '{quoted(word)}'", hint or "leave the word out"
        )
    if not (memory.numbered or memory.arranges):
        message = f"{word} tensors are in memories whose bytes have addresses, and {memory.name}'s "
        raise Refused(BAD_ARRANGEMENT, f"{message}have none")
    found = next((a for a in alike if a.stored == stored), None)
    if found is None:
        taken = listed((a.stored for a in alike), "and")
        raise Refused(
            BAD_ARRANGEMENT, f"{word} tensors store no {quoted(stored)}", f"they store {taken}"
        )
    found.size(shape)
    return found
