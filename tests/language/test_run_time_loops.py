"""Loops at run time: what their lines become, in which queues, and what is refused of them."""

from __future__ import annotations

from pathlib import Path

import pytest

import nasm
from nasm.base.problems import Failure, Problem
from nasm.language.printing import text as printed
from tests.tables import each

HEAD = """.target trn2
.sbuf  x  f32[128, 64]
.sbuf  a  f32[128, 4, 64]
.sem   s, t
"""


def lines(body: str, engine: str = "vector") -> list[str]:
    """The lines of a queue, as they are printed."""
    shown = printed(nasm.assemble(HEAD + body + "\n"), remark=None).split("\n@")
    found = next((part for part in shown if part.startswith(engine)), "")
    return [" ".join(line.split()) for line in found.splitlines()[1:] if line.strip()]


def problem(body: str) -> Problem:
    with pytest.raises(Failure) as caught:
        nasm.assemble(HEAD + body + "\n")
    (only,) = caught.value.problems
    return only


# -- one queue


def test_a_round_costs_an_addition_and_a_branch() -> None:
    assert lines("@vector\n.loop %r2 in 0..5\nMemset x, 1\n.end\nNop") == [
        "RegisterMove %r2, 0",
        "loop1:",
        "Memset x, 1",
        "RegisterAlu %r2, %r2, 1, op=add",
        "CompareBranch %r2, 5, op=less, target=loop1",
        "Nop",
    ]


def test_a_step_down_compares_the_other_way() -> None:
    assert lines("@vector .loop %r2 in 6..0 step -2\nNop\n.end") == [
        "RegisterMove %r2, 6",
        "loop1:",
        "Nop",
        "RegisterAlu %r2, %r2, -2, op=add",
        "CompareBranch %r2, 0, op=greater, target=loop1",
    ]


@pytest.mark.parametrize("bounds", ["0..0", "5..4", "0..1 step -1"])
def test_a_loop_without_rounds_is_nothing(bounds: str) -> None:
    assert lines(f"@vector .loop %r2 in {bounds}\nNop\n.end") == []


def test_a_bound_in_a_register_is_asked_before_the_first_round() -> None:
    assert lines("@vector .loop %r2 in %r4..%r5 step 3\nNop\n.end\n@vector Memset x, 1") == [
        "RegisterMove %r2, %r4",
        "CompareBranch %r2, %r5, op=greater_equal, target=end1",
        "loop1:",
        "Nop",
        "RegisterAlu %r2, %r2, 3, op=add",
        "CompareBranch %r2, %r5, op=less, target=loop1",
        "end1:",
        "Memset x, 1",
    ]


def test_an_engine_before_a_loop_is_that_of_its_lines() -> None:
    body = "@scalar\n@vector .loop %auto in 0..2\nNop\n.end\nNop"
    assert lines(body)[1:3] == ["loop1:", "Nop"]
    assert lines(body, "scalar") == ["Nop"]


def test_a_name_in_a_chosen_queue_takes_a_register_that_the_text_does_not_mention() -> None:
    assert lines("@vector\n.loop k in 0..3\nTensorStore x[0, k], %r63\n.end\n") == [
        "RegisterMove %r62, 0",
        "loop1:",
        "TensorStore x[0:1, %r62 : +1][:, 0], %r63",
        "RegisterAlu %r62, %r62, 1, op=add",
        "CompareBranch %r62, 3, op=less, target=loop1",
    ]


# -- views


def test_each_form_of_a_variable_is_stepped_by_itself() -> None:
    assert lines(
        "@vector .loop k in 1..4\nMemset x[:, 16*k : +16], 0\nMemset x[:, k-1], 1\n.end"
    ) == [
        "RegisterMove %r63, 16",
        "RegisterMove %r62, 0",
        "loop1:",
        "Memset x[:, %r63 : +16], 0",
        "Memset x[:, %r62 : +1][:, 0], 1",
        "RegisterAlu %r63, %r63, 16, op=add",
        "RegisterAlu %r62, %r62, 1, op=add",
        "CompareBranch %r63, 64, op=less, target=loop1",
    ]


def test_a_form_that_goes_down_while_its_variable_goes_up() -> None:
    assert lines("@vector .loop k in 0..4\nMemset x[:, 63 - 2*k], 0\n.end")[-2:] == [
        "RegisterAlu %r63, %r63, -2, op=add",
        "CompareBranch %r63, 55, op=greater, target=loop1",
    ]


def test_a_form_of_two_loops_is_set_by_the_outer_and_stepped_by_the_inner() -> None:
    body = "@vector\n.loop j in 0..4\n.loop k in 2..8\nMemset x[:, j*16 + k*2], 0\n.end\n.end"
    assert lines(body) == [
        "RegisterMove %r61, 4",
        "loop1:",
        "RegisterMove %r63, %r61",
        "RegisterMove %r62, 2",
        "loop2:",
        "Memset x[:, %r63 : +1][:, 0], 0",
        "RegisterAlu %r63, %r63, 2, op=add",
        "RegisterAlu %r62, %r62, 1, op=add",
        "CompareBranch %r62, 8, op=less, target=loop2",
        "RegisterAlu %r61, %r61, 16, op=add",
        "CompareBranch %r61, 68, op=less, target=loop1",
    ]


def test_a_first_value_in_a_register_is_multiplied_once() -> None:
    assert lines("@vector .loop k in %r1..9\nMemset x[:, k*4 + 3], 0\n.end")[:6] == [
        "RegisterAlu %r63, %r1, 4, op=multiply",
        "RegisterAlu %r63, %r63, 3, op=add",
        "RegisterMove %r62, %r1",
        "CompareBranch %r62, 9, op=greater_equal, target=end1",
        "loop1:",
        "Memset x[:, %r63 : +1][:, 0], 0",
    ]


def test_the_same_form_is_one_register_and_a_slice_of_one_length_a_window() -> None:
    found = lines(
        "@vector .loop k in 0..4\nMemset x[:, k*8 : (k + 1)*8], 0\nMemset x[:, 8*k : +8], 1\n.end"
    )
    assert [line for line in found if "Memset" in line] == [
        "Memset x[:, %r63 : +8], 0",
        "Memset x[:, %r63 : +8], 1",
    ]


def test_an_index_drops_its_axis_as_a_number_does() -> None:
    made = nasm.assemble(HEAD + "@vector .loop k in 0..4\nMemset a[:, k, :], 0\n.end\n")
    (view,) = (i.operands[0] for i in made.instructions if i.row.name == "Memset")
    assert view.shape == (128, 64)


def test_a_variable_is_its_register_where_an_operand_takes_one() -> None:
    assert lines("@vector .loop k in 0..4\nRegisterAlu %r1, k, 2, op=add\n.end")[2] == (
        "RegisterAlu %r1, %r63, 2, op=add"
    )


def test_a_remainder_by_the_step_is_a_number() -> None:
    body = "@vector .loop k in 4..8 step 2\n.for i in 0..2\nMemset x[:, (k + i) % 2], 0\n.end\n.end"
    assert lines(body)[2:4] == ["Memset x[:, 0], 0", "Memset x[:, 1], 0"]


def test_loops_side_by_side_share_registers_and_nested_ones_do_not() -> None:
    one = ".loop k in 0..4\nMemset x[:, k], 0\n.end\n"
    assert lines(f"@vector\n{one}{one}")[0] == lines(f"@vector\n{one}{one}")[5]
    nest = lines("@vector\n.loop j in 0..2\n" + one + "Memset x[:, j], 0\n.end")
    assert nest[0] == "RegisterMove %r62, 0"
    assert nest[2] == "RegisterMove %r63, 0"


# -- several queues


def test_every_queue_with_a_line_goes_through_a_loop_and_no_other() -> None:
    body = ".loop k in 0..4\n@vector Memset x[:, k*8 : +8], 0\n@scalar Nop\n.end\n@gpsimd Nop"
    assert lines(body)[0] == "RegisterMove %r63, 0"
    assert lines(body)[-1] == "CompareBranch %r63, 32, op=less, target=loop1"
    assert lines(body, "scalar")[-1] == "CompareBranch %r63, 4, op=less, target=loop1"
    assert lines(body, "gpsimd") == ["Nop"]


def test_a_queue_without_a_line_in_an_inner_loop_has_none() -> None:
    body = ".loop k in 0..4\n@scalar Nop\n.loop j in 0..2\n@vector Nop\n.end\n.end"
    assert sum("Branch" in line for line in lines(body, "scalar")) == 1
    assert sum("Branch" in line for line in lines(body)) == 2


# -- break, take, give


def test_break_branches_to_the_end() -> None:
    body = "@vector .loop k in 0..9\n.break\n.break k >= 3\n.break %r1 == 0\n.end\n@vector Nop"
    assert lines(body) == [
        "RegisterMove %r63, 0",
        "loop1:",
        "CompareBranch target=end1",
        "CompareBranch %r63, 3, op=greater_equal, target=end1",
        "CompareBranch %r1, 0, op=equal, target=end1",
        "RegisterAlu %r63, %r63, 1, op=add",
        "CompareBranch %r63, 9, op=less, target=loop1",
        "end1:",
        "Nop",
    ]


def test_take_waits_and_takes_and_give_gives() -> None:
    assert lines("@vector\nNop take $s\nNop take $s, 16\nNop give $t\nNop $s >= 2 give $t, 3") == [
        "Nop $s >= 1 $s--",
        "Nop $s >= 16 $s -= 16",
        "Nop $t++",
        "Nop $s >= 2 $t += 3",
    ]


def test_take_and_give_may_be_names() -> None:
    body = ".sbuf take f32[128, 64]\n.sbuf give bf16[128, 64]\n@tensor LoadStationary give $s >= 1"
    assert lines(body, "tensor") == ["LoadStationary give $s >= 1"]


# -- what is refused


@each(
    ("body", "code", "said"),
    [
        (".if k == 0\nNop\n.end", "E0231", "k, the variable of a '.loop', is known only at run"),
        ("Memset x, k", "E0231", "operand value of Memset has to be known when assembling"),
        (".for i in 0..k + 1\nNop\n.end", "E0231", "k + 1 is known only at run time"),
        (".sbuf y f32[1, k]", "E0231", "the size of an axis"),
        ("Memset x[:, k*k], 0", "E0232", "k * k"),
        ("Memset x[:, k // 2], 0", "E0232", "k // 2"),
        ("Memset x[:, 0 : k], 0", "E0231", "where a slice begins and ends"),
        ("Memset x{k}, 0", "E0231", "a name has to be known"),
        (".expect x[k, 0] == 1", "E0231", "what an expectation compares"),
        ("Nop $s >= k", "E0210", "a wait compares with a number that is known when assembling"),
        ("RegisterMove k, 1", "E0235", "RegisterMove writes %r63, which holds k"),
        ("Memset x[:, k*32 : +32], 0", "E0305", "k*32, which goes from 0 to 96, reaches past"),
        ("@scalar Nop", "E0233", "a line for @scalar in a loop of @vector alone"),
        (".break 1 < 2", "E0238", "neither side changes at run time"),
    ],
)
def test_what_a_body_cannot_say(body: str, code: str, said: str) -> None:
    found = problem(f"@vector .loop k in 0..4\n{body}\n.end")
    assert found.code == code
    assert said in found.message
    assert found.span is not None
    assert [frame.what for frame in found.span.chain] == [".loop k"]


def test_a_register_that_counts_is_not_written_and_counts_in_one_loop() -> None:
    assert problem("@vector .loop %r1 in 0..2\nRegisterMove %r1, 0\n.end").code == "E0235"
    assert problem("@vector .loop %r1 in 0..2\n.loop %r1 in 0..2\nNop\n.end\n.end").code == "E0235"


def test_a_break_is_for_loops_of_one_queue() -> None:
    assert problem("@vector\n.break").code == "E0237"
    found = problem(".loop k in 0..2\n@vector .break\n@scalar Nop\n.end")
    assert found.code == "E0234"
    assert [note.span and note.span.text for note in found.notes] == ["@scalar Nop"]


def test_an_index_is_not_checked_beyond_a_branch_that_may_leave() -> None:
    assert lines("@vector .loop k in 0..9999\n.break k == 64\nMemset x[:, k], 0\n.end")


def test_registers_run_out_with_a_list_of_who_holds_them() -> None:
    body = ".for i in 1..65\nMemset x[:, k*i % 64 : +1], 0\n.end".replace(" % 64", "")
    found = problem(f"@vector .loop k in 0..1\nRegisterMove %r5, 1\n{body}\n.end")
    assert found.code == "E0236"
    assert "has 64" in found.message
    assert found.notes[0].message.startswith(".loop k holds %r63 k, %r62 k*2, ")


def test_take_is_a_wait_and_an_update() -> None:
    for clauses in ("take $s $t >= 1", "take $s $t++", "take $s give $t", "$t >= 1 take $s"):
        assert problem(f"@vector Nop {clauses}").code == "E0315"
    assert problem(".hbm X f32[128, 64]\n@sync DmaCopy x, X take $s").code == "E0314"


def test_a_wait_for_a_register_says_how_to_take() -> None:
    found = problem("@vector Nop $s >= %r1")
    assert found.message == (
        "a wait compares with a number that is known when assembling, found register %r1"
    )
    assert "take $s is $s >= 1 with $s -= 1" in found.hint


def test_labels_of_the_text_stay_the_texts() -> None:
    assert "loop1_:" in lines("@vector .loop k in 0..2\nNop\n.end\nloop1: @vector Nop")


def test_a_typed_loop_runs_its_rounds() -> None:
    session = nasm.Session(HEAD + "@vector Nop\n")
    session.execute("@vector .loop k in 0..2\nMemset x[:, k*8 : +8], 5\n.end")
    found = session.read("x")
    assert (found[:, :16] == 5).all()
    assert not (found[:, 16:] == 5).any()


# -- with macros and included texts


def test_a_macro_may_hold_a_loop_and_are_in_one() -> None:
    body = (
        ".macro clear(t, n, at)\n.loop j in 0..n\nMemset t[:, at + j*2], 0\n.end\n.end\n"
        "@vector\n.loop k in 0..4\nclear(x, 3, k*8)\n.end"
    )
    assert lines(body) == [
        "RegisterMove %r61, 0",
        "loop1:",
        "RegisterMove %r63, %r61",
        "RegisterMove %r62, 0",
        "loop2:",
        "Memset x[:, %r63 : +1][:, 0], 0",
        "RegisterAlu %r63, %r63, 2, op=add",
        "RegisterAlu %r62, %r62, 1, op=add",
        "CompareBranch %r62, 3, op=less, target=loop2",
        "RegisterAlu %r61, %r61, 8, op=add",
        "CompareBranch %r61, 32, op=less, target=loop1",
    ]


def test_a_view_with_a_name_belongs_to_no_queue() -> None:
    found = problem("@vector .loop k in 0..4\nMemset x[:, k], 0\n.view v = x[:, k]\n.end")
    assert found.code == "E0231"
    assert "a view outside of instructions" in found.message


def test_an_included_text_names_no_register_that_a_loop_was_given(tmp_path: Path) -> None:
    (tmp_path / "low.nasm").write_text("@vector RegisterMove %r1, 0\n")
    (tmp_path / "high.nasm").write_text("@vector RegisterMove %r63, 0\n")
    start = HEAD + "@vector .loop k in 0..4\nMemset x[:, k], 0\n.end\n"
    for name, code in (("low", None), ("high", "E0235")):
        path = tmp_path / f"{name}_program.nasm"
        path.write_text(f'{start}.include "{name}.nasm"\n')
        if code is None:
            assert nasm.assemble(path)
            continue
        with pytest.raises(Failure, match=r"names %r63, which a '.loop' before it was given"):
            nasm.assemble(path)
