"""Ranks that do not meet: reported with both lines, and never a hang."""

from __future__ import annotations

import json
from random import Random

import numpy as np
import pytest

import nasm
from nasm.base.problems import Failure, Problem
from nasm.machine.records import Status
from tests.parts import part

HEAD = """.target trn2
.ranks {ranks}
.hbm x f32[8, 4] input = iota
.hbm y f32[8, 4]
.hbm h bf16[8, 4] input = iota
.hbm g bf16[8, 4]
.hbm w f32[16, 4]
.sem s
@cc
    CollectiveRankId %r1
"""
BRANCH = "    CompareBranch %r1, {rank}, op=equal, target=other\n"
REST = "    CompareBranch target=end\nother:\n{theirs}end:\n    Nop\n"


def text(mine: str, theirs: str, rank: int = 1, ranks: int = 2) -> str:
    """One rank does other things than all others do."""
    return "".join((
        HEAD.format(ranks=ranks), BRANCH.format(rank=rank), lines(mine),
        REST.format(theirs=lines(theirs)),
    ))  # fmt: skip


def lines(operands: str) -> str:
    each = filter(None, operands.split("; "))
    return "".join(f"    {'' if one[0].isupper() else 'Collective '}{one}\n" for one in each)


def only(program: str) -> Problem:
    report = nasm.run(program).report
    assert report.status in (Status.DEADLOCK, Status.FAULT)
    (found,) = report.problems
    return found


REDUCE = "y, x, all_reduce, op=add"

DIFFERENT = {
    "their operation: all_reduce and all_to_all": (REDUCE, "y, x, all_to_all"),
    "op: add and maximum": (REDUCE, "y, x, all_reduce, op=maximum"),
    "the dtype of their sources: float32 and bfloat16": (REDUCE, "g, h, all_reduce, op=add"),
    "the shape of their sources: [8, 4] and [4, 4]": (REDUCE, "y[0:4], x[0:4], all_reduce, op=add"),
    "the number of their sources: 1 and 2": (REDUCE, "[y, y], [x, x], all_reduce, op=add"),
    "pairs: [[0, 1], [1, 0]] and [[1, 0]]": (
        "y, x, collective_permute, pairs=[[0, 1], [1, 0]]",
        "y, x, collective_permute, pairs=[[1, 0]]",
    ),
}


@pytest.mark.parametrize(("said", "pair"), DIFFERENT.items(), ids=list(DIFFERENT))
def test_collectives_that_differ_are_named_with_both_lines(
    said: str, pair: tuple[str, str]
) -> None:
    program = text(*pair)
    found = only(program)
    assert found.code == "E0560"
    assert said in found.message
    assert found.message.startswith("rank 0 and rank 1 meet in collectives that differ in ")
    at = [n for n, line in enumerate(program.splitlines(), 1) if "Collective " in line]
    assert found.span is not None
    assert found.span.line == at[0]
    (note,) = found.notes
    assert note.span is not None
    assert (note.message, note.span.line) == ("rank 1 is here", at[1])


def test_two_collectives_in_another_order_on_one_rank() -> None:
    other = "y, x, all_gather, groups=[[0], [1]]; w, x, all_gather"
    found = only(text(f"{REDUCE}; w, x, all_gather", f"w, x, all_gather; {REDUCE}"))
    assert found.code == "E0560"
    assert "all_reduce and all_gather" in found.message
    assert "same order" in found.hint
    assert nasm.run(text(other, other)).ok  # and a group of itself holds up no rank


def test_groups_that_differ() -> None:
    found = only(text(f"{REDUCE}, groups=[[0, 1]]", f"{REDUCE}, groups=[[1, 0]]"))
    assert found.code == "E0561"
    assert "[0, 1] and [1, 0]" in found.message


def test_groups_that_overlap_and_never_are_complete() -> None:
    mine = f"{REDUCE}, groups=[[0, 1, 2]]"
    found = only(text(mine, f"{REDUCE}, groups=[[1, 2]]", ranks=3))
    assert found.code == "E0561"
    assert "[1, 2] and [0, 1, 2]" in found.message


def test_a_rank_that_ends_without_it() -> None:
    found = only(text(REDUCE, "", rank=2, ranks=3))
    assert found.code == "E0564"
    assert found.message == "rank 0 waits for ever at all_reduce: rank 2 has ended without it"
    assert [note.message for note in found.notes] == [
        "rank 1 waits at all_reduce: rank 2 has ended without it"
    ]


def test_a_rank_that_waits_for_ever_itself() -> None:
    found = nasm.run(text(REDUCE, "EventSemaphore $s >= 1")).report.problems
    assert {one.code for one in found} == {"E0510", "E0564"}
    waits = next(one for one in found if one.code == "E0564")
    assert waits.message == "rank 0 waits for ever at all_reduce: rank 1 is deadlocked without it"


def test_a_rank_that_has_a_fault() -> None:
    found = nasm.run(
        text(REDUCE, "RegisterMove %r2, 9; Nop; y, x, all_reduce, op=add, groups=[[0]]")
    )
    codes = {one.code for one in found.report.problems}
    assert codes == {"E0562", "E0564"}
    assert "rank 1 has ended with a fault without it" in str(
        next(one for one in found.report.problems if one.code == "E0564")
    )


def test_three_ranks_in_a_circle() -> None:
    """Each waits for the next one in another collective."""
    program = HEAD.format(ranks=3) + (
        "    CompareBranch %r1, 1, op=equal, target=one\n"
        "    CompareBranch %r1, 2, op=equal, target=two\n"
        "    Collective y, x, all_reduce, op=add, groups=[[0, 1]]\n    CompareBranch target=end\n"
        "one:\n    Collective y, x, all_reduce, op=add, groups=[[1, 2]]\n"
        "    CompareBranch target=end\n"
        "two:\n    Collective y, x, all_reduce, op=add, groups=[[2, 0]]\nend:\n    Nop\n"
    )
    found = only(program)
    assert found.code == "E0564"
    assert "rank 1 waits at another one" in found.message
    assert [note.message for note in found.notes] == [
        "rank 1 waits at all_reduce: rank 2 waits at another one",
        "rank 2 waits at all_reduce: rank 0 waits at another one",
    ]


def test_counts_that_do_not_fit() -> None:
    program = (
        ".target trn2\n.ranks 2\n.hbm x i32[4] input = iota\n.hbm y i32[6]\n"
        ".hbm n u32[3, 2] input\n@cc Collective y, x, all_to_all_v, metadata=n\n"
    )
    for counts, said in (
        ([[4, 0], [1, 0], [0, 0]], "sends 4 elements to rank 0, from element 1 on, and its source"),
        ([[4, 0], [0, 0], [0, 0]], "sends 4 elements to rank 0, which has room for 3 from it"),
    ):
        report = nasm.run(program, {"n": np.array(counts, np.uint32)}).report
        (found,) = report.problems
        assert found.code == "E0563"
        assert said in found.message


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        (".ranks 0", "E0249"),
        (".ranks 5000", "E0249"),
        (".ranks 2\n.ranks 2", "E0215"),
        (".ranks 2\n.const ranks = 3", "E0202"),
        (".hbm x f32[4]\n.hbm y f32[4]\n@cc Collective y, x, all_gather, groups=[[1]]", "E0250"),
        (".ranks 2\n.hbm x f32[4]\n.hbm y f32[4]\n@cc Collective y, x, all_gather", "E0412"),
        (".ranks 2\n.hbm x f32[3]\n@cc Collective x, x, all_to_all", "E0412"),
        (
            ".ranks 2\n.hbm x f32[3]\n@cc Collective x, x, collective_permute, pairs=[[1, 1]]",
            "E0412",
        ),
        (
            ".ranks 2\n.hbm x f32[4]\n.hbm n u32[2, 3]\n"
            "@cc Collective x, x, all_to_all_v, metadata=n",
            "E0412",
        ),
    ],
)
def test_what_is_refused_when_it_is_assembled(lines: str, code: str) -> None:
    with pytest.raises(Failure) as refused:
        nasm.assemble(f".target trn2\n{lines}\n")
    assert [one.code for one in refused.value.problems] == [code]


def test_a_session_refuses_several_ranks() -> None:
    program = nasm.assemble(".target trn2\n.ranks 2\n")
    with pytest.raises(Failure, match="E0823"):
        nasm.Session(program)
    assert nasm.run(program).ok


def collectives(random: Random) -> list[str]:
    """A few collectives that differ, with groups of one size."""
    kinds = ["y, x, all_reduce, op=add", "y, x, all_reduce, op=maximum", "y, x, all_to_all"]
    groups = ["[[0, 1, 2, 3]]", "[[0, 1], [2, 3]]", "[[0, 2], [1, 3]]"]
    count = random.randint(2, 5)
    return [f"{random.choice(kinds)}, groups={random.choice(groups)}" for _ in range(count)]


def all_meet(orders: list[list[str]]) -> bool:
    """Whether all ranks get to their ends, group by group."""
    left = [[*order] for order in orders]
    while any(left):
        for rank, order in enumerate(left):
            groups = json.loads(order[0].partition("groups=")[2]) if order else []
            group: list[int] = next((g for g in groups if rank in g), [])
            if group and all(left[other][:1] == order[:1] for other in group):
                for other in group:
                    del left[other][0]
                break
        else:
            return False
    return True


@pytest.mark.parametrize("seed", part(range(200), 12))
def test_another_order_on_one_rank_is_reported_or_makes_no_difference(seed: int) -> None:
    random = Random(seed)
    mine = collectives(random)
    theirs = mine.copy()
    random.shuffle(theirs)
    rank = random.randrange(4)
    program = text("; ".join(mine), "; ".join(theirs), rank=rank, ranks=4)
    report = nasm.run(program).report
    if all_meet([theirs if number == rank else mine for number in range(4)]):
        assert report.status is Status.FINISHED
        return
    codes = {problem.code for problem in report.problems}
    assert report.status is Status.DEADLOCK
    assert codes <= {"E0560", "E0561", "E0564"}
    assert codes
    check = nasm.check(program)
    assert {problem.code for problem in check.errors} & {"E0560", "E0561", "E0564"}


def test_a_program_whose_text_says_its_ranks_is_assembled_for_them() -> None:
    program = nasm.assemble(".target trn2\n.ranks 2\n.hbm x f32[ranks]\n")
    with pytest.raises(Failure, match="assembled for 2 ranks"):
        nasm.run(program, ranks=4)
    bare = nasm.assemble(".target trn2\n.hbm x f32[4]\n")
    found = nasm.run(bare, ranks=4).ranks
    assert found is not None
    assert len(found.ranks) == 4
