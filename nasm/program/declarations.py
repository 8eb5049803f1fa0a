"""What a program declares: its cores, tensors, counters, transfers and settings, each name once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nasm.base import dtypes
from nasm.base.dtypes import DType
from nasm.base.names import identifier
from nasm.base.numbers import plain
from nasm.base.problems import Refused, did_you_mean, listed, quoted
from nasm.base.source import Span
from nasm.isa.declared_transfer import DeclaredTransfer
from nasm.isa.generation import Generation
from nasm.isa.settings import MISPLACED, Assigned
from nasm.isa.target import Target
from nasm.program import arguments, check
from nasm.program.blocks import Blocks
from nasm.program.counters import CounterAllocation
from nasm.program.initializers import possible
from nasm.program.notes import another, declared_note
from nasm.program.placement import fixed_problem
from nasm.program.program import Program, QueueProgram
from nasm.program.settings import assigned, settings_of
from nasm.views.arrangement import Arrangement
from nasm.views.methods import dtype_named
from nasm.views.tensor import Memory, Tensor
from nasm.views.view import View

BAD_ARRANGEMENT = "E0246"


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
        self._entered = -1

    def enter(self, core: int) -> None:
        """Use a core of the generation, and all before it; refuses one that does not exist."""
        core = arguments.whole("a core", core)
        check.core_exists(self.target, self.generation, core)
        for number in range(self._entered + 1, core + 1):
            for engine in self.generation.engines:
                name = engine.name
                self._queues[number, name] = len(self.program.queues)
                self.program.queues.append(QueueProgram(number, name))
        self._entered = max(self._entered, core)
        self.program.cores = self._entered + 1

    def queue(self, engine: str, core: int = 0) -> int:
        """The index of an engine's queue."""
        found = self._queues.get((core, engine))
        if found is None:
            name = self.generation.engine(str(engine)).name
            self.enter(core)
            found = self._queues[core, engine] = self._queues[core, name]
        return found

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
        check.shape_fits(name, sizes, space)
        arranged = _arranged_as(self.target, arrangement, dtype, space, sizes)
        kind = dtype_named(dtype) if arranged is None else arranged.dtype
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
            check.option_fits(self.target, self.generation, option, value)
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
            known = settings_of(self.target)
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
    if not memory.numbered:
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
