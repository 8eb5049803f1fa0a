"""Small texts with moments, and just the waits and updates that they become."""

from __future__ import annotations

import numpy as np
import pytest

import nasm
from nasm.base.problems import Failure, Problem
from nasm.language.printing import text as printed
from tests.tables import each

HEAD = """\
.target {target}
.hbm   A  f32[128, 64]  input = iota
.hbm   O  f32[128, 64]  inout = zeros
.sbuf  a  f32[128, 64]
.sbuf  b  f32[128, 64]
.sbuf  c  f32[128, 64]
.sem   s
"""

BRANCH = "CompareBranch %r0, 1, op=equal, target=x"


def program(text: str, target: str = "trn2", **more: object) -> nasm.Program:
    """A text as a program."""
    return nasm.assemble(HEAD.format(target=target) + text, **more)  # type: ignore[arg-type]


def synced(text: str, **more: object) -> list[str]:
    """All waits and updates of a text, engine by engine."""
    return waits_and_updates(program(text, **more))  # type: ignore[arg-type]


def waits_and_updates(made: nasm.Program) -> list[str]:
    """All waits and updates of a program."""
    found = []
    for queue, lines in enumerate(made.queues):
        for pc in range(len(lines)):
            wait, update = made.waits[lines.waits[pc]], made.updates[lines.updates[pc]]
            words = [lines.engine, made.instruction(queue, pc).row.name]
            if wait is not None:
                words.append(f"${made.semaphore_name(wait.semaphore)} {wait.op} {wait.value}")
            if update is not None:
                read = " @read" if update.at_read else ""
                name = made.semaphore_name(update.semaphore)
                words.append(f"${name} {update.op}= {update.value}{read}")
            if len(words) > 2:
                found.append(" ".join(words))
    return found


def problem(text: str, **more: object) -> Problem:
    """The one thing that is wrong with a text."""
    with pytest.raises(Failure) as failure:
        program(text, **more)  # type: ignore[arg-type]
    (found,) = failure.value.problems
    return found


def test_a_completion_is_counted_by_its_queue() -> None:
    assert synced("@vector Memset a, 1 post x\n@gpsimd TensorCopy b, a after x") == [
        "vector Memset $vector += 1",
        "gpsimd TensorCopy $vector >= 1",
    ]


def test_a_moment_that_nothing_waits_for_takes_nothing() -> None:
    assert synced("@vector Memset a, 1 post x") == []


def test_a_landing_has_a_semaphore_of_its_name() -> None:
    assert synced("@sync DmaCopy a, A post load\n@vector TensorCopy b, a after load") == [
        "vector TensorCopy $load >= 16",
        "sync DmaCopy $load += 16",
    ]


def test_transfers_that_the_same_lines_await_share_a_semaphore() -> None:
    text = """\
@sync   DmaCopy a, A  post x
@scalar DmaCopy b, A  post y
@vector TensorTensor c, a, b, op=add  after x, y
"""
    assert synced(text) == [
        "vector TensorTensor $x >= 32",
        "scalar DmaCopy $x += 16",
        "sync DmaCopy $x += 16",
    ]


def test_transfers_that_different_lines_await_do_not() -> None:
    text = """\
@sync   DmaCopy a, A  post x
@sync   DmaCopy b, A  post y
@vector TensorCopy c, a  after x
@gpsimd TensorCopy b, b  after x, y
"""
    assert synced(text) == [
        "vector TensorCopy $x >= 16",
        "gpsimd EventSemaphore $x >= 16",
        "gpsimd TensorCopy $y >= 16",
        "sync DmaCopy $x += 16",
        "sync DmaCopy $y += 16",
    ]


def test_a_semaphore_is_used_again_once_its_transfer_is_known_to_have_landed() -> None:
    text = """\
@sync   DmaCopy a, A  post x[0]
@vector TensorCopy b, a  after x[0] post copied
@sync   DmaCopy a, A  after copied post x[1]
@vector TensorCopy c, a  after x[1]
"""
    assert synced(text) == [
        "vector TensorCopy $x >= 16 $vector += 1",
        "vector TensorCopy $x >= 32",
        "sync DmaCopy $x += 16",
        "sync DmaCopy $vector >= 1 $x += 16",
    ]


def test_a_semaphore_is_not_used_again_if_one_of_several_may_land_before_that() -> None:
    text = """\
@sync   DmaCopy a, A                      post load[0]
@vector TensorCopy c[:, 0:8], a[:, 0:8]   after load[0]
@gpsimd DmaCopy b, A                      post load[1]
@sync   DmaCopy c[:, 8:64], A[:, 8:64]    after load[0] post load[2]
@scalar TensorCopy b, c                   after load[1], load[2]
"""
    # load[1] may land before load[0] has: on one semaphore it would let the vector engine go on.
    assert synced(text) == [
        "vector TensorCopy $load >= 16",
        "scalar TensorCopy $load_2 >= 32",
        "gpsimd DmaCopy $load_2 += 16",
        "sync DmaCopy $load += 16",
        "sync DmaCopy $load >= 16 $load_2 += 16",
    ]


@pytest.mark.parametrize(("left", "names"), [(2, {"load", "more"}), (1, {"load"})])
def test_moments_of_several_names_share_a_semaphore_only_where_they_have_to(
    left: int, names: set[str]
) -> None:
    taken = ", ".join(f"own{n}" for n in range(255 - left))  # HEAD has one
    text = f"""\
.sem {taken}
@sync   DmaCopy a, A                     post load
@sync   DmaCopy b, A         after load  post more
@sync   Nop                  after more
@sync   Nop                  after load
"""
    made = program(text)
    assert {n for n in made.semaphores if n != "s" and not n.startswith("own")} == names


def test_what_another_wait_brings_is_not_waited_for() -> None:
    text = """\
@vector Memset a, 1  post one
@gpsimd TensorCopy b, a  after one post two
@scalar TensorCopy c, b  after one, two
"""
    assert synced(text) == [
        "vector Memset $vector += 1",
        "scalar TensorCopy $gpsimd >= 1",
        "gpsimd TensorCopy $vector >= 1 $gpsimd += 1",
    ]


def test_a_later_completion_of_a_queue_brings_the_earlier_ones() -> None:
    text = """\
@vector Memset a, 1  post x
@vector Memset b, 1  post y
@gpsimd TensorTensor c, a, b, op=add  after x, y
"""
    assert synced(text) == ["vector Memset $vector += 1", "gpsimd TensorTensor $vector >= 1"]


def test_a_read_is_posted_at_the_start_and_counted_apart() -> None:
    text = """\
@vector TensorCopy b, a  post read @read
@vector TensorCopy c, b  post copied
@gpsimd Memset a, 1  after read
@gpsimd TensorCopy a, c  after copied
"""
    assert synced(text) == [
        "vector TensorCopy $vector_read += 1 @read",
        "vector TensorCopy $vector += 1",
        "gpsimd Memset $vector_read >= 1",
        "gpsimd TensorCopy $vector >= 1",
    ]


def test_a_read_and_a_completion_of_one_line_take_an_instruction_more() -> None:
    text = """\
@vector TensorCopy b, a  post read @read post done
@gpsimd Memset a, 1  after read
@scalar TensorCopy c, b  after done
"""
    assert synced(text) == [
        "vector TensorCopy $vector_read += 1 @read",
        "vector EventSemaphore $vector += 1",
        "scalar TensorCopy $vector >= 1",
        "gpsimd Memset $vector_read >= 1",
    ]


def test_written_waits_and_updates_stay_with_their_line() -> None:
    text = """\
@vector Memset a, 1  $s++ post x
@gpsimd TensorCopy b, a  $s >= 1 after x
"""
    assert synced(text) == [
        "vector Memset $s += 1",
        "vector EventSemaphore $vector += 1",
        "gpsimd EventSemaphore $vector >= 1",
        "gpsimd TensorCopy $s >= 1",
    ]


def test_issuing_is_not_being_complete() -> None:
    # The transfer reads apart from its queue, which has to see its own write complete.
    assert synced("@vector Memset a, 1 post x\n@vector DmaCopy O, a after x") == [
        "vector Memset $vector += 1",
        "vector DmaCopy $vector >= 1",
    ]


def test_what_the_interlock_has_waited_for_is_known() -> None:
    text = """\
@vector Memset a, 1  post x
@vector TensorCopy b, a
@vector DmaCopy O, a  after x
"""
    assert synced(text) == []
    assert synced(text, options={"ordering": "relaxed"}) == [
        "vector Memset $vector += 1",
        "vector DmaCopy $vector >= 1",
    ]


def test_the_interlock_of_a_line_that_a_branch_may_skip_tells_nothing() -> None:
    lines = "@vector\nMemset a, 1  post x\n{}TensorCopy b, a\n{}Memset c, 1  after x"
    assert synced(lines.format("", "")) == []
    assert synced(lines.format(f"{BRANCH}\n", "x: Nop\n")) == [
        "vector Memset $vector += 1",
        "vector Memset $vector >= 1",
    ]


def test_a_text_may_are_engine_by_engine_in_any_order() -> None:
    text = """\
@gpsimd
TensorCopy b, a  after x post y
@vector
Memset a, 1  post x
TensorCopy c, b  after y
"""
    assert synced(text) == [
        "vector Memset $vector += 1",
        "vector TensorCopy $gpsimd >= 1",
        "gpsimd TensorCopy $vector >= 1 $gpsimd += 1",
    ]


def test_moments_of_rounds_of_for_differ() -> None:
    text = """\
@vector
.for i in 0..3
Memset a, i  post set[i]
.end
@gpsimd TensorCopy b, a  after set[2 - 1]
"""
    assert synced(text) == ["vector Memset $vector += 1", "gpsimd TensorCopy $vector >= 1"]


def test_lines_that_are_alike_have_moments_of_their_own() -> None:
    lines = "".join(f"@vector Memset a, {i} post m[{i}]\n" for i in range(6))
    text = f"{lines}@gpsimd TensorCopy b, a after m[4]\n@gpsimd TensorCopy c, a after m[5]\n"
    assert synced(text) == [
        "vector Memset $vector += 1",
        "vector Memset $vector += 1",
        "gpsimd TensorCopy $vector >= 1",
        "gpsimd TensorCopy $vector >= 2",
    ]


def test_a_tensor_may_be_called_post_or_after() -> None:
    text = """\
.sbuf post f32[128, 64]
.sbuf after f32[128, 64]
@vector Memset post, 1 post post_it
@gpsimd TensorCopy after, post after post_it
"""
    assert synced(text) == ["vector Memset $vector += 1", "gpsimd TensorCopy $vector >= 1"]


def test_semaphores_get_other_names_where_theirs_are_taken() -> None:
    text = "@sync DmaCopy a, A post s\n@vector TensorCopy b, a after s"
    assert synced(text) == ["vector TensorCopy $s_2 >= 16", "sync DmaCopy $s_2 += 16"]


# -- drains


def test_a_drain_waits_for_what_its_queue_has_issued() -> None:
    text = """\
@scalar DmaCopy b, A
@sync   DmaCopy a, A
@sync   DmaCopy c, A
@sync   .drain
"""
    assert synced(text) == [
        "sync DmaCopy $drained += 16",
        "sync DmaCopy $drained += 16",
        "sync EventSemaphore $drained >= 32",
    ]


def test_a_drain_of_all_waits_for_all_queues() -> None:
    text = "@scalar DmaCopy b, A\n@sync DmaCopy a, A\n@sync .drain all"
    assert synced(text) == [
        "scalar DmaCopy $drained += 16",
        "sync DmaCopy $drained += 16",
        "sync EventSemaphore $drained >= 32",
    ]


def test_a_drain_of_what_is_known_to_have_landed_takes_nothing() -> None:
    text = """\
@sync   DmaCopy a, A  post x
@vector TensorCopy b, a  after x post y
@sync   Nop  after y
@sync   .drain
"""
    assert "sync EventSemaphore" not in " ".join(synced(text))


def test_a_drain_counts_on_a_semaphore_that_only_its_transfers_update() -> None:
    text = "@sync DmaCopy a, A $s += 16\n@sync DmaCopy b, A $s += 16\n@sync .drain"
    assert synced(text)[-1] == "sync EventSemaphore $s >= 32"
    # Transfers behind the drain are issued when it is over.
    assert synced(text + "\n@sync DmaCopy c, A $s += 16")[2] == "sync EventSemaphore $s >= 32"


def test_a_drain_waits_for_what_a_line_before_it_waited_for_only_once() -> None:
    text = "@sync DmaCopy a, A $s += 16\n@sync Nop $s >= 16\n@sync .drain"
    assert synced(text) == ["sync DmaCopy $s += 16", "sync Nop $s >= 16"]


def test_a_drain_waits_for_more_than_a_line_before_it_did() -> None:
    text = (
        "@sync DmaCopy a, A $s += 16\n@sync DmaCopy b, A $s += 16\n@sync Nop $s >= 16\n@sync .drain"
    )
    assert synced(text)[2:] == ["sync Nop $s >= 16", "sync EventSemaphore $s >= 32"]


def test_a_drain_does_not_rely_on_a_wait_that_a_branch_may_skip() -> None:
    text = f"@sync\nDmaCopy a, A $s += 16\n{BRANCH}\nNop $s >= 16\nx: Nop\n.drain"
    assert synced(text)[1:] == ["sync Nop $s >= 16", "sync EventSemaphore $s >= 16"]


def test_a_drain_does_not_count_what_others_may_have_posted() -> None:
    found = problem("@sync DmaCopy a, A $s += 16\n@scalar DmaCopy b, A $s += 16\n@sync .drain")
    assert found.code == "E0334"
    assert "$s counts what to drain, and DmaCopy on scalar updates it, too" in found.message


@pytest.mark.parametrize(
    "text",
    [
        ".loop k in 0..2\n@sync DmaCopy a, A $s += 16\n.end\n@sync .drain",
        "@sync DmaCopy a, A $s += 16\n.loop k in 0..2\n@sync .drain\n.end",
        ".loop k in 0..2\n@sync DmaCopy a, A $s += 16\n@sync .drain\n.end",
    ],
)
def test_a_drain_does_not_count_in_loops(text: str) -> None:
    found = problem(text)
    assert found.code == "E0334"
    assert "$s counts what to drain, and DmaCopy on sync updates it in a loop" in found.message


# -- several at a time


def test_a_range_of_an_index_is_each_of_its_moments() -> None:
    rows = [(f"a[{n} : +1]", f"A[{n} : +1]", n) for n in range(3)]
    loads = "".join(f"@sync DmaCopy {dst}, {src} post load[{n}]\n" for dst, src, n in rows)
    for after in ("load[0..3]", "load[0..2], load[2]", "load[0], load[1], load[2]"):
        assert synced(f"{loads}@vector TensorCopy b, a after {after}") == [
            "vector TensorCopy $load >= 48",
            *["sync DmaCopy $load += 16"] * 3,
        ]
    assert synced(f"{loads}@vector TensorCopy b, a after load[1..1]") == []


def test_ranges_of_two_indices_are_all_pairs() -> None:
    pairs = [(0, 0), (0, 1), (1, 0), (1, 1)]
    posts = "".join(
        f"@sync DmaCopy a[{2 * m + n} : +1], A[0:1] post l[{m}, {n}]\n" for m, n in pairs
    )
    found = synced(posts + "@vector Nop after l[0..2, 0..2]")
    assert found == ["vector Nop $l >= 64", *["sync DmaCopy $l += 16"] * 4]


def test_a_range_reaches_no_further_than_what_is_posted() -> None:
    found = problem("@vector Nop post x[0]\n@gpsimd Nop after x[0..2]")
    assert found.code == "E0331"
    assert "nothing posts x[1]" in found.message


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("@gpsimd Nop after x[0..1.5]", "E0210", "wanted an integer, found 1.5"),
        ("@gpsimd Nop after x[0..10**30]", "E0211", "countless moments; wanted at most 1,000,000"),
        ("@gpsimd Nop after x[0..2000, 0..2000]", "E0211", "4,000,000 moments"),
        ("@gpsimd Nop post x[0..2]", "E0101", "found '..'"),
        (".loop k in 0..4\n@gpsimd Nop after x[k..k + 2]\n.end", "E0231", "known only at run time"),
    ],
)
def test_what_is_wrong_with_a_range_is_said(text: str, code: str, said: str) -> None:
    found = problem(text)
    assert found.code == code
    assert said in found.message


# -- what is wrong


@each(
    ("text", "code", "said"),
    [
        ("@vector Nop after x", "E0331", "nothing posts x"),
        ("@vector Nop post x[0]\n@gpsimd Nop after x[1]", "E0331", "nothing posts x[1]"),
        ("@vector Nop post x[0]\n@gpsimd Nop after x", "E0331", "has 0 indices, posted with 1"),
        ("@vector Nop post x\n@gpsimd Nop post x", "E0332", "x is posted twice"),
        ("@vector Nop after x post x", "E0333", "none can be the first"),
        ("@vector Nop after x\n@vector Nop post x", "E0333", "none can be the first"),
        ("@sync DmaCopy a, A post x @read", "E0334", "is a transfer"),
        ("@sync DmaCopy a, A post x $s += 16", "E0334", "updates $s when it lands"),
        ("@vector\nx: Nop post m\n" + BRANCH, "E0334", "written branch"),
        ("@vector\n" + BRANCH + "\nNop post m\nx: Nop", "E0334", "written branch"),
        ("@vector\nx: Nop\n" + BRANCH + " post m", "E0334", "written branch"),
        ("@gpsimd Nop post m\n@vector\nx: Nop\n" + BRANCH + " after m", "E0334", "written branch"),
        (".core 0\n@vector Nop post x\n.core 1\n@vector Nop after x", "E0334", "in core 0"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(text: str, code: str, said: str) -> None:
    found = problem(text)
    assert found.code == code
    assert said in found.message
    assert found.span is not None


def test_a_circle_names_each_line_of_it() -> None:
    text = """\
@vector Memset a, 1  after b1 post a1
@gpsimd Memset b, 1  after a1 post b1
"""
    found = problem(text)
    assert [note.message for note in found.notes] == [
        "Memset on vector comes after b1, which Memset on gpsimd posts",
        "Memset on gpsimd comes after a1, which Memset on vector posts",
    ]


def test_too_few_semaphores_are_reported_with_who_holds_which() -> None:
    lines = [".sem " + ", ".join(f"own{n}" for n in range(253))]
    lines += [f"@sync DmaCopy a, A post load[{n}]" for n in range(3)]
    lines += [
        f"@{engine} Nop after load[{n}]" for n, engine in enumerate(("vector", "scalar", "gpsimd"))
    ]
    found = problem("\n".join(lines))
    assert found.code == "E0335"
    assert "core 0 has 2 semaphores left" in found.message
    assert "$load: load, line 9" in found.hint
    assert "$load_2: load, line 10" in found.hint


def test_a_label_is_before_what_a_line_waits_for() -> None:
    text = """\
@vector Memset a, 1  post x
@scalar DmaCopy b, A  post y
@gpsimd
here: TensorTensor c, a, b, op=add  after x, y
"""
    made = program(text)
    lines = next(q for q in made.queues if q.engine == "gpsimd")
    assert lines.labels == {"here": 0}
    assert len(lines) == 2


def test_the_printed_program_is_the_same_program() -> None:
    text = """\
@sync   DmaCopy a, A  post x
@vector TensorCopy b, a  $s++ after x post y
@sync   DmaCopy O, b  after y
@sync   .drain
"""
    again = nasm.assemble(printed(program(text)))
    assert printed(again) == printed(program(text))
    assert waits_and_updates(again) == synced(text)


def test_a_run_with_moments_has_no_race_and_the_right_values() -> None:
    text = """\
@sync   DmaCopy a, A  post x
@vector TensorTensor b, a, a, op=add  after x post y
@sync   DmaCopy O, b  after y
@sync   .drain
"""
    session = nasm.Session(program(text))
    report = session.run()
    assert report.ok
    assert not report.hazards
    assert not report.warnings
    wanted = 2 * np.arange(128 * 64, dtype=np.float32).reshape(128, 64)
    np.testing.assert_array_equal(session.read("O"), wanted)


def test_what_is_typed_into_a_run_has_moments_of_its_own() -> None:
    session = nasm.Session(program("@vector Memset a, 1"))
    session.execute("@vector Memset a, 2 post x\n@gpsimd TensorCopy b, a after x")
    assert session.read("b")[0, 0] == 2


def test_a_moment_of_a_branch_that_is_not_taken_is_found_there() -> None:
    found = problem(".if 0\n@vector Memset a, 1 post set\n.end\n@gpsimd Nop after set")
    assert found.code == "E0331"
    (note,) = found.notes
    assert "not taken" in note.message
    assert note.span is not None
    assert note.span.text == "post set"
    assert "'after set if condition'" in found.hint


def test_a_moment_of_another_branch_is_found_there_too() -> None:
    body = ".if 1\nNop\n.elif 1\nNop\n.else\n@vector Memset a, 1 post set\n.end"
    found = problem(f"@gpsimd\n{body}\n@gpsimd Nop after set")
    assert [note.message for note in found.notes] == ["posted in an '.if' branch that is not taken"]
