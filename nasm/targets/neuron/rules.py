"""Constraints on operands, each with its sentence and its source.

Those in :data:`EVERYWHERE` hold for every tile that an engine's lanes walk; the others are named
by the rows they belong to. A check returns what was found and what was wanted, or None.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from nasm.base.dtypes import ElementKind
from nasm.base.problems import Severity, listed
from nasm.isa.instruction import FLOAT32, About, InstructionContext, Operand, Rule
from nasm.isa.list_kinds import views
from nasm.views.spelling import spell
from nasm.views.view import View

PATTERN_SOURCE = (
    "Trainium/Inferentia2 architecture guide, 'Accessing SBUF/PSUM tensors using compute engines'"
)
MATMUL_SOURCE = "nki.isa.nc_matmul"
START_PARTITION, PATTERN, REACH, SHAPE, DTYPE, MEMORY, MODE, AVAILABLE = (
    "E0401",
    "E0402",
    "E0403",
    "E0404",
    "E0405",
    "E0406",
    "E0407",
    "E0408",
)
BANK, LIMIT, LAST, UNSUPPORTED = "E0409", "E0410", "E0411", "E0601"


def _start_partition(context: InstructionContext) -> str | None:
    for operand, view in context.tiles:
        if view.steps[0] != 1 or any(d.axis == 0 for d in view.dynamic):
            continue
        count = view.partitions
        start = (view.tensor.partition or 0) + view.partition
        legal = (0,) if count > 64 else (0, 64) if count > 32 else (0, 32, 64, 96)
        if start not in legal:
            return About(
                operand.name,
                f"{operand.name} ({view.tensor.name}) starts at partition {start} with {count} "
                f"partitions; wanted a start at {listed(map(str, legal))}",
            )
    return None


def _strided_partitions(context: InstructionContext) -> str | None:
    for operand, view in context.tiles:
        if view.steps[0] != 1 and view.partitions > 1:
            return About(
                operand.name,
                f"{operand.name} ({view.tensor.name}) steps {view.steps[0]} partitions at a time; "
                "wanted a contiguous run",
            )
    return None


def _pattern(context: InstructionContext) -> str | None:
    for operand, view in context.tiles:
        dims = view.dims
        name = f"{operand.name} ({view.tensor.name})"
        if len(dims) > 4:
            return About(
                operand.name, f"{name} needs {len(dims)} free dims after merging; wanted at most 4"
            )
        for step, count in dims:
            if count > 65535:
                return About(
                    operand.name,
                    f"{name} counts {count} elements in one dim; wanted at most 65535 (uint16)",
                )
            if not -32768 <= step <= 32767:
                return About(
                    operand.name, f"{name} steps {step} elements; wanted -32768 to 32767 (int16)"
                )
    return None


def _each_once(context: InstructionContext) -> str | None:
    for operand, view in context.tiles:
        if "w" in operand.access and repeats(view.last if _keeps_last(operand) else view):
            return About(
                operand.name,
                f"{operand.name} ({view.tensor.name}) walks some elements more than once; "
                "wanted each once",
            )
    return None


def _keeps_last(operand: Operand) -> bool:
    """Whether an operand is simply written: not added to, not left as it is in part."""
    return operand.access == "w" and not (operand.adds or operand.partial or operand.footprint)


def _last_stays(context: InstructionContext) -> str | None:
    for operand, view in context.tiles:
        last = view.last if "w" in operand.access else view
        if last is not view and last.elements != view.elements:
            each = view.elements // last.elements
            return About(
                operand.name,
                f"{operand.name} ({view.tensor.name}) has a step of 0: of every {each} elements "
                "the last one stays",
            )
    return None


def repeats(view: View) -> bool:
    """Whether a view's free pattern, or its partitions, meet an element more than once."""
    if view.partitioned and view.partitions > 1 and view.steps[0] == 0:
        return True
    reach, apart = 1, True
    for step, count in sorted((abs(step), count) for step, count in view.dims):
        apart = apart and step >= reach
        reach += step * (count - 1)
    if apart or view.elements > reach:
        return not apart
    places = np.zeros(1, np.int64)
    for step, count in view.dims:  # the sign of a step only mirrors the places
        places = np.add.outer(np.arange(count) * abs(step), places).reshape(-1)
    met = np.zeros(reach, np.bool_)
    met[places] = True
    return bool(np.count_nonzero(met) < view.elements)


def _free_size(context: InstructionContext) -> str | None:
    # what nki-library reads of PSUM with a step of 0 is more than the documented size of a tile
    for operand, view in context.tiles:
        where, found, limit = view.tensor.memory.name, view.elements, 65536
        if where == "psum" and context.engine != "tensor" and found > 4096:
            there = prod(count for step, count in view.dims if step)
            found, limit = (there, 4096) if there > 4096 else (found, limit)
        if found > limit:
            return About(
                operand.name,
                f"{operand.name} ({view.tensor.name}) has {found} elements per partition; "
                f"wanted at most {limit} in {where}",
            )
    return None


def _reach(context: InstructionContext) -> str | None:
    engine = context.generation.engine(context.engine)
    for operand, view in context.tiles:
        where = view.tensor.memory.name
        does, reaches = (
            ("writes", engine.writes) if "w" in operand.access else ("reads", engine.reads)
        )
        if where not in reaches:
            only = listed(reaches) + " only" if reaches else "no memory"
            return About(
                operand.name, f"{operand.name} is in {where}; {context.engine} {does} {only}"
            )
    return None


def _dtypes_exist(context: InstructionContext) -> str | None:
    known = context.generation.dtypes
    for name, operand in context.operands.items():
        if type(operand) is not View and type(operand) is not tuple:
            continue
        for view in (operand,) if type(operand) is View else views(operand):
            if view.dtype.name not in known:
                return About(
                    name,
                    f"{name} ({view.tensor.name}) is {view.dtype.name}, "
                    f"which {context.generation.summary} does not have",
                )
    return None


def _computable(context: InstructionContext) -> str | None:
    for operand, view in context.tiles:
        if (
            view.dtype.kind in (ElementKind.PACKED, ElementKind.SCALE)
            and context.row.domain(context) == FLOAT32
        ):
            return About(
                operand.name,
                f"{operand.name} ({view.tensor.name}) is {view.dtype.name}, "
                "which holds no plain numbers",
            )
    return None


EVERYWHERE = (
    Rule(DTYPE, "the generation has the dtype of every operand", "NKI dtype table", _dtypes_exist),
    Rule(
        REACH,
        "an engine reads and writes only the memories it has ports to",
        "architecture guides, compute engines; nki.isa.tensor_copy on GpSimd and PSUM",
        _reach,
    ),
    Rule(
        START_PARTITION,
        "more than 64 partitions start at 0, 33 to 64 at 0 or 64, up to 32 at 0, 32, 64 or 96",
        PATTERN_SOURCE,
        _start_partition,
        "place the tensor at a legal partition, or move the data with a DMA",
    ),
    Rule(
        PATTERN,
        "the partitions of an operand are a contiguous run",
        PATTERN_SOURCE,
        _strided_partitions,
        "a DMA can address strided partitions",
    ),
    Rule(
        PATTERN,
        "a destination's pattern visits every element once, but for steps of 0",
        PATTERN_SOURCE,
        _each_once,
    ),
    Rule(
        LAST,
        "of what a destination's step of 0 puts in one place the last stays",
        "nki-library, qkv_cte, which throws a result away so (that the last stays is assumed)",
        _last_stays,
        severity=Severity.NOTE,
    ),
    Rule(
        PATTERN,
        "an access pattern has at most 4 free dims, counts in uint16, steps in int16",
        PATTERN_SOURCE,
        _pattern,
    ),
    Rule(
        DTYPE,
        "arithmetic needs numbers: x4 and e8m0 tiles are copied or multiplied as MX only",
        "NKI dtype table; nki.isa.tensor_copy",
        _computable,
    ),
    Rule(
        LIMIT,
        "at most 65,536 elements per partition; in PSUM 4,096, repeats by a step of 0 not counted",
        "architecture guide, 'Layout & Tile Size' of Vector and Scalar Engine",
        _free_size,
    ),
)


def _given(context: InstructionContext, names: tuple[str, ...]) -> list[tuple[str, View]]:
    return [(n, context.operands[n]) for n in names if isinstance(context.operands[n], View)]


def _broadcast(small: View, large: View) -> str:
    """How a tile with one element per partition is written as large as another; or nothing."""
    if small.elements != 1 or len(small.shape) != len(large.shape):
        return ""
    sizes = ", ".join(map(str, large.shape))
    return f", as {spell(small)}.broadcast({sizes})"


def same_shape(*names: str) -> Rule:
    """The named tiles have the same partitions and the same elements per partition."""

    def check(context: InstructionContext) -> str | None:
        views = _given(context, names)
        first, view = views[0]
        for other, that in views[1:]:
            if that.partitions != view.partitions:
                return (
                    f"{first} has {view.partitions} partitions, {other} {that.partitions}; "
                    "wanted the same"
                )
            if that.elements != view.elements:
                return (
                    f"{first} has {view.elements} elements per partition, {other} "
                    f"{that.elements}; wanted the same{_broadcast(that, view)}"
                )
        return None

    return Rule(
        SHAPE,
        f"{listed(names, 'and')} have the same number of partitions and of elements per partition",
        "nki.isa, 'Tile size'",
        check,
        "only a stride of 0 or a [P, 1] operand broadcasts",
        names=names,
    )


def same_partitions(*names: str) -> Rule:
    """The named tiles have the same number of partitions."""

    def check(context: InstructionContext) -> str | None:
        views = _given(context, names)
        for other, that in views[1:]:
            if that.partitions != views[0][1].partitions:
                return (
                    f"{views[0][0]} has {views[0][1].partitions} partitions, {other} "
                    f"{that.partitions}; wanted the same"
                )
        return None

    return Rule(
        SHAPE,
        f"{listed(names, 'and')} have the same number of partitions",
        "nki.isa, 'Tile size'",
        check,
        names=names,
    )


def elements(name: str, low: int, high: int, source: str) -> Rule:
    """A tile has so many elements per partition."""

    def check(context: InstructionContext) -> str | None:
        if context.operands[name] is None:
            return None
        found = context.operands[name].elements
        if low <= found <= high:
            return None
        wanted = str(low) if low == high else f"{low} to {high}"
        return About(name, f"{name} has {found} elements per partition; wanted {wanted}")

    wanted = f"exactly {low}" if low == high else f"{low} to {high:,}"
    return Rule(LIMIT, f"{name} has {wanted} elements per partition", source, check, names=(name,))


def free_dims(name: str, most: int, source: str) -> Rule:
    """A tile has at most so many free dims, after merging."""

    def check(context: InstructionContext) -> str | None:
        found = len(context.operands[name].dims)
        if found <= most:
            return None
        return About(name, f"{name} needs {found} free dims after merging; wanted at most {most}")

    return Rule(PATTERN, f"{name} has at most {most} free dims", source, check, names=(name,))


def same_dtype(source: str, *names: str) -> Rule:
    """The named tiles have one dtype."""

    def check(context: InstructionContext) -> str | None:
        views = _given(context, names)
        if len({v.dtype.name for _, v in views}) < 2:
            return None
        return listed((f"{n} is {v.dtype.name}" for n, v in views), "and") + "; wanted the same"

    return Rule(DTYPE, f"{listed(names, 'and')} have the same dtype", source, check, names=names)


def same_elements(source: str, *names: str) -> Rule:
    """The named tiles have the same number of elements per partition."""

    def check(context: InstructionContext) -> str | None:
        views = _given(context, names)
        if len({v.elements for _, v in views}) < 2:
            return None
        found = listed((f"{n} {v.elements}" for n, v in views), "and")
        return f"elements per partition: {found}; wanted the same"

    return Rule(
        SHAPE,
        f"{listed(names, 'and')} have the same number of elements per partition",
        source,
        check,
        names=names,
    )


def rule(
    code: str,
    sentence: str,
    source: str,
    hint: str = "",
    severity: Severity = Severity.ERROR,
    addressed: bool = False,
    basic: bool = False,
    each: bool = False,
    names: tuple[str, ...] = (),
    about: str = "",
) -> Callable[..., Rule]:
    """Make a rule of a check: a decorator for the rows' own rules.

    A check that is made for operands of some ``names`` gives them, so that a row which lacks one
    fails its import. The others are asked on every operand their rows allow by the tests. What is
    always ``about`` one operand names it.
    """

    def make(check: Callable[[InstructionContext], str | None]) -> Rule:
        how = addressed, basic, each
        return Rule(code, sentence, source, check, hint, severity, *how, names, about)

    return make
