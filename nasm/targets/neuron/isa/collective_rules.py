"""What a collective can do: constraints on the operands of the row in `collectives.py`."""

from __future__ import annotations

from nasm.base.dtypes import ElementKind
from nasm.isa.instruction import About, InstructionContext
from nasm.targets.neuron.rules import AVAILABLE, DTYPE, LIMIT, MEMORY, MODE, SHAPE, repeats, rule
from nasm.views.view import View

SOURCE = "nki.collectives"
REDUCING = ("all_reduce", "reduce_scatter", "collective_permute_implicit_reduce")
GROUPED = ("collective_permute",)
"""Operations that say which ranks take part by pairs, not by groups."""

ALONG = ("all_gather", "reduce_scatter", "all_to_all")
RINGS = ("collective_permute_implicit", "collective_permute_implicit_reduce")
ON_CHIP = ("all_reduce", "all_gather", "reduce_scatter", *RINGS)
VARYING = ("all_gather_v", "all_to_all_v")
MOST_CHANNELS = 4


def _views(context: InstructionContext) -> tuple[View, ...]:
    operands = context.operands
    return (*operands["dsts"], *operands["srcs"], *(operands["srcs1"] or ()))


@rule(MODE, "only all_reduce, reduce_scatter and collective_permute_implicit_reduce have op=",
      SOURCE, about="op")  # fmt: skip
def op_of_reductions(context: InstructionContext) -> str | None:
    """What combines elements, and what only moves them."""
    operation, op = context.operands["operation"], context.operands["op"]
    if operation in REDUCING:
        return None if op else f"{operation} without op=; wanted add, minimum or maximum"
    return f"op={op} of {operation}" if op else None


@rule(MODE, "collective_permute has pairs=, all others groups=", SOURCE)
def pairs_of_permutes(context: InstructionContext) -> str | None:
    """Which ranks take part."""
    operands = context.operands
    permutes = operands["operation"] in GROUPED
    if permutes and operands["pairs"] is None:
        return "collective_permute without pairs="
    wrong = "groups" if permutes else "pairs"
    if operands[wrong] is None:
        return None
    return About(wrong, f"{wrong}= of {operands['operation']}")


@rule(MODE, "groups do not overlap, and have a rank once", SOURCE, about="groups", basic=True)
def groups_disjoint(context: InstructionContext) -> str | None:
    """Each rank is in one group at the most."""
    seen: set[int] = set()
    for group in context.operands["groups"] or ():
        for rank in group:
            if rank in seen:
                return f"rank {rank} is in groups twice"
            seen.add(rank)
    return None


@rule(MODE, "each rank is once a source and once a target at the most",
      f"{SOURCE}.collective_permute (assumed)", about="pairs")  # fmt: skip
def pairs_once(context: InstructionContext) -> str | None:
    """A rank sends one tensor, and receives one."""
    pairs = context.operands["pairs"] or ()
    for side, name in enumerate(("source", "target")):
        ranks = [pair[side] for pair in pairs]
        twice = next((rank for rank in ranks if ranks.count(rank) > 1), None)
        if twice is not None:
            return f"rank {twice} is a {name} twice"
    return None


@rule(MEMORY, "all tensors are in HBM, or all in SBUF", SOURCE)
def one_memory(context: InstructionContext) -> str | None:
    """Memories are not mixed."""
    names = sorted({view.tensor.memory.name for view in _views(context)})
    return f"found {' and '.join(names)}" if len(names) > 1 else None


@rule(
    AVAILABLE,
    "SBUF is for all_reduce, all_gather and reduce_scatter of one tensor, and for rings",
    f"{SOURCE}; of rings nki-library's fine_grained_allgather",
)
def on_chip(context: InstructionContext) -> str | None:
    """What tensors on chip can do."""
    operands, views = context.operands, _views(context)
    if all(view.tensor.memory.name == "hbm" for view in views):
        return None
    if operands["operation"] not in ON_CHIP:
        return f"{operands['operation']} of tensors in sbuf"
    several = len(operands["srcs"]) > 1 and operands["operation"] not in RINGS
    return "several tensors in sbuf" if several else None


@rule(SHAPE, "tensors in SBUF have two axes", f"{SOURCE}.all_gather")
def flat_on_chip(context: InstructionContext) -> str | None:
    """One free axis."""
    for view in _views(context):
        if view.tensor.memory.name == "sbuf" and len(view.shape) != 2:
            return f"{view.tensor.name} is {list(view.shape)}"
    return None


@rule(SHAPE, "there is a destination for each source", SOURCE, basic=True)
def as_many(context: InstructionContext) -> str | None:
    """Lists of one length."""
    operands = context.operands
    dsts, srcs = len(operands["dsts"]), len(operands["srcs"])
    more = operands["srcs1"]
    if operands["operation"] == RINGS[1]:
        if more is None:
            return About("srcs1", f"{RINGS[1]} without srcs1=")
        if len(more) != srcs:
            return About("srcs1", f"srcs1 has {len(more)} tensors, srcs {srcs}")
    elif more is not None:
        return About("srcs1", f"srcs1= of {operands['operation']}")
    return None if dsts == srcs else f"{dsts} destinations, {srcs} sources"


@rule(
    LIMIT, "collective_permute and the operations with counts move one tensor, rings four", SOURCE
)
def few_tensors(context: InstructionContext) -> str | None:
    """Several tensors are moved together by some operations only."""
    operation, count = context.operands["operation"], len(context.operands["srcs"])
    most = {**dict.fromkeys((*GROUPED, *VARYING), 1), **dict.fromkeys(RINGS, MOST_CHANNELS)}
    if count <= most.get(operation, count):
        return None
    return f"{operation} of {count} tensors"


@rule(MODE, "dim= is of all_gather, reduce_scatter and all_to_all: 0, or 1 for all_gather in SBUF",
      SOURCE, about="dim")  # fmt: skip
def along(context: InstructionContext) -> str | None:
    """Along which axis tensors are cut, or put together."""
    operands = context.operands
    operation, dim = operands["operation"], operands["dim"]
    if dim == 0:
        return None
    inside = operands["srcs"][0].tensor.memory.name == "sbuf"
    if dim == 1 and inside and operation == "all_gather":
        return None
    return f"dim={dim} of {operation}" + (" in sbuf" if inside else " in hbm")


@rule(DTYPE, "all tensors of a collective have one dtype", f"{SOURCE} (assumed)")
def one_dtype(context: InstructionContext) -> str | None:
    """Elements are not converted; those of several tensors may differ."""
    operands = context.operands
    sides = [operands["dsts"], operands["srcs"]]
    if operands["srcs1"]:
        sides.append(operands["srcs1"])
    for views in zip(*sides, strict=False):
        found = sorted({view.dtype.name for view in views})
        if len(found) > 1:
            return f"found {' and '.join(found)}"
    return None


@rule(DTYPE, "what is combined has plain numbers", f"{SOURCE} (assumed)")
def plain_numbers(context: InstructionContext) -> str | None:
    """Packed elements and scales have no sum."""
    if context.operands["operation"] not in REDUCING:
        return None
    for view in context.operands["srcs"]:
        if view.dtype.kind in (ElementKind.PACKED, ElementKind.SCALE):
            return f"{view.tensor.name} is {view.dtype.name}"
    return None


@rule(MODE, "a tensor of a collective has a place that is known when the program is assembled",
      f"{SOURCE} (assumed)")  # fmt: skip
def static(context: InstructionContext) -> str | None:
    """No register and no tile addresses it."""
    for view in (*_views(context), *_metadata(context)):
        if view.dynamic or view.offsets is not None:
            return f"{view.tensor.name} is addressed by a register or a tile"
    return None


def _metadata(context: InstructionContext) -> tuple[View, ...]:
    metadata = context.operands["metadata"]
    return () if metadata is None else (metadata,)


@rule(SHAPE, "every element of a destination is received once", f"{SOURCE} (assumed)", about="dsts")
def received_once(context: InstructionContext) -> str | None:
    """A step of 0 is for sources."""
    for view in context.operands["dsts"]:
        if repeats(view):
            return f"{view.tensor.name} walks some elements more than once"
    return None


@rule(MODE, "all_gather_v and all_to_all_v have metadata=, with their options, and no others",
      SOURCE)  # fmt: skip
def counts_given(context: InstructionContext) -> str | None:
    """The sizes that are known at run time only."""
    operands = context.operands
    operation = operands["operation"]
    if operation in VARYING:
        return None if operands["metadata"] is not None else f"{operation} without metadata="
    for name in ("metadata", "recv_counts_known", "has_rdispls"):
        if operands[name]:
            return About(name, f"{name}= of {operation}")
    return None


@rule(DTYPE, "metadata is uint32", f"{SOURCE}.all_to_all_v", about="metadata")
def counts_dtype(context: InstructionContext) -> str | None:
    """Counts of elements."""
    for view in _metadata(context):
        if view.dtype.name != "uint32":
            return f"{view.tensor.name} is {view.dtype.name}"
    return None


@rule(AVAILABLE, "has_rdispls=true is of all_to_all_v on instances with NeuronSwitch (Trn3)",
      f"{SOURCE}.all_gather_v, all_to_all_v", about="has_rdispls")  # fmt: skip
def places_given(context: InstructionContext) -> str | None:
    """Whether the receiver says where each chunk goes."""
    operands = context.operands
    if not operands["has_rdispls"]:
        return None
    if operands["operation"] == "all_gather_v" or context.generation.name != "v4":
        return f"has_rdispls=true of {operands['operation']} on {context.generation.name}"
    return None


@rule(AVAILABLE, "a collective takes a priority from NeuronCore-v4 on", SOURCE, about="priority")
def priority_available(context: InstructionContext) -> str | None:
    """Earlier generations have none."""
    priority = context.operands["priority"]
    if priority is None or context.generation.priorities:
        return None
    return f"priority={priority} on {context.generation.name}"


RULES = (
    op_of_reductions,
    pairs_of_permutes,
    groups_disjoint,
    pairs_once,
    as_many,
    few_tensors,
    one_memory,
    on_chip,
    flat_on_chip,
    along,
    one_dtype,
    plain_numbers,
    static,
    received_once,
    counts_given,
    counts_dtype,
    places_given,
    priority_available,
)
