"""Collectives: what ranks exchange, and the numbers of ranks."""

from __future__ import annotations

from nasm.base.problems import Refused
from nasm.isa.effects import RankExchange
from nasm.isa.implicit_kinds import Here
from nasm.isa.instruction import Operand
from nasm.isa.kinds import Choice, Flag, Number, Tile
from nasm.isa.list_kinds import IntegerLists, Tiles
from nasm.targets.neuron import costs
from nasm.targets.neuron.collectives.meaning import OPERATIONS
from nasm.targets.neuron.isa import collective_rules as rules
from nasm.targets.neuron.isa.control import REGISTER, REGISTER_OR_WORD
from nasm.targets.neuron.isa.table import ISA, SEQUENCERS
from nasm.targets.neuron.nan import Operators
from nasm.views.view import View

SOURCE = "nki.collectives"
TENSORS = Tiles(("hbm", "sbuf"), 64, alone=True)
GROUPS = IntegerLists("groups")
COMBINING = Operators(("add", "minimum", "maximum"), "operator")


def _vendor(*functions: str, explorer: str = "", klr: str = "") -> dict[str, tuple[str, ...]]:
    return {
        "NKI": tuple(f"{SOURCE}.{name}" for name in functions),
        "Neuron Explorer": (explorer,) if explorer else (),
        "KLR": (klr,) if klr else (),
    }


@ISA.instruction(
    Operand("dsts", TENSORS, "@", doc="what is received: one tensor, or several in [ ]"),
    Operand("srcs", TENSORS, "@", doc="what is sent, for each destination"),
    Operand("operation", Choice(OPERATIONS, "operation")),
    Operand("groups", GROUPS, "r", None, "all ranks in one group", keyword=True),
    Operand(
        "op", Operators(("add", "minimum", "maximum"), "operator"), "r", None, "how it is combined"
    ),
    Operand(
        "dim",
        Number(integer=True, low=0, high=1),
        "r",
        0,
        "the axis that is cut or joined",
        keyword=True,
    ),
    Operand(
        "pairs",
        IntegerLists("pairs of a source and its target", 2),
        "r",
        None,
        "of collective_permute: who sends to which rank",
        keyword=True,
    ),
    Operand(
        "srcs1",
        TENSORS,
        "@",
        None,
        "of collective_permute_implicit_reduce: what is combined with srcs before it is sent",
        keyword=True,
    ),
    Operand(
        "metadata",
        Tile(("hbm", "sbuf"), lanes=False),
        "@",
        None,
        "of all_gather_v and all_to_all_v: counts and places of elements",
        keyword=True,
    ),
    Operand(
        "recv_counts_known",
        Flag(),
        "r",
        False,
        "leave row 2 of metadata as it is, which otherwise gets what was received",
    ),
    Operand("has_rdispls", Flag(), "r", False, "row 3 of metadata says where each chunk goes"),
    Operand(
        "priority",
        Number(integer=True, low=0, high=3),
        "-",
        None,
        "v4: class of service, 0 the most urgent; it changes no time here",
        keyword=True,
    ),
    engines=("cc",),
    rules=rules.RULES,
    cost=costs.control(
        "event_ns", "What the exchange takes is known when its ranks meet; this is the least."
    ),
    effect=RankExchange,
    vendor=_vendor(*OPERATIONS, explorer="PSEUDO_TRIGGER_COLLECTIVE_2", klr="CollectiveOp"),
    formula="dsts of each rank = an operation on srcs of all ranks of its group",
    tensors=".hbm D bf16[128, {n}]",
    example="Collective D, A, operation=all_reduce, op=add",
    source=f"{SOURCE}, SDK 2.33; that the CC-cores do one at a time, in order, is assumed",
)
def Collective(
    dsts: tuple[View, ...],
    srcs: tuple[View, ...],
    operation: str,
    groups: tuple[tuple[int, ...], ...] | None,
    op: str | None,
    dim: int,
    pairs: tuple[tuple[int, ...], ...] | None,
    srcs1: tuple[View, ...] | None,
    metadata: View | None,
    recv_counts_known: bool,
    has_rdispls: bool,
) -> RankExchange:
    """Exchange tensors with the other ranks of a group, once all of them have reached it.

    It is executed by the core's CC-cores, on the queue `@cc`. Sources are read from its start until
    it is over, destinations are written when it is, and then its update is posted. A sum is exact
    and rounded once.
    """
    sources, destinations = (*srcs, *(srcs1 or ())), dsts
    if metadata is not None:
        sources = (*sources, metadata)
        destinations = dsts if recv_counts_known else (*dsts, metadata)
    options: dict[str, object] = {"op": op, "dim": dim, "pairs": pairs}
    if metadata is not None:
        options |= {"recv_counts_known": recv_counts_known, "has_rdispls": has_rdispls}
    if pairs is not None:
        groups = (tuple(sorted({rank for pair in pairs for rank in pair})),)
    return RankExchange(
        operation,
        destinations,
        sources,
        groups or (),
        tuple(item for item in options.items() if item[1] is not None),
        pairs is not None,
    )


@ISA.instruction(
    Operand("dst", REGISTER, "w"),
    Operand("rank", Here("rank")),
    engines=SEQUENCERS,
    cost=costs.control("rank_ns"),
    vendor=_vendor("rank_id"),
    formula="dst = the number of the rank",
    example="CollectiveRankId %r0",
    source=f"{SOURCE}.rank_id; its time is taken as that of RankId (assumed)",
)
def CollectiveRankId(rank: int) -> int:
    """Put the number of the rank, among all ranks of the run, into a register."""
    return rank


@ISA.instruction(
    Operand("dst", REGISTER, "w"),
    Operand("iteration", REGISTER_OR_WORD, doc="the step of the ring, from 0 on"),
    Operand("groups", GROUPS, doc="the rings, each in its order", keyword=True),
    Operand("rank", Here("rank")),
    engines=SEQUENCERS,
    cost=costs.control("rank_ns"),
    vendor=_vendor(
        "collective_permute_implicit_current_processing_rank_id", klr="CurrentProcessingRankId"
    ),
    formula="dst = the rank that is so many steps before this one in its ring",
    example="RingRankId %r0, 1, groups=[[0]]",
    source=f"{SOURCE}.collective_permute_implicit_current_processing_rank_id; that a ring is in "
    "the order of its group, and its time, that of RankId, are assumed",
)
def RingRankId(iteration: int, groups: tuple[tuple[int, ...], ...], rank: int) -> int:
    """Put the number of the rank whose data has come after so many steps of a ring into a register.

    At step 0 that is the rank itself, then its predecessor, and so on.
    """
    for group in groups:
        if rank in group:
            return group[(group.index(rank) - iteration) % len(group)]
    raise Refused("E0562", f"rank {rank} is in none of the groups of RingRankId")
