"""A kernel and its arguments as a program."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from nasm.base.gc_pause import paused
from nasm.base.problems import Failure, Problem, Refused, Severity, listed, quoted
from nasm.base.records import dataclass
from nasm.base.source import Span
from nasm.isa.effects import RankExchange
from nasm.isa.list_kinds import views
from nasm.isa.timing import Timing, TimingGiven
from nasm.language.expanding.statements import unknown_target
from nasm.nki.arguments import Arguments, Returned, outputs, returned
from nasm.nki.engines import DMA, USUAL
from nasm.nki.errors import MISUSED, floor, line_of, refuse
from nasm.nki.exceptions import problem_of
from nasm.nki.exchanged_tensors import of_the_kernel
from nasm.nki.frameworks import UNFIT, Array
from nasm.nki.hoisting import Reuse, forget, reuses
from nasm.nki.installing import installed
from nasm.nki.jit import name_of, simulate
from nasm.nki.lowering import Compiling, Lowering
from nasm.nki.target import default_target
from nasm.nki.tracing import Call, CoreTrace, Made, under
from nasm.program.builder import ProgramBuilder
from nasm.program.program import Program, SpilledBytes
from nasm.sync.lines import Sequence as Sequential
from nasm.targets import TARGETS
from nasm.views.view import View


@dataclass(frozen=True, slots=True)
class Traced:
    """A kernel as a program: the arrays it was called with by tensor, and what it returned.

    ``inputs`` are what tensors hold at the start: arguments, and constants of the kernel itself.
    ``given`` are the arguments as they were passed. ``returned`` has a record of the tensor
    wherever the kernel returned one; ``home`` is the framework of the arguments; ``reused`` says
    line by line which calls are left out, since an earlier one has computed the same; ``ranks`` is
    how many run it, None if that was not given: then outputs have no axis of ranks.
    """

    name: str
    program: Program
    inputs: Mapping[str, Array]
    given: Mapping[str, Any]
    returned: Any
    sequence: Sequential
    home: str = "numpy"
    reused: tuple[Reuse, ...] = ()
    ranks: int | None = None

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of the tensors that it returned, in order."""
        return tuple(dict.fromkeys(each.name for each in outputs(self.returned)))

    @property
    def changed(self) -> tuple[str, ...]:
        """The names of the arguments that the kernel writes."""
        tensors = self.program.tensors
        return tuple(name for name in self.given if tensors[name].role == "inout")


def trace(
    kernel: Callable[..., Any],
    *args: Any,
    lnc: int | None = None,
    target: str | None = None,
    dma: str = USUAL,
    hoist: bool | None = None,
    overlap: int | None = None,
    options: Mapping[str, object] | None = None,
    timing: TimingGiven | None = None,
    ranks: int | None = None,
    kernel_args: Mapping[str, Any] | None = None,
    **kwargs: Any,
) -> Traced:
    """Make a program of a kernel and its arguments.

    Keywords that are none of these are the kernel's; ``kernel_args`` are the kernel's, whatever
    their names.

    ``lnc`` is how many cores run it, where ``kernel[2]`` does not give it; ``target`` the
    generation, by default what a variable of :mod:`nasm.nki.target` says, or trn2; ``dma`` who
    starts transfers: ``split``, ``sync`` or ``hardware``; ``hoist`` whether what was computed
    before is read again instead of being computed again, by default in NKI 0.1 only; ``overlap``
    within how many calls of NKI 0.1 those that have to wait let later ones go first, by default as
    many as tiles have places for, 0 for none. ``options`` and ``timing`` are those of a program
    that is assembled, and so is ``ranks``, how many ranks run it (1); an argument that is a
    :class:`ByRank` has an array for each. Raises Failure for what is no kernel, at its line; what
    the kernel itself raises passes through.
    """
    made, kwargs = simulate(kernel), own_keywords(kwargs, kernel_args)
    if dma not in DMA:
        message = f"no policy dma={quoted(str(dma))}; wanted {listed(DMA, 'or')}"
        raise Failure(Problem(MISUSED, message))
    made = made if lnc is None else made.on(lnc)
    cores = made.cores
    with installed(), paused():
        builder = _builder(target or default_target(), cores, options, timing, ranks)
        first = CoreTrace(builder, 0, cores)
        traces = [first, *(CoreTrace(builder, core, cores, first) for core in range(1, cores))]
        arguments = Arguments(first, _declared(made.function))
        results = [_called(made.function, each, arguments, args, kwargs) for each in traces]
        result = _agreed(traces, results)
        notes = list(_own(result, traces))
        _roles(traces, [each.name for each in outputs(result)])
        if not made.spills:
            notes += of_the_kernel(traces)
        hoists = made.hoists if hoist is None else hoist
        compiling = Compiling(overlap) if made.spills else None
        lowerings = [Lowering(each, dma, hoists, compiling) for each in traces]
        sequence = Sequential([lowering.lines() for lowering in lowerings])
        hoisted = [lowering.hoisted for lowering in lowerings]
        forget(builder.program, [tile for each in hoisted for tile in each.tiles])
        reused = tuple(reuses(builder.program, hoisted))
        builder.program.spilled = SpilledBytes.sum(each.spilled for each in lowerings)
        builder.program.overlap = max(each.overlapped for each in lowerings)
        program = _finished(builder, sequence)
        program.warnings += [*notes, *(each.note() for each in reused if hoist)]
    arrays = {name: array for each in traces for name, array in each.arrays.items()}
    given, home = arguments.given, arguments.home
    return Traced(name_of(kernel), program, arrays, given, result, sequence, home, reused, ranks)


def own_keywords(given: Mapping[str, Any], kernel_args: Mapping[str, Any] | None) -> dict[str, Any]:
    """The keywords of a kernel, given in either way; raises TypeError for one given in both."""
    if twice := given.keys() & (kernel_args or {}).keys():
        raise TypeError(f"{listed(sorted(twice), 'and')} given as keyword and in kernel_args, too")
    return {**given, **(kernel_args or {})}


def _declared(function: Callable[..., Any]) -> Span | None:
    """Where a function begins."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return None if code is None else line_of(code.co_filename, code.co_firstlineno)


def _builder(
    name: str,
    cores: int,
    options: Mapping[str, object] | None,
    timing: TimingGiven | None,
    ranks: int | None,
) -> ProgramBuilder:
    """What a program for a target is made with."""
    if name not in TARGETS:
        raise Failure(unknown_target(name, TARGETS).at(None))
    loaded = TARGETS[name]()
    generation = loaded.generation(name)
    assert generation is not None
    if cores > generation.cores:
        refuse(
            f"a kernel on {cores} cores: on {name} there is no second one that shares its HBM",
            "wanted a target with LNC 2, such as trn2",
        )
    configured = loaded.configured(generation, options or {}, Timing.of(timing))
    builder = ProgramBuilder(loaded, configured)
    if ranks is not None:
        try:
            builder.several(ranks)
        except Refused as refused:
            raise Failure(refused.at(None)) from None
    return builder


def _called(
    function: Callable[..., Any],
    trace: CoreTrace,
    arguments: Arguments,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> Any:
    """What the kernel returns on one core."""
    signature = inspect.signature(function)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as wrong:
        raise TypeError(f"{name_of(function)}{signature}: {wrong}") from None
    bound.apply_defaults()
    with under(trace):
        try:
            _hand(arguments, bound)
        except Refused as refused:
            refuse(refused.message, refused.hint, refused.code)
        result = _run(function, bound)
        trace.ended(trace.made)
        return returned(result, arguments.span)


def _hand(arguments: Arguments, bound: inspect.BoundArguments) -> None:
    for name, value in bound.arguments.items():
        bound.arguments[name] = arguments.passed(name, value)


def _run(function: Callable[..., Any], bound: inspect.BoundArguments) -> Any:
    try:
        return function(*bound.args, **bound.kwargs)
    except SystemExit as leaving:  # it would end the whole process, and could look like success
        problem = problem_of(leaving)
        assert problem is not None
        raise Failure(problem) from leaving


floor(_run.__code__)
floor(_hand.__code__)


def _agreed(traces: Sequence[CoreTrace], results: Sequence[Any]) -> Any:
    """What a kernel returned on every core; refuses different tensors."""
    first, *rest = traces
    for each, result in zip(rest, results[1:], strict=True):
        if len(each.shared) < len(first.shared):
            missing = first.shared[len(each.shared)]
            raise Failure(_missing(missing, each.core))
        mine, theirs = outputs(result), outputs(results[0])
        if len(mine) != len(theirs) or not all(map(Returned.same, mine, theirs)):
            refuse(
                f"the kernel returns {_names(mine)} on core {each.core}, "
                f"and {_names(theirs)} on core 0",
                "what it returns is one for both cores",
            )
    return results[0]


def _names(found: Sequence[Returned]) -> str:
    return ", ".join(each.name for each in found) or "nothing"


def _own(result: Any, traces: Sequence[CoreTrace]) -> Iterator[Problem]:
    """A note on each tensor that a kernel on two cores returns, and of which each has its own."""
    for tensor in dict.fromkeys(each.view.tensor for each in outputs(result)):
        if len(traces) > 1 and not tensor.role and tensor not in traces[0].shared:
            yield Problem(
                UNFIT,
                f"{tensor.name} is in nl.hbm, where each core has its own: core 0's is returned",
                tensor.span,
                "nl.ndarray(…, buffer=nl.shared_hbm) makes one for both",
                severity=Severity.NOTE,
            )


def _missing(tensor: Any, core: int) -> Any:
    return Problem(
        MISUSED,
        f"{tensor.name} is in shared_hbm on core 0, and core {core} declares no such tensor",
        tensor.span,
        "a tensor in shared_hbm is one for both cores: each declares the same ones in the same "
        "order",
    )


def _roles(traces: Sequence[CoreTrace], names: Sequence[str]) -> None:
    """Say of tensors in HBM whether they are inputs, outputs or both."""
    tensors = traces[0].builder.program.tensors
    written = {view.tensor.name for each in traces for view in _destinations(each.made)}
    for name in names:
        tensors[name].role = tensors[name].role or "output"
    for tensor in tensors.values():
        if tensor.role == "input" and tensor.name in {*written, *names}:
            tensor.role = "inout"


def _destinations(calls: Sequence[Made]) -> Iterator[View]:
    for call in calls:
        if not isinstance(call, Call):
            yield from _destinations(call.body)
            continue
        names = ["dst"] if call.row.posts else [operand.name for operand in call.row.writes]
        if call.row.effect is RankExchange:
            names = ["dsts", "metadata"]
        for name in names:
            yield from views(call.operands.get(name))


def _finished(builder: ProgramBuilder, sequence: Sequential) -> Program:
    from nasm.sync.missing_writes import chosen, unwritten
    from nasm.sync.placement import place
    from nasm.sync.synchronize import synchronise

    by_hand = chosen(builder.program)
    problems = place(builder.program, sequence)
    if problems:
        raise Failure(problems)
    touched = synchronise(builder, sequence)
    program = builder.finish()
    program.warnings += unwritten(program, sequence, by_hand, touched)
    return program
