"""Small loops with moments, and just the waits and updates that they become."""

from __future__ import annotations

import numpy as np
import pytest

import nasm
from tests.sync.moments.test_unrolled import problem, program, synced
from tests.sync.test_loops_random import judged


def rows(text: str, engine: str) -> list[str]:
    """The instructions of an engine."""
    made = program(text)
    queue = next(n for n, lines in enumerate(made.queues) if lines.engine == engine)
    return [made.instruction(queue, pc).row.name for pc in range(len(made.queues[queue]))]


ROWS = ".hbm R f32[8, 128, 64] input = iota\n"


def test_a_moment_of_the_round_is_taken_by_who_waits_for_it() -> None:
    text = """\
.loop k in 0..4
@vector Memset a, 1  after used[k - 1] post set[k]
@gpsimd TensorCopy b, a  after set[k] post used[k] @read
.end
"""
    assert synced(text) == [
        "vector EventSemaphore $used += 1",
        "vector EventSemaphore $used >= 1 $used += -1",
        "vector Memset $set += 1",
        "gpsimd EventSemaphore $set >= 1 $set += -1",
        "gpsimd TensorCopy $used += 1 @read",
    ]


def test_a_line_that_updates_nothing_takes_by_itself() -> None:
    text = """\
.loop k in 0..4
@vector Memset a, 1  post set[k]
@gpsimd TensorCopy b, a  after set[k]
.end
"""
    assert synced(text) == ["vector Memset $set += 1", "gpsimd TensorCopy $set >= 1 $set += -1"]


def test_who_waits_for_a_round_before_is_credited_as_many() -> None:
    text = """\
.loop k in 0..8
@gpsimd TensorCopy b, a  after set[k - 2]
@vector Memset a, 1  post set[k]
.end
"""
    assert synced(text) == [
        "vector Memset $set += 1",
        "gpsimd EventSemaphore $set += 2",
        "gpsimd TensorCopy $set >= 1 $set += -1",
    ]


def test_a_loop_that_is_entered_again_goes_on_from_its_last_rounds() -> None:
    text = """\
.loop i in 0..2
.loop k in 0..8
@gpsimd TensorCopy b, a  after set[i, k - 2]
@vector Memset a, 1  post set[i, k]
.end
.end
"""
    assert synced(text) == [
        "vector Memset $set += 1",
        "gpsimd EventSemaphore $set += 2",
        "gpsimd TensorCopy $set >= 1 $set += -1",
    ]
    # It is lent once, before the outer loop.
    assert [row for row in rows(text, "gpsimd") if row != "RegisterAlu"] == [
        "EventSemaphore",
        "RegisterMove",
        "RegisterMove",
        "TensorCopy",
        "CompareBranch",
        "CompareBranch",
    ]


def beside(first: str, second: str, around: str = ".loop i in 0..2") -> str:
    """Two loops beside each other: in the second, lines of the first are other ones."""
    body = """\
.loop k in 0..8
@gpsimd TensorCopy b, a  after set[k - 2]
@vector Memset a, 1  post set[k]
.end
"""
    end = ".end" if around else ""
    return f"{around}\n{body}{body.replace(first, second)}{end}\n"


ALIKE = ["vector Memset $set += 1"] * 2
ALIKE += ["gpsimd EventSemaphore $set += 2", *["gpsimd TensorCopy $set >= 1 $set += -1"] * 2]


@pytest.mark.parametrize("around", [".loop i in 0..2", ""])
@pytest.mark.parametrize(
    ("first", "second"), [("", ""), ("0..8", "2..4"), ("b, a", "c, a"), ("[k", "[4 + k")]
)
def test_a_loop_goes_on_from_one_beside_it_that_is_alike(
    first: str, second: str, around: str
) -> None:
    assert synced(beside(first, second, around)) == ALIKE


def test_loops_that_post_other_moments_do_not_go_on_from_each_other() -> None:
    found = synced(beside("set[", "put["))
    assert found == [
        "vector Memset $set += 1",
        "vector Memset $put += 1",
        "gpsimd EventSemaphore $set += 2",
        "gpsimd EventSemaphore $put += 2",
        "gpsimd TensorCopy $set >= 1 $set += -1",
        "gpsimd TensorCopy $put >= 1 $put += -1",
    ]
    assert synced(beside("set[", "set[1, ")) == [line.replace("put", "set_2") for line in found]


def test_a_wait_that_follows_in_one_of_loops_that_are_alike_is_needed_in_the_other() -> None:
    first = """\
.loop k in 0..4
@vector Memset a, 1  post one[k]
@vector TensorCopy b, a  post two[k] @read
@gpsimd TensorCopy c, a  after one[k], two[k]
.end
"""
    # In the first the copy has waited for the Memset; in the second it reads something else.
    second = first.replace("b, a", "b, c")
    two = "gpsimd TensorCopy $two >= 1 $two += -1"
    assert [line for line in synced(first) if line.startswith("gpsimd")] == [two]
    both = ["gpsimd EventSemaphore $one >= 1 $one += -1", two]
    for text in (first + second, second + first):
        assert [line for line in synced(text) if line.startswith("gpsimd")] == both * 2


def test_all_rounds_of_a_loop_beside_it_that_is_not_alike_are_waited_for() -> None:
    # In the text once; in a loop from either to the other, round by round.
    more = ("@vector Memset", "@vector Nop\n@vector Memset")
    assert synced(beside(*more, "")) == [
        "vector Memset $set += 1",
        "vector EventSemaphore $vector += 1",
        "vector Memset $set_2 += 1",
        "gpsimd EventSemaphore $set += 2",
        "gpsimd TensorCopy $set >= 1 $set += -1",
        "gpsimd EventSemaphore $set_2 += 2",
        "gpsimd EventSemaphore $vector >= 1",
        "gpsimd TensorCopy $set_2 >= 1 $set_2 += -1",
    ]
    assert synced(beside(*more)) == [
        "vector Memset $set += 1",
        "vector EventSemaphore $loop1_2 += 1",
        "vector Memset $set_2 += 1",
        "vector EventSemaphore $loop1 += 1",
        "gpsimd EventSemaphore $set += 2",
        "gpsimd EventSemaphore $set_2 += 2",
        "gpsimd EventSemaphore $loop1 += 1",
        "gpsimd EventSemaphore $loop1 >= 1 $loop1 += -1",
        "gpsimd TensorCopy $set >= 1 $set += -1",
        "gpsimd EventSemaphore $loop1_2 >= 1 $loop1_2 += -1",
        "gpsimd TensorCopy $set_2 >= 1 $set_2 += -1",
    ]


def test_loops_of_other_cores_do_not_go_on_from_each_other() -> None:
    body = ".loop k in 0..8\n@gpsimd Nop after set[k - 2]\n@vector Nop post set[k]\n.end\n"
    found = synced(f".core 0\n{body}.core 1\n{body}")
    lines = [
        "vector Nop $set_0 += 1",
        "gpsimd EventSemaphore $set_0 += 2",
        "gpsimd Nop $set_0 >= 1 $set_0 += -1",
    ]
    assert sorted(found) == sorted([*lines, *(line.replace("set_0", "set_1") for line in lines)])


def test_what_is_asked_about_behind_all_loops_is_not_waited_for_in_them() -> None:
    text = """\
.loop i in 0..4
.loop k in 0..4
@sync   DmaCopy O, a  after set[k] post store[k]
@vector Memset a, 1  after store[k - 1] post set[k]
.end
.end
@sync .drain
"""
    lines = [line for line in synced(text) if line.startswith("vector")]
    assert lines == [
        "vector EventSemaphore $store += 16",
        "vector EventSemaphore $store >= 16 $store += -16",
        "vector Memset $set += 1",
        "vector EventSemaphore $store >= 16",
        "vector EventSemaphore $vector += 1",
    ]
    last = [row for row in rows(text, "vector") if row in ("CompareBranch", "EventSemaphore")]
    assert last[-4:] == ["CompareBranch", "CompareBranch", "EventSemaphore", "EventSemaphore"]


def test_of_loops_that_are_alike_only_the_last_one_is_asked() -> None:
    body = """\
.loop k in 0..4
@sync   DmaCopy O, a  after set[k] post store[k]
@vector Memset a, 1  after store[k - 1] post set[k]
.end
"""
    found = synced(f"{body}{body}@sync .drain")
    takes = ["vector EventSemaphore $store >= 16 $store += -16", "vector Memset $set += 1"]
    assert [line for line in found if line.startswith("vector")] == [
        "vector EventSemaphore $store += 16",
        *takes,
        *takes,
        "vector EventSemaphore $store >= 16",
        "vector EventSemaphore $vector += 1",
    ]
    # Who stands between them asks about the first, who stands behind all about the outer loop.
    found = synced(f".loop i in 0..2\n{body}@sync .drain\n{body}.end\n@sync .drain")
    assert found.count("vector EventSemaphore $store >= 16") == 2


def test_a_round_is_reported_apart_by_the_step() -> None:
    text = """\
.loop k in 0..8 step 2
.for n in 0..2
@gpsimd TensorCopy b, a  after set[k + n - 1]
@vector Memset a, 1  post set[k + n]
.end
.end
"""
    # The first copy comes after the second Memset of the round before; the second one after the
    # first of this round, before which the round before is complete.
    assert synced(text) == [
        "vector Memset $set_2 += 1",
        "vector Memset $set += 1",
        "gpsimd EventSemaphore $set += 1",
        "gpsimd TensorCopy $set >= 1 $set += -1",
        "gpsimd TensorCopy $set_2 >= 1 $set_2 += -1",
    ]


def test_the_round_before_of_the_same_queue_is_complete() -> None:
    text = """\
.loop k in 0..4
@vector DmaCopy O, a  after set[k - 1]
@vector Memset a, 1  post set[k]
.end
"""
    assert synced(text) == []


def test_a_wait_that_follows_from_two_others_is_left_out() -> None:
    text = """\
.loop k in 0..4
@vector Memset a, 1  post one[k]
@gpsimd TensorCopy b, a  after one[k] post two[k]
@scalar TensorCopy c, b  after one[k], two[k]
.end
"""
    assert synced(text) == [
        "vector Memset $one += 1",
        "scalar TensorCopy $two >= 1 $two += -1",
        "gpsimd EventSemaphore $one >= 1 $one += -1",
        "gpsimd TensorCopy $two += 1",
    ]


def test_a_landing_that_holds_back_the_next_transfer_is_taken_by_who_waits_for_it() -> None:
    text = f"""{ROWS}
.loop k in 0..8
@sync   DmaCopy a, R[k]  after used[k - 1] post load[k]
@vector TensorCopy b, a  after load[k] post used[k] @read
.end
"""
    assert synced(text) == [
        "vector EventSemaphore $load >= 16 $load += -16",
        "vector TensorCopy $used += 1 @read",
        "sync EventSemaphore $used += 1",
        "sync EventSemaphore $used >= 1 $used += -1",
        "sync DmaCopy $load += 16",
    ]


def test_a_landing_that_does_not_is_taken_by_its_own_queue() -> None:
    # Two transfers may be on their way: of 16 posts nobody knows whose they are.
    text = f"""{ROWS}
.loop k in 0..8
@sync   DmaCopy a, R[k]  post load[k]
@vector TensorCopy b, a  after load[k]
.end
"""
    assert synced(text) == [
        "vector TensorCopy $load_2 >= 1 $load_2 += -1",
        "sync DmaCopy $load += 16",
        "sync EventSemaphore $load >= 16 $load += -16",
        "sync EventSemaphore $load_2 += 1",
    ]


def test_a_landing_that_two_queues_await_is_posted_on_to_each() -> None:
    text = f"""{ROWS}
.loop k in 0..8
@sync   DmaCopy a, R[k]  after used[k - 1], copied[k - 1] post load[k]
@vector TensorCopy b, a  after load[k] post used[k] @read
@gpsimd TensorCopy c, a  after load[k] post copied[k] @read
.end
"""
    found = synced(text)
    assert [line for line in found if line.startswith("sync")][4:] == [
        "sync DmaCopy $load += 16",
        "sync EventSemaphore $load >= 16 $load += -16",
        "sync EventSemaphore $load_2 += 1",
        "sync EventSemaphore $load_3 += 1",
    ]
    assert "vector EventSemaphore $load_2 >= 1 $load_2 += -1" in found
    assert "gpsimd EventSemaphore $load_3 >= 1 $load_3 += -1" in found


def test_a_queue_takes_its_landings_before_it_could_be_held_up() -> None:
    text = f"""{ROWS}
.loop k in 0..8
@sync   DmaCopy a, R[k]  post load[k]
@sync   Nop  $s >= 0
@vector TensorCopy b, a  after load[k]
.end
"""
    assert [line for line in synced(text) if line.startswith("sync")] == [
        "sync DmaCopy $load += 16",
        "sync EventSemaphore $load >= 16 $load += -16",
        "sync EventSemaphore $load_2 += 1",
        "sync Nop $s >= 0",
    ]


def test_what_follows_from_a_landing_that_its_own_queue_takes_is_left_out() -> None:
    # gpsimd issues its Memset behind what it takes: whoever comes after that Memset comes after the
    # landing, of this round and of the one before. Only the take stays, and posts to nobody.
    text = f"""{ROWS}
.loop k in 0..8
@gpsimd DmaCopy a, R[k]  post load[k]
@gpsimd Nop  $s >= 0
@gpsimd Memset b, 1  post set[k]
@vector Nop  after load[k - 1]
@vector TensorCopy c, b  after set[k], load[k]
.end
"""
    assert synced(text) == [
        "vector TensorCopy $set >= 1 $set += -1",
        "gpsimd DmaCopy $load += 16",
        "gpsimd EventSemaphore $load >= 16 $load += -16",
        "gpsimd Nop $s >= 0",
        "gpsimd Memset $set += 1",
    ]


def test_what_was_before_a_loop_is_waited_for_in_front_of_it() -> None:
    text = """\
@vector Memset a, 1  post set
.loop k in 0..4
@gpsimd TensorCopy b, a  after set
.end
"""
    assert synced(text) == ["vector Memset $vector += 1", "gpsimd EventSemaphore $vector >= 1"]


def test_what_an_outer_round_posts_is_waited_for_in_front_of_the_inner_loop() -> None:
    text = """\
.loop i in 0..4
@vector Memset a, 1  post set[i]
.loop k in 0..4
@gpsimd TensorCopy b, a  after set[i]
.end
.end
"""
    assert synced(text) == ["vector Memset $set += 1", "gpsimd EventSemaphore $set >= 1 $set += -1"]


def test_of_another_round_of_an_outer_loop_all_rounds_within_are_waited_for() -> None:
    text = """\
.loop i in 0..4
.loop k in 0..3
@gpsimd TensorCopy b, a  after set[i - 1, k]
@vector Memset a, 1  post set[i, k]
.end
.end
"""
    # Behind the inner loop vector tells of it, and gpsimd waits before it enters its own; the first
    # time it is lent that.
    assert synced(text) == [
        "vector EventSemaphore $loop1 += 1",
        "gpsimd EventSemaphore $loop1 += 1",
        "gpsimd EventSemaphore $loop1 >= 1 $loop1 += -1",
    ]


def test_what_another_round_of_an_outer_loop_has_stored_has_landed() -> None:
    text = """\
.sbuf  t  f32[128, 4]
.sbuf  u  f32[128, 4]
.hbm   P  f32[4, 128, 4]  output
@vector Memset t, 0  post zero
.loop i in 0..4
.loop k in 0..4
@gpsimd TensorCopy u[:, k:+1], t[:, k:+1]  after set[i - 1, k], zero, stored[i - 1, k] post got[i, k]
@vector TensorScalar t[:, k:+1], t[:, k:+1], op0=add, operand0=1  after got[i, k] post set[i, k]
@sync   DmaCopy P[i, :, k:+1], u[:, k:+1]  after got[i, k] post stored[i, k]
.end
.end
@sync .drain
.expect P[0] == 0
.expect P[3] == 3
"""  # noqa: E501
    session, said = judged(program(text), {})
    assert said == set()
    np.testing.assert_array_equal(session.read("P")[:, 5, 1], [0, 1, 2, 3])


def test_without_the_index_of_a_loop_a_moment_is_that_of_all_its_rounds() -> None:
    text = """\
.loop k in 0..4
@vector Memset a, 1  post set[k]
.end
@gpsimd TensorCopy b, a  after set
@vector TensorCopy c, a  after set
"""
    # The queue itself has decided to leave the loop by a count that comes after all of it.
    assert synced(text) == ["vector EventSemaphore $vector += 1", "gpsimd TensorCopy $vector >= 1"]


def test_a_drain_behind_a_loop_waits_for_all_transfers_in_it_at_once() -> None:
    text = ".loop k in 0..4\n@sync DmaCopy O, a\n.end\n@sync .drain"
    assert [line.split(" ", 2)[2] for line in synced(text)] == [
        "$loop1 += 16",
        "$loop1 >= 64 $loop1 += -64",
    ]


def test_a_drain_behind_a_nest_waits_for_the_transfers_of_all_entries_at_once() -> None:
    loop = ".loop k in 0..4\nDmaCopy O, a\n.end\n"
    text = f"@sync\n.loop i in 0..3\n{loop}{loop.replace('4', '5')}.end\n.drain"
    assert [line.split(" ", 2)[2] for line in synced(text)] == [
        "$loop2 += 16",
        "$loop2 += 16",
        f"$loop2 >= {16 * 3 * (4 + 5)} $loop2 += -{16 * 3 * (4 + 5)}",
    ]
    # If somebody asks sooner, or it is not known how often the inner loop is entered, it is sooner.
    asked, unknown = text.replace(".end\n.drain", ".drain\n.end"), text.replace("0..3", "0..%r1")
    for other in (asked, unknown):
        assert [line.split(" ", 2)[2] for line in synced(other)] == [
            "$loop2 += 16",
            "$loop2 >= 64 $loop2 += -64",
            "$loop2 += 16",
            "$loop2 >= 80 $loop2 += -80",
        ]


@pytest.mark.parametrize("loop", [".loop k in 0..%r1", f".loop k in 0..{2**21}"])
def test_of_a_loop_whose_posts_nothing_can_count_each_round_waits_for_its_own(loop: str) -> None:
    text = f"@sync\n{loop}\nDmaCopy O, a\n.end\n.drain"
    assert [line.split(" ", 2)[2] for line in synced(text)] == [
        "$loop1 += 16",
        "$loop1 >= 16 $loop1 += -16",
    ]


def test_transfers_of_a_loop_are_on_their_way_together_and_over_behind_it() -> None:
    text = """\
.hbm   P  f32[8, 128, 64]  output
@vector Memset a, 1  post set
.loop k in 0..2
.loop i in 0..4
@sync DmaCopy P[4*k + i], a  after set post stored
.end
@vector Nop  after stored
.end
@sync .drain
.expect P == 1
"""
    session = nasm.Session(program(text))
    assert session.run().ok
    assert 64 in [wait.value for wait in session.program.waits if wait is not None]


def test_who_takes_a_landing_tells_a_drain_of_it() -> None:
    text = """\
.loop k in 0..4
@sync   DmaCopy O, a  after set[k] post store[k]
@vector Memset a, 1  after store[k - 1] post set[k]
.end
@sync .drain
"""
    assert synced(text) == [
        "vector EventSemaphore $store += 16",
        "vector EventSemaphore $store >= 16 $store += -16",
        "vector Memset $set += 1",
        "vector EventSemaphore $store >= 16",
        "vector EventSemaphore $vector += 1",
        "sync EventSemaphore $set >= 1 $set += -1",
        "sync DmaCopy $store += 16",
        "sync EventSemaphore $vector >= 1",
    ]


def test_a_drain_in_a_loop_waits_for_the_round_before_too() -> None:
    text = ".loop k in 0..4\n@sync .drain\n@sync DmaCopy O, a\n.end"
    assert [line.split(" ", 2)[2] for line in synced(text)] == [
        "$loop1 += 16",
        "$loop1 >= 16 $loop1 += -16",
        "$loop1 += 16",
    ]


@pytest.mark.parametrize(
    ("body", "code", "said"),
    [
        ("@vector Nop post x[k]\n@gpsimd Nop after x[k + 1]", "E0334", "1 round later"),
        ("@vector Nop post x[k]\n@gpsimd Nop after x[0]", "E0331", "nothing posts x[0]"),
        ("@vector Nop post x[k * 2]", "E0210", "an index of a moment is an integer"),
        ("@vector Nop post x[k]\n@gpsimd Nop post x[k]", "E0332", "x[k] is posted twice"),
        ("@vector Nop post x[k] after x[k]", "E0333", "none can be the first"),
        ("@vector Nop post x[k] after y[k]\n@gpsimd Nop post y[k] after x[k]", "E0333", "none can"),
        (".loop i in 0..2\n@vector Nop post x[k, i]\n@gpsimd Nop after x[k + 1, i - 1]\n.end",
         "E0334", "1 round later"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_loop_is_said(body: str, code: str, said: str) -> None:
    found = problem(f".loop k in 0..4\n{body}\n.end")
    assert found.code == code
    assert said in found.message


def test_a_round_of_the_step_is_the_same_moment_again() -> None:
    lines = "@vector Memset a, 1 post x[k]\n@vector Memset b, 1 post x[k + {}]\n"
    loop = f".loop k in 0..8 step 2\n{lines}.end"
    found = problem(loop.format(2))
    assert (found.code, found.message) == ("E0332", "x[k + 2] is posted twice")
    assert synced(loop.format(1)) == []


def test_a_circle_through_queues_of_a_loop_is_found() -> None:
    # vector enters the loop once scalar has left it, and scalar leaves it once gpsimd has waited
    # there for vector.
    text = """\
@vector Nop  after gone
.loop k in 0..4
@vector Memset a, 1       post one[k]
@gpsimd Memset b, 1       after one[k] post two[k]
@scalar TensorCopy c, b   after two[k]
.end
@scalar Nop  post gone
"""
    assert problem(text).code == "E0333"


def test_another_step_than_that_of_the_loop_is_no_round() -> None:
    body = "@vector Nop post x[k]\n@gpsimd Nop after x[k - 1]"
    assert problem(f".loop k in 0..4 step 2\n{body}\n.end").code == "E0331"


def test_a_round_of_one_loop_is_none_of_another() -> None:
    first = ".loop k in 0..4\n@vector Nop post x[k]\n.end\n"
    assert problem(first + first.replace("post", "after")).code == "E0331"


LEFT = f"""{ROWS}
.hbm   P  f32[8, 128, 64]  inout
@sync RegisterMove %r1, 0
@sync .loop k in 0..8
DmaCopy a, R[k]  after out[k - 1] post in[k]
DmaCopy P[k], a  after in[k] post out[k]
RegisterAlu %r1, %r1, 1, op=add
.break %r1 >= 3
.end
@sync .drain
"""


def test_what_is_before_a_break_is_reported_in_the_round_that_it_ends_too() -> None:
    assert synced(LEFT) == [
        "sync EventSemaphore $out += 16",
        "sync EventSemaphore $out >= 16 $out += -16",
        "sync DmaCopy $in += 16",
        "sync EventSemaphore $in >= 16 $in += -16",
        "sync DmaCopy $out += 16",
        "sync EventSemaphore $out >= 16",
        "sync EventSemaphore $sync += 1",
        "sync EventSemaphore $sync >= 1",
    ]
    session, said = judged(program(LEFT), {"P": np.zeros((8, 128, 64), np.float32)})
    assert said == set()
    stored = session.read("P")
    np.testing.assert_array_equal(stored[:3], session.read("R")[:3])
    assert not stored[3:].any()


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("DmaCopy a, A post x", "Nop after x"),
        ("Nop", "DmaCopy a, A post x\nNop after x"),
        (".drain", "DmaCopy a, A"),
    ],
)
def test_what_is_behind_a_break_has_no_moments(first: str, then: str) -> None:
    found = problem(f"@sync .loop %r2 in 0..4\n{first}\n.break %r1 >= 3\n{then}\n.end")
    assert found.code == "E0334"
    assert "this branch may leave the loop before " in found.message
    assert "which posts or waits for a moment or is drained" in found.message
    assert found.span is not None
    assert found.span.text == ".break %r1 >= 3"


def test_moments_in_loops_take_the_interlock() -> None:
    body = ".loop k in 0..4\n@vector Nop post x[k]\n@gpsimd Nop after x[k]\n.end"
    assert problem(body, options={"ordering": "relaxed"}).code == "E0334"


def test_a_moment_of_more_rounds_before_than_a_semaphore_counts_is_refused() -> None:
    found = problem("@sync .loop k in 0..4\nNop after x[k - 4294967297] post x[k]\n.end")
    assert found.code == "E0334"
    assert found.message == "this comes after a moment of 4,294,967,297 rounds before"
