"""Which programs are proved to have the same results, which are not, and why."""

from __future__ import annotations

from pathlib import Path

import pytest

import nasm
from nasm.base.records import replace
from nasm.base.source import Source
from nasm.base.source_files import source_of
from nasm.language.formatting import formatted
from nasm.language.printing import text as printed
from nasm.program.program import Instruction, Program
from nasm.views.view import View
from tests.equal.proofs import Prover
from tests.parts import part

PROGRAMS = Path(__file__).parents[2] / "programs"
ONE = """\
.target trn2
.hbm  X  f32[2, 128, 64]  input
.hbm  Y  f32[2, 128, 64]  output
.sbuf x f32[128, 64]
.sbuf y f32[128, 64]
.for r in 0..2
@sync    DmaCopy     x, X[r]            after used[r - 1]              post loaded[r]
@scalar  Activation  y, x, op=relu      after loaded[r], stored[r - 1]  post used[r]
@gpsimd  DmaCopy     Y[r], y            after used[r]                   post stored[r]
.end
@sync    EventSemaphore  after stored[1]
"""
TWO = (
    ONE.replace(".sbuf x f32", ".sbuf x[2] f32")
    .replace(".sbuf y f32", ".sbuf y[2] f32")
    .replace("DmaCopy     x, X[r]            after used[r - 1]", "DmaCopy     x[r], X[r]")
    .replace("Activation  y, x, op=relu      after loaded[r], stored[r - 1]",
             "Activation  y[r], x[r], op=relu  after loaded[r]")
    .replace("Y[r], y ", "Y[r], y[r] ")
    .replace("after stored[1]", "after stored[0..2]")
)  # fmt: skip


@pytest.mark.parametrize(
    "path", part(sorted(PROGRAMS.glob("*.nasm")), 3), ids=lambda path: path.stem
)
def test_a_program_is_equal_to_what_print_and_fmt_write_of_it(path: Path) -> None:
    program = nasm.assemble(path)
    prover = Prover(program)
    assert prover.followed, prover.side.reason
    folder = str(path.parent)
    for text in (printed(program, folder=folder), formatted(source_of(path))):
        assert prover.proves(assembled(text, path.parent))


def assembled(text: str, folder: Path = PROGRAMS) -> Program:
    return nasm.assemble(Source(str(folder / "made.nasm"), text))


ADDRESSED = """\
.target trn2
.hbm  IDS  i32[1, 4]     input
.hbm  T    f32[64, 16]   input
.hbm  U    f32[64, 16]   input
.hbm  Y    f32[4, 16]    output
.sbuf ids  i32[1, 4]
.sbuf spare f32[4, 16]
@sync  DmaCopy         ids, IDS                        post loaded
@sync  EventSemaphore                                  after loaded
.for k in 0..4
@sync  TensorLoad      %r0, ids[0, k]
@sync  DmaCopy         Y[k : +1], T[%r0 : +1]          post row[k]
.end
@sync  EventSemaphore                                  after row[0..4]
"""


def test_what_values_address_is_compared_with_what_addresses_it() -> None:
    other = ADDRESSED.replace(".sbuf spare", ".sbuf unused").replace("%r0", "%r5")
    other = other.replace("f32[4, 16]\n@sync", "f32[4, 8]\n@sync")
    found = nasm.equal(ADDRESSED, other)
    assert (found.verdict, found.reason) == ("equal", "Y follows in the same way from the inputs")
    for old, new in (("ids[0, k]", "ids[0, 3 - k]"), ("T[%r0", "U[%r0"), ("Y[k", "Y[3 - k")):
        found = nasm.equal(
            ADDRESSED, other.replace(old.replace("%r0", "%r5"), new.replace("%r0", "%r5"))
        )
        assert found.verdict == "different", new


def test_a_branch_that_values_decide_is_not_proved() -> None:
    branch = ADDRESSED + (
        "@vector  TensorLoad     %r0, ids[0, 0]  after loaded\n"
        "@vector  CompareBranch  %r0, 3, op=greater, target=end\n"
        "@vector  Nop\n"
        "end: @vector  Nop\n"
    )
    other = branch.replace("f32[4, 16]\n@sync", "f32[4, 8]\n@sync")
    found = nasm.equal(branch, other, tries=0)
    assert "CompareBranch branches as a value decides" in found.reason


def test_loops_with_credits_and_with_moments_are_equal() -> None:
    sizes = {"M": 256, "K": 128, "N": 1024}
    a, b = (
        nasm.assemble(PROGRAMS / f"matmul_{n}.nasm", defines=sizes) for n in ("loops", "credits")
    )
    found = nasm.equal(a, b)
    assert (found.verdict, found.outputs) == ("equal", ("C",))
    assert found.reason == "C follows in the same way from the inputs"


@pytest.mark.thorough
def test_other_schedules_of_a_kernel_are_equal() -> None:
    a, b = (nasm.assemble(PROGRAMS / f"published/mamba_v{n}.nasm") for n in (1, 2))
    assert nasm.equal(a, b).ok


def test_loads_that_are_hoisted_change_nothing() -> None:
    sizes = {"M": 128, "K": 256, "N": 1024}
    a, b = (
        nasm.assemble(PROGRAMS / f"published/matmul_{name}.nasm", defines=sizes)
        for name in ("naive", "hoisted")
    )
    assert nasm.equal(a, b).ok


def test_a_second_buffer_changes_nothing() -> None:
    assert TWO != ONE
    assert nasm.equal(ONE, TWO).ok


def test_results_that_differ_are_shown_with_inputs_and_places() -> None:
    found = nasm.equal(ONE, TWO.replace("relu", "gelu"))
    assert (found.verdict, bool(found)) == ("different", False)
    assert found.example is not None
    assert (found.example.seed, found.example.tensor.name) == (1, "Y")
    assert found.example.tensor.count > 0
    assert found.a is not None
    assert found.a.span is not None
    assert found.b is not None
    assert found.b.span is not None
    assert "op=relu" in found.a.span.text
    assert "op=gelu" in found.b.span.text


def test_a_part_that_moved_is_named_by_its_element() -> None:
    swapped = ONE.replace("X[r]  ", "X[1 - r]  ")
    found = nasm.equal(ONE, swapped, tries=0)
    assert found.verdict == "not proved"
    text = "pc 0 (Activation), line 8, computes what the other does not"
    assert found.a is not None
    assert text in found.a.text or "is element" in found.a.text


def test_what_is_stored_elsewhere_is_named_by_its_place() -> None:
    other = ONE.replace("DmaCopy     Y[r], y ", "DmaCopy     Y[1 - r], y ")
    found = nasm.equal(ONE, other, tries=0)
    assert found.a is not None
    assert found.b is not None
    assert found.a.text == (
        "Y[0, 0, 0] is element 0 of what scalar pc 0 (Activation), line 8, writes"
    )
    assert found.b.text == (
        "Y[0, 0, 0] is element 0 of what scalar pc 1 (Activation), line 8, writes"
    )


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ((" post loaded[r]", " post loaded[r] "), ""),
        (
            ("after loaded[r], stored[r - 1]", "after loaded[r]"),
            "of b: it has an error: nothing orders",
        ),
        (("after loaded[r], stored", "after stored"), "of b: x is read where nothing has written"),
        (("f32[2, 128, 64]  output", "f32[2, 128, 64]  inout"), ""),
        (("Y  f32", "Z  f32"), ""),
        (("trn2", "trn1"), "they are for other machines, or other options of one"),
    ],
)
def test_what_is_not_proved_has_a_reason(change: tuple[str, str], reason: str) -> None:
    other = ONE.replace(*change)
    if "Z" in change[1]:
        other = other.replace("Y[r]", "Z[r]")
        reason = "the outputs are not the same: only a has Y and only b has Z"
    found = nasm.equal(ONE, other, tries=0)
    assert found.ok is (not reason)
    assert found.reason.startswith(reason)


def test_a_race_that_is_allowed_is_one_nevertheless() -> None:
    racy = ONE.replace("after loaded[r], stored[r - 1]", "after loaded[r]")
    racy = racy.replace("after stored[1]", "after stored[0..2]")
    for post in ("used[r]\n", "stored[r]\n"):
        racy = racy.replace(f"post {post}", f"post {post.strip()}  ; nasm: allow E0502 why not\n")
    assert nasm.check(racy).ok
    other = racy.replace(".sbuf y f32", ".sbuf unused f32[128, 4]\n.sbuf y f32")
    found = nasm.equal(racy, other, tries=0)
    assert found.reason == "of a: some of it is in no order"


def test_rounding_by_chance_has_no_name() -> None:
    other = ONE.replace(".sbuf x f32", ".sbuf unused f32[128, 4]\n.sbuf x f32")
    found = nasm.equal(ONE, other, options={"rounding": "stochastic"}, tries=0)
    assert found.reason == "of a: its results are rounded by chance"
    assert nasm.equal(ONE, other, tries=0).ok


def test_a_program_that_is_too_long_is_not_proved() -> None:
    other = ONE.replace(".sbuf x f32", ".sbuf unused f32[128, 4]\n.sbuf x f32")
    found = nasm.equal(ONE, other, tries=0, max_instructions=3)
    assert found.reason.startswith("of a: it executes more than")


SUMS = """\
.target trn3
.hbm  X  f32[2, 128, 64]  input
.hbm  Y  f32[128, 64]  output
.sbuf x f32[128, 64]
@sync    Nop
@sync    DmaCopy  x, X[0]                   post begun
@sync    DmaCopy  x, X[0], compute_op=add   after begun      post first
@scalar  DmaCopy  x, X[1], compute_op=add   after begun      post second
@gpsimd  DmaCopy  Y, x                      after first, second  post stored
@gpsimd  EventSemaphore                     after stored
"""


def test_sums_in_no_order_have_no_single_result() -> None:
    found = nasm.equal(SUMS, SUMS.replace("@sync    Nop\n", ""), tries=0)
    assert found.reason == (
        "of a: the sums of scalar pc 0 (DmaCopy) and sync pc 2 (DmaCopy) are in no order"
    )
    chained = SUMS.replace("after begun      post second", "after first      post second")
    assert nasm.equal(chained, chained.replace("@sync    Nop\n", "")).ok
    swapped = chained.replace("X[1], comp", "X[3], comp").replace("X[0], comp", "X[1], comp")
    swapped = swapped.replace("X[3]", "X[0]")
    assert nasm.equal(chained, swapped, tries=0).verdict == "not proved"


def test_parts_of_elements_are_told_apart() -> None:
    whole = """\
.target trn2
.hbm  X  f32[128, 64]  input
.hbm  Y  f32[128, 64]  output
.sbuf x f32[128, 64]
@sync  DmaCopy  x, X  post loaded
@sync  DmaCopy  Y, x  after loaded  post stored
@sync  EventSemaphore  after stored
"""
    halves = whole.replace(
        "@sync  DmaCopy  x, X  post loaded",
        "@sync  DmaCopy  x.view(u16).reshape(128, 64, 2)[:, :, 0], "
        "X.view(u16).reshape(128, 64, 2)[:, :, 0]  post low\n"
        "@sync  DmaCopy  x.view(u16).reshape(128, 64, 2)[:, :, 1], "
        "X.view(u16).reshape(128, 64, 2)[:, :, 1]  post loaded\n"
        "@sync  EventSemaphore  after low",
    )
    assert nasm.equal(whole, halves).ok
    wrong = halves.replace("X.view(u16).reshape(128, 64, 2)[:, :, 1]", "X.view(u16)[:, 0:64]")
    assert nasm.equal(whole, wrong).verdict == "different"


def test_a_view_that_reaches_past_its_tensor_is_refused() -> None:
    program = nasm.assemble(ONE)
    (view,) = (
        v for v in program.instructions[1].operands if isinstance(v, View) and v.tensor.name == "x"
    )
    made = program.own()
    old = program.instructions[1]
    operands = tuple(replace(v, offset=1 << 20) if v is view else v for v in old.operands)
    made.instructions = [
        program.instructions[0],
        Instruction(old.row, operands),
        *program.instructions[2:],
    ]
    found = nasm.equal(made, program, tries=0)
    assert found.reason == "of a: a view of x reaches past it"


def test_a_text_that_does_not_assemble_raises() -> None:
    with pytest.raises(nasm.Failure, match="Activations"):
        nasm.equal(ONE, ONE.replace("Activation", "Activations"))
