"""What is said of waits and posts that could be otherwise, and that it is true."""

from __future__ import annotations

from pathlib import Path

import pytest

import nasm
from nasm.language.printing import text as printed
from nasm.program.program import Program
from nasm.runs.waits import advised
from nasm.runs.waits.candidates import Candidates
from nasm.runs.waits.edits import WaitEdits, changed, joined
from nasm.runs.waits.records import WaitReport
from nasm.runs.waits.semaphores import SemaphoreSharing
from nasm.runs.waits.trials import WaitTrials
from tests.parts import part
from tests.waits.brute import EveryChange

PROGRAMS = Path(__file__).parents[2] / "programs"
HEAD = """\
.target trn2
.hbm  X  f32[128, 64]  input
.hbm  Y  f32[128, 64]  output
.sbuf x f32[128, 64]
.sbuf y f32[128, 64]
.sbuf z f32[128, 64]
"""
CHAIN = f"""{HEAD}
.sem  loaded, made, again, stored
@sync    DmaCopy     x, X                     $loaded += 16
@scalar  Activation  y, x, op=relu            $loaded >= 16               $made++
@vector  TensorCopy  z, y                     $made >= 1                  $again++
@vector  TensorScalar  z, z, op0=add, operand0=1.0  $loaded >= 16
@gpsimd  EventSemaphore                       $loaded >= 16
@vector  EventSemaphore                                                   $made++
@sync    DmaCopy     Y, z                     $made >= 2                  $stored += 16
@sync    EventSemaphore                       $stored >= 16
"""


def said(text: str) -> WaitReport:
    found = nasm.check(text, waits=True).waits
    assert found is not None
    return found


def texts(text: str) -> list[str]:
    return [f"{one.kind} {one.span.line if one.span else 0}" for one in said(text).suggestions]


def test_what_other_waits_imply_can_go() -> None:
    found = said(CHAIN)
    kinds = {(one.kind, one.span.line) for one in found.suggestions if one.span is not None}
    assert ("drop", 12) in kinds  # vector knows that x has landed from what made y
    assert ("drop", 13) in kinds  # what gpsimd does comes before nothing
    assert not kinds & {("drop", line) for line in (10, 11, 15, 16)}
    assert all(one.together for one in found.suggestions)


def test_of_two_waits_one_of_which_is_needed_one_can_go() -> None:
    twice = f"""{HEAD}
.sem  a, b, stored
@sync    DmaCopy         x, X                        $a += 16
@scalar  EventSemaphore  $a >= 16                    $b++
@scalar  EventSemaphore                              $b++
@vector  EventSemaphore  $b >= 1
@vector  TensorCopy      y, x  $b >= 2               $b++
@sync    DmaCopy         Y, y  $b >= 3               $stored += 16
@sync    EventSemaphore  $stored >= 16
"""
    found = [one for one in said(twice).suggestions if one.kind == "drop"]
    assert [one.span.line for one in found if one.span is not None] == [13, 12]
    assert [one.together for one in found] == [True, False]


def test_a_wait_for_more_than_is_needed_is_told_how_much_is_enough() -> None:
    more = f"""{HEAD}
.sem  made, read, stored
@sync    DmaCopy     x, X                $stored += 16
@gpsimd  TensorCopy  y, x                $stored >= 16  $made++
@gpsimd  Memset      z, 0.0                             $made++
@gpsimd  Memset      z, 1.0                             $made++
@vector  TensorCopy  x, y                $made >= 3     $read++
@sync    DmaCopy     Y, x                $read >= 1     $stored += 16
@sync    EventSemaphore                  $stored >= 32
"""
    (found,) = (one for one in said(more).suggestions if one.kind == "weaker")
    assert found.text == "@vector TensorCopy waits for $made >= 3; $made >= 1 is enough"
    less = more.replace("$made >= 3", "$made >= 1")
    saved = nasm.check(more).microseconds - nasm.check(less).microseconds
    assert found.saved == pytest.approx(saved, abs=1e-9)
    assert saved > 0
    assert "weaker" not in {one.kind for one in said(less).suggestions}


def test_a_wait_is_needed_first_by_a_later_line() -> None:
    early = f"""{HEAD}
.sem  loaded, made, stored
@sync    DmaCopy     x, X                $loaded += 16
@vector  Memset      y, 0.0              $loaded >= 16
@vector  Memset      z, 0.0
@vector  TensorTensor  y, y, x, op=add                  $made++
@sync    DmaCopy     Y, y                $made >= 1     $stored += 16
@sync    EventSemaphore                  $stored >= 16
"""
    (found,) = said(early).suggestions
    assert (found.kind, found.other is not None and found.other.line) == ("later", 12)
    assert found.text == (
        "@vector Memset waits for $loaded >= 16, which line 12 (TensorTensor) can do instead"
    )
    without = early.replace("y, 0.0              $loaded >= 16", "y, 0.0")
    moved = without.replace("op=add     ", "op=add  $loaded >= 16")
    saved = nasm.check(early).microseconds - nasm.check(moved).microseconds
    assert found.saved == pytest.approx(saved, abs=1e-9)
    assert saved > 0
    assert said(moved).suggestions == ()


READ = f"""{HEAD}
.sem  loaded, used, made, stored
@sync    DmaCopy     x, X                $loaded += 16
@vector  TensorCopy  y, x                $loaded >= 16  $used++
@vector  TensorCopy  z, y                               $made++
@gpsimd  Memset      x, 0.0              $used >= 1
@sync    DmaCopy     Y, z                $made >= 1     $stored += 16
@sync    EventSemaphore                  $stored >= 16
"""


def test_a_post_can_be_made_when_its_instruction_has_read() -> None:
    (found,) = said(READ).suggestions
    assert (found.kind, found.span is not None and found.span.line) == ("at_read", 10)
    assert found.text == "@vector TensorCopy posts $used; as soon as it has read (@read) is enough"
    assert said(READ.replace("$used++", "$used++ @read")).suggestions == ()


def test_a_completion_that_a_later_line_tells_need_not_be_posted() -> None:
    read = READ.replace("$made++", "$made++ @read").replace("Y, z ", "Y, y ")
    (found,) = said(read).suggestions
    assert found.text == "@vector TensorCopy posts $used; as soon as it has read (@read) is enough"
    assert said(read.replace("$made >= 1 ", "$used >= 1 ")).suggestions == ()


def test_a_post_can_come_from_an_earlier_line() -> None:
    later = READ.replace("$loaded >= 16  $used++", "$loaded >= 16").replace(
        "@gpsimd", "@vector  EventSemaphore                                 $used++\n@gpsimd"
    )
    later = later.replace("                                 $used++", "$used++")
    (found,) = said(later).suggestions
    assert (found.kind, found.other is not None and found.other.line) == ("earlier", 10)
    assert found.text == (
        "@vector EventSemaphore posts $used, which line 10 (TensorCopy) can do instead"
    )


def test_moments_are_named() -> None:
    late = f"""{HEAD}
@sync    DmaCopy     x, X                             post loaded
@vector  Memset      y, 0.0              after loaded
@vector  TensorTensor  y, y, x, op=add                     post made
@sync    DmaCopy     Y, y                after made   post stored
@sync    EventSemaphore                  after stored
"""
    (found,) = said(late).suggestions
    assert found.text.startswith("@vector Memset waits for loaded ($loaded) >= 16, which line 10")


def test_what_hides_a_hang_is_kept() -> None:
    hidden = f"""{HEAD}
.sem  one, order, loaded, stored
@gpsimd  EventSemaphore                             give $one
@sync    DmaCopy         x, X                       $loaded += 16
@vector  EventSemaphore  $one >= 1                  $order++
@scalar  EventSemaphore  $order >= 1
@scalar  EventSemaphore  take $one
@vector  TensorCopy      y, x  $loaded >= 16        $order++
@sync    DmaCopy         Y, y  $order >= 2          $stored += 16
@sync    EventSemaphore  $stored >= 16
"""
    assert nasm.check(hidden).ok
    found = said(hidden).suggestions
    assert {one.span.line for one in found if one.span and one.kind == "drop"} == {11, 13}
    without = nasm.check(hidden.replace("EventSemaphore  $order >= 1", "EventSemaphore"))
    assert [problem.code for problem in without.errors] == ["E0544"]
    program = nasm.assemble(hidden)
    ordering = EveryChange(program).base.execution.ordering
    assert ordering is not None
    trials = WaitTrials(program, ordering.judged())
    places = [(q, 0) for q in range(len(program.queues)) if len(program.queues[q])]
    scalar = next(place for place in places if program.queue_name(place[0]) == "scalar")
    assert not trials.holds(WaitEdits({scalar: None}, {}))


def test_programs_with_errors_and_those_that_values_decide_are_not_looked_at() -> None:
    racy = CHAIN.replace(
        "x, op=relu            $loaded >= 16 ", "x, op=relu            $loaded >= 15 "
    )
    assert said(racy).reason.startswith("it has an error: nothing orders")
    assert said(racy).summary.startswith("waits were not looked at: it has an error")
    found = advised(nasm.assemble(PROGRAMS / "embedding.nasm"))
    assert found.reason == "values decide addresses, and with them what it waits for"


def test_semaphores_that_follow_each_other_are_one() -> None:
    (use,) = said((PROGRAMS / "softmax.nasm").read_text()).semaphores
    assert (use.used, use.fewest) == (4, 2)
    (group,) = use.groups
    assert (group.names, group.more) == (("loaded", "scalar", "drained"), (0, 16, 17))


LARGE = ("lm_head", "matmul_credits", "matmul_loops", "transformer_block", "attention")
NAMES = ("ring", *(pytest.param(name, marks=pytest.mark.thorough) for name in LARGE))


@pytest.mark.parametrize("name", NAMES)
def test_what_is_said_is_true_of_the_text_with_all_that_holds_together(name: str) -> None:
    path = PROGRAMS / f"{name}.nasm"
    program = nasm.assemble(path)
    every = EveryChange(program)
    ordering = every.base.execution.ordering
    assert ordering is not None
    check = ordering.judged()
    trials = WaitTrials(program, check)
    candidates = Candidates(program, check, trials)
    some = list(candidates.found())
    found = advised(program)
    assert len(found.suggestions) == len(some) > 0
    if all(one.together for one in found.suggestions):
        edits = joined(one.edits for one in some)
        assert edits is not None
        made = again(changed(program, edits), path)
        assert nasm.check(made).ok
        assert nasm.equal(program, made, tries=0).ok
        time = nasm.check(made).microseconds
        assert found.changed == pytest.approx(time, abs=1e-9)
        assert found.microseconds == pytest.approx(nasm.check(program).microseconds, abs=1e-9)


@pytest.mark.parametrize("name", part(("digits", "pair_softmax", "mx", "layernorm"), 1))
def test_a_text_with_the_fewest_semaphores_is_equal(name: str) -> None:
    path = PROGRAMS / f"{name}.nasm"
    program = nasm.assemble(path)
    ordering = EveryChange(program).base.execution.ordering
    assert ordering is not None
    sharing = SemaphoreSharing(program, ordering.judged())
    made = again(changed(program, sharing.edits()), path)
    assert nasm.check(made).ok
    assert nasm.equal(program, made, tries=0).ok
    used = {u.semaphore for q in made.queues for n in q.updates if (u := made.updates[n])}
    assert len(used) == sum(use.fewest for use in sharing.records())


def again(program: Program, path: Path) -> Program:
    """A program through its text."""
    from nasm.base.source import Source

    made = printed(program, folder=str(path.parent))
    return nasm.assemble(Source(str(path.parent / "made.nasm"), made))
