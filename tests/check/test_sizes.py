"""Programs checked for every size: what is proved holds at sizes that were never looked at."""

from __future__ import annotations

from pathlib import Path

import pytest

from nasm.base.problems import Failure, Refused
from nasm.base.source import Source
from nasm.base.source_files import source_of
from nasm.language.assemble import assemble
from nasm.order.clocks import Order
from nasm.order.posts import TakenStep
from nasm.order.repeats import Unproved
from nasm.order.skeleton import CounterChange, CounterWait, Step
from nasm.runs.check import examine
from nasm.runs.check.size_answer import SizeRange, SizesAnswer
from nasm.runs.check.size_ends import check_ends
from nasm.runs.check.sizes import for_all
from nasm.runs.settings import RunSettings
from nasm.show.sizes import lines
from nasm.targets import TARGETS

PROGRAMS = Path(__file__).parents[2] / "programs"
NEEDED = "  after multiplied[(n - 1) * MT - 1]"
"""The wait of matmul_tiled that only sizes of three columns and more need."""

HEAD = """\
.target trn2
.const N = 4
.hbm X f32[N * 128, 4] input = iota
.hbm Y f32[N * 128, 4] output
.sbuf x f32[128, 4]
.sbuf y f32[128, 4]
.sbuf v f32[128, 4]
"""
BODY = """\
@sync DmaCopy x, X[k*128 : +128, :] after made[k - 1] post load[k]
@vector TensorScalar y, x, op0=add, operand0=1 after load[k], store[k - 1] post made[k]
@scalar DmaCopy Y[k*128 : +128, :], y after made[k] post store[k]
"""
END = "@scalar .drain\n"


def of(text: str, first: int = 1, last: int | None = None, name: str = "N") -> SizesAnswer:
    return for_all(Source("sizes.nasm", text), SizeRange(name, first, last), RunSettings(), None)


def loop(kind: str = ".for", more: str = "", after: str = "") -> str:
    return f"{HEAD}{kind} k in 0..N\n{BODY}{more}.end\n{after}{END}"


def sound(text: str, size: int, name: str = "N") -> bool:
    """Whether a size is in order, looked at by itself."""
    program = assemble(Source("sizes.nasm", text), TARGETS, defines={name: size})
    return not examine(program).errors


@pytest.mark.parametrize("kind", [".for", ".loop"])
def test_a_loop_in_order_is_so_for_every_size(kind: str) -> None:
    found = of(loop(kind))
    assert (found.proved, found.failing, found.reason) == (True, None, "")
    assert len(found.sizes) < 20
    assert all(sound(loop(kind), size) for size in (27, 41))


def test_each_size_is_named_before_it_is_looked_at() -> None:
    named: list[int] = []
    source = Source("sizes.nasm", loop())
    found = for_all(source, SizeRange("N", 3), RunSettings(), None, named.append)
    assert tuple(named) == found.sizes


def test_sizes_without_a_wait_that_only_larger_ones_need() -> None:
    text = (PROGRAMS / "matmul_tiled.nasm").read_text(encoding="utf-8")
    assert NEEDED in text
    shorter = Source("sizes.nasm", text.replace(NEEDED, ""))
    found = for_all(shorter, SizeRange("N", 512, None, 512), RunSettings(), None)
    assert (found.failing, found.step, found.sizes) == (1536, 512, (512, 1024, 1536))
    (problem,) = found.problems
    assert problem.code == "E0502"
    assert "writes b0" in problem.message
    assert lines(found) == ["not in order at N = 1,536: the smallest such size, in steps of 512"]


FIXED = HEAD.replace("Y f32[N * 128, 4] output", "Y f32[64 * 128, 4] inout")
LATE = {
    "a row that there always is": (
        f"{FIXED}.for k in 0..N\n{BODY}.end\n"
        f"@gpsimd DmaCopy v, Y[11*128 : +128, :]\n@gpsimd .drain\n{END}",
        12,
    ),
    "credits that run out": (
        loop(".loop", "@gpsimd EventSemaphore take $c\n").replace(
            ".loop", ".sem c\n@vector EventSemaphore give $c, 13\n.loop", 1
        ),
        14,
    ),
    "a line of one size": (loop(after=".if N == 12\n@gpsimd TensorCopy v, y\n.end\n"), 12),
    "a line of one round": (loop(more=".if k == 12\n@gpsimd TensorCopy v, y\n.end\n"), 13),
    "a maximum of a round": (
        loop(more=".if max(3, k - 4) == 30\n@gpsimd TensorCopy v, y\n.end\n"),
        35,
    ),
    "a row that one round writes": (
        loop(after=".if N > 11\n@gpsimd DmaCopy v, Y[10*128 : +128, :]\n@gpsimd .drain\n.end\n"),
        12,
    ),
}


@pytest.mark.parametrize(("text", "size"), LATE.values(), ids=LATE)
def test_what_is_wrong_of_larger_sizes_alone_is_found_there(text: str, size: int) -> None:
    found = of(text)
    assert (found.proved, found.failing) == (False, size)
    assert sound(text, size - 1)


NOT_PROVED = {
    "remainder": (loop(more=".const m = k % N\n"), "a remainder by what grows"),
    "part": (loop(more=".if k*2 < N\n@gpsimd Memset v, value=0\n.end\n"), "a part of the size"),
    "product": (
        loop(more=".if k*N > 3\n@gpsimd Memset v, value=0\n.end\n"),
        "multiplies what grows",
    ),
    "list": (
        loop(more=f".const m = {list(range(99))}[k]\n@gpsimd Memset v, value=m\n"),
        "a number in a list",
    ),
    "macro": (
        ".macro f(n)\n.const m = n % N\n@gpsimd Memset v, value=m\n.end\n" + loop(more="f(k)\n"),
        "a remainder by what grows",
    ),
    "macro that exports": (
        ".macro f(n)\n.const @export m = n\n.end\n" + loop(more="f(k)\n"),
        "a macro that exports names",
    ),
    "register": (loop(after="@gpsimd RegisterMove %r0, N\n"), "what is in a register"),
    "a list of sizes": (
        loop(after=".const L = [N, 2]\n.for j in 0..L[0]\n@gpsimd Memset v, value=0\n.end\n"),
        "a bound of a loop is not known",
    ),
    "a quotient": (
        loop(after=".if 97 // N == 1\n@gpsimd Memset v, value=0\n.end\n"),
        "a quotient by what grows",
    ),
    "branches": (
        loop(
            more=".if k > 0\n.const m = k\n.else\n.const m = 0\n.end\n"
            ".if m == 40\n@gpsimd Memset v, value=0\n.end\n"
        ),
        "not known to be affine",
    ),
    "posts": (
        loop(more="@gpsimd EventSemaphore $c += k\n").replace(".hbm X", ".sem c\n.hbm X"),
        "posted",
    ),
}


@pytest.mark.parametrize(("text", "reason"), NOT_PROVED.values(), ids=NOT_PROVED)
def test_what_is_not_the_same_for_all_sizes_is_not_proved(
    text: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nasm.runs.check.sizes.FEW", 2)
    found = of(text)
    assert not found.proved
    assert found.failing is None
    assert reason in found.reason
    assert found.at is not None
    assert lines(found)[1].startswith(f"not proved beyond N = {found.sizes[-1]}: ")


def test_tiles_that_go_backwards_are_not_proved_and_not_wrong() -> None:
    found = of(
        loop(
            more="@gpsimd DmaCopy v, X[(N - 1 - k)*128 : +128, :] after g[k - 1] post g[k]\n",
            after="@gpsimd .drain\n",
        )
    )
    assert found.failing is None


def test_values_in_a_range_are_looked_at_where_nothing_follows() -> None:
    found = of(loop(more=".const m = k % N\n"), 2, 5)
    assert (found.proved, found.sizes) == (True, (2, 3, 4, 5))


def test_memory_ends_somewhere() -> None:
    text = f"{loop()}".replace(".sbuf v f32[128, 4]", ".sbuf v f32[128, N]")
    found = of(text)
    assert found.proved
    assert found.too_large is not None
    sizes = (found.too_large - 1, found.too_large)
    fits = []
    for size in sizes:
        try:
            assemble(Source("declared.nasm", text.split(".for")[0]), TARGETS, defines={"N": size})
            fits.append(True)
        except Failure:
            fits.append(False)
    assert fits == [True, False]


def test_a_constant_that_there_is_not_is_refused() -> None:
    with pytest.raises(Refused, match="has no constant K") as found:
        of(loop(), name="K")
    assert found.value.hint == "it has N"


def test_a_range_without_a_size_is_refused() -> None:
    text = loop().replace(".hbm X", ".assert N < 90\n.hbm X")
    with pytest.raises(Refused, match=r"no value of N=95\.\.120 is a size of this program"):
        of(text, 95, 120)


def test_sizes_that_are_not_evenly_apart_want_a_step() -> None:
    text = loop().replace(".hbm X", ".assert N == 1 or N == 2 or N == 5 or N > 8\n.hbm X")
    with pytest.raises(Refused, match="not evenly apart"):
        of(text)


def takes(rounds: int, credit: int, given: int) -> list[list[TakenStep]]:
    """The steps of a queue that takes a credit in each round, and gives back some."""
    order = Order(1, [])
    order.take(Step(0, 0, change=CounterChange(0, "+", credit)))
    for number in range(rounds):
        change = CounterChange(0, "+", given - 1)
        order.take(Step(0, 1 + number, CounterWait(0, ">=", 1), change))
    return order.steps


@pytest.mark.parametrize(("given", "ends"), [(0, False), (1, True), (2, True)])
def test_rounds_end_that_give_what_they_take(given: int, ends: bool) -> None:
    sizes = takes(5, 9, given), takes(6, 9, given)
    if ends:
        check_ends(*sizes)
    else:
        with pytest.raises(Unproved, match="whether it ends"):
            check_ends(*sizes)


def test_operands_that_grow_are_proved_where_all_sizes_assemble() -> None:
    wide = loop(after="@gpsimd Memset v, value=0\n").replace("v f32[128, 4]", "v f32[128, N]")
    found = of(wide, 4, 40)
    assert (found.proved, found.failing) == (True, None)
    assert len(found.sizes) < 20
    found = of(wide, 4)
    assert (found.proved, found.failing) == (False, None)
    assert "may refuse operands" in found.reason


def test_an_included_text_may_mean_the_size(tmp_path: Path) -> None:
    whole = tmp_path / "whole.nasm"
    (tmp_path / "part.nasm").write_text(
        ".macro clear(j)\n.if N == 12 and j > 2\n@gpsimd TensorCopy v, y\n.end\n.end\n",
        encoding="utf-8",
    )
    whole.write_text('.include "part.nasm"\n' + loop(more="clear(k)\n"), encoding="utf-8")
    found = for_all(source_of(whole), SizeRange("N", 1), RunSettings(), None)
    assert (found.proved, found.failing) == (False, 12)


SAME = {
    "a macro of the library": loop(
        more=".for c in 0..CHUNKS\nclear(v, c, shape(v, 1))\n.end\n"
    ).replace(
        ".hbm X",
        ".macro clear(t, c, width)\n.const wide = min(512, width - c*512)\n"
        "@gpsimd Memset t[:, c*512 : +wide], value=0\n.end\n"
        ".const CHUNKS = ceil_div(4, 512)\n.hbm X",
    ),
    "rounds of a macro": HEAD
    + ".macro all(src, dst)\n.for k in 0..shape(src, 0) // 128\n"
    + BODY.replace("X[", "src[").replace("Y[", "dst[")
    + ".end\n.end\nall(X, Y)\n@scalar .drain\n",
    "a queue that waits for its own results": HEAD
    + ".for k in 0..N\n@sync DmaCopy x, X[k*128 : +128, :] after made[k - 1] post load[k]\n"
    + "@scalar Activation y, x, op=copy after load[k], store[k - 1]\n"
    + "@scalar Activation v, y, op=copy after turn[k]\n"
    + "@scalar DmaCopy Y[k*128 : +128, :], y post store[k]\n"
    + "@scalar Nop post made[k]\n@gpsimd Nop after load[k] post turn[k]\n.end\n"
    + END,
    "a view of a view": HEAD
    + ".view rows = X.reshape(N, 128, 4)\n.for k in 0..shape(rows[:, 0:64], 0)\n"
    + BODY.replace("X[k*128 : +128, :]", "rows[k]")
    + f".end\n{END}",
}


@pytest.mark.parametrize("text", SAME.values(), ids=SAME)
def test_macros_and_views_of_which_there_are_more_rounds(text: str) -> None:
    found = of(text)
    assert (found.proved, found.failing, found.reason) == (True, None, "")
    assert all(sound(text, size) for size in (27, 41))


def test_what_an_assertion_refuses_is_no_size() -> None:
    asserted = loop().replace(".hbm X", ".assert N != 5\n.hbm X")
    found = for_all(Source("sizes.nasm", asserted), SizeRange("N", 4, 6, 1), RunSettings(), None)
    assert (found.failing, found.sizes) == (None, (4, 6))


def test_where_values_are_addresses_sizes_are_looked_at_by_themselves() -> None:
    source = source_of(PROGRAMS / "embedding.nasm")
    found = for_all(source, SizeRange("ROWS", 64, 192, 64), RunSettings(), None)
    assert (found.proved, found.sizes) == (True, (64, 128, 192))
    found = for_all(source, SizeRange("ROWS", 64, None, 4096), RunSettings(), None)
    assert not found.proved
    assert "a run without values does not know it" in found.reason
