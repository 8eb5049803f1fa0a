"""A target: its generations, the table of its instructions, and the rules that hold for all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from nasm.base.problems import Failure, Problem, listed
from nasm.base.records import dataclass, field, replace
from nasm.isa.by_name import named
from nasm.isa.collectives import RankExchanges
from nasm.isa.core_state import Blocked, Burst, Holds, Part, Surroundings, Unfinished
from nasm.isa.figures import Figure, FigureSet
from nasm.isa.generation import Generation
from nasm.isa.instruction import Row, Rule
from nasm.isa.isa import Isa
from nasm.isa.micro_instructions import Elsewhere
from nasm.isa.options import Option, OptionValue, in_force
from nasm.isa.pace import Pace
from nasm.isa.settings import Settings
from nasm.isa.timing import NONE, Timing
from nasm.isa.words import Words
from nasm.views.arrangement import Arrangement

if TYPE_CHECKING:
    from nasm.base.dtypes import Casting
    from nasm.isa.effects import Plan, Transfer
    from nasm.isa.foreign import ForeignText
    from nasm.isa.network import Network
    from nasm.isa.outside import OutsideWorld, TensorBytes


@dataclass(frozen=True, slots=True)
class Samples:
    """What the examples of rows are made into programs with.

    ``tensors`` are declarations of the tensors that examples name, ``{n}`` elements per partition,
    with what they hold (``input = …``) in any memory; ``transfer`` declares the one called
    ``load``. ``fill`` are lines that fill ``{dst}``, by memory, from ``{dst}_in`` in the memory
    ``outside``; each posts ``posts``, and ``wait`` waits for ``{count}``. ``labelled`` is the line
    of the label ``again``.
    """

    tensors: tuple[str, ...]
    transfer: str
    outside: str
    fill: Mapping[str, str]
    semaphores: str
    posts: int
    wait: str
    labelled: str


@dataclass(frozen=True, slots=True)
class Sequencing:
    """The rows with which a queue governs itself, for code that makes programs.

    ``wait`` only waits and updates; ``clear`` sets a range of semaphores to 0; ``move`` puts a
    number or a register into a register, ``compute`` makes one of two, ``branch`` goes to a label
    if a comparison holds.
    """

    wait: str
    clear: str
    move: str
    compute: str
    branch: str


@dataclass(frozen=True, slots=True, eq=False)
class GenerationModel:
    """What programs of one generation have to do with that others may have in another form.

    ``rows`` are instructions whose operands, word or semantics are not as the table of the target
    has them. ``words`` are those of its instructions, where they have some. ``settings`` are what
    of what a core holds a program may set before it runs, ``parts`` what of it can be looked at.
    """

    rows: Mapping[str, Row] = field(default_factory=dict)
    words: Words | None = None
    settings: Settings | None = None
    parts: tuple[Part, ...] = ()


EMPTY = GenerationModel()

Expander = Callable[[Any, int, Any, tuple[int, int]], Sequence[Any] | Blocked | Elsewhere | None]
"""What a queue executes for an instruction that reaches its head, in order, maybe nothing; None
for the instruction itself. Where another queue gives it its instructions, a ``Blocked`` for one
that it has not given yet, and ``Elsewhere`` for another one that it gave: then it is asked again,
as a condition is. It gets what the core holds, the queue's number within the core, the instruction,
and its place. An ``Expansion`` says of each where it came from. It may change what the core holds,
unless it returns None. Equal instructions should be one object, since what follows from them is
decided once for each."""


@dataclass(frozen=True, slots=True)
class Pushing:
    """The row that pushes instructions, by name, and its operands.

    ``count`` says how many, ``first`` the pc of the first, or -1 for the one after the latest. An
    engine with rows that are ``apart``, by name, pushes what it computes, and no lines.
    """

    row: str
    first: str
    count: str
    apart: Callable[[str], bool] = lambda name: False


class AddedLine(NamedTuple):
    """So many lines of a row at the end of a queue that a text does not have; of whose place."""

    core: int
    engine: str
    row: str
    times: int
    after: str


@dataclass(frozen=True, slots=True)
class Bursting:
    """How a target executes many instructions of a queue at once, where nothing observes.

    Both get what the core holds and the number of the queue within the core. ``ahead`` says what
    would be executed for an instruction further on if those before it changed nothing of that but
    by being recorded, as nothing else does in a burst; None if taking it up changes what the core
    holds. It may ask for those before it that are executed themselves, each with its place, without
    the first: that has been at the head of its queue before. ``burst`` gets
    these, in pieces; no more ticks than it may take before the last one starts; and the queues
    whose next instruction is blocked, by number, of which it must end none. It may take fewer.
    Where there can be none before a tick it returns that, where it does not know when, None.
    ``leads`` says of an instruction whether there are any that begin with it.
    """

    ahead: Callable[
        [Any, int, Any, Callable[[], Sequence[tuple[Any, tuple[int, int]]]]], Sequence[Any] | None
    ]
    burst: Callable[
        [Any, int, Iterable[Sequence[Any]], int, Mapping[int, Blocked]], Burst | int | None
    ]
    leads: Callable[[Any], bool] = lambda instruction: True


MakesOutside = Callable[
    [Any, Mapping[Any, Any], "Iterable[tuple[str, TensorBytes]]"], "OutsideWorld"
]
"""Makes what is outside of the cores, of a program, memories of tiles, and tensors by memory."""


@dataclass(frozen=True, slots=True)
class CodeWords:
    """Engines whose lines are words in a memory of their core, at addresses.

    ``words`` are those of a program's queue by its number, with zeros where it has nothing; None if
    it is no such queue. Raises Failure or Refused. ``text`` are lines of an engine for words, on a
    generation.
    """

    engines: tuple[str, ...]
    words: Callable[[Any, int], Sequence[int] | None]
    text: Callable[[str, Sequence[int], str], Sequence[str]]


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """An instruction set and the machines that run it.

    ``rules`` hold for every instruction; ``plan`` turns a transfer into shares for channels.
    ``options`` are what a user may choose about its machines; ``casting`` makes of them the casts
    of a stream of instructions, by the stream's number. ``figures`` are the rows that the numbers
    of its generations come from. ``paces`` makes what paces the instructions of a core, by the name
    that costs give it. ``interlocked`` says of options whether an engine waits for its own earlier
    results. ``vocabulary`` is what words of operands mean, by what they are. ``module`` is where it
    is written, under the name TARGET. ``sequencing`` names the rows that govern queues.
    ``computing`` are instructions that leave in ``c`` what an operator means of tiles, by
    expressions of the tiles ``a`` and ``b`` and the number 2, such as ``-a`` and ``a + 2``.
    ``halves`` are the operands of two instructions of the same row that do one after the other what
    one with these operands does; None if there are none. ``profiled`` are the opcode and the
    operands of an instruction as the vendor's profiler shows them, empty where nothing published
    shows any. ``model`` says by the name of a generation what is its own. ``holds`` makes the
    object that a core holds, which semantics get by the implicit operand ``Held``. ``expand`` says
    what a queue executes for an instruction, with what its core holds and its number within the
    core: see :data:`Expander`. ``bursting`` is how it executes many at once; ``unfinished`` what
    the engines of a core have left open when a run is over. ``arrangements`` are words of
    declarations in linear memories: how elements are arranged there that are not one after the
    other, for each stored format. ``causes`` says in words what conditions of rows wait for, by the
    cause that they report. ``pushing`` is the row with which an engine pushes instructions of
    another one, with its operands. ``foreign`` are the languages of texts that programs may have,
    by directive. ``network`` makes what carries packets between the tiles of a chip;
    ``outside`` makes what is outside of the cores of a program, of the memories of tiles and the
    tensors of memories that they share; ``collectives`` is how ranks exchange, if they can.
    ``added`` are lines at the ends of queues that a program has without writing them; ``binaries``
    are, by how their names end, files that are no text and may be included: what makes text of one,
    by its name, its bytes, the engine that is chosen and the generation. ``begins`` is called with
    what a core holds, once that has what the program sets. ``code_in`` says of that, an address and
    so many bytes of the core's memory whether some are code; ``code`` is how lines become such
    words. ``waiting`` is the row of engines with packets that only waits, if nothing else governs
    queues.
    """

    name: str
    module: str
    summary: str
    isa: Isa
    generations: tuple[Generation, ...]
    rules: tuple[Rule, ...] = ()
    plan: Callable[[Transfer, Generation, str], Plan] | None = None
    samples: Samples | None = None
    options: tuple[Option, ...] = ()
    figures: tuple[Figure, ...] = ()
    casting: Callable[[Mapping[str, OptionValue], int], Casting] | None = None
    paces: Mapping[str, Callable[[Generation], Pace]] = field(default_factory=dict)
    interlocked: Callable[[Mapping[str, OptionValue]], bool] = lambda options: True
    vocabulary: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    causes: Mapping[str, str] = field(default_factory=dict)
    sequencing: Sequencing | None = None
    computing: Mapping[str, str] = field(default_factory=dict)
    halves: Callable[[Row, tuple[object, ...]], tuple[tuple[object, ...], ...] | None] = (
        lambda row, operands: None
    )
    profiled: Callable[[Row, tuple[object, ...]], tuple[str, str]] | None = None
    model: Callable[[str], GenerationModel] = lambda name: EMPTY
    holds: Callable[[Generation, Surroundings], Holds] | None = None
    expand: Expander | None = None
    bursting: Bursting | None = None
    unfinished: Callable[[Any], Iterable[Unfinished]] | None = None
    arrangements: tuple[Arrangement, ...] = ()
    pushing: Pushing | None = None
    foreign: Mapping[str, ForeignText] = field(default_factory=dict)
    network: Callable[[Generation], Network] | None = None
    outside: MakesOutside | None = None
    collectives: RankExchanges | None = None
    binaries: Mapping[str, Callable[[str, bytes, str, str], str]] = field(default_factory=dict)
    added: Callable[[Any], Iterable[AddedLine]] = lambda program: ()
    begins: Callable[[Any], None] | None = None
    code_in: Callable[[Any, int, int], bool] | None = None
    waiting: str = ""
    code: CodeWords | None = None

    def __reduce__(self) -> tuple[Callable[[str, str], Target], tuple[str, str]]:
        return named, (self.module, "TARGET")

    def row(self, name: str, generation: Generation | None = None) -> Row | None:
        """A row by its name, as a generation has it, or as the table does.

        The row of words that are no instruction is in no list of rows.
        """
        model = self.model((generation or self.generations[0]).name)
        if model.words is not None and name == model.words.data.name:
            return model.words.data
        row = self.isa.rows.get(name) or self.isa.other_names.get(name)
        return row if row is None or generation is None else model.rows.get(row.name, row)

    def rows(self, generation: Generation) -> Iterator[Row]:
        """The instructions that a generation has, as it has them."""
        own = self.model(generation.name).rows
        for row in self.isa:
            if self.available(row, generation):
                yield own.get(row.name, row)

    def words(self, generation: Generation) -> Words | None:
        """The words of a generation's instructions, where they have some."""
        return self.model(generation.name).words

    def settings(self, generation: Generation) -> Settings | None:
        """What programs of a generation may set."""
        return self.model(generation.name).settings

    def parts(self, generation: Generation) -> tuple[Part, ...]:
        """What can be looked at of what a generation's cores hold."""
        return self.model(generation.name).parts

    def generation(self, name: str) -> Generation | None:
        """A generation by any of its spellings."""
        return next((g for g in self.generations if name in g.spellings or name == g.name), None)

    def configured(
        self, generation: Generation, options: Mapping[str, object], timing: Timing = NONE
    ) -> Generation:
        """A generation with these options and figures; raises Failure with all that is wrong."""
        if not options and not timing.values:
            return generation
        problems: list[Problem] = []
        chosen, numbers = generation.options, generation.numbers
        offered = self.offered(generation)
        others = (o for o in self.options if o.name in options and o not in offered)
        lacking = {o.name: listed(self._taking(o), "and") for o in others}
        try:
            chosen = in_force(self.options, options, lacking)
        except Failure as failure:
            problems += failure.problems
        try:
            numbers = timing.in_force(self.figures, self.generations, generation)
        except Failure as failure:
            problems += failure.problems
        if problems:
            raise Failure(problems)
        return replace(generation, options=chosen, numbers=numbers)

    def offered(self, generation: Generation) -> tuple[Option, ...]:
        """The options that make a difference on a generation."""
        return tuple(o for o in self.options if self._spans(o.since, o.until, generation))

    def _taking(self, option: Option) -> list[str]:
        """The generations that take an option."""
        return [g.summary for g in self.generations if self._spans(option.since, option.until, g)]

    def chosen(self, generation: Generation) -> dict[str, OptionValue]:
        """The options of a generation that are not as they are by default."""
        defaults = in_force(self.options, {})
        return {n: v for n, v in generation.options.items() if v != defaults[n]}

    def figures_set(self, generation: Generation) -> tuple[FigureSet, ...]:
        """The figures of a generation that are not as they are by default."""
        plain = self.generation(generation.name)
        assert plain is not None
        numbers = (
            (f, generation.numbers.get(f.name), plain.numbers.get(f.name)) for f in self.figures
        )
        return tuple(
            FigureSet(figure.name, figure.unit, now.value, before.value, now.source)
            for figure, now, before in numbers
            if now is not None and before is not None and now != before
        )

    def available(self, row: Row, generation: Generation) -> bool:
        """Whether a generation has an instruction, and an engine for it."""
        placed = not row.engines or any(e.name in row.engines for e in generation.engines)
        return placed and self._spans(row.since, row.until, generation)

    def _spans(self, since: str, until: str, generation: Generation) -> bool:
        """Whether what some generations have, from one on or up to one, is on this one."""
        order = {g.name: g.order for g in self.generations}
        first = order[since] if since else 0
        last = order[until] if until else max(order.values())
        return first <= generation.order <= last

    def engines(self, row: Row, generation: Generation) -> tuple[str, ...]:
        """The engines of a generation that have an instruction, in the generation's order."""
        if not self.available(row, generation):
            return ()
        order = {g.name: g.order for g in self.generations}
        since = {e: order[name] for e, name in row.engine_since.items()}
        return tuple(
            e.name
            for e in generation.engines
            if e.name in row.engines and since.get(e.name, 0) <= generation.order
        )


@cache
def rules_of(target: Target, row: Row, addressed: bool) -> tuple[Rule, ...]:
    """The rules that an instruction must obey: the target's, then the row's own."""
    return tuple(r for r in (*target.rules, *row.rules) if addressed or not r.addressed)


Loader = Callable[[], Target]
"""Imports a target when a program first asks for it."""
