"""Two runs side by side, against ticks and values worked out by hand."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import nasm
from nasm.base.problems import Failure
from nasm.debugger.session import Session
from nasm.runs.diff.paths import _pairs
from nasm.runs.diff.records import Comparison, Difference, OnPath, PathChange, TensorChange

PROGRAMS = Path(__file__).parents[2] / "programs"

CHAIN = """\
.target trn2
.const N = 512
.sbuf a f32[128, N]
.sbuf b f32[128, N]
.sem done
@gpsimd Memset a, 1.0 $done++
@vector TensorCopy b, a $done >= 1
"""

OUTPUTS = """\
.target trn2
.hbm A f32[2, 4] input
.hbm X f32[2, 4] output
.hbm Y f32[2, 4] output
.sbuf a f32[2, 4]
.sem in, out
@sync DmaCopy a, A $in += 16
@sync DmaCopy X, a $in >= 16 $out += 16
@sync DmaCopy Y, a $out += 16
@sync EventSemaphore $out >= 32
"""


def ran(text: str | Path, **given: object) -> Session:
    session = Session(text, profile=True, **given)  # type: ignore[arg-type]
    session.run()
    return session


def compared(a: Session, b: Session) -> Comparison:
    return nasm.compare(a, b)


def test_a_longer_instruction_is_busy_and_waited_for() -> None:
    found = compared(ran(CHAIN, defines={"N": 256}), ran(CHAIN))
    # GpSimd takes 150 cycles and one per element, of 4 ticks; 4,800 ticks are a microsecond
    by_name = {(c.engine, c.cause, c.by): c for c in found.engines}
    busy = by_name["gpsimd", "busy", ""]
    assert busy.a == (150 + 256) * 4 / 4800
    assert busy.b == (150 + 512) * 4 / 4800
    waits = by_name["vector", "semaphore", "gpsimd"]
    # results 240 ticks later, seen 192 later
    assert waits.a == ((150 + 256) * 4 + 240 + 192) / 4800
    assert waits.change == pytest.approx(256 * 4 / 4800)
    assert found.differences == (Difference("constant", "N", "256", "512"),)


def test_what_got_slower_comes_first() -> None:
    found = compared(ran(CHAIN), ran(CHAIN, target="trn1"))
    for changes in (found.engines, found.path):
        order = [change.change for change in changes]
        assert order == sorted(order, reverse=True)
        assert order[0] > 0 > order[-1] or all(c >= 0 for c in order)


@pytest.mark.parametrize(
    ("a", "b", "more"),
    [
        ("matmul_tiled.nasm", "matmul_tiled.nasm", {"target": "trn2"}),
        ("matmul.nasm", "matmul_k.nasm", {}),
        ("ring.nasm", "pair_softmax.nasm", {}),
        ("matmul.nasm", "ring.nasm", {}),
    ],
)
def test_the_changes_of_every_engine_and_of_the_path_are_that_of_the_total(
    a: str, b: str, more: dict[str, str]
) -> None:
    found = compared(ran(PROGRAMS / a), ran(PROGRAMS / b, **more))
    for side, profile in (("a", found.a), ("b", found.b)):
        sums: dict[str, float] = {}
        for change in found.engines:
            sums[change.engine] = sums.get(change.engine, 0) + getattr(change, side)
        # an engine that did nothing on this side has no times
        for name, total in sums.items():
            assert total == pytest.approx(profile.microseconds) or total == 0, name
        assert any(sums.values())
        on_path = [getattr(line, side) for line in found.path]
        assert sum(p.microseconds for p in on_path if p) == pytest.approx(profile.microseconds)
        assert sum(p.share for p in on_path if p) == pytest.approx(1)
    assert sum(line.change for line in found.path) == pytest.approx(found.change)


def test_a_run_beside_itself_differs_in_nothing() -> None:
    for name in ("matmul_tiled.nasm", "pair_softmax.nasm"):
        found = compared(ran(PROGRAMS / name), ran(PROGRAMS / name))
        assert found.differences == ()
        assert (found.change, found.ratio) == (0, 0)
        assert not any(change.change for change in (*found.engines, *found.path))
        assert all(line.a and line.b for line in found.path)
        assert found.tensors
        assert all(tensor.equal for tensor in found.tensors)
        assert found.first_tensor is None


def test_lines_of_two_texts_are_beside_each_other() -> None:
    other = CHAIN.replace("@gpsimd", "; a line more\n@gpsimd").replace("1.0", "2.0")
    found = compared(ran(CHAIN), ran(other))
    pairs = {line.a.span.line: line.b.span.line for line in found.path if line.a and line.b}  # type: ignore[union-attr]
    assert pairs == {6: 7, 7: 8}
    assert len(found.path) == 2


def test_a_line_that_moved_to_another_engine_stays_itself() -> None:
    other = CHAIN.replace("@vector TensorCopy", "@scalar TensorCopy")
    other = other.replace("@gpsimd Memset", "@vector Memset")
    found = compared(ran(CHAIN), ran(other))
    engines = [(line.a.queue, line.b.queue) for line in found.path if line.a and line.b]
    assert sorted(engines) == [("gpsimd", "vector"), ("vector", "scalar")]


CORES = """\
.target trn2
.const CORES = 1
.for c in 0..CORES
.core c
.sbuf a{c} f32[128, 512]
@vector Memset a{c}[:, 0:512 * (c + 1) // 2], 1.0
.end
"""


def test_one_core_is_the_first_of_two() -> None:
    found = compared(ran(CORES), ran(CORES, defines={"CORES": 2}))
    busy = {change.engine: change for change in found.engines if change.cause == "busy"}
    assert set(busy) == {"0.vector", "1.vector"}
    # Vector's memset takes 0.8 cycles of 5 ticks for each of 256 and 512 elements
    assert busy["0.vector"].a == busy["0.vector"].b == 205 * 5 / 4800
    assert (busy["1.vector"].a, busy["1.vector"].b) == (0, 410 * 5 / 4800)


def test_engines_of_one_line_are_beside_themselves() -> None:
    line = found_path("vector", 3.0)
    others = [found_path("1.vector", 9.0), found_path("0.vector", 4.0)]
    assert list(_pairs([line], others)) == [
        PathChange(line, others[1]),
        PathChange(None, others[0]),
    ]


def found_path(queue: str, microseconds: float) -> OnPath:
    return OnPath(queue, None, "", microseconds, 0.5, 1)


def outputs(a: list[float], b: list[float], text: str = OUTPUTS) -> tuple[TensorChange, ...]:
    sides = [
        ran(OUTPUTS if n == 0 else text, inputs={"A": np.array(x, np.float32).reshape(2, 4)})
        for n, x in enumerate((a, b))
    ]
    return compared(*sides).tensors


def test_an_output_says_where_it_first_differs_and_by_how_much() -> None:
    x, y = outputs([0, 1, 2, 3, 4, 5, 6, 7], [0, 1, 2, 3, 4.5, 5, 4, 7])
    assert (x.name, y.name) == ("X", "Y")
    assert (x.count, x.elements, x.largest) == (2, 8, 2.0)
    assert x.first is not None
    assert (x.first.index, x.first.a, x.first.b) == ((1, 0), 4.0, 4.5)


def test_nans_are_alike_and_so_are_the_zeros() -> None:
    nan, inf = math.nan, math.inf
    a, _ = outputs([nan, 0.0, inf, 1, 1, 1, 1, 1], [nan, -0.0, inf, 1, 1, 1, 1, 1])
    assert a.equal
    a, _ = outputs([0, 1, nan, 1, 1, 1, 1, 1], [0, 1, 2, 3, 1, 1, 1, 1])
    assert (a.count, a.first.index) == (2, (0, 2))  # type: ignore[union-attr]
    assert math.isnan(a.largest)  # type: ignore[arg-type]
    a, _ = outputs([inf, 1, 1, 1, 1, 1, 1, 1], [-inf, 1, 1, 1, 1, 1, 1, 1])
    assert a.largest == inf


def test_an_element_that_one_run_did_not_write_differs() -> None:
    text = OUTPUTS.replace("DmaCopy Y, a", "DmaCopy Y[:, 0:2], a[:, 0:2]")
    x, y = outputs([1] * 8, [1] * 8, text)
    assert x.equal
    assert (y.count, y.largest) == (4, None)
    assert y.first is not None
    assert (y.first.index, y.first.a, y.first.b) == ((0, 2), 1.0, None)


def test_outputs_of_other_shapes_dtypes_and_names_are_reported_apart() -> None:
    text = OUTPUTS.replace(".hbm Y f32[2, 4]", ".hbm Y f32[4, 2]")
    text = text.replace("Y, a", "Y.reshape(2, 4), a")
    text = text.replace(".hbm X f32", ".hbm Z f32").replace("Copy X,", "Copy Z,")
    found = outputs([1] * 8, [1] * 8, text)
    assert [(t.name, t.apart) for t in found] == [
        ("X", "only a has it"),
        ("Y", "the shapes differ"),
        ("Z", "only b has it"),
    ]
    a = ran(".target trn2\n.hbm Y f32[4] output = zeros\n@sync Nop\n")
    b = ran(".target trn2\n.hbm Y i32[4] output = zeros\n@sync Nop\n")
    found = compared(a, b).tensors
    assert [(t.apart, t.a, t.b) for t in found] == [("the dtypes differ", "float32[4]", "int32[4]")]


def test_values_are_compared_only_where_both_runs_have_them_and_ended() -> None:
    whole = ran(CHAIN)
    assert compared(whole, ran(CHAIN, values=False)).without == "b was run without values"
    part = Session(CHAIN, profile=True)
    part.run(max_cycles=100)
    assert compared(part, whole).without == "a did not run to its end"
    assert compared(part, whole).tensors == ()


def test_options_and_figures_that_are_not_the_same_are_reported() -> None:
    a = ran(CHAIN, options={"ordering": "relaxed"})
    b = ran(CHAIN, timing={"semaphore_ns": 25})
    assert compared(a, b).differences == (
        Difference("option", "ordering", "relaxed", "interlock"),
        Difference("figure", "semaphore_ns", "40 ns", "25 ns"),
    )
    assert str(compared(a, b).differences[1]) == "figure semaphore_ns: 40 ns and 25 ns"


def test_a_session_that_was_not_watched_is_not_compared() -> None:
    session = Session(CHAIN)
    session.run()
    with pytest.raises(Failure) as caught:
        compared(session, ran(CHAIN))
    assert [p.code for p in caught.value.problems] == ["E0815"]


def test_programs_made_in_python_are_compared() -> None:
    def built(value: float) -> Session:
        b = nasm.Builder("trn2")
        tile = b.sbuf("t", "f32", (128, 64))
        b.vector.Memset(tile, value)
        return ran(b.finish())  # type: ignore[arg-type]

    found = compared(built(1.0), built(2.0))
    assert found.change == 0
    assert all(line.a and line.b for line in found.path)
