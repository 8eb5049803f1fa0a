"""What can be told of a program without its values: what is wrong with it, and nothing false."""

from __future__ import annotations

from pathlib import Path

import pytest

import nasm
from nasm.base.problems import Failure
from nasm.runs.check import Examination
from tests.parts import part
from tests.tables import each

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted((ROOT / "programs").glob("*.nasm"))
VENDOR = sorted((ROOT / "tests" / "vendor").glob("*.nasm"))

HEAD = """\
.target trn2
.hbm   X  f32[128, 8]  input = iota
.hbm   Y  f32[128, 8]  output = zeros
.sbuf  t  f32[128, 8]
.sbuf  u  f32[128, 8]
.sbuf  v  f32[128, 8]
.sem   a, b, c, stored
"""

STORE = "@sync DmaCopy Y, u $a >= 1 $stored += 16\n@sync Nop $stored >= 16\n"
"""Lines after which u is an output, once $a is 1."""


def problems_of(text: str, **options: object) -> Examination:
    return nasm.check(HEAD + text, **options)  # type: ignore[arg-type]


def lines(found: Examination, code: str) -> list[int]:
    """The lines, counted from the first after the head, that have a problem with a code."""
    before = HEAD.count("\n")
    return [p.span.line - before for p in found.problems if p.code == code and p.span]


def codes(found: Examination) -> list[str]:
    return [problem.code for problem in found.problems]


# -- what the run without values finds


def test_a_deadlock_is_found_and_its_wait_is_not_reported_of_twice() -> None:
    found = problems_of("@vector Nop $a >= 1\n")
    assert codes(found) == ["E0510"]
    assert (found.ok, found.whole, found.ended) == (False, True, "deadlock")


def test_a_race_is_found() -> None:
    found = problems_of(
        "@vector Memset t, 1.0 $a++\n@scalar TensorCopy u, t $b++\n@sync Nop $a >= 1\n"
    )
    assert [p.code for p in found.errors] == ["E0502"]


def test_where_it_stops_deciding_is_said_in_a_line_with_its_place() -> None:
    text = ".hbm n i32[1, 1] input\n@sync\n TensorLoad %r0, n\nagain:\n Nop $a++\n"
    text += " RegisterAlu %r0, %r0, 1, op=subtract\n"
    text += " CompareBranch %r0, 1, op=greater, target=again\n Nop $a >= 1\n"
    found = problems_of(text)
    assert (found.ended, found.whole, found.ok, found.ways) == ("values", False, True, 64)
    (problem,) = (p for p in found.problems if p.code == "E0535")
    assert problem.message.startswith("64 ways through the branches that values decide were judged")
    assert lines(found, "E0535") == [7]


def test_no_more_is_followed_than_was_asked_for() -> None:
    text = ".for k in 0..9\n@sync Nop\n.end\n@sync Nop $b >= 1\n@vector Nop $b++\n"
    found = problems_of(text, max_instructions=4)
    assert (found.ended, found.instructions, found.whole) == ("limit", 4, False)
    assert found.notes[-1].message.startswith("only the first 4 instructions were followed")
    assert problems_of(text).whole


def test_an_endless_loop_is_found_and_one_that_may_end_is_followed_to_the_limit() -> None:
    found = problems_of("@sync\nagain:\n CompareBranch target=again\n", max_instructions=50)
    assert (found.ended, [p.code for p in found.errors]) == ("fault", ["E0519"])
    text = "@sync\n RegisterMove %r0, 100\nagain:\n RegisterAlu %r0, %r0, 1, op=subtract\n"
    text += " CompareBranch %r0, 0, op=greater, target=again\n"
    found = problems_of(text, max_instructions=50)
    assert (found.ended, found.ok) == ("limit", True)


def test_a_program_that_does_not_assemble_raises_and_so_do_options_of_one_that_is() -> None:
    with pytest.raises(Failure, match="Npo"):
        problems_of("@sync Npo\n")
    with pytest.raises(Failure, match="already assembled"):
        nasm.check(nasm.assemble(HEAD), target="trn1")


# -- what is allowed


UNREAD = "@vector Memset t, 1.0 ; nasm: allow E0533 it is for the debugger\n"


def test_what_is_allowed_is_reported_apart_what_finds_it() -> None:
    found = problems_of(
        UNREAD + "@sync RegisterAlu %r0, %r1, 1, op=add ; nasm: allow E0505 it is 0\n"
    )
    assert [one.problem.code for one in found.allowed] == ["E0505", "E0533"]
    assert codes(found) == ["E0533"]  # of the register
    assert codes(problems_of("@vector Memset t, 1.0\n", allow=["E0533"])) == []


def test_an_allow_that_nothing_needs_is_reported_of_by_who_would_have_found_it() -> None:
    idle = "@sync Nop ; nasm: allow {} it was needed once\n"
    assert codes(problems_of(idle.format("E0533"))) == ["E0832"]
    assert codes(problems_of(idle.format("E0501"))) == []  # a run with values finds that
    report = nasm.run(HEAD.replace("output", "") + UNREAD).report
    assert report.warnings == ()


def test_strict_makes_errors_of_warnings_and_not_of_notes() -> None:
    text = "@sync\n CompareBranch target=end\n Nop\nend:\n Nop $b++\n"
    assert [p.code for p in problems_of(text, strict=True).errors] == ["E0534"]


# -- semaphores


BRANCH = "@sync\n RegisterMove %r0, 1\n CompareBranch %r0, 1, op=equal, target=end\n"


def test_a_wait_for_what_nothing_posts_is_reported_of_where_the_run_did_not_get_to_it() -> None:
    found = problems_of(BRANCH + " Nop $b >= 1\nend:\n Nop\n")
    assert codes(found) == ["E0530"]
    assert lines(found, "E0530") == [4]


@pytest.mark.parametrize("wait", ["$b >= 0", "$b >= -1", "$b == 0"])
def test_a_wait_that_holds_from_the_start_needs_no_post(wait: str) -> None:
    assert "E0530" not in codes(problems_of(BRANCH + f" Nop {wait}\nend:\n Nop\n"))


@pytest.mark.parametrize("post", ["$b++", "$b += 3", "$b = 1", "$b++@read"])
def test_any_update_is_a_post(post: str) -> None:
    found = problems_of(BRANCH + f" Nop $b >= 1\nend:\n Nop\n@vector Nop {post}\n")
    assert codes(found) == []


def test_a_post_that_is_never_reached_is_none() -> None:
    text = "@vector\n CompareBranch target=over\n Nop $b++\nover:\n Nop\n"
    found = problems_of(BRANCH + " Nop $b >= 1\nend:\n Nop\n" + text)
    assert sorted(codes(found)) == ["E0530", "E0534"]


def test_every_line_that_waits_so_is_named_in_one_report() -> None:
    found = problems_of(BRANCH + ".for k in 0..3\n Nop $b >= 1\n.end\n Nop $b >= 2\nend:\n Nop\n")
    (problem,) = found.problems
    assert "Nop of sync (all 3 rounds) waits for $b, which nothing posts" in problem.message
    assert [note.span.line - HEAD.count("\n") for note in problem.notes if note.span] == [7]


def test_what_nothing_waits_for_is_one_note_for_a_semaphore() -> None:
    found = problems_of(
        ".for k in 0..3\n@vector Nop $b++\n.end\n@vector Nop $b++\n@scalar Nop $b++\n"
    )
    assert codes(found) == ["E0531"]
    said = "nothing waits for $b, which the 3 rounds of Nop of vector and 2 other lines post"
    assert found.notes[0].message == said


def test_a_transfer_that_the_run_warns_of_is_not_reported_of_again() -> None:
    assert codes(problems_of("@sync DmaCopy t, X $b += 16\n")) == ["E0514"]


# -- waits that order nothing


def test_a_wait_for_what_a_counter_never_is_below_orders_nothing() -> None:
    text = "@vector Nop $b++\n.for k in 0..2\n@sync Nop $b >= k - 1\n.end\n@sync Nop $b >= 1\n"
    assert lines(problems_of(text), "E0532") == [3]
    assert lines(problems_of(text.replace("k - 1", "k").replace(">= 1", ">= 2")), "E0532") == []


def test_a_wait_for_nothing_may_order_where_the_counter_goes_down() -> None:
    text = "@vector Nop $b -= 1\n@vector Nop $b += 1\n@sync Nop $b >= 0\n"
    assert "E0532" not in codes(problems_of(text))
    assert "E0532" not in codes(
        problems_of("@vector Nop $b = -1\n@vector Nop $b++\n@sync Nop $b >= 0\n")
    )


def test_a_wait_for_what_its_queue_has_waited_for_orders_nothing() -> None:
    posts = "@vector Nop $b++\n@vector Nop $b++\n"
    assert lines(problems_of(posts + "@sync Nop $b >= 2\n@sync Nop $b >= 1\n"), "E0532") == [4]
    assert lines(problems_of(posts + "@sync Nop $b >= 1\n@sync Nop $b >= 1\n"), "E0532") == [4]
    assert lines(problems_of(posts + "@sync Nop $b >= 1\n@sync Nop $b >= 2\n"), "E0532") == []


@pytest.mark.parametrize("down", ["Nop $b -= 1", "Nop $b = 0", "EventSemaphoreRangeClear 1, 1"])
def test_but_not_where_something_takes_the_counter_down_meanwhile(down: str) -> None:
    text = f"@vector Nop $b += 2\n@sync Nop $b >= 1\n@sync {down}\n@sync Nop $b >= 1\n"
    assert lines(problems_of(text), "E0532") == []
    assert lines(problems_of(text.replace(down, "Nop")), "E0532") == [4]


def test_another_queue_s_wait_is_no_reason() -> None:
    text = "@vector Nop $b++\n@sync Nop $b >= 1\n@scalar Nop $b >= 1\n"
    assert codes(problems_of(text)) == []


CHAIN = """\
@vector Memset t, 1.0               $a++
@scalar TensorCopy u, t   $a >= 1   $b++
@gpsimd Nop               $b >= 1
@gpsimd TensorCopy v, t   $a >= 1   $c++
@sync DmaCopy Y, v        $c >= 1   $stored += 16
@sync Nop                 $stored >= 16
"""


def test_a_wait_for_what_other_waits_have_seen_to_orders_nothing() -> None:
    assert lines(problems_of(CHAIN), "E0532") == [4]
    assert lines(problems_of(CHAIN.replace("$b++", "$b++@read")), "E0532") == [
        4
    ]  # it started after $a


def test_a_wait_that_other_waits_come_after_does() -> None:
    unordered = CHAIN.replace("TensorCopy u, t   $a >= 1   $b++", "Nop   $b++")
    assert lines(problems_of(unordered), "E0532") == []


def test_a_wait_in_a_loop_at_run_time_orders_nothing_if_no_execution_of_it_does() -> None:
    text = "@vector Nop $a++\n@vector Nop $a++\n@sync\n RegisterMove %r0, 2\nagain:\n"
    text += " Nop $a >= {}\n RegisterAlu %r0, %r0, 1, op=subtract\n"
    text += " CompareBranch %r0, 0, op=greater, target=again\n"
    assert lines(problems_of(text.format(1)), "E0532") == []
    assert lines(problems_of("@sync Nop $a >= 1\n" + text.format(1)), "E0532") == [7]


# -- dead instructions and code


def test_a_result_that_nothing_reads_is_reported_of_and_so_is_what_only_it_reads() -> None:
    text = "@vector Memset t, 1.0\n@vector TensorCopy v, t\n@vector Memset u, 2.0 $a++\n" + STORE
    assert lines(problems_of(text), "E0533") == [1, 2]


@pytest.mark.parametrize(
    "use",
    [
        "@vector TensorCopy v, t $b++\n@sync Nop $b >= 1\n",  # its update orders something
        "@gpsimd DevicePrint t\n",
        ".expect t == 1\n",
        "@sync DmaCopy Y, t $a >= 1 $stored += 16\n@sync Nop $stored >= 16\n",
        "@vector TensorTensor u, u, t, op=add $a++\n" + STORE,
        "@vector TensorCopy u[:, 0:1], t[:, 7:8] $a++\n" + STORE,
    ],
)
def test_a_result_that_matters_is_not(use: str) -> None:
    assert 1 not in lines(
        problems_of(f"@vector Memset t, 1.0\n@vector Memset u, 1.0\n{use}"), "E0533"
    )


def test_bytes_decide_and_not_tensors() -> None:
    text = "@vector Memset t[:, 0:4], 1.0\n@vector Memset t[:, 4:8], 1.0\n"
    text += "@vector TensorCopy u[:, 0:4], t[:, 4:8] $a++\n" + STORE
    assert lines(problems_of(text), "E0533") == [1]


def test_a_second_name_of_the_bytes_is_a_reader_too() -> None:
    text = ".sbuf p f32[128, 8] @ 0:4096\n.sbuf q f32[128, 8] @ 0:4112\n@vector Memset p, 1.0\n"
    text += "@vector TensorCopy u, q $a++\n" + STORE
    assert lines(problems_of(text), "E0533") == []
    assert lines(problems_of(text.replace("4112", "4128")), "E0533") == [3]


def test_a_reader_in_an_earlier_round_counts() -> None:
    text = "@vector\n RegisterMove %r0, 3\n Memset t, 0.0\nagain:\n TensorCopy u, t $a++\n"
    text += " Memset t, 1.0\n RegisterAlu %r0, %r0, 1, op=subtract\n"
    text += " CompareBranch %r0, 0, op=greater, target=again\n"
    assert lines(problems_of(text + STORE), "E0533") == []


def test_a_line_is_reported_of_only_if_all_its_rounds_are_dead() -> None:
    text = ".for k in 0..2\n@vector Memset t[:, 4*k : +4], 1.0\n.end\n"
    text += "@vector TensorCopy u[:, 0:4], t[:, 0:4] $a++\n" + STORE
    assert lines(problems_of(text), "E0533") == []
    assert lines(problems_of(text.replace("t[:, 0:4]", "v[:, 0:4]")), "E0533") == [2]


def test_registers_and_what_an_engine_holds_are_results() -> None:
    text = "@sync\n RegisterMove %r1, 5\n RegisterMove %r0, 1\n"
    text += " CompareBranch %r0, 1, op=equal, target=end\nend:\n Nop\n"
    assert lines(problems_of(text), "E0533") == [2]
    found = problems_of("@vector MatchValueLoad t\n")
    assert [p.message for p in found.notes] == [
        "nothing depends on what vector pc 0 (MatchValueLoad) writes to the match values"
    ]


def test_an_address_in_a_register_keeps_what_sets_it() -> None:
    text = "@vector\n RegisterMove %r0, 2\n Memset t, 1.0\n"
    text += " TensorCopy u[:, 0:2], t[:, %r0 : +2] $a++\n"
    assert lines(problems_of(text + STORE), "E0533") == []


def test_code_behind_a_jump_is_never_reached() -> None:
    text = "@sync\n CompareBranch target=end\n Nop\n Nop\nend:\n Nop\n"
    found = problems_of(text)
    assert lines(found, "E0534") == [3]
    assert [p.message for p in found.warnings] == [
        "sync pc 1 (Nop) is never reached, nor is the line after it"
    ]


@pytest.mark.parametrize(
    ("branch", "reached"),
    [
        ("CompareBranch %r0, 1, op=equal, target=end", True),
        ("CompareBranch op=always, target=end", False),
        ("CompareBranch target=end", False),
    ],
)
def test_a_branch_that_depends_on_a_register_may_go_either_way(branch: str, reached: bool) -> None:
    found = problems_of(f"@sync\n RegisterMove %r0, 1\n {branch}\n Nop\nend:\n Nop\n")
    assert ("E0534" not in codes(found)) is reached


def test_code_that_a_later_branch_comes_back_to_is_reached() -> None:
    text = "@sync\n CompareBranch target=over\nback:\n CompareBranch target=end\nover:\n"
    text += " CompareBranch target=back\nend:\n Nop\n"
    assert codes(problems_of(text)) == []


# -- real programs


@each("path", part([*PROGRAMS, *VENDOR], 20), ids=lambda path: path.stem)
def test_real_programs_have_no_errors_and_nothing_dead(path: Path) -> None:
    found = nasm.check(path)
    assert found.errors == ()
    assert {p.code for p in found.problems} <= {"E0532", "E0535"}


def test_moments_leave_no_wait_that_orders_nothing() -> None:
    for sizes in ({}, {"N": 2048}):
        assert nasm.check(ROOT / "programs" / "matmul_tiled.nasm", defines=sizes).problems == ()


def test_what_is_found_is_said_by_its_text() -> None:
    found = problems_of("@vector Nop $b++\n")
    assert "note" in repr(found) or "warning" in repr(found)
    assert str(found).startswith(str(found.problems[0]))
    assert str(problems_of("")) == "nothing was found"
