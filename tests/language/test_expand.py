"""From directives, loops and lines to queues: what a text expands to, on the toy target."""

from __future__ import annotations

import pytest

import nasm
from nasm.base.problems import Failure, Problem
from nasm.base.source import Source
from nasm.language.assemble import assemble
from nasm.program.program import Program, Update, Wait
from nasm.views.view import View
from tests.toy.target import TARGETS


def program(text: str, target: str | None = None, **defines: int | float) -> Program:
    source = Source("test.nasm", text if target else f".target toy\n{text}")
    return assemble(source, TARGETS, target, defines)


def problems(text: str, **defines: int | float) -> list[Problem]:
    with pytest.raises(Failure) as caught:
        program(text, **defines)
    return list(caught.value.problems)


def codes(text: str, **defines: int | float) -> list[str]:
    return [p.code for p in problems(text, **defines)]


def listing(made: Program, engine: str = "alpha") -> list[str]:
    """A queue as its mnemonics with the numbers, tensors and labels they were given."""
    queue = next(n for n, q in enumerate(made.queues) if q.engine == engine)
    said = []
    for pc in range(len(made.queues[queue])):
        instruction = made.instruction(queue, pc)
        words = [o.tensor.name if isinstance(o, View) else str(o) for o in instruction.operands]
        said.append(" ".join([instruction.row.name, *words]))
    return said


# -- loops


def test_a_loop_is_half_open_and_goes_both_ways() -> None:
    made = program(
        "@alpha\n"
        ".for k in 0..3\nSet %r0, k\n.end\n"
        ".for k in 4..10 step 3\nSet %r1, k\n.end\n"
        ".for k in 3..0 step -1\nSet %r2, k\n.end\n"
        ".for k in 5..5\nSet %r3, k\n.end\n"
        ".for k in 5..4\nSet %r3, k\n.end\n"
    )
    assert listing(made) == [
        "Set %r0 0",
        "Set %r0 1",
        "Set %r0 2",
        "Set %r1 4",
        "Set %r1 7",
        "Set %r2 3",
        "Set %r2 2",
        "Set %r2 1",
    ]


def test_loops_nest_and_bounds_may_use_outer_variables() -> None:
    made = program(
        "@alpha\n.for i in 0..3\n.for j in i..3\nSet %r0, 10*i + j\n.end\nSet %r1, i\n.end\n"
    )
    assert listing(made) == [
        "Set %r0 0",
        "Set %r0 1",
        "Set %r0 2",
        "Set %r1 0",
        "Set %r0 11",
        "Set %r0 12",
        "Set %r1 1",
        "Set %r0 22",
        "Set %r1 2",
    ]


def test_names_with_substitutions_are_declared_and_used() -> None:
    made = program(
        ".for k in 0..2\n"
        ".bank t{k}_{k*10 + 1} f32[4, 1]\n.sem s{k}\n"
        "@alpha Add t{k}_{k*10 + 1}, t0_1, t0_1  $s{k} >= k  $s{1 - 1}++\n"
        ".end\n"
    )
    assert list(made.tensors) == ["t0_1", "t1_11"]
    assert made.semaphores == {"s0": 0, "s1": 1}
    assert listing(made) == ["Add t0_1 t0_1 t0_1", "Add t1_11 t0_1 t0_1"]
    lines = made.queues[0]
    assert [made.waits[n] for n in lines.waits] == [Wait(0, ">=", 0), Wait(1, ">=", 1)]
    assert [made.updates[n] for n in lines.updates] == [Update(0, "+", 1)] * 2


def test_a_variable_ends_with_its_loop_and_may_be_used_again() -> None:
    assert codes("@alpha\n.for k in 0..2\nSet %r0, k\n.end\nSet %r0, k\n") == ["E0208"]
    made = program("@alpha\n.for k in 0..1\n.end\n.for k in 7..8\nSet %r0, k\n.end\n")
    assert listing(made) == ["Set %r0 7"]
    assert codes(".const k = 1\n.for k in 0..2\n.end\n") == ["E0202"]
    assert codes(".for k in 0..1\n.for k in 0..1\n.end\n.end\n") == ["E0202"]


def test_integers_and_floats_of_a_loop_are_reported_apart() -> None:
    text = (
        ".bank t f32[4, 1]\n@alpha\n.for k in 0..2\n.const F = k / 1\nScale t, t, factor={}\n.end\n"
    )
    assert listing(program(text.format("F"))) == ["Scale t t 0.0", "Scale t t 1.0"]
    # 1 and 1.0 compare equal; a register takes the one and not the other.
    mixed = ".if k\n.const F = 1.0\n.else\n.const F = 1\n.end\n"
    (problem,) = problems(f"@alpha\n.for k in 0..2\n{mixed}Set %r0, F\n.end\n")
    assert problem.message.endswith("wanted an integer, found 1.0")


@pytest.mark.parametrize("bounds", ["0..4 step 0", "0..10**12", "0..2**70", "0..2.5", "0..true"])
def test_loops_that_do_not_end_or_count_are_refused(bounds: str) -> None:
    (problem,) = problems(f"@alpha\n.for k in {bounds}\nWait\n.end\n")
    assert problem.code in ("E0218", "E0210")


def test_every_instruction_of_a_loop_knows_its_rounds() -> None:
    made = program("@alpha\n.for i in 4..6\n.for j in 0..2\nSet %r0, i*j\n.end\n.end\n")
    span = made.span(0, 3)
    assert span is not None
    assert span.text == "Set %r0, i*j"
    assert [frame.what for frame in span.chain] == [".for i = 5", ".for j = 1"]
    assert [frame.span.line for frame in span.chain] == [3, 4]


def test_an_instruction_behind_a_loop_is_not_in_it() -> None:
    made = program(
        "@alpha\n.for i in 0..2\nSet %r0, 0\n.for j in 0..2\nWait\n.end\nSet %r1, 1\n.end\nWait\n"
    )
    depths = [len(span.chain) for pc in range(9) if (span := made.span(0, pc)) is not None]
    assert depths == [1, 2, 2, 1, 1, 2, 2, 1, 0]


def test_lines_that_make_the_same_share_one_form() -> None:
    made = program("@alpha\n.for i in 0..50\n.for j in 0..2\nSet %r0, j\n.end\n.end\n")
    assert (len(made.queues[0]), len(made.instructions)) == (100, 2)


# -- conditions


@pytest.mark.parametrize(("n", "chosen"), [(0, "1"), (1, "2"), (2, "3"), (9, "3")])
def test_the_first_branch_that_holds_is_taken(n: int, chosen: str) -> None:
    made = program(
        f".const N = {n}\n@alpha\n.if N == 0\nSet %r0, 1\n.elif N < 2\nSet %r0, 2\n"
        ".else\nSet %r0, 3\n.end\n"
    )
    assert listing(made) == [f"Set %r0 {chosen}"]


def test_a_branch_not_taken_is_not_looked_at() -> None:
    assert listing(program("@alpha\n.if 0\nFrobnicate nothing\n.elif 1\nWait\n.end\n")) == ["Wait"]
    assert listing(program("@alpha\n.if true\nWait\n.elif 1 / 0\n.end\n")) == ["Wait"]
    assert codes('.if "yes"\n.end\n') == ["E0210"]


def test_a_condition_chooses_anew_in_every_round() -> None:
    made = program("@alpha\n.for k in 0..4\n.if k % 2\nSet %r0, k\n.end\n.end\n")
    assert listing(made) == ["Set %r0 1", "Set %r0 3"]


# -- constants


def test_constants_build_on_each_other_in_order() -> None:
    assert listing(
        program(".const A = 6, B = A // 4\n.const C = B << A\n@beta Set %r0, C\n"), "beta"
    ) == ["Set %r0 64"]
    assert codes(".const B = A, A = 1\n") == ["E0208"]


def test_a_constant_of_a_loop_lasts_one_round() -> None:
    made = program("@alpha\n.for k in 0..2\n.const SQ = k * k + 1\nSet %r0, SQ\n.end\n")
    assert listing(made) == ["Set %r0 1", "Set %r0 2"]
    assert codes("@alpha\n.for k in 0..2\n.const SQ = 1\n.end\nSet %r0, SQ\n") == ["E0208"]


def test_a_constant_of_a_branch_outlives_it() -> None:
    assert listing(program("@alpha\n.if 1\n.const A = 5\n.end\nSet %r0, A\n")) == ["Set %r0 5"]


def test_a_value_from_outside_overrides_a_constant_and_what_follows_from_it() -> None:
    text = ".const N = 4, M = N * 2\n@alpha Set %r0, M\n"
    assert listing(program(text)) == ["Set %r0 8"]
    assert listing(program(text, N=10)) == ["Set %r0 20"]
    assert listing(program(text, M=1)) == ["Set %r0 1"]


def test_a_value_from_outside_for_no_constant_is_refused() -> None:
    (problem,) = problems(".const N = 4\n", n=3)
    assert (problem.code, problem.hint) == ("E0213", "did you mean 'N'?")
    assert codes("@alpha Wait\n", N=1) == ["E0213"]


def test_assertions_say_what_they_found() -> None:
    assert listing(program('.const N = 4\n.assert N == 4, "four"\n@alpha Wait\n')) == ["Wait"]
    (problem,) = problems('.const N = 5\n.assert N % 4 == 0, "N in fours"\n')
    assert (problem.code, problem.hint) == ("E0219", "N % 4 is 1")
    assert problem.message == "the assertion fails: N in fours"


# -- engines, queues and labels


def test_a_chosen_engine_lasts_past_loops_and_conditions() -> None:
    made = program(
        "@alpha\n.for k in 0..2\nSet %r0, k\n@beta\n.end\nSet %r1, 9\n.if 1\n@a\n.end\nWait\n"
    )
    assert listing(made) == ["Set %r0 0", "Wait"]
    assert listing(made, "beta") == ["Set %r0 1", "Set %r1 9"]


def test_an_engine_before_an_instruction_serves_that_line_only() -> None:
    made = program("@alpha\n@beta Wait\nSet %r0, 1\nhere: @b Set %r0, 2\nSet %r0, 3\n")
    assert listing(made) == ["Set %r0 1", "Set %r0 3"]
    assert listing(made, "beta") == ["Wait", "Set %r0 2"]
    assert made.queues[1].labels == {"here": 1}


def test_a_missing_engine_is_said_once_and_a_wrong_one_too() -> None:
    assert codes("Wait\nWait\nSet %r0, 1\n@alpha Wait\n") == ["E0220"]
    assert codes("@gamma\nWait\nWait\n@alpha\nWait\n") == ["E0203"]
    assert codes("@alpha\n@gamma Wait\nNop\n") == ["E0203", "E0201"]


def test_labels_are_before_the_next_instruction_of_their_queue() -> None:
    made = program(
        "@alpha\nfirst: Set %r0, 2\nlone:\n@beta Wait\n"
        "@alpha\nCount %r0\nLoop %r0, target=lone\nend:\n"
    )
    assert made.queues[0].labels == {"first": 0, "lone": 1, "end": 3}
    made = program("@alpha\n.for k in 0..2\nat{k}: Set %r0, 1\nLoop %r0, target=at{k}\n.end\n")
    assert made.queues[0].labels == {"at0": 0, "at1": 2}
    assert listing(made) == ["Set %r0 1", "Loop %r0 at0", "Set %r0 1", "Loop %r0 at1"]


def test_labels_are_one_per_queue() -> None:
    assert codes("@alpha\nx: Wait\nx: Wait\n") == ["E0202"]
    assert codes("@alpha x: Wait\n") == ["E0101"]
    assert program("x: @alpha Wait\nx: @beta Wait\n").queues[1].labels == {"x": 0}
    (problem,) = problems("x: @alpha Wait\n@beta Set %r0, 0\n@beta Loop %r0, target=x\n")
    assert problem.code == "E0207"
    assert "@alpha" in problem.hint
    assert problem.span is not None
    assert problem.span.text == "x"


# -- targets


def test_the_target_is_first_and_may_come_from_outside() -> None:
    assert listing(program("@alpha Wait\n", target="toy")) == ["Wait"]
    assert program(".target other\n@alpha Wait\n", target="toy").generation.name == "toy"
    for text, code in (("@alpha Wait\n", "E0214"), (".target tos\nNop\n", "E0214"), ("", "E0214")):
        with pytest.raises(Failure) as caught:
            assemble(Source("test.nasm", text), TARGETS)
        assert [p.code for p in caught.value.problems] == [code]
    assert codes("@alpha Wait\n.target toy\n") == ["E0215"]


# -- what is said when something is wrong


def test_all_problems_of_a_text_come_in_its_order() -> None:
    found = problems(
        "@alpha Nop\n.bank t f31[4, 1]\n@alpha Set %r9, 1\n.sem s\n@beta Wait $r >= 1\n"
        ".bank u f32[5, 1]\n@alpha Wait\n@beta Wait $s > 1\n"
    )
    assert [p.code for p in found] == ["E0201", "E0205", "E0301", "E0206", "E0304", "E0317"]


def test_several_operands_of_a_line_are_reported_together() -> None:
    found = problems("@alpha Add one, two[0], three  $s >= 1\n")
    assert [p.message for p in found] == [
        "nothing is called 'one'",
        "nothing is called 'two'",
        "nothing is called 'three'",
        "no semaphore '$s'",
    ]


def test_a_line_of_a_loop_is_reported_once_with_its_round() -> None:
    (problem,) = problems(
        ".bank t f32[4, 3]\n@alpha\n.for k in 0..9\nAdd t[:, k], t[:, 0], t[:, 0]\n.end\n"
    )
    assert problem.span is not None
    assert [f.what for f in problem.span.chain] == [".for k = 3"]


@pytest.mark.parametrize(
    "declared",
    [
        ".bank x f31[4, 1]\n.bank y f32[4, 1]",
        ".bank x f32[9, 1]\n.bank y f32[4, 1]",
        ".bank x{1/0} f32[4, 1]\n.bank y f32[4, 1]",
        ".const N = 1 / 0\n.bank x f32[4, N]\n.bank y f32[4, N * 2]",
        ".for k in 0..1/0\n.bank x f32[4, 1]\n.bank y f32[4, 1]\n.end",
        ".if 1/0\n.bank x f32[4, 1]\n.end\n.bank y f32[4, 1]",
    ],
)
def test_a_name_whose_declaration_failed_is_not_reported_again(declared: str) -> None:
    text = f"{declared}\n@alpha\n.for k in 0..2\nAdd x, y, y\n.end\nAdd y, x[0:2], y[0:2]\n"
    assert len(problems(text)) == 1


def test_semaphores_and_labels_that_failed_are_not_reported_again() -> None:
    assert codes(".sem s = 99, t\n@alpha Wait $s >= 1 $t++\n") == ["E0312"]
    assert codes(".for k in 0..3\n.sem s{k} = k - 1\n@beta Wait $s{k} >= 1\n.end\n") == ["E0312"]
    assert codes("x: @gamma Wait\n@alpha Set %r0, 0\n@alpha Loop %r0, target=x\n") == ["E0203"]


def test_what_follows_from_lines_that_cannot_be_read_is_not_reported() -> None:
    text = ".bank x f32[4, 1\n@alpha Add x, x, x\n@alpha Nop\n.sem s t\n@beta Wait $t >= 1\n"
    assert codes(text, N=3) == ["E0105", "E0201", "E0114"]


def test_a_name_that_is_declared_further_down_says_so() -> None:
    (problem,) = problems(
        "@alpha Add x{1}, x{1}, x{1}\n.for k in 0..2\n.bank x{k} f32[4, 1]\n.end\n"
    )[:1]
    assert problem.hint == "it is declared later, on line 4: declare it before its first use"
    (problem,) = problems("@alpha Wait $s++\n.sem r, s\n")
    assert problem.hint == "it is declared later, on line 3: declare it before its first use"


def test_a_name_is_declared_once_and_the_first_place_is_shown() -> None:
    for second in (".bank n f32[4, 1]", ".sem n", ".const n = 1", ".for n in 0..1\n.end"):
        for first in (".bank n f32[4, 1]", ".sem n", ".const n = 1"):
            (problem,) = problems(f"{first}\n{second}\n")
            assert problem.code == "E0202"
            (note,) = problem.notes
            assert note.span is not None
            assert (note.span.line, note.span.text) == (2, "n")


def test_an_expectation_that_names_nothing_is_reported_before_the_run() -> None:
    assert codes(".ram X f32[4] output\n.expect Y == X\n.expect X == 1\n") == ["E0208"]
    assert codes(".ram X f31[4] output\n.expect X == 1\n") == ["E0205"]


def last_of(text: str) -> str:
    """What is said after fifty errors."""
    found = problems(text)
    assert len(found) == 51
    assert found[-1].code == "E0124"
    return found[-1].message


def test_a_text_of_nothing_but_mistakes_stops_at_fifty() -> None:
    said = last_of("@alpha Nop\n" * 500)
    assert said == "only the first 50 errors are shown; there may be more"


def test_of_mistakes_of_writing_fifty_are_shown_and_all_are_counted() -> None:
    said = last_of("Nop +1\n" * 1000 + ".for k in 0..2\n" + "$s++\n" * 50)
    assert said == "only the first 50 errors are shown; 1,001 more"


def test_fifty_errors_and_no_more_are_shown_without_a_word() -> None:
    assert codes("Nop +1\n" * 50) == ["E0109"] * 50


def test_of_broken_rules_fifty_are_shown_and_all_are_counted() -> None:
    lines = "".join(f"@vector TensorCopy a, b[:, {n} : +8]\n" for n in range(60))
    text = ".target trn2\n.sbuf a f32[128, 9]\n.sbuf b f32[128, 99]\n" + lines
    with pytest.raises(Failure) as caught:
        nasm.assemble(text)
    found = caught.value.problems
    assert [p.code for p in found] == ["E0404"] * 50 + ["E0124"]
    assert found[-1].message == "only the first 50 errors are shown; 10 more"


def test_of_missing_labels_fifty_are_shown_and_all_are_counted() -> None:
    lines = "".join(f"@sync CompareBranch %r0, 0, op=equal, target=a{n}\n" for n in range(60))
    with pytest.raises(Failure) as caught:
        nasm.assemble(f".target trn2\n{lines}")
    found = caught.value.problems
    assert [p.code for p in found] == ["E0207"] * 50 + ["E0124"]
    assert found[-1].message == "only the first 50 errors are shown; 10 more"
