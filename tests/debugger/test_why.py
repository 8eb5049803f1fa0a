"""Where values came from: what is said of them, at any moment of a run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from nasm.analysis import summary
from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.debugger.origins.candidates import Chances
from nasm.debugger.origins.elements import TensorElements
from nasm.debugger.origins.records import Why
from nasm.debugger.session import Session
from nasm.machine.records import Status
from nasm.runs.execution import Execution
from nasm.show.origins import chain_lines
from tests.parts import part

ROOT = Path(__file__).parents[2]


def session(text: str, **inputs: np.ndarray) -> Session:
    return Session.load(Source("test.nasm", text), inputs=inputs)


def finished(text: str, **inputs: np.ndarray) -> Session:
    made = session(text, **inputs)
    assert made.run().status is Status.FINISHED
    return made


def program(name: str) -> Session:
    made = Session(ROOT / "programs" / f"{name}.nasm")
    made.run()
    return made


def path(why: Why) -> list[str]:
    """The texts and makers along first sources."""
    found = [f"{why.text} {why.maker.name if why.maker else why.start}"]
    if why.sources and why.sources[0].whys:
        found += path(why.sources[0].whys[0])
    return found


# -- chains


def test_a_matmul_is_reported_as_a_row_and_a_column() -> None:
    made = program("matmul")
    why = made.why("C[3, 17]")
    assert path(why) == [
        "C[3, 17] DmaCopy",
        "c[3, 17] TensorCopy",
        "acc[3, 17] MultiplyMoving",
        "b[0:128, 17] DmaCopy",
        "B[0:128, 17] input, random, seed 2",
    ]
    product = why.sources[0].whys[0].sources[0].whys[0]
    moving, stationary = product.sources
    assert moving.values.tolist() == made.read("B[:, 17]").reshape(-1).tolist()
    assert stationary.text == "stationary tile[0:128, 3] of tensor"
    assert stationary.whys[0].maker is not None
    assert stationary.whys[0].maker.name == "LoadStationary"
    assert [s.text for s in stationary.whys[0].sources] == ["a[0:128, 3]"]
    assert product.maker is not None
    trace = Session(ROOT / "programs" / "matmul.nasm", trace=True)
    trace.run()
    (record,) = (
        summary.executed(trace.machine, r)
        for r in trace.trace.instructions
        if trace.program.instruction(r[1], r[2]).row.name == "MultiplyMoving"
    )
    assert (product.maker.began, product.maker.tick) == (record.start, record.finish)
    assert (product.maker.line, product.maker.pc) == (18, 1)


def test_the_scales_of_an_mx_product_are_four_partitions_of_each_quadrant() -> None:
    made = program("mx")
    data, scale, _ = made.why("acc[3, 5]").sources
    assert data.text == "bx[0:128, 5]"
    assert isinstance(scale.place, TensorElements)
    partitions = [32 * quadrant + 4 + n for quadrant in range(4) for n in range(4)]
    assert scale.place.coordinates.tolist() == [[p, 5] for p in partitions]
    assert scale.values.tolist() == made.read("scale[:, 5]").reshape(-1)[partitions].tolist()
    assert {why.maker.name for why in scale.whys if why.maker} == {"QuantizeMX"}


def test_the_matmuls_it_accumulated_are_reported_each_with_its_sum() -> None:
    made = program("matmul_k")
    acc = made.why("acc[3, 5]")
    a, b = (made.read(name).astype(np.float64) for name in ("A", "B"))
    sums = [a[: 128 * k, 3] @ b[: 128 * k, 5] for k in (3, 2, 1)]
    assert [float(one.values[0]) for one in acc.added] == pytest.approx(sums, rel=1e-5)
    assert acc.maker is not None
    assert acc.maker.rounds == (("k", 3),)
    rounds = [one.maker.rounds for one in acc.added if one.maker is not None]
    assert rounds == [(("k", 2),), (("k", 1),), (("k", 0),)]


def test_loops_gathers_and_registers_are_followed() -> None:
    counts = program("histogram").why("COUNTS[0, 1]")
    register = counts.sources[0].whys[0].sources[1]
    assert (register.role, register.text, register.summary) == ("address", "%r1 of vector", "1")
    taken = program("embedding_gather").why("Y[2, 3]").sources[0].whys[0]
    assert [(s.role, s.text) for s in taken.sources] == [
        ("src", "TABLE[63, 3]"),
        ("entries", "ids[2, 0]"),
    ]


def test_what_a_transfer_left_out_was_left_as_it_was() -> None:
    left = program("embedding_gather").why("Y[21, 3]").sources[0].whys[0]
    assert left.kept
    assert [(s.text, s.summary) for s in left.sources] == [("ids[21, 0]", "-1")]
    (before,) = left.before
    assert before.maker is not None
    assert before.maker.name == "Memset"


def test_what_engines_exchange_comes_from_the_other_core() -> None:
    made = program("ring")
    (got,) = made.why("C[3, 300]", depth=1).sources[0].whys
    assert got.text == "sum0[3, 300]"
    assert got.maker is not None
    assert (got.maker.kind, got.maker.name, got.maker.queue) == ("exchange", "SendRecv", "0.gpsimd")
    assert [s.text for s in got.sources] == ["sum1[3, 300]"]
    moved = made.why("got0[3, 4]", depth=1)
    assert moved.maker is not None
    assert (moved.maker.kind, moved.maker.name, moved.maker.queue) == (
        "transfer",
        "SendRecv",
        "1.gpsimd",
    )
    assert [s.text for s in moved.sources] == ["sum1[3, 4]"]


SEEDED = """
.target trn1
.sbuf seed u32[1, 1]
.sbuf dice u32[4, 8]
@vector Memset seed, 7
@vector SetRngSeed seed
@vector Rng dice
@vector Rng dice
"""


def test_random_numbers_go_back_to_their_seed() -> None:
    made = finished(SEEDED)
    why = made.why("dice[2, 3]")
    makers = []
    while why.maker is not None:
        makers.append(why.maker.name)
        if not why.sources:
            break
        why = why.sources[0].whys[0]
    assert makers == ["Rng", "Rng", "SetRngSeed", "Memset"]


BYTES = """
.target trn1
.sbuf t u8[1, 8]
@vector Memset t, 1
@vector Memset t[:, 1:2], 2
"""


def test_bytes_of_one_element_may_have_several_makers() -> None:
    made = finished(BYTES)
    why = made.why("t.view(u32)[0, 0]")
    assert why.maker is not None
    assert (why.maker.pc, why.values[0]) == (1, 0x01010201)
    assert [one.maker.pc for one in why.added if one.maker] == [0]


# -- NaN

NANS = """
.target trn1
.hbm X f32[4, 8] input
.hbm Y f32[4, 1] output
.sbuf x f32[4, 8]
.sbuf y f32[4, 8]
.sbuf z f32[4, 8]
.sbuf s f32[4, 1]
.sem l, d
@sync DmaCopy x, X   $l += 16
@vector TensorTensor y, x, x, op=subtract  $l >= 16
@vector Reciprocal z, y
@vector TensorTensor z, z, y, op=multiply
@vector TensorReduce s, z, op=add, axis=1  $d++
@sync DmaCopy Y, s   $d >= 1  $l += 16
@sync EventSemaphore $l >= 32
"""


def test_a_nan_is_followed_to_where_it_was_born_however_far() -> None:
    made = session(NANS, X=np.ones((4, 8), np.float32))
    made.run()
    why = made.why("Y[2, 0]", depth=0)
    while not why.born:
        assert len(why.sources) == 1
        (why,) = why.sources[0].whys
    assert why.born == "NaN"
    assert why.maker is not None
    assert (why.maker.line, why.maker.name) == (13, "TensorTensor")
    infinite = why.sources[0].whys[0]
    assert (infinite.summary, infinite.born) == ("inf", "infinity")
    assert infinite.maker is not None
    assert infinite.maker.name == "Reciprocal"


def test_of_a_nan_all_that_it_was_made_of_is_named() -> None:
    made = session(NANS, X=np.ones((4, 8), np.float32))
    made.run()
    (source,) = made.why("s[1, 0]").sources
    assert source.text == "z[1, 0:8]"


def test_a_nan_of_an_input_is_born_nowhere() -> None:
    x = np.ones((4, 8), np.float32)
    x[1, 5] = np.nan
    made = session(NANS, X=x)
    made.run()
    why = made.why("y[1, 5]")
    while why.maker is not None:
        assert not why.born
        why = why.sources[0].whys[0]
    assert (why.text, why.start) == ("X[1, 5]", "input, given")


# -- moments


def test_it_is_asked_of_the_moment_at_which_the_machine_is() -> None:
    made = Session(ROOT / "programs" / "histogram.nasm")
    made.run()
    end = made.moment, summary.memory_hash(made.machine)
    late = made.why("counts[0, 1]")
    assert (made.moment, summary.memory_hash(made.machine)) == end
    assert (late.values[0], late.sources[0].values[0]) == (5, 4)
    made.goto("21.5us")
    early = made.why("counts[0, 1]")
    assert (early.values[0], early.sources[0].values[0]) == (3, 2)
    assert early.maker is not None
    assert early.maker.tick <= made.now
    made.restart()
    assert made.why("counts[0, 1]").start == "not yet written"


@dataclass(frozen=True)
class Put:
    """Changes an element by hand."""

    value: float

    def __str__(self) -> str:
        return f"set x[1, 2] = {self.value}"

    def apply(self, running: Execution) -> None:
        """Do it."""
        access = running.machine.addresses.access(running.view("x[1, 2]"))
        access.put(np.full(access.array.shape, self.value, np.float32))


def test_a_change_by_hand_is_reported() -> None:
    made = session(NANS, X=np.ones((4, 8), np.float32))
    made.step("sync")
    while not made.known("x[1, 2]").all():
        made.advance(100)
    made.past.change(Put(5))
    why = made.why("x[1, 2]")
    assert why.maker is not None
    assert (why.maker.kind, why.maker.text, why.summary) == ("change", "set x[1, 2] = 5", "5.0")
    assert made.why("x[1, 3]").maker is not None
    assert made.why("x[1, 3]").maker.kind == "transfer"  # type: ignore[union-attr]


def test_what_was_typed_or_set_at_the_prompt_is_reported() -> None:
    made = finished(SEEDED)
    made.execute("@vector TensorScalar dice, dice, op0=bitwise_and, operand0=255")
    made.set("dice[1, 1]", "300")
    typed, put = made.why("dice[2, 3]"), made.why("dice[1, 1]")
    assert typed.maker is not None
    assert put.maker is not None
    assert (typed.maker.name, typed.maker.line) == ("TensorScalar", None)
    assert typed.sources[0].whys[0].maker is not None
    assert typed.sources[0].whys[0].maker.line == 8
    assert (put.maker.kind, put.summary) == ("change", "300")


DEADLOCK = """
.target trn1
.sbuf t f32[4, 4]
.sem never
@vector Memset t, 2.0
@vector TensorScalar t, t, op0=multiply, operand0=3.0
@vector TensorCopy t, t  $never >= 1
"""

FAULT = """
.target trn1
.sbuf t f32[4, 4]
.sbuf u f32[4, 4]
@vector Memset t, 2.0
@vector TensorScalar t, t, op0=multiply, operand0=3.0
@vector MatchReplace8 u, t, 1.0
"""


@pytest.mark.parametrize(("text", "status"), [(DEADLOCK, "deadlock"), (FAULT, "fault")])
def test_it_works_in_a_deadlock_and_after_a_fault(text: str, status: str) -> None:
    made = session(text)
    made.run()
    assert made.status.value == status
    problems = list(made.problems)
    why = made.why("t[1, 1]")
    assert why.maker is not None
    assert (why.maker.name, why.summary) == ("TensorScalar", "6.0")
    assert [s.summary for s in why.sources] == ["2.0"]
    assert (made.status.value, made.problems) == (status, problems)


def test_what_was_never_written_says_so() -> None:
    made = session(".target trn1\n.sbuf t f32[4, 4]\n@vector Nop\n")
    made.run()
    why = made.why("t[0, 0]")
    assert (why.maker, why.start) == (None, "not yet written")


def test_asking_tells_no_hazard_twice() -> None:
    text = ".target trn1\n.sbuf t f32[4, 4]\n.sbuf u f32[4, 4]\n@vector TensorCopy u, t\n"
    made = session(text)
    made.run()
    before = [str(p) for p in made.judged().errors + made.judged().warnings]
    made.why("u[0, 0]")
    made.why("u[0, 0]")
    assert [str(p) for p in made.judged().errors + made.judged().warnings] == before


# -- the last write


def test_the_last_write_of_some_bytes() -> None:
    made = program("histogram")
    found = made.last_write("counts[0, 1]")
    assert found is not None
    assert (found.maker.name, found.maker.us) == ("TensorScalar", pytest.approx(27.23, abs=0.01))
    assert made.last_write("V") is None
    predicated = """
.target trn1
.sbuf t f32[1, 4]
.sbuf m u8[1, 4]
@vector Memset t, 1.0
@vector Memset m, 1
@vector Memset m[:, 2:3], 0
@vector CopyPredicated t, 5.0, m
"""
    made = finished(predicated)
    written, kept = (made.last_write(f"t[0, {n}]") for n in (1, 2))
    assert written is not None
    assert kept is not None
    assert (written.maker.name, kept.maker.name) == ("CopyPredicated", "Memset")


# -- stretches that need not be run again


ENDS = {
    "matmul_k": "C[3, 5]",
    "histogram": "COUNTS[0, 1]",
    "embedding_gather": "Y[21, 3]",
    "ring": "C[3, 300]",
    "softmax": "Y[1, 3]",
}


@pytest.mark.parametrize("name", part(list(ENDS), 1))
def test_a_stretch_that_is_left_out_holds_nothing(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Session(ROOT / "programs" / f"{name}.nasm", keep=1 << 30)
    while not made.over:  # a checkpoint after every few instructions
        made.step(count=3)
        made.checkpoint()
    quick = chain_lines(made.why(ENDS[name]), 100)
    made.restart()
    made.run()
    monkeypatch.setattr(Chances, "possible", lambda *_: True)
    assert chain_lines(made.why(ENDS[name]), 100) == quick


# -- refusals


@pytest.mark.parametrize(
    ("text", "said"),
    [("t", "16 elements"), ("nothing[0]", "nothing"), ("t[9, 0]", "outside"), ("3", "tensor")],
)
def test_what_cannot_be_asked_is_refused(text: str, said: str) -> None:
    made = session(DEADLOCK)
    with pytest.raises(Failure, match=said):
        made.why(text)


def test_without_values_there_is_nothing_to_ask() -> None:
    made = Session(ROOT / "programs" / "matmul.nasm", values=False)
    with pytest.raises(Failure, match="without values"):
        made.why("C[0, 0]")


# -- words


def test_records_are_a_line() -> None:
    why = program("matmul").why("C[3, 17]")
    assert str(why).startswith("C[3, 17] = 28.500381: by DmaCopy, sync pc 2, line 20, at 4.619")
    assert "\n" not in repr(why)
    assert repr(why.sources[0]) == "<src c[3, 17] = 28.500381>"
    place = why.place
    assert isinstance(place, TensorElements)
    assert place.coordinates.tolist() == [[3, 17]]


CHAIN = """\
C[3, 5] = 10.151205
  by DmaCopy, line 29, sync pc 8, landed at cycle 8,980, 6.415 us
  from c[3, 5]
  by TensorCopy, line 28, vector pc 0, at cycle 5,288, 4.721 us
  from acc[3, 5]
  by MultiplyMoving, line 25, k = 3, tensor pc 7, at cycle 11,578, 4.135 us
  moving: b3[0:128, 5] = 0.5508, -0.7344, ... (128 elements)
    by DmaCopy, line 19, k = 3, sync pc 7, landed at cycle 4,835, 3.454 us
    from B[384:512, 5]
    input, normal, seed 2
  stationary tile[0:128, 3] of tensor = 1.79688, 0.972656, ... (128 elements)
    by LoadStationary, line 24, k = 3, tensor pc 6, at cycle 9,201, 3.286 us
    from a3[0:128, 3] = 1.797, 0.9727, ... (128 elements)
    by DmaCopy, line 18, k = 3, sync pc 6, landed at cycle 4,161, 2.972 us
    from A[384:512, 3]
    input, normal, seed 1
  added to acc[3, 5] = -11.262535
    -11.262535 by MultiplyMoving, line 25, k = 2, tensor pc 5, at cycle 9,891,
      3.533 us, of b2[0:128, 5] and a2[0:128, 3]
    4.9293327 by MultiplyMoving, line 25, k = 1, tensor pc 3, at cycle 8,204,
      2.930 us, of b1[0:128, 5] and a1[0:128, 3]
    -3.1520479 by MultiplyMoving, line 25, k = 0, tensor pc 1, at cycle 6,517,
      2.328 us, of b0[0:128, 5] and a0[0:128, 3]
"""


def test_a_chain_as_lines() -> None:
    why = program("matmul_k").why("C[3, 5]")
    assert "\n".join(chain_lines(why, 80, ascii_only=True)) + "\n" == CHAIN


@pytest.mark.parametrize("name", part(["softmax", "layernorm", "histogram"], 1))
def test_lines_fit_the_width(name: str) -> None:
    made = program(name)
    output = next(n for n, t in made.program.tensors.items() if t.role == "output")
    why = made.why(f"{output}[0, 1]")
    for width in (40, 60, 80, 120):
        lines = chain_lines(why, width, ascii_only=True)
        assert max(map(len, lines)) <= width
        assert "\n".join(lines).isascii()
